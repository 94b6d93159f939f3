"""HyperLogLog and HyperLogLogPlusPlus of lookalike.compat.datasketch, beside those of datasketch."""

from __future__ import annotations

import copy
import pickle
import random
import warnings

import numpy as np
import pytest

from lookalike.compat.datasketch import HyperLogLog, HyperLogLogPlusPlus
from lookalike.compat.datasketch import hyperloglog_const as our_tables
from lookalike.compat.datasketch.pickles import loads

datasketch = pytest.importorskip("datasketch")

PAIRS = [(HyperLogLog, datasketch.HyperLogLog), (HyperLogLogPlusPlus, datasketch.HyperLogLogPlusPlus)]
BOTH = pytest.mark.parametrize("ours, theirs", PAIRS, ids=["HyperLogLog", "HyperLogLogPlusPlus"])


def counted(sketch):
    """The count, and the messages of its warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return sketch.count(), [str(warning.message) for warning in said]


def fill(cls, count, p=8, seed=1, **more):
    draw = random.Random(seed)
    sketch = cls(p=p, **more)
    for _ in range(count):
        sketch.update(draw.randbytes(draw.randint(0, 70)))
    return sketch


def same(ours, theirs):
    assert ours.reg.dtype == theirs.reg.dtype == np.int8
    assert np.array_equal(ours.reg, theirs.reg)
    assert (ours.p, ours.m, ours.alpha, ours.max_rank, len(ours)) == (
        theirs.p,
        theirs.m,
        theirs.alpha,
        theirs.max_rank,
        len(theirs),
    )
    assert counted(ours) == counted(theirs)
    assert ours.bytesize() == theirs.bytesize() and ours.is_empty() == theirs.is_empty()
    buffers = bytearray(ours.bytesize()), bytearray(theirs.bytesize())
    ours.serialize(buffers[0])
    theirs.serialize(buffers[1])
    assert buffers[0] == buffers[1]


@BOTH
@pytest.mark.parametrize("p", range(4, 17))
def test_registers_counts_and_bytes_are_equal(ours, theirs, p):
    # Few, around the thresholds of the estimators, and many for the number of registers.
    m = 1 << p
    for count in sorted({0, 1, 7, m // 2, m, 2 * m, int(2.6 * m), 5 * m} if p < 11 else {0, 3, 3000}):
        same(fill(ours, count, p), fill(theirs, count, p))


@BOTH
def test_registers_of_any_value_count_alike(ours, theirs):
    draw = np.random.RandomState(5)
    for p in (4, 7, 12, 16):
        for highest in (2, 5, 9, 25, theirs(p=p).max_rank + 1):
            registers = draw.randint(0, highest + 1, 1 << p).astype(np.int8)
            same(ours(reg=registers.copy()), theirs(reg=registers.copy()))


def test_tables_are_equal():
    from datasketch import hyperloglog_const as their_tables

    assert our_tables._thresholds == their_tables._thresholds
    for name in ("_raw_estimate", "_bias"):
        for ours, theirs in zip(getattr(our_tables, name), getattr(their_tables, name)):
            assert np.array_equal(ours, theirs)


@BOTH
def test_other_hash_functions(ours, theirs):
    bits = 32 if ours is HyperLogLog else 64
    own = lambda number: number * 0x9E3779B97F4A7C15 % 2**bits  # noqa: E731
    a, b = ours(hashfunc=own), theirs(hashfunc=own)
    for number in range(1000):
        a.update(number)
        b.update(number)
    same(a, b)
    assert a.copy().hashfunc is own and type(a).union(a, a.copy()).hashfunc is own
    for sketch in (a, b):
        with pytest.raises(ValueError, match="overflow"):
            sketch.hashfunc = lambda _: 2 ** (bits + 1)
            sketch.update(1)
    for other in (bytearray(b"x"), memoryview(b"x")):
        a, b = ours(), theirs()
        a.update(other)
        b.update(other)
        same(a, b)
    for sketch in (ours(), theirs()):
        with pytest.raises(TypeError):
            sketch.update("text")


@BOTH
def test_merge_union_copy_clear(ours, theirs):
    made = [[fill(cls, 300, seed=seed) for seed in (1, 2, 3)] for cls in (ours, theirs)]
    for a, b, c in made:
        a.merge(b)
        assert a == type(a).union(a, b) and a != c and a != 5
        assert a.copy() == a == copy.copy(a) == copy.deepcopy(a) and a.copy().reg is not a.reg
        digest = a.digest()
        digest[:] = 0
        assert not a.is_empty()
        c.clear()
        assert c.is_empty() and c == type(c)()
        with pytest.raises(TypeError):
            hash(a)
    same(made[0][0], made[1][0])
    same(ours.union(*made[0]), theirs.union(*made[1]))
    assert HyperLogLog() != HyperLogLogPlusPlus()


@BOTH
def test_bytes_and_pickles_are_read_by_each_other(ours, theirs):
    a, b = fill(ours, 500), fill(theirs, 500)
    buffer = bytearray(b.bytesize())
    b.serialize(buffer)
    for data in (buffer, bytes(buffer), memoryview(buffer)):
        assert ours.deserialize(data) == a
    assert pickle.loads(pickle.dumps(a)) == a
    assert loads(pickle.dumps(b)) == a and type(loads(pickle.dumps(b))) is ours
    assert a.__getstate__() == b.__getstate__()
    for sketch in (a, b):
        with pytest.raises(ValueError, match="enough space"):
            sketch.serialize(bytearray(sketch.bytesize() - 1))


@BOTH
@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"p": 3}, ValueError),
        ({"p": 17}, ValueError),
        ({"p": -1}, ValueError),
        ({"p": 4.5}, TypeError),
        ({"reg": [0] * 16}, ValueError),
        ({"reg": np.zeros(17, dtype=np.int8)}, ValueError),
        ({"reg": np.zeros(8, dtype=np.int8)}, ValueError),
        ({"hashfunc": 5}, ValueError),
    ],
)
def test_wrong_arguments_fail_alike(ours, theirs, arguments, error):
    for cls in (theirs, ours):
        with pytest.raises(error):
            cls(**arguments)


@BOTH
def test_other_errors_are_alike(ours, theirs):
    for cls in (theirs, ours):
        with pytest.raises(ValueError, match="precisions"):
            cls(p=8).merge(cls(p=9))
        with pytest.raises(ValueError, match="precisions"):
            cls.union(cls(p=8), cls(p=9))
        with pytest.raises(ValueError, match="less than 2"):
            cls.union(cls())
        with pytest.warns(DeprecationWarning):
            cls(hashobj=object())
        registers = np.zeros(256, dtype=np.int8)
        registers.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            cls(reg=registers).update(b"x")


def test_registers_of_other_types_are_updated():
    for dtype in (np.int16, np.uint8, np.int64):
        ours = HyperLogLog(reg=np.zeros(256, dtype=dtype))
        theirs = datasketch.HyperLogLog(reg=np.zeros(256, dtype=dtype))
        for n in range(300):
            ours.update(b"%d" % n)
            theirs.update(b"%d" % n)
        assert np.array_equal(ours.reg, theirs.reg) and ours.reg.dtype == dtype
