from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import weakref
from pathlib import Path

import numpy
import pytest

from lookalike import LSH, MinHash, SCurve, Signature
from lookalike.errors import DamagedError, FileError, IncompatibleError, SettingError

HASHER = MinHash(128)


def signature(start: int, count: int = 100) -> Signature:
    return HASHER.sketch(numpy.arange(start, start + count, dtype=numpy.uint64))


def sample(threshold: float = 0.5) -> LSH:
    index = LSH(threshold)
    index.insert("zero", signature(0))
    index.insert(("a", 1), signature(5))
    index.insert(b"far", signature(100_000))
    return index


def test_plans() -> None:
    assert (LSH().bands, LSH().rows) == (21, 6) and LSH().curve == SCurve(21, 6)
    index = LSH(0.7, 100, bands=20, rows=5)
    assert (index.bands, index.rows, index.threshold, index.num_hashes) == (20, 5, 0.7, 100)
    assert LSH(0.8, recall=0.9).rows > 6


def test_insert_query_remove() -> None:
    index = sample()
    assert len(index) == 3 and "zero" in index and ("a", 1) in index and "none" not in index
    assert index.keys() == ["zero", ("a", 1), b"far"]
    assert set(index.candidates(signature(0))) == {"zero", ("a", 1)}
    found = index.query(signature(0))
    assert [key for key, _ in found] == ["zero", ("a", 1)] and found[0][1] == 1.0
    assert found[1][1] == signature(0).jaccard(signature(5))
    assert found[1][1] == pytest.approx(index.get("zero").jaccard(index.get(("a", 1))), abs=1e-4)
    assert index.query(signature(0), 1.0) == [("zero", 1.0)] == index.top_k(signature(0), 1)
    assert index.top_k(signature(0), 0) == [] and len(index.top_k(signature(0), 2**70 - 2**70 + 9)) == 2
    assert index.candidate_pairs() == [("zero", ("a", 1))]
    assert index.similar_pairs() == index.similar_pairs(0.5) == [("zero", ("a", 1), found[1][1])]
    assert index.similar_pairs(1.0) == []
    index.remove("zero")
    assert "zero" not in index and len(index) == 2 and index.candidate_pairs() == []
    for missing in (index.remove, index.get):
        with pytest.raises(KeyError):
            missing("zero")
    index.insert("zero", signature(3))
    assert index.get("zero") == signature(3).bbit(16)
    assert repr(index) == f"<LSH of 3 documents, {index.bands} bands of {index.rows} rows, threshold 0.5>"


def test_equal_keys_are_one_key() -> None:
    index = LSH()
    index.insert(1, signature(0))
    assert 1.0 in index and True in index
    with pytest.raises(SettingError, match="already in the index"):
        index.insert(1.0, signature(0))
    assert len(index) == 1 and len(index.candidates(signature(0))) == 1


def test_many_at_once() -> None:
    batch = HASHER.sketch_texts([f"number {n // 2} is one of the texts that are here" for n in range(10_000)])
    index = LSH(0.9)
    index.insert_many(range(10_000), batch)
    assert len(index) == 10_000 and len(index.similar_pairs(1.0)) >= 5000
    other = LSH(0.9)
    other.insert_many([str(n) for n in range(100)], list(batch[:100]))
    assert other.candidates(batch[7]) == [str(n) for n in index.candidates(batch[7]) if n < 100]
    with pytest.raises(SettingError, match="already"):
        other.insert_many(["new", "99"], batch[:2])
    assert "new" not in other and len(other) == 100 and other.candidates(batch[0]) == ["0", "1"]
    with pytest.raises(SettingError):
        other.insert_many(["x"], batch[:2])
    with pytest.raises(TypeError):
        other.insert_many(["x", "y"], [batch[0], None])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        other.insert_many([["unhashable"]], batch[:1])  # type: ignore[list-item]
    with pytest.raises(IncompatibleError):
        other.insert_many(["x", "y"], [batch[0], MinHash(64).sketch("a")])
    assert len(other) == 100 and "x" not in other


def test_wrong_signatures() -> None:
    index = sample()
    for other in (MinHash(64).sketch("a"), MinHash(128, 2).sketch("a"), MinHash(128, family="universal").sketch("a")):
        for ask in (index.candidates, index.query, lambda s: index.insert("new", s), lambda s: index.top_k(s, 3)):
            with pytest.raises(IncompatibleError):
                ask(other)
    assert "new" not in index and len(index) == 3
    for wrong in (None, "text", 5):
        with pytest.raises(TypeError):
            index.insert("new", wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            index.query(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        index.insert([], signature(0))  # type: ignore[arg-type]
    for threshold in (float("nan"), -0.1, 1.1):
        with pytest.raises(SettingError):
            index.query(signature(0), threshold)
        with pytest.raises(SettingError):
            index.similar_pairs(threshold)
        with pytest.raises(SettingError):
            LSH(threshold)
    with pytest.raises(SettingError):
        index.top_k(signature(0), -1)


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_hashes": 0},
        {"num_hashes": 2**40},
        {"recall": 1.0},
        {"recall": float("nan")},
        {"bands": 3},
        {"rows": 3},
        {"bands": 0, "rows": 1},
        {"bands": 65, "rows": 2},
        {"bands": 2**40, "rows": 2**40},
        {"threshold": 0.01, "num_hashes": 4},
    ],
)
def test_senseless_plans(arguments: dict[str, float]) -> None:
    with pytest.raises(SettingError):
        LSH(**arguments)  # type: ignore[arg-type]


