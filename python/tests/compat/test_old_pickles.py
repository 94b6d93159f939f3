"""What old versions of datasketch have pickled works as it did there."""

from __future__ import annotations

import pathlib
import pickle

import numpy as np
import pytest

import lookalike.compat.datasketch as ours
from lookalike.compat.datasketch.pickles import load

FILES = sorted((pathlib.Path(__file__).parent / "pickles").glob("*.pickle"))


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def stored(request):
    with open(request.param, "rb") as file:
        return load(file)


def test_there_are_some():
    assert len(FILES) >= 2


def test_a_sketch_is_updated_by_its_own_permutations(stored):
    for update in (lambda m: m.update(b"three"), lambda m: m.update_batch([b"three"])):
        sketch = stored["minhash"].copy()
        update(sketch)
        assert sketch.hashvalues.tolist() == stored["after three"]
    assert stored["minhash"].scheme == "legacy"
    again = pickle.loads(pickle.dumps(stored["minhash"]))
    again.update(b"three")
    assert again.hashvalues.tolist() == stored["after three"]


def test_an_index_finds_it(stored):
    assert stored["lsh"].query(stored["minhash"]) == ["a"]


def test_a_generator_goes_on_with_its_random_numbers(stored):
    generator, vectors = stored["generator"], np.array(stored["vectors"])
    assert [generator.minhash(vector) for vector in vectors] == stored["weighted"]
    assert generator.minhash_many(vectors) == stored["weighted"]
    again = pickle.loads(pickle.dumps(generator))
    assert again.minhash(vectors[0]) == stored["weighted"][0]
    assert generator.minhash_many(np.zeros((2, 4))) == [None, None]
    assert generator.minhash(vectors[0]).jaccard(stored["weighted"][0]) == 1.0


def test_sketches_of_both_ways_do_not_mix(stored):
    here = ours.WeightedMinHashGenerator(4, 8, seed=3).minhash(stored["vectors"][0])
    with pytest.raises(ValueError, match="weighted-darts.*weighted-consistent"):
        here.jaccard(stored["weighted"][0])
    with pytest.raises(ValueError, match="weighted-darts.*weighted-consistent"):
        pickle.loads(pickle.dumps(here)).jaccard(stored["weighted"][0].copy())
    lsh = ours.MinHashLSH(threshold=0.5, num_perm=8)
    lsh.insert("there", stored["weighted"][0])
    with pytest.raises(ValueError, match="scheme"):
        lsh.insert("here", here)
    forest = ours.MinHashLSHForest(num_perm=8, l=2)
    forest.add("here", here)
    with pytest.raises(ValueError, match="scheme"):
        forest.add("there", stored["weighted"][0])
    # Values that were given by hand say nothing, and go with both.
    by_hand = ours.WeightedMinHash(3, stored["weighted"][0].hashvalues)
    assert by_hand.jaccard(stored["weighted"][0]) == 1.0
    here.jaccard(by_hand)
