"""lookalike.compat.datasketch.pickles: what datasketch has pickled."""

from __future__ import annotations

import hashlib
import io
import pickle
import random

import numpy as np
import pytest

import lookalike.compat.datasketch as ours
from lookalike.compat.datasketch.pickles import load, loads

theirs = pytest.importorskip("datasketch")
SCHEMES = ["affine32", "affine64", "legacy"]


def documents(count):
    draw = random.Random(1)
    base = [draw.randbytes(8) for _ in range(40)]
    return [draw.sample(base, 30) + [draw.randbytes(8) for _ in range(i % 20)] for i in range(count)]


def compress(data):
    return hashlib.blake2b(data, digest_size=3).digest()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_sketches(scheme):
    items = documents(1)[0]
    pair = [lib.MinHash.bulk([items], scheme=scheme)[0] for lib in (ours, theirs)]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        loaded = loads(pickle.dumps(pair[1], protocol))
        assert type(loaded) is ours.MinHash and loaded == pair[0]
        loaded.update(b"more")
    lean = load(io.BytesIO(pickle.dumps(theirs.LeanMinHash(pair[1]))))
    assert type(lean) is ours.LeanMinHash and lean == ours.LeanMinHash(pair[0])
    small = loads(pickle.dumps(theirs.bBitMinHash(pair[1], 3)))
    assert type(small) is ours.bBitMinHash and small == ours.bBitMinHash(pair[0], 3)


def test_sketches_from_before_schemes():
    made = theirs.MinHash(scheme="legacy")
    made.update(b"a")
    state = made.__getstate__()
    del state["scheme"]
    old = theirs.MinHash.__new__(theirs.MinHash)
    old.__dict__.update(state)
    loaded = loads(pickle.dumps(old))
    assert loaded.scheme == "legacy" and np.array_equal(loaded.hashvalues, made.hashvalues)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("settings", [dict(), dict(prepickle=True), dict(hashfunc=compress)])
def test_indexes(scheme, settings):
    made = ours.MinHash.bulk(documents(60), scheme=scheme)
    lsh = theirs.MinHashLSH(threshold=0.7, **settings)
    for i, sketch in enumerate(made[:50]):
        lsh.insert(i, sketch)
    loaded = loads(pickle.dumps(lsh))
    assert type(loaded) is ours.MinHashLSH and (loaded.b, loaded.r, loaded.h) == (lsh.b, lsh.r, lsh.h)
    loaded.insert(50, made[50])
    lsh.insert(50, made[50])
    for sketch in made:
        assert set(loaded.query(sketch)) == set(lsh.query(sketch))
    with pytest.raises(ValueError, match="scheme"):
        loaded.query(ours.MinHash(scheme="legacy" if scheme != "legacy" else "affine32"))


def test_weighted():
    generator = theirs.WeightedMinHashGenerator(20, 64)
    vectors = np.random.RandomState(1).uniform(0, 1, (10, 20))
    lsh, forest = theirs.MinHashLSH(threshold=0.5, num_perm=64), theirs.MinHashLSHForest(num_perm=64)
    for i, vector in enumerate(vectors):
        lsh.insert(i, generator.minhash(vector))
        forest.add(i, generator.minhash(vector))
    forest.index()
    loaded, trees = loads(pickle.dumps(lsh)), loads(pickle.dumps(forest))
    for vector in vectors:
        sketch = loads(pickle.dumps(generator.minhash(vector)))
        assert type(sketch) is ours.WeightedMinHash
        assert set(loaded.query(sketch)) == set(lsh.query(generator.minhash(vector)))
        assert set(trees.query(sketch, 1)) == set(forest.query(generator.minhash(vector), 1))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_forests_and_ensembles(scheme):
    made = ours.MinHash.bulk(documents(40), scheme=scheme)
    forest = theirs.MinHashLSHForest()
    assert loads(pickle.dumps(forest)).is_empty()
    for i, sketch in enumerate(made):
        forest.add(i, sketch)
    assert loads(pickle.dumps(forest)).is_empty()
    forest.index()
    loaded = loads(pickle.dumps(forest))
    for sketch in made:
        assert set(loaded.query(sketch, 5)) == set(forest.query(sketch, 5))
    assert np.array_equal(loaded.get_minhash_hashvalues(3), forest.get_minhash_hashvalues(3))
    ensemble = theirs.MinHashLSHEnsemble(num_part=3)
    ensemble.index([(i, sketch, 30 + i % 20) for i, sketch in enumerate(made)])
    loaded = loads(pickle.dumps(ensemble))
    for i, sketch in enumerate(made):
        assert set(loaded.query(sketch, 30 + i % 20)) == set(ensemble.query(sketch, 30 + i % 20))
