"""MinHash, LeanMinHash and bBitMinHash of lookalike.compat.datasketch."""

from __future__ import annotations

import copy
import hashlib
import pickle
import random
import struct
import threading

import numpy as np
import pytest

from lookalike.compat.datasketch import LeanMinHash, MinHash, bBitMinHash, sha1_hash32, sha1_hash64
from lookalike.compat.datasketch.minhash import MinHash as FromSubmodule

SCHEMES = ["affine32", "affine64", "legacy"]


def sketch(items, **kwargs):
    made = MinHash(**kwargs)
    made.update_batch(items)
    return made


def words(count, start=0):
    return [b"word %d" % i for i in range(start, start + count)]


# Values of datasketch 2.0.0: the first four of seed 1, after b"hello" and b"world".
KNOWN = {
    "affine32": [625790555, 194865109, 1355773502, 1324736089],
    "affine64": [11651065901547834458, 142042606690400215, 11357471363666538121, 851894860706072206],
    "legacy": [228630785, 216833891, 617530111, 2362600675],
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_known_values(scheme):
    made = sketch([b"hello", b"world"], num_perm=4, scheme=scheme)
    assert made.hashvalues.tolist() == KNOWN[scheme]


def test_the_hash_of_elements():
    assert sha1_hash32(b"hello") == struct.unpack("<I", hashlib.sha1(b"hello").digest()[:4])[0]
    assert sha1_hash64(b"hello") == struct.unpack("<Q", hashlib.sha1(b"hello").digest()[:8])[0]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("num_perm", [1, 31, 32, 128, 200])
def test_all_ways_to_update_agree(scheme, num_perm):
    # Lengths about those of one and of two blocks of SHA-1.
    items = [bytes(random.Random(i).randbytes(i)) for i in range(130)]
    batch = sketch(items, num_perm=num_perm, scheme=scheme)
    one_by_one = MinHash(num_perm=num_perm, scheme=scheme)
    for item in items:
        one_by_one.update(item)
    by_function = MinHash(
        num_perm=num_perm,
        scheme=scheme,
        hashfunc=lambda x: (sha1_hash64 if scheme == "affine64" else sha1_hash32)(x),
    )
    by_function.update_batch(items)
    bulk = MinHash.bulk([items, items[:7], []], num_perm=num_perm, scheme=scheme)
    generated = list(MinHash.generator([items], num_perm=num_perm, scheme=scheme))
    for other in (
        one_by_one,
        by_function,
        bulk[0],
        generated[0],
        sketch(iter(items), num_perm=num_perm, scheme=scheme),
    ):
        assert np.array_equal(batch.hashvalues, other.hashvalues)
        assert other.hashvalues.dtype == (np.uint32 if scheme == "affine32" else np.uint64)
    assert bulk[1] == sketch(items[:7], num_perm=num_perm, scheme=scheme)
    assert bulk[2].is_empty()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_values_equal_those_of_datasketch(scheme):
    datasketch = pytest.importorskip("datasketch")
    draw = random.Random(1)
    for seed, num_perm in [(1, 128), (42, 16), (2**32 - 1, 200)]:
        ours, theirs = (
            of(num_perm=num_perm, seed=seed, scheme=scheme) for of in (MinHash, datasketch.MinHash)
        )
        assert np.array_equal(ours.permutations, theirs.permutations)
        for _ in range(5):
            items = [draw.randbytes(draw.randint(0, 100)) for _ in range(draw.randint(0, 300))]
            ours.update_batch(items)
            theirs.update_batch(items)
            assert np.array_equal(ours.hashvalues, theirs.hashvalues)
            assert ours.count() == theirs.count()
    documents = [[draw.randbytes(8) for _ in range(draw.randint(0, 50))] for _ in range(600)]
    pairs = zip(MinHash.bulk(documents, scheme=scheme), datasketch.MinHash.bulk(documents, scheme=scheme))
    assert all(np.array_equal(ours.hashvalues, theirs.hashvalues) for ours, theirs in pairs)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_functions_of_the_user_give_the_values_of_datasketch(scheme):
    datasketch = pytest.importorskip("datasketch")
    for hashfunc in (lambda x: x, lambda x: np.uint32(x), lambda x: x * 2654435761 % 2**32):
        made = [of(hashfunc=hashfunc, scheme=scheme) for of in (MinHash, datasketch.MinHash)]
        for m in made:
            m.update_batch(range(1000))
            m.update(5000)
        assert np.array_equal(made[0].hashvalues, made[1].hashvalues)


def test_buffers_that_are_not_bytes_are_hashed_as_buffers():
    datasketch = pytest.importorskip("datasketch")
    rows = np.random.RandomState(1).randint(0, 30, (20, 10))
    for ours, theirs in zip(MinHash.bulk(rows, num_perm=64), datasketch.MinHash.bulk(rows, num_perm=64)):
        assert np.array_equal(ours.hashvalues, theirs.hashvalues)
    mixed = [b"a", bytearray(b"b"), memoryview(b"c")]
    assert sketch(mixed) == sketch([b"a", b"b", b"c"])


@pytest.mark.parametrize("wrong", ["text", 5, None, 1.5])
def test_elements_that_cannot_be_hashed(wrong):
    made = sketch([b"a"])
    for call in (
        lambda: made.update(wrong),
        lambda: made.update_batch([b"b", wrong]),
        lambda: MinHash.bulk([[b"b"], [wrong]]),
    ):
        with pytest.raises(TypeError):
            call()
    assert made == sketch([b"a"])
    with pytest.raises(TypeError):
        made.update_batch(wrong)


def test_hash_values_out_of_range():
    for value in (2**32, -1):
        with pytest.raises(ValueError, match="range"):
            MinHash(hashfunc=lambda _, value=value: value).update(1)
    with pytest.raises(ValueError, match="affine64"):
        MinHash(hashfunc=sha1_hash64).update_batch([b"a", b"b"])
    with pytest.raises(OverflowError):
        MinHash(hashfunc=lambda _: -1, scheme="legacy").update(1)
    MinHash(hashfunc=sha1_hash32, scheme="affine64").update(b"a")
    MinHash(hashfunc=sha1_hash64, scheme="legacy").update(b"a")


def test_arguments_and_their_order():
    made = MinHash(16, 3, "detect", sha1_hash32, None, None, None, "legacy")
    assert (made.num_perm, made.seed, made.scheme, made.hashfunc, len(made)) == (
        16,
        3,
        "legacy",
        sha1_hash32,
        16,
    )
    assert MinHash is FromSubmodule
    assert MinHash().scheme == "affine32" and MinHash().hashvalues.dtype == np.uint32
    for wrong in (dict(num_perm=0), dict(num_perm=2**32 + 1), dict(hashfunc=5), dict(scheme="affine16")):
        with pytest.raises(ValueError):
            MinHash(**wrong)
    with pytest.warns(DeprecationWarning):
        MinHash(hashobj=hashlib.sha1)
    values, permutations = made.hashvalues, made.permutations
    with pytest.raises(ValueError, match="scheme"):
        MinHash(hashvalues=values)
    with pytest.raises(ValueError, match="scheme"):
        MinHash(permutations=permutations)
    with pytest.raises(ValueError):
        MinHash(hashvalues=values[:5], permutations=permutations, scheme="legacy")
    with pytest.raises(ValueError, match="range"):
        MinHash(hashvalues=[2**32], scheme="affine32")
    with pytest.raises(ValueError, match="range"):
        MinHash(hashvalues=np.array([-1]), scheme="affine32")
    with pytest.raises(ValueError, match="odd"):
        MinHash(num_perm=2, permutations=([2, 1], [1, 1]), scheme="affine32")
    parts = MinHash(num_perm=2, permutations=([3, 1], [1, 1]), scheme="affine32")
    parts.update(b"x")
    assert MinHash(hashvalues=list(map(int, values)), scheme="legacy", seed=3) == made


def test_gpu_mode():
    made = sketch([b"a"], gpu_mode="detect")
    assert made == sketch([b"a"])
    always = MinHash(gpu_mode="always")
    always.update_batch([])
    with pytest.raises(RuntimeError, match="detect"):
        always.update_batch([b"a"])
    with pytest.raises(RuntimeError):
        MinHash.bulk([[b"a"]], gpu_mode="always")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_jaccard_merge_union_count(scheme):
    a, b = (
        sketch(words(100), scheme=scheme, num_perm=1024),
        sketch(words(100, 50), scheme=scheme, num_perm=1024),
    )
    assert a.jaccard(a) == 1.0
    assert abs(a.jaccard(b) - 1 / 3) < 0.07
    assert isinstance(a.jaccard(b), float)
    assert abs(a.count() - 100) < 15
    union = MinHash.union(a, b)
    assert union == sketch(words(150), scheme=scheme, num_perm=1024)
    before = a.hashvalues
    kept = before.copy()
    a.merge(b)
    assert a == union and np.array_equal(before, kept)
    union.update(b"another")
    assert union != a
    with pytest.raises(ValueError, match="less than 2"):
        MinHash.union(a)


@pytest.mark.parametrize("other", [dict(seed=2), dict(num_perm=64), dict(scheme="legacy")])
def test_sketches_that_cannot_be_compared(other):
    a, b = sketch([b"a"]), sketch([b"a"], **other)
    for call in (a.jaccard, a.merge, lambda b: MinHash.union(a, b)):
        with pytest.raises(ValueError):
            call(b)
    assert a != b


def test_state():
    a = sketch(words(10))
    assert not a.is_empty() and MinHash().is_empty()
    b = a.copy()
    assert a == b and a.hashvalues is not b.hashvalues
    b.update(b"another")
    assert a != b
    assert a != "a" and a != None  # noqa: E711
    digest = a.digest()
    digest[0] = 0
    assert a == sketch(words(10))
    a.clear()
    assert a.is_empty() and a == MinHash()
    with pytest.raises(TypeError):
        hash(a)
    held = b.hashvalues
    kept = held.copy()
    b.update(b"and another")
    assert np.array_equal(held, kept)
    b.hashvalues = b.hashvalues.astype(np.int64)  # as read from JSON
    b.update_batch([b"x"])
    assert b.hashvalues.dtype == np.uint32


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pickle(scheme):
    for made in (
        sketch(words(10), scheme=scheme, seed=9),
        MinHash(scheme=scheme),
        MinHash(seed=None, scheme=scheme),
    ):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            loaded = pickle.loads(pickle.dumps(made, protocol))
            assert loaded == made and np.array_equal(loaded.permutations, made.permutations)
            loaded.update(b"more")
        assert copy.deepcopy(made) == made
    own = MinHash(num_perm=2, permutations=([3, 1], [1, 1]), scheme="affine32")
    assert pickle.loads(pickle.dumps(own)).permutations.tolist() == [[3, 1], [1, 1]]
    state = sketch(words(3), scheme="legacy").__getstate__()
    del state["scheme"]
    old = MinHash.__new__(MinHash)
    old.__setstate__(state)
    assert old.scheme == "legacy"


def test_subclasses():
    class Counting(MinHash):
        batches = 0

        def update_batch(self, b):
            type(self).batches += 1
            super().update_batch(b)

        def copy(self):
            made = type(self)(num_perm=self.num_perm)
            made.hashvalues = self.digest()
            return made

    made = Counting.bulk([[b"a"], [b"b"]], num_perm=8)
    assert Counting.batches == 2 and isinstance(made[0], Counting)
    assert isinstance(Counting.union(made[0], made[1]), Counting)
    assert pickle.loads(pickle.dumps(MinHash.bulk([[b"a"]])[0])) == sketch([b"a"])


def test_bulk_begins_with_given_values():
    begun = sketch([b"a"])
    made = MinHash.bulk([[b"b"], []], hashvalues=begun.hashvalues, scheme="affine32")
    assert made[0] == sketch([b"a", b"b"]) and made[1] == begun
    assert MinHash.bulk([]) == []
    assert MinHash.bulk(iter([(b"a",), {b"a"}, iter([b"a"])])) == [begun] * 3
    rows = MinHash.bulk([[b"%d" % i] for i in range(1200)])
    assert rows[1199] == sketch([b"1199"]) and len(rows) == 1200
    rows[0].update(b"x")
    assert rows[1] == sketch([b"1"])


def test_threads():
    items = words(2000)
    expected, found = sketch(items), []
    threads = [threading.Thread(target=lambda: found.append(sketch(list(items)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


# LeanMinHash


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("byteorder", ["@", "=", "<", ">", "!"])
def test_lean_bytes(scheme, byteorder):
    full = sketch(words(20), num_perm=7, scheme=scheme, seed=5)
    lean = LeanMinHash(full)
    buffer = bytearray(lean.bytesize(byteorder) + 3)
    lean.serialize(buffer, byteorder)
    read = LeanMinHash.deserialize(buffer, byteorder)
    assert read == lean and hash(read) == hash(lean) and read.seed == 5 and read.scheme == scheme
    assert LeanMinHash.deserialize(bytes(buffer), byteorder) == lean
    with pytest.raises(ValueError, match="space"):
        lean.serialize(bytearray(5), byteorder)
    datasketch = pytest.importorskip("datasketch")
    theirs = datasketch.LeanMinHash(seed=5, hashvalues=full.hashvalues, scheme=scheme)
    other = bytearray(theirs.bytesize(byteorder) + 3)
    theirs.serialize(other, byteorder)
    assert other == buffer and theirs.bytesize(byteorder) == lean.bytesize(byteorder)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lean(scheme):
    full = sketch(words(20), scheme=scheme)
    lean = LeanMinHash(full)
    assert lean.jaccard(full) == full.jaccard(lean) == 1.0
    assert pickle.loads(pickle.dumps(lean)) == lean == lean.copy()
    assert lean.count() == full.count() and len(lean) == 128 and not lean.is_empty()
    assert lean != full
    for call in (lean.update, lambda b: lean.update_batch([b])):
        with pytest.raises(TypeError):
            call(b"x")
    other = LeanMinHash(sketch(words(20, 10), scheme=scheme))
    union = LeanMinHash.union(lean, other)
    assert isinstance(union, LeanMinHash) and union.jaccard(sketch(words(30), scheme=scheme)) == 1.0
    back = MinHash(seed=lean.seed, hashvalues=lean.hashvalues, scheme=lean.scheme)
    back.update(b"x")
    assert lean == LeanMinHash(full)
    lean.merge(other)
    assert lean == union


def test_lean_arguments():
    full = sketch(words(3), num_perm=4)
    assert LeanMinHash(None, 1, full.hashvalues, "affine32") == LeanMinHash(full)
    for wrong in (
        dict(),
        dict(seed=1),
        dict(hashvalues=full.hashvalues),
        dict(seed=1, hashvalues=full.hashvalues),
        dict(seed=1, hashvalues=full.hashvalues, scheme="x"),
        dict(seed=1, hashvalues=[], scheme="affine32"),
        dict(minhash=full, scheme="legacy"),
    ):
        with pytest.raises(ValueError):
            LeanMinHash(**wrong)
    with pytest.raises(ValueError, match="code"):
        LeanMinHash.deserialize(struct.pack("<qiB", 1, -1, 9) + bytes(8), "<")
    with pytest.raises(struct.error):
        LeanMinHash.deserialize(b"short")


# bBitMinHash


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("b", [0, 1, 2, 3, 4, 7, 8, 13, 16, 20, 32])
def test_b_bits(scheme, b):
    one, other = (sketch(words(50, start), scheme=scheme, num_perm=99) for start in (0, 20))
    small = bBitMinHash(one, b)
    assert small.hashvalues.dtype == np.uint32 and small.hashvalues.max() < 2**b
    loaded = pickle.loads(pickle.dumps(small))
    assert loaded == small and loaded.b == b and loaded.scheme == scheme
    assert len(small.__getstate__()) == small.bytesize()
    datasketch = pytest.importorskip("datasketch")
    theirs = [datasketch.bBitMinHash(m, b, 0.1 if b else 0.0) for m in (one, other)]
    ours = [bBitMinHash(m, b, 0.1 if b else 0.0) for m in (one, other)]
    assert [bytes(m.__getstate__()) for m in ours] == [bytes(m.__getstate__()) for m in theirs]
    if b:
        assert ours[0].jaccard(ours[1]) == pytest.approx(theirs[0].jaccard(theirs[1]), abs=1e-12)


def test_b_bit_errors():
    full = sketch(words(3))
    for wrong in (dict(b=-1), dict(b=33), dict(r=1.5)):
        with pytest.raises(ValueError):
            bBitMinHash(full, **wrong)
    small = bBitMinHash(full, 2)
    for other in (
        bBitMinHash(full, 3),
        bBitMinHash(sketch(words(3), seed=2), 2),
        bBitMinHash(sketch(words(3), scheme="legacy"), 2),
    ):
        assert small != other
        with pytest.raises(ValueError):
            small.jaccard(other)
    assert small != "x" and small.jaccard(small) == 1.0
    with pytest.raises((ValueError, struct.error)):
        small.__setstate__(b"short")
    with pytest.raises(ValueError):
        small.__setstate__(struct.pack("<qBdi", 1, 2, 0.0, -100) + b"\x01")


def test_names_that_are_not_offered():
    import lookalike.compat.datasketch as compat

    for name in ("HNSW", "MinHashLSHBloom"):
        with pytest.raises(ImportError, match=f"no {name}: "):
            getattr(compat, name)
    with pytest.raises(ImportError, match="MinHashLSHForest"):
        from lookalike.compat.datasketch import HNSW  # noqa: F401
    assert not hasattr(compat, "no_such_name")
    assert compat.WeightedMinHashLSH is compat.MinHashLSH
    assert compat.WeightedMinHashLSHForest is compat.MinHashLSHForest
    for name in compat.__all__:
        getattr(compat, name)