def test_save_and_load(tmp_path: Path) -> None:
    index = LSH(0.5)
    keys = ["text", "Ünïcode", b"bytes\xff", 0, -1, 127, 128, -128, -129, 2**200, -(2**200), ""]
    for number, key in enumerate(keys):
        index.insert(key, signature(number))
    path = tmp_path / "index.lsh"
    index.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["index.lsh"]
    again = LSH.load(str(path))
    assert again.keys() == keys and [type(key) for key in again.keys()] == [type(key) for key in keys]
    assert (again.threshold, again.num_hashes, again.curve) == (0.5, 128, index.curve)
    assert again.query(signature(3)) == index.query(signature(3)) and again.similar_pairs() == index.similar_pairs()
    again.remove(2**200)
    again.insert("more", signature(1))
    again.save(path)
    assert LSH.load(path).keys() == again.keys()
    empty = LSH(0.7, 64)
    empty.save(path)
    assert (LSH.load(path).num_hashes, len(LSH.load(path))) == (64, 0)


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "index.lsh"
    sample_of_text = LSH(0.5)
    sample_of_text.insert("a", signature(0))
    sample_of_text.save(path)
    good = path.read_bytes()
    for damaged in [good[:cut] for cut in range(0, len(good), 41)] + [b"", good + b"\0", b"LKMH" + good[4:]]:
        path.write_bytes(damaged)
        with pytest.raises(DamagedError):
            LSH.load(path)
    for at in range(0, len(good), 17):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1 :])
        with pytest.raises(DamagedError):
            LSH.load(path)
    with pytest.raises(FileError) as error:
        LSH.load(tmp_path / "nothing")
    assert error.value.errno == 2
    with pytest.raises(FileError):
        sample_of_text.save(tmp_path / "no" / "folder")
    with pytest.raises(TypeError, match="keys of str, int or bytes, not tuple"):
        sample().save(path)
    index = LSH()
    index.insert(True, signature(0))
    with pytest.raises(TypeError, match="not bool"):
        index.save(path)
    index = LSH()
    index.insert("\ud800", signature(0))
    with pytest.raises(SettingError):
        index.save(path)


def test_pickle() -> None:
    index = sample()
    again = pickle.loads(pickle.dumps(index))
    assert again.keys() == index.keys() and again.query(signature(0)) == index.query(signature(0))
    assert (again.threshold, again.curve) == (index.threshold, index.curve)
    again.insert("new", signature(7))
    assert len(again) == 4 and len(index) == 3
    with pytest.raises((DamagedError, TypeError)):
        LSH._restore(b"", [])  # type: ignore[attr-defined]


def test_cycles_are_collected() -> None:
    class Key:
        index: LSH

    key = Key()
    key.index = LSH()
    key.index.insert(key, signature(0))
    gone = weakref.ref(key)
    del key
    gc.collect()
    assert gone() is None


FIRST_VERSION = Path(__file__).parent / "lsh-version-1.bin"


def test_files_of_the_first_version_are_read() -> None:
    """Made by an earlier version, which stored whole slots: `sample` of keys that can be stored."""
    index = LSH.load(FIRST_VERSION)
    assert index.keys() == ["zero", 7, b"far"] and (index.threshold, index.num_hashes) == (0.5, 128)
    assert index.get("zero") == signature(0).bbit(16)
    assert [key for key, _ in index.query(signature(0))] == ["zero", 7]


MEMORY = """
import gc, pathlib, sys
import lookalike, numpy

def resident():
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

documents = int(sys.argv[1])
hasher, index = lookalike.MinHash(128), lookalike.LSH(0.8)
keys = [f"document-{number:07}" for number in range(documents)]
assert (index.bands, index.rows) == (21, 6)

def insert(first, last):
    for number in range(first, last):
        # One document in five looks like the one before.
        start = 1000 * (number - (number % 5 == 4))
        elements = numpy.arange(start, start + 40 + number % 5, dtype=numpy.uint64)
        index.insert(keys[number], hasher.sketch(elements))

insert(0, 1000)
before, counted = resident(), index.nbytes
insert(1000, documents)
print(resident() - before, index.nbytes - counted)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("documents", [30_000, 61_000])
def test_a_document_takes_at_most_600_bytes(documents: int) -> None:
    """By the growth of a process whose keys were there before; and `nbytes` says so."""
    ran = subprocess.run(
        [sys.executable, "-c", MEMORY, str(documents)], capture_output=True, text=True, check=True
    )
    grown, counted = (int(number) for number in ran.stdout.split())
    assert grown <= 600 * (documents - 1000), grown
    # The allocator keeps some of what growing tables have left, and rounds up.
    assert 0.85 < counted / grown < 1.1, (grown, counted)
