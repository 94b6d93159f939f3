"""Input that other libraries really hand over."""

from __future__ import annotations

import collections
import pathlib
import pickle
import subprocess
import sys
from typing import Any, List

import numpy as np
import pytest

import lookalike

datasets = pytest.importorskip("datasets")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

A = "the quick brown fox jumps over the lazy dog by the river"
B = A.capitalize() + "!"
C = "something else entirely happens to be said here today"
TEXTS = [A, C, B]


def test_strings_that_are_not_utf_8_are_refused() -> None:
    """In a process of its own: what is taken for text and is not can end it."""
    for make in (
        "pa.array([b'word word\\xf0']).cast(pa.string(), safe=False)",
        "pa.array([b'word word\\xf0', b'x']).view(pa.string())",
    ):
        code = f"""
import lookalike, pyarrow as pa
for call in (lookalike.dedup, lookalike.arrow.Stages().sketch):
    try:
        call(pa.table({{"id": [1, 2][:len({make})], "text": {make}}}))
    except lookalike.DamagedError as error:
        assert "UTF" in str(error), error
    else:
        raise SystemExit("it was read")
"""
        subprocess.run([sys.executable, "-c", code], check=True)


def test_kept_documents_of_files_are_named_by_file(tmp_path: pathlib.Path) -> None:
    old = tmp_path / "old--x-y.jsonl"
    old.write_text('{"text": "nothing"}\n{"text": "%s"}\n' % A)
    _, result = lookalike.dedup(["unlike anything", B, B], against=old, shingles="words:3")
    assert [(row.document, row.kept, row.against) for row in result.removed] == [
        (1, f"{old}:2", True),
        (2, f"{old}:2", True),
    ]
    with pytest.raises(lookalike.BadRecordError, match="old--x-y.jsonl"):
        lookalike.dedup(old, text="body")


def test_against_needs_the_text_only() -> None:
    frame = pd.DataFrame({"body": TEXTS, "k": [10, 11, 12]})
    for against in ([C], pl.DataFrame({"body": [C]}), pa.array([C])):
        _, result = lookalike.dedup(frame, text="body", id="k", keep="max:k", against=against, shingles="words:3")
        assert [(row.document, row.kept, row.against) for row in result.removed] == [(10, 12, False), (11, 0, True)]
    with pytest.raises(lookalike.SettingError, match="against: there is no column 'body'"):
        lookalike.dedup(frame, text="body", against=pd.DataFrame({"text": [C]}))


def test_ids_keep_their_type() -> None:
    for frame in (
        pd.DataFrame({"text": TEXTS, "k": [10, 11, 12]}),
        pl.DataFrame({"text": TEXTS, "k": [10, 11, 12]}),
        pa.table({"text": TEXTS, "k": [10, 11, 12]}),
        datasets.Dataset.from_dict({"text": TEXTS, "k": [10, 11, 12]}),
    ):
        removed = lookalike.dedup(frame, id="k", shingles="words:3")[1].removed
        assert [(row.document, row.kept) for row in removed] == [(12, 10)]
        assert lookalike.pairs(frame, id="k", shingles="words:3")[0][:2] == (10, 12)
    frame = pd.DataFrame({"text": [A, B], "k": [None, "b"]})
    assert lookalike.dedup(frame, id="k", shingles="words:3")[1].removed[0].kept == 0


def test_results_become_tables_whatever_is_in_them() -> None:
    removed = lookalike.dedup(TEXTS, against=[C], shingles="words:3")[1].removed
    assert removed.to_arrow()["kept"].to_pylist() == [0, 0]
    assert removed.to_polars()["against"].to_list() == [True, False]
    nothing = lookalike.dedup([A])[1].removed
    assert nothing.to_arrow().schema.field("similarity").type == pa.float64()
    assert nothing.to_arrow().num_rows == nothing.to_polars().height == len(nothing.to_pandas()) == 0
    assert pa.table(lookalike.pairs(TEXTS, shingles="words:3")).num_rows == 1


