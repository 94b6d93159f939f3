"""MinHashLSH of lookalike.compat.datasketch."""

from __future__ import annotations

import copy
import hashlib
import pickle
import random
import sys
import threading

import numpy as np
import pytest

from lookalike.compat.datasketch import LeanMinHash, MinHash, MinHashLSH, WeightedMinHash
from lookalike.errors import SettingError


def sketches(count, num_perm=128, seed=1, overlap=40, **kwargs):
    """Sketches of sets in families of four, in which sets share most elements."""
    draw = random.Random(seed)
    sets = []
    for i in range(count):
        if i % 4 == 0:
            base = [draw.randbytes(8) for _ in range(overlap)]
        sets.append(base + [draw.randbytes(8) for _ in range(draw.randint(0, overlap))])
    return MinHash.bulk(sets, num_perm=num_perm, **kwargs)


def filled(count=40, **kwargs):
    made = sketches(count)
    lsh = MinHashLSH(threshold=0.5, num_perm=128, **kwargs)
    for i, sketch in enumerate(made):
        lsh.insert(i, sketch)
    return lsh, made


def test_bands_equal_those_of_datasketch():
    datasketch = pytest.importorskip("datasketch")
    for num_perm in (2, 16, 50, 64):
        for threshold in (0.1, 0.35, 0.5, 0.7, 0.8, 0.9, 0.95):
            for weights in ((0.5, 0.5), (0.4, 0.6), (0.9, 0.1)):
                arguments = dict(threshold=threshold, num_perm=num_perm, weights=weights)
                try:
                    theirs = datasketch.MinHashLSH(**arguments)
                except ValueError:
                    with pytest.raises(ValueError, match="bands"):
                        MinHashLSH(**arguments)
                else:
                    ours = MinHashLSH(**arguments)
                    assert (ours.b, ours.r) == (theirs.b, theirs.r), arguments
                    assert ours.hashranges == theirs.hashranges and ours.h == theirs.h


def test_known_bands():
    chosen = {t: MinHashLSH(threshold=t, num_perm=128) for t in (0.5, 0.8, 0.9)}
    assert {t: (lsh.b, lsh.r) for t, lsh in chosen.items()} == {0.5: (25, 5), 0.8: (9, 13), 0.9: (5, 25)}
    lsh = MinHashLSH(num_perm=128, params=(16, 8))
    assert (lsh.b, lsh.r, lsh.h) == (16, 8, 128)


@pytest.mark.parametrize("scheme", ["affine32", "affine64", "legacy"])
@pytest.mark.parametrize("prepickle", [None, True])
def test_answers_equal_those_of_datasketch(scheme, prepickle):
    datasketch = pytest.importorskip("datasketch")
    made = sketches(200, num_perm=64, scheme=scheme)
    keys = [f"key {i}" if i % 2 else (i, "key") for i in range(200)]
    pair = [
        lib(threshold=0.5, num_perm=64, prepickle=prepickle) for lib in (MinHashLSH, datasketch.MinHashLSH)
    ]
    draw = random.Random(1)
    present = set()
    for _ in range(600):
        i = draw.randrange(200)
        for lsh in pair:
            if i in present:
                lsh.remove(keys[i])
            else:
                lsh.insert(keys[i], made[i])
        present ^= {i}
        j = draw.randrange(200)
        ours, theirs = (lsh.query(made[j]) for lsh in pair)
        assert set(ours) == set(theirs) and len(ours) == len(set(ours))
        assert pair[0]._query_b(made[j], 3) == pair[1]._query_b(made[j], 3)
        assert (keys[j] in pair[0]) == (keys[j] in pair[1])
        assert pair[0].is_empty() == pair[1].is_empty()
    counts = [[sorted(band.values()) for band in lsh.get_counts()] for lsh in pair]
    assert counts[0] == counts[1]
    some = [keys[i] for i in range(0, 200, 3)]
    counts = [[sorted(band.values()) for band in lsh.get_subset_counts(*some)] for lsh in pair]
    assert counts[0] == counts[1]
    assert set(pair[0].keys) == set(pair[1].keys) and len(pair[0].keys) == len(pair[1].keys) == len(present)


def test_arguments():
    lsh = MinHashLSH(0.8, 64, (0.4, 0.6), None, {"type": "dict"}, False, None)
    assert lsh.h == 64 and lsh.prepickle is False and lsh.hashfunc is None
    for wrong in (
        dict(threshold=1.1),
        dict(threshold=-0.1),
        dict(threshold=float("nan")),
        dict(num_perm=1),
        dict(weights=(0.5, 0.6)),
        dict(weights=(1.5, -0.5)),
        dict(params=(20, 10)),
        dict(params=(1, 128)),
        dict(params=(0, 0)),
    ):
        with pytest.raises(ValueError):
            MinHashLSH(**wrong)
    for kind in ("redis", "cassandra", "aiomongo", "nonsense"):
        with pytest.raises(SettingError, match="needs no server"):
            MinHashLSH(storage_config={"type": kind, kind: {}})


