"""Threads, memory and pickles of the stand-ins."""

from __future__ import annotations

import pickle
import sys
import threading
import zlib
from types import MappingProxyType
from typing import Any, Callable, Iterator, List

import numpy as np
import pytest

import lookalike
from lookalike.compat.datasketch import MinHash, MinHashLSH, MinHashLSHForest, WeightedMinHashGenerator
from lookalike.compat.datasketch.pickles import loads
from lookalike.compat.simhash import Simhash, SimhashIndex


@pytest.fixture(autouse=True)
def quick_switches() -> Iterator[None]:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def in_threads(work: Callable[[int], None], count: int = 4) -> None:
    failures: List[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def sketch(number: int) -> MinHash:
    minhash = MinHash(num_perm=16)
    minhash.update(b"%d" % number)
    return minhash


def test_a_forest_keeps_names_and_sketches_together() -> None:
    forest = MinHashLSHForest(num_perm=16, l=2)
    sketches = {number: sketch(number) for number in range(2_000)}
    in_threads(lambda part: [forest.add(n, sketches[n]) for n in range(part, 2_000, 4)] and None)
    forest.index()
    assert all(forest.query(minhash, 1) == [number] for number, minhash in sketches.items())


def test_an_index_of_fingerprints_does_too() -> None:
    index = SimhashIndex([], k=0)
    prints = {str(number): Simhash(number * 0x9E3779B97F4A7C15 % 2**64) for number in range(2_000)}
    names = list(prints)
    in_threads(lambda part: [index.add(name, prints[name]) for name in names[part::4]] and None)
    assert all(index.get_near_dups(value) == [name] for name, value in prints.items())


def test_one_sketch_of_many_keeps_the_others_not_alive() -> None:
    kept = MinHash.bulk([[b"a"], [b"b"]])[0]
    assert kept.hashvalues.base is None or kept.hashvalues.base.nbytes == kept.hashvalues.nbytes


def test_pickles_of_datasketch_with_hashed_bands_and_repeated_keys() -> None:
    datasketch = pytest.importorskip("datasketch")

    def of(text: bytes) -> Any:
        minhash = datasketch.MinHash(num_perm=32)
        minhash.update(text)
        return minhash

    hashed = datasketch.MinHashLSH(params=(4, 8), num_perm=32, hashfunc=zlib.crc32)
    hashed.insert(1, of(b"a"))
    assert loads(pickle.dumps(hashed)).query(of(b"a")) == [1]
    twice = datasketch.MinHashLSH(params=(4, 8), num_perm=32)
    twice.insert(3, of(b"a"))
    twice.insert(3, of(b"b"), check_duplication=False)
    twice.extra = 5
    loaded = loads(pickle.dumps(twice))
    assert loaded.query(of(b"a")) == loaded.query(of(b"b")) == [3] and loaded.extra == 5
    forest = datasketch.MinHashLSHForest(num_perm=32, l=4)
    forest.add("before", of(b"a"))
    forest.index()
    forest.add("after", of(b"b"))
    loaded = loads(pickle.dumps(forest))
    assert (loaded.query(of(b"a"), 1), loaded.query(of(b"b"), 1)) == (["before"], [])
    loaded.index()
    assert loaded.query(of(b"b"), 10**30) == ["after"]


def test_what_a_hashfunc_of_bands_may_return() -> None:
    for hashfunc in (lambda band: memoryview(band), lambda band: zlib.crc32(band), lambda band: band.hex()):
        lsh = MinHashLSH(params=(4, 4), num_perm=16, hashfunc=hashfunc)
        lsh.insert(1, sketch(1))
        assert lsh.query(sketch(1)) == [1] and lsh.query(sketch(2)) == []
    lsh = MinHashLSH(params=(4, 4), num_perm=16, hashfunc=lambda band: [band])
    with pytest.raises(TypeError, match="list"):
        lsh.insert(1, sketch(1))
    with pytest.raises(ValueError):
        MinHashLSH(weights=(0.5, 0.3, 0.2))  # type: ignore[arg-type]


def test_values_that_users_set_are_not_cut() -> None:
    minhash = MinHash(num_perm=4)
    minhash.hashvalues = np.array([1, 2, 3, 2**40])
    minhash.update(b"x")
    assert minhash.hashvalues[:3].tolist() == [1, 2, 3] and minhash.hashvalues[3] > 3


def test_subclasses_may_choose_permutations() -> None:
    class Own(MinHash):
        def _init_permutations(self, num_perm: int) -> Any:
            return np.array([[1] * num_perm, [0] * num_perm], dtype=np.uint32)

    assert len(set(Own(num_perm=4).permutations[0].tolist())) == 1


def test_weights_too_small_to_tell_from_nothing() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    tiny = np.full((1, 5), 1e-60)
    generator = WeightedMinHashGenerator(5)
    assert generator.minhash_many(tiny) == generator.minhash_many(sparse.csr_matrix(tiny)) == [None]


def test_mappings_and_equal_shinglers() -> None:
    weights = {"a": 1.0, "b": 5.0}
    assert lookalike.SimHash().fingerprint(MappingProxyType(weights)) == lookalike.SimHash().fingerprint(weights)
    hasher = lookalike.WeightedMinHash()
    assert hasher.sketch(MappingProxyType(weights)) == hasher.sketch(weights)
    assert len({lookalike.Shingler("words:5"), lookalike.Shingler("words:05")}) == 1
    with pytest.raises(TypeError):
        lookalike.MinHash().sketch(memoryview(b"ab"))  # type: ignore[arg-type]