def test_columns_of_all_kinds() -> None:
    frame = pd.DataFrame({"text": TEXTS})
    dataset = datasets.Dataset.from_dict({"text": TEXTS})
    for column in (
        frame["text"].array,
        frame["text"].astype("category"),
        pd.Categorical(TEXTS),
        pd.Index(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pa.array(TEXTS).cast(pa.string_view()),
        dataset["text"],
        np.array(TEXTS),
    ):
        kept, _ = lookalike.dedup(column, shingles="words:3")
        assert list(map(str, kept)) == [A, C]


def test_subclasses_stay_what_they_are() -> None:
    class Frame(pd.DataFrame):  # type: ignore[misc]
        @property
        def _constructor(self) -> Any:
            return Frame

    kept, _ = lookalike.dedup(Frame({"text": TEXTS, 5: [1, "a", None]}), shingles="words:3")
    assert type(kept) is Frame and kept.shape == (2, 2)
    assert type(lookalike.dedup(collections.namedtuple("Row", "a b c")(*TEXTS), shingles="words:3")[0]) is tuple


def test_rows_of_every_arrow_type_can_be_taken() -> None:
    batch = pa.record_batch({"text": pa.array([None, None], pa.string_view())})
    assert lookalike.dedup(batch, on_bad_record="skip")[0].num_rows == 0
    nothing = pl.DataFrame({"text": [None, None], "a": [None, None]})
    assert lookalike.dedup(nothing, on_bad_record="skip", id="a")[0].height == 0
    struct = pa.array([{"text": text} for text in TEXTS])
    assert lookalike.dedup(struct, shingles="words:3")[0].num_rows == 2

    class Array:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return struct.__arrow_c_array__()

    assert len(lookalike.dedup(Array(), shingles="words:3")[0]) == 2
    struct = pa.array([{"text": A}, None])
    with pytest.raises(TypeError, match="null as a whole"):
        lookalike.dedup(Array())


def test_repeated_and_other_names_of_columns() -> None:
    twice = pd.DataFrame([[A, B]], columns=["text", "text"])
    for source in (twice, pa.table([pa.array([A]), pa.array([B])], names=["text", "text"])):
        with pytest.raises(lookalike.SettingError, match="2 columns 'text'"):
            lookalike.dedup(source)
    with pytest.raises(lookalike.SettingError, match="the columns are: 0"):
        lookalike.dedup(pd.DataFrame({0: [A]}))


def test_names_of_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    with open(bytes(tmp_path) + b"/\xff.jsonl", "w") as odd:
        odd.write('{"text": "b"}\n')
    assert lookalike.dedup(f"{tmp_path}/a*.jsonl")[1].documents == 1
    assert lookalike.dedup(bytes(tmp_path / "a.jsonl"))[1].documents == 1
    with pytest.raises(lookalike.SettingError, match="UTF-8"):
        lookalike.dedup(bytes(tmp_path) + b"/\xff.jsonl")
    with pytest.raises(FileNotFoundError) as missing:
        lookalike.LSH.load(tmp_path / "none.lsh")
    assert missing.value.filename == str(tmp_path / "none.lsh")


def test_errors_of_whoever_makes_the_stream() -> None:
    class Failing:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            def batches() -> Any:
                yield pa.record_batch({"text": [A]})
                raise ConnectionResetError("gone")

            schema = pa.schema({"text": pa.string()})
            return pa.RecordBatchReader.from_batches(schema, batches()).__arrow_c_stream__()

    with pytest.raises(RuntimeError, match="gone"):
        lookalike.dedup(Failing())


def test_results_can_be_pickled(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": "a"}\n')
    _, result = lookalike.dedup(tmp_path / "a.jsonl", output=tmp_path / "out")
    assert pickle.loads(pickle.dumps(result)).removed == result.removed
    in_memory = lookalike.dedup(TEXTS)[1]
    assert pickle.loads(pickle.dumps(in_memory)).removed == in_memory.removed


def test_a_preset_gives_way() -> None:
    assert (lookalike.plan(preset="fineweb").bands, lookalike.plan(preset="fineweb", bands=None).rows) == (14, 5)
    assert lookalike.plan(preset="fineweb", recall=0.99).recall > 0.99
    assert lookalike.plan().disk_bytes > 0
    assert lookalike.plan().probability([2.0, -1.0]).tolist() == pytest.approx([1.0, 0.0])


def test_types_that_users_rely_on(tmp_path: pathlib.Path) -> None:
    mypy = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(
        """
from pathlib import Path
import lookalike
import numpy as np
from typing_extensions import assert_type

kept, result = lookalike.dedup(["a"], threshold=0.5, bands=(3, 4))
assert_type(kept, list[str])
assert_type(result.removed[0], lookalike.Removed)
for pair in lookalike.pairs(["a"]):
    assert_type(pair, lookalike.Pair)
folder, _ = lookalike.dedup([Path("a")], output="b")
assert_type(folder, Path)
assert_type(lookalike.plan().probability(0.5), float)
assert_type(lookalike.clusters(["a"])[0].similarities[0], float | None)
"""
    )
    report, errors, status = mypy.run(["--strict", "--cache-dir", str(tmp_path / "cache"), str(program)])
    assert status == 0, report + errors