def test_insert_and_remove():
    lsh, made = filled()
    assert 3 in lsh and 99 not in lsh and not lsh.is_empty() and MinHashLSH().is_empty()
    assert set(lsh.query(made[4])) >= {4}
    with pytest.raises(ValueError, match="already exists"):
        lsh.insert(3, made[5])
    with pytest.raises(ValueError, match="does not exist"):
        lsh.remove("no such key")
    with pytest.raises(ValueError, match="length"):
        lsh.insert("short", MinHash(num_perm=64))
    with pytest.raises(ValueError, match="length"):
        lsh.query(MinHash(num_perm=64))
    with pytest.raises(TypeError):
        lsh.insert([], made[0])
    with pytest.raises(ValueError, match="b must be"):
        lsh._query_b(made[0], lsh.b + 1)
    lsh.remove(4)
    assert 4 not in lsh and 4 not in lsh.query(made[4]) and 4 not in lsh.keys
    lsh.insert("again", made[4])
    assert "again" in lsh.query(made[4])
    for key in list(lsh.keys):
        lsh.remove(key)
    assert lsh.is_empty() and all(not band for band in lsh.get_counts())


def test_a_key_inserted_again_without_a_check():
    lsh, made = filled(8)
    lsh.insert(0, made[4], check_duplication=False)
    assert lsh.query(made[0]).count(0) == 1 and 0 in lsh.query(made[4])
    assert len(lsh.keys) == 8
    loaded = pickle.loads(pickle.dumps(lsh))
    loaded.remove(0)
    assert 0 not in loaded.query(made[4]) and 0 not in loaded.query(made[0])


def test_schemes_are_not_mixed():
    lsh, made = filled()
    legacy = MinHash(scheme="legacy")
    for call in (
        lambda: lsh.insert("x", legacy),
        lambda: lsh.query(legacy),
        lambda: lsh.add_to_query_buffer(legacy),
    ):
        with pytest.raises(ValueError, match="scheme"):
            call()
    other = MinHashLSH(threshold=0.5)
    other.insert("x", legacy)
    with pytest.raises(ValueError, match="scheme"):
        lsh.merge(other)


def test_keys_and_hashtables():
    lsh, made = filled(12)
    assert list(lsh.keys) == list(range(12)) == list(lsh.keys.keys())
    buckets = lsh.keys.get(5)
    assert len(buckets) == lsh.b and lsh.keys[5] == buckets and lsh.keys.getmany(5, 99) == [buckets, []]
    assert lsh.keys.size() == 12 and lsh.keys.has_key(5) and lsh.keys.itemcounts()[5] == lsh.b
    assert len(lsh.hashtables) == lsh.b
    for bucket, table, counts in zip(buckets, lsh.hashtables, lsh.get_counts()):
        assert 5 in table.get(bucket) and bucket in table and len(table[bucket]) == counts[bucket]
        assert set(table) == set(counts) and len(table) == len(counts) == table.size()
        assert table.get(b"none") == set() and b"none" not in table
    found = set().union(*(table.get(bucket) for bucket, table in zip(buckets, lsh.hashtables)))
    assert found == set(lsh.query(made[5]))


def test_sessions():
    lsh, made = filled(8)
    with lsh.insertion_session(buffer_size=10) as session:
        session.insert("s", made[0])
        with pytest.raises(ValueError):
            session.insert("s", made[0])
    assert lsh.buffer_size == 10 and "s" in lsh.query(made[0])
    with lsh.deletion_session() as session:
        session.remove("s")
        with pytest.raises(ValueError):
            session.remove("s")
    assert lsh.buffer_size == 50000 and "s" not in lsh
    lsh.buffer_size = 7
    assert lsh.keys.buffer_size == 7


def test_query_buffer():
    lsh, made = filled(16)
    assert lsh.collect_query_buffer() == []
    lsh.add_to_query_buffer(made[0])
    assert set(lsh.collect_query_buffer()) == set(lsh.query(made[0]))
    lsh.add_to_query_buffer(made[0])
    lsh.add_to_query_buffer(made[1])
    assert set(lsh.collect_query_buffer()) == set(lsh.query(made[0])) & set(lsh.query(made[1]))
    lsh.add_to_query_buffer(made[0])
    lsh.add_to_query_buffer(made[15])
    assert lsh.collect_query_buffer() == []
    with pytest.raises(ValueError):
        lsh.add_to_query_buffer(MinHash(num_perm=4))


