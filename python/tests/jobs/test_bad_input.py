"""What makes no sense is said so, in an exception that a Python programmer expects."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any, Dict

import numpy as np
import pytest

import lookalike

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

JOBS = [lookalike.dedup, lookalike.pairs, lookalike.clusters, lambda source, **options: lookalike.query(source, "a b", **options)]

SOURCES: Dict[str, Any] = {
    "a number": (5, TypeError, "int holds no documents"),
    "nothing": (None, TypeError, "NoneType"),
    "a dict": ({"text": ["a"]}, TypeError, "dict"),
    "an iterator": (iter(["a"]), TypeError, "list_iterator"),
    "bytes": ([b"a"], TypeError, "item 0 is of type bytes"),
    "numbers": (["a", 2], TypeError, "item 1 is of type int"),
    "surrogates": (["a", "b\ud800"], lookalike.BadRecordError, "table, row 1: the field `text` is not valid UTF-8 at byte 2"),
    "surrogates in an array": (np.array(["a", "b\ud800"]), lookalike.BadRecordError, "table, row 1: the field `text` is not valid UTF-8"),
    "surrogates in a series": (pd.Series(["a", "\udfff"], dtype=object), lookalike.BadRecordError, "table, row 1: the field `text` is not valid UTF-8"),
    "surrogates in a frame": (pd.DataFrame({"text": ["a", "\udfff"]}, dtype=object), lookalike.BadRecordError, "table, row 1: the field `text` is not valid UTF-8"),
    "none in a list": (["a", None], lookalike.BadRecordError, "table, row 1"),
    "null in pandas": (pd.DataFrame({"text": ["a", None]}), lookalike.BadRecordError, "row 1"),
    "nan in pandas": (pd.DataFrame({"text": ["a", float("nan")]}), lookalike.BadRecordError, "row 1"),
    "nan in a series": (pd.Series(["a", float("nan")]), lookalike.BadRecordError, "row 1"),
    "null in polars": (pl.DataFrame({"text": ["a", None]}), lookalike.BadRecordError, "row 1"),
    "null in pyarrow": (pa.table({"text": ["a", None]}), lookalike.BadRecordError, "row 1"),
    "no such column": (pd.DataFrame({"body": ["a"]}), lookalike.SettingError, "the columns are: 'body'"),
    "a column of numbers": (pl.DataFrame({"text": [1]}), lookalike.SettingError, "Int64"),
    "a column of all": (pd.DataFrame({"text": [1, "a"]}), TypeError, "not all of one type"),
    "two dimensions": (pd.DataFrame({"text": ["a"]}).to_numpy(), TypeError, "2 dimensions"),
    "no such file": ("does/not/exist.jsonl", FileNotFoundError, "does/not/exist.jsonl"),
    "no match": ("does/not/*.jsonl", lookalike.SettingError, "no file matches"),
    "bytes that are not text": (pa.table({"text": pa.array([b"\xff"], pa.binary())}), lookalike.BadRecordError, "UTF-8"),
    "a list column": (pa.table({"text": [["a"]]}), lookalike.SettingError, "List"),
}


@pytest.mark.parametrize("job", range(len(JOBS)))
@pytest.mark.parametrize("kind", SOURCES)
def test_sources(kind: str, job: int) -> None:
    source, error, words = SOURCES[kind]
    with pytest.raises(error, match=words.replace("*", r"\*")):
        JOBS[job](source)


OPTIONS: Dict[str, Any] = {
    "unknown": ({"thresold": 0.5}, TypeError, "did you mean 'threshold'"),
    "threshold above": ({"threshold": 1.5}, ValueError, "threshold"),
    "threshold nan": ({"threshold": float("nan")}, ValueError, "threshold"),
    "threshold zero": ({"threshold": 0}, ValueError, "threshold"),
    "threshold text": ({"threshold": "high"}, TypeError, "threshold"),
    "threshold list": ({"threshold": [0.5]}, TypeError, "threshold"),
    "hashes": ({"hashes": -1}, ValueError, "hashes"),
    "hashes many": ({"hashes": 10**9}, ValueError, "hashes=1000000000 is not allowed"),
    "shingles": ({"shingles": "letters:3"}, ValueError, "words:K"),
    "shingles none": ({"shingles": None}, TypeError, "shingles"),
    "choice": ({"measure": "dice"}, ValueError, "jaccard"),
    "memory": ({"memory": "much"}, ValueError, "2GiB"),
    "little memory": ({"memory": "1MiB"}, lookalike.MemoryLimitError, "64 MiB"),
    "threads": ({"threads": 0}, ValueError, "threads"),
    "threads text": ({"threads": "two"}, TypeError, "threads"),
    "bands": ({"bands": (1, 2, 3)}, ValueError, "bands"),
    "bands too many": ({"bands": (100, 100)}, ValueError, "hashes"),
    "preset": ({"preset": "gold"}, ValueError, "fineweb"),
    "keep": ({"keep": "best"}, ValueError, "first"),
    "no column to keep by": ({"keep": "max:stars"}, ValueError, "stars"),
    "column of a list": ({"text": "body"}, TypeError, "a list has no columns"),
    "contradiction": ({"measure": "containment", "keep": "longest"}, ValueError, "containment"),
    "recall": ({"recall": 1.0}, ValueError, "recall"),
    "threshold infinite": ({"threshold": float("inf")}, ValueError, "threshold"),
    "hashes fraction": ({"hashes": 128.0}, TypeError, "hashes"),
    "case": ({"case": "lower"}, ValueError, "case"),
    "threads too many": ({"threads": 2**70}, ValueError, "threads"),
    "bands text": ({"bands": ("a", "b")}, TypeError, "bands"),
    "bands fraction": ({"bands": (1.5, 2)}, TypeError, "bands"),
    "files only": ({"annotate": True}, TypeError, "files"),
    "format of a list": ({"format": "csv"}, TypeError, "files"),
    "seed": ({"seed": 2**70}, ValueError, "seed"),
    "prefer": ({"prefer": "a*"}, TypeError, "prefer"),
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_options(kind: str) -> None:
    options, error, words = OPTIONS[kind]
    with pytest.raises(error, match=words):
        lookalike.dedup(["a b c d e f", "g h i j k l"], **options)


def test_errors_are_of_one_family_and_of_the_expected_kind() -> None:
    with pytest.raises(lookalike.LookalikeError) as caught:
        lookalike.dedup(["a", None])
    assert isinstance(caught.value, ValueError)
    assert (caught.value.source, caught.value.line) == ("table", 2)
    with pytest.raises(OSError) as missing:
        lookalike.dedup("nowhere.jsonl")
    assert isinstance(missing.value, lookalike.NotFoundError)


def test_bad_records_can_be_left_out_or_kept() -> None:
    texts = ["one two three four five", None, "one two three four five"]
    kept, result = lookalike.dedup(texts, on_bad_record="skip")
    assert kept == texts[:1]
    assert [(row.document, row.kept, row.kind) for row in result.removed] == [(1, None, "bad"), (2, 0, "exact")]
    assert "null" in result.removed[0].reason
    kept, result = lookalike.dedup(texts, on_bad_record="keep")
    assert kept == texts[:2]


TEXTS = ["one two three four five", "\ud800 one two", "one two three four five", "one two three four six"]


@pytest.mark.parametrize("kind", ["list", "tuple", "array", "series", "frame"])
def test_lone_surrogates_are_bad_records(kind: str) -> None:
    made: Dict[str, Any] = {
        "list": list(TEXTS),
        "tuple": tuple(TEXTS),
        "array": np.array(TEXTS),
        "series": pd.Series(TEXTS, dtype=object),
        "frame": pd.DataFrame({"text": TEXTS}, dtype=object),
    }
    source = made[kind]
    kept, result = lookalike.dedup(source, on_bad_record="skip")
    assert [(row.document, row.kept, row.kind) for row in result.removed] == [(1, None, "bad"), (2, 0, "exact")]
    assert "UTF-8" in str(result.removed[0].reason)
    assert len(kept) == 2
    kept, result = lookalike.dedup(source, on_bad_record="keep")
    assert len(kept) == 3 and [row.document for row in result.removed] == [2]
    with pytest.raises(lookalike.BadRecordError) as caught:
        lookalike.dedup(source)
    assert (caught.value.source, caught.value.line) == ("table", 2)


def test_lone_surrogates_in_other_columns() -> None:
    ids = ["a", "b\ud800", "c", "d"]
    texts = ["one two three four five", "one two three four five", "six seven eight nine ten", "one two three four five"]
    frame = pd.DataFrame({"text": texts, "name": ids, "site": ["x", "x\ud801", "x", "x\ud801"]}, dtype=object)
    _, result = lookalike.dedup(frame, id="name")
    assert [(row.document, row.kept) for row in result.removed] == [("b\ud800", "a"), ("d", "a")]
    _, result = lookalike.dedup(frame, within="site")
    assert [(row.document, row.kept) for row in result.removed] == [(3, 1)]


def test_lone_surrogates_in_building_blocks() -> None:
    hasher = lookalike.MinHash()
    with pytest.raises(lookalike.SettingError, match=r"texts\[1\] is not valid text: lone surrogate at character 2"):
        hasher.sketch_texts(["a", "bc\ud800"])
    for wrong in (lambda: hasher.sketch("\ud800"), lambda: lookalike.SimHash().fingerprint("\ud800")):
        with pytest.raises(lookalike.SettingError, match="lone surrogate"):
            wrong()
    for broken in (["a", "\ud800"], {"\ud800": 1.0}):
        with pytest.raises(lookalike.SettingError, match="the element .* lone surrogate"):
            lookalike.SimHash().fingerprint(broken)
    with pytest.raises(lookalike.SettingError, match="the element"):
        lookalike.WeightedMinHash().sketch({"\ud800": 1.0})


def test_sketch_files_are_no_documents(tmp_path: pathlib.Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"text": "one two three four five six"}\n')
    sketch = tmp_path / "any.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "lookalike", "sketch", str(corpus), "-o", str(sketch), "--quiet"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for job in JOBS:
        with pytest.raises(lookalike.SettingError, match="any.jsonl is a sketch file"):
            job(str(sketch))
    with pytest.raises(lookalike.SettingError, match="any.jsonl is a sketch file"):
        lookalike.dedup(corpus, against=sketch)
    with pytest.raises(lookalike.SettingError, match="any.jsonl is a sketch file"):
        lookalike.dedup([corpus, sketch], output=tmp_path / "out")


def test_output_is_for_paths(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError, match="output"):
        lookalike.dedup(["a"], output="somewhere")
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(TypeError, match="against must be paths"):
        lookalike.dedup(tmp_path / "a.txt", against=["a"], output=tmp_path / "out")


def test_arguments_of_single_jobs() -> None:
    with pytest.raises(TypeError):
        lookalike.compare("a", b"b")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        lookalike.query(["a"], None)  # type: ignore[arg-type]
    with pytest.raises(lookalike.SettingError, match="top"):
        lookalike.query(["a"], "a", top=-1)
    with pytest.raises(lookalike.SettingError, match="documents"):
        lookalike.plan(documents=0)
    with pytest.raises(TypeError, match="documents"):
        lookalike.plan(documents=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        lookalike.dedup(["a"], progress=5)  # type: ignore[arg-type]
    with pytest.raises(lookalike.SettingError, match="lone surrogate at character 1"):
        lookalike.compare("a", "b\ud800")
    with pytest.raises(lookalike.SettingError, match="lone surrogate at character 0"):
        lookalike.query(["a"], "\ud800")
    with pytest.raises(lookalike.SettingError, match="bag"):
        lookalike.compare("a", "b", elements="bag")


def test_splits_and_streams_of_hugging_face_are_explained() -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"text": ["a"]})
    with pytest.raises(TypeError, match="train"):
        lookalike.dedup(datasets.DatasetDict({"train": dataset}))
    with pytest.raises(TypeError, match="IterableDataset"):
        lookalike.dedup(dataset.to_iterable_dataset())


def test_a_broken_arrow_stream_is_a_type_error() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return "not a capsule"

    class Raising:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise RuntimeError("no")

    class Column:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pa.chunked_array([["a"]]).__arrow_c_stream__()

    with pytest.raises(TypeError):
        lookalike.dedup(Broken())
    with pytest.raises(RuntimeError):
        lookalike.dedup(Raising())
    with pytest.raises(TypeError):
        lookalike.dedup(Column())
