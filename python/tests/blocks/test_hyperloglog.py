"""`HyperLogLog` as a building block. Its error is tested in the library."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy
import pytest

from lookalike import Cardinality, HyperLogLog, Shingler
from lookalike.errors import DamagedError, IncompatibleError, SettingError


def of(elements: object, precision: int = 10) -> HyperLogLog:
    sketch = HyperLogLog(precision)
    sketch.update(elements)  # type: ignore[arg-type]
    return sketch


def test_counts() -> None:
    sketch = of(range(20_000), 14)
    estimate = sketch.cardinality()
    assert isinstance(estimate, Cardinality)
    assert abs(estimate.size - 20_000) < 5 * estimate.standard_error < 20_000 * 0.05
    sketch.update(range(20_000))
    assert sketch.cardinality() == estimate and not sketch.is_empty
    assert (sketch.precision, sketch.nbytes, len(sketch.registers)) == (14, 2**14, 2**14)
    assert sketch.registers.dtype == numpy.uint8
    assert repr(of([])) == "<HyperLogLog of precision 10, about 0 elements>"
    sketch.clear()
    assert sketch.is_empty and sketch == HyperLogLog()


def test_elements_of_every_kind() -> None:
    assert of(["a", b"b", 3]) == of([b"a", "b", numpy.uint64(3)])
    assert of(numpy.arange(100, dtype=numpy.uint64)) == of(range(100)) == of(numpy.arange(200, dtype=numpy.uint64)[::2] // 2)
    assert of(Shingler("words:2").set("to be or not to be")).cardinality().size == pytest.approx(4, abs=0.1)
    for wrong in ("a text", b"bytes", 5, None, [1.5], [None], [-1], [2**64], numpy.arange(3)):
        sketch = of(["a"])
        with pytest.raises((TypeError, SettingError, OverflowError)):
            sketch.update(wrong)
        assert sketch == of(["a"])


def test_merging_is_the_union() -> None:
    a, b = of(range(0, 600)), of(range(400, 1000))
    assert (a | b) == a.union(b) == of(range(1000)) == (b | a)
    assert a == of(range(600))
    kept = a.copy()
    a.merge(b)
    a.merge(a)
    assert a == of(range(1000)) and kept == of(range(600)) and kept != a
    with pytest.raises(IncompatibleError, match="precision"):
        a.merge(HyperLogLog(11))
    with pytest.raises(TypeError):
        a | 5  # type: ignore[operator]


def test_bytes_and_pickles() -> None:
    sketch = of(range(1000))
    data = sketch.to_bytes()
    assert data[:8] == b"LKHL\x01\x0a\0\0" and HyperLogLog.from_bytes(data) == sketch
    assert pickle.loads(pickle.dumps(sketch)) == sketch == copy.deepcopy(sketch)
    for damaged in (b"", data[:-1], data + b"\0", b"LKMH" + data[4:], data[:-1] + b"\xff"):
        with pytest.raises(DamagedError):
            HyperLogLog.from_bytes(damaged)
    with pytest.raises(TypeError):
        hash(sketch)


@pytest.mark.parametrize("precision", [-1, 0, 3, 19, 2**70])
def test_senseless_precisions(precision: int) -> None:
    with pytest.raises((SettingError, OverflowError)):
        HyperLogLog(precision)


def test_threads_share_one() -> None:
    sketch = HyperLogLog(10)
    threads = [
        threading.Thread(target=lambda part=part: [sketch.update(range(part, 8000, 8)) for _ in range(3)])
        for part in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sketch == of(range(8000))