def test_merge():
    made = sketches(40)
    one, other = MinHashLSH(threshold=0.5), MinHashLSH(threshold=0.5)
    for i, sketch in enumerate(made):
        (one if i % 2 else other).insert(i, sketch)
    expected = {i: set(one.query(made[i])) | set(other.query(made[i])) for i in range(40)}
    one.merge(other, check_overlap=True)
    assert {i: set(one.query(made[i])) for i in range(40)} == expected
    assert len(one.keys) == 40 and len(other.keys) == 20
    with pytest.raises(ValueError, match="overlap"):
        one.merge(other, check_overlap=True)
    one.merge(other)
    assert {i: set(one.query(made[i])) for i in range(40)} == expected
    one.remove(2)
    assert 2 not in one.query(made[2])
    one.merge(one)
    assert len(one.keys) == 39
    for wrong in (MinHashLSH(threshold=0.6), MinHashLSH(threshold=0.5, num_perm=64), "index"):
        with pytest.raises(ValueError):
            one.merge(wrong)
    fresh = MinHashLSH(threshold=0.5)
    fresh.merge(one)
    with pytest.raises(ValueError, match="scheme"):
        fresh.query(MinHash(scheme="legacy"))


@pytest.mark.parametrize("prepickle", [False, True])
def test_pickle(prepickle):
    lsh, made = filled(40, prepickle=prepickle)
    lsh.remove(7)
    lsh.remove(20)
    for loaded in (pickle.loads(pickle.dumps(lsh)), copy.deepcopy(lsh)):
        for i, sketch in enumerate(made):
            assert set(loaded.query(sketch)) == set(lsh.query(sketch))
            assert (i in loaded) == (i in lsh)
        loaded.insert(7, made[7])
        loaded.remove(8)
        assert 7 in loaded.query(made[7]) and 7 not in lsh
    with pytest.raises(ValueError, match="memory"):
        MinHashLSH.__new__(MinHashLSH).__setstate__({"hashtables": []})


def test_hashfunc_compresses_the_bands():
    made = sketches(60)

    def compress(data):
        return hashlib.blake2b(data, digest_size=1).digest()

    short, plain = MinHashLSH(threshold=0.5, hashfunc=compress), MinHashLSH(threshold=0.5)
    for i, sketch in enumerate(made):
        short.insert(i, sketch)
        plain.insert(i, sketch)
    for sketch in made:
        assert set(plain.query(sketch)) <= set(short.query(sketch))
        assert plain._query_b(sketch, 2) <= short._query_b(sketch, 2)
    assert any(len(short.query(sketch)) > len(plain.query(sketch)) for sketch in made)
    datasketch = pytest.importorskip("datasketch")
    theirs = datasketch.MinHashLSH(threshold=0.5, hashfunc=compress)
    for i, sketch in enumerate(made):
        theirs.insert(i, sketch)
    assert all(set(theirs.query(sketch)) == set(short.query(sketch)) for sketch in made)


def test_other_sketches():
    made = sketches(8)
    lsh = MinHashLSH(threshold=0.5)
    lsh.insert("lean", LeanMinHash(made[0]))
    assert lsh.query(made[0]) == ["lean"]
    weighted = MinHashLSH(threshold=0.5, num_perm=64)
    values = np.stack([np.arange(64), -np.arange(64)], axis=1)
    weighted.insert("w", WeightedMinHash(1, values))
    assert weighted.query(WeightedMinHash(1, values)) == ["w"]
    assert weighted.query(WeightedMinHash(1, values + 1)) == []
    other = values.copy()
    other[:, 1] += 1  # the first numbers alone are not enough
    assert weighted.query(WeightedMinHash(1, other)) == []


def test_subclass_with_state():
    class Named(MinHashLSH):
        def __init__(self, name, **kwargs):
            super().__init__(**kwargs)
            self.name = name

    lsh = Named("mine", threshold=0.5)
    lsh.insert(1, MinHash())
    loaded = copy.deepcopy(lsh)
    assert loaded.name == "mine" and loaded.query(MinHash()) == [1]


def test_threads_share_an_index():
    made = sketches(400)
    lsh, more = MinHashLSH(threshold=0.5), MinHashLSH(threshold=0.5)
    for i in range(400):
        more.insert(("merged", i), made[i])
    failures = []

    def work(thread):
        try:
            for i in range(thread, 400, 8):
                lsh.insert((thread, i), made[i])
                assert (thread, i) in lsh.query(made[i])
                if i % 3 == 0:
                    lsh.remove((thread, i))
                if i == 200 + thread:
                    lsh.merge(more)
                    pickle.dumps(lsh)
                assert None not in lsh.query(made[i])
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)
    assert not failures
    for i in range(400):
        assert ((i % 8, i) in lsh.query(made[i])) == (i % 3 != 0)
        assert ("merged", i) in lsh.query(made[i])


def test_memory_stays_flat():
    resource = pytest.importorskip("resource")
    made = sketches(8)

    def round_of_calls(count):
        lsh = MinHashLSH(threshold=0.5)
        for i in range(count):
            lsh.insert(i, made[i % 8])
            assert lsh.query(made[i % 8]) == [i]
            lsh.remove(i)
            made[0].copy().update_batch([b"a", b"b"])
        assert lsh.is_empty() and len(lsh._names) <= 1

    round_of_calls(2000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    round_of_calls(30_000)
    # Kilobytes on Linux, bytes on macOS: an object that leaks takes a hundred bytes or more.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 3000 * (
        1 if sys.platform == "linux" else 1024
    )
