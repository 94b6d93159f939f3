"""Jobs on files."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import List

import pytest

import lookalike


@pytest.fixture
def jsonl(tmp_path: pathlib.Path, texts: List[str]) -> pathlib.Path:
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"id": f"d{n}", "text": text}) + "\n" for n, text in enumerate(texts)))
    return path


def test_kept_records_are_written(jsonl: pathlib.Path, tmp_path: pathlib.Path, texts: List[str]) -> None:
    kept, result = lookalike.dedup(jsonl, output=tmp_path / "out", id="id")
    assert kept == tmp_path / "out"
    expected, in_memory = lookalike.dedup(texts)
    written = [json.loads(line)["text"] for line in (tmp_path / "out" / "in.jsonl").read_text().splitlines()]
    assert written == expected
    assert [(row.document, row.similarity) for row in result.removed] == [
        (f"d{row.document}", row.similarity) for row in in_memory.removed
    ]
    assert json.loads((tmp_path / "out" / "report.json").read_text()) == result.summary
    again, second = lookalike.dedup(str(jsonl), output=str(tmp_path / "out"), id="id")
    assert again == str(tmp_path / "out") and second.summary == result.summary


def test_without_output_nothing_is_written(jsonl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = sorted(tmp_path.iterdir())
    source, result = lookalike.dedup(str(jsonl))
    assert source == str(jsonl) and len(result.removed) > 10
    assert str(result.removed[0].document).startswith(str(jsonl))
    assert sorted(tmp_path.iterdir()) == before


def test_formats_and_compression_are_the_same_documents(jsonl: pathlib.Path, tmp_path: pathlib.Path, texts: List[str]) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    pyarrow.write_table(pa.table({"id": [f"d{n}" for n in range(len(texts))], "text": texts}), tmp_path / "in.parquet")
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(jsonl.read_bytes()))
    answers = [
        list(lookalike.dedup(tmp_path / name, id="id")[1].removed) for name in ("in.jsonl", "in.jsonl.gz", "in.parquet")
    ]
    assert answers[0] == answers[1] == answers[2]


def test_the_removed_list_as_parquet(jsonl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pyarrow")
    _, result = lookalike.dedup(jsonl, output=tmp_path / "out", id="id", removed_format="parquet")
    _, expected = lookalike.dedup(jsonl, id="id")
    assert list(result.removed) == list(expected.removed)


def test_pairs_clusters_and_queries_name_documents(jsonl: pathlib.Path, texts: List[str]) -> None:
    pair = lookalike.pairs(jsonl, id="id")[0]
    assert str(pair.a).startswith("d")
    assert str(lookalike.clusters(str(jsonl))[0].kept).startswith(f"{jsonl}:")
    assert lookalike.query(jsonl, texts[4], id="id")[0].document == "d4"


def test_several_files_and_a_format_that_is_not_in_the_name(tmp_path: pathlib.Path) -> None:
    for name in ("a.data", "b.data"):
        (tmp_path / name).write_text('{"text": "one two three four five six"}\n')
    _, result = lookalike.dedup([tmp_path / "a.data", tmp_path / "b.data"], format="jsonl")
    assert result.documents == 2 and len(result.removed) == 1
    with pytest.raises(lookalike.SettingError, match="format"):
        lookalike.dedup(tmp_path, format="docx")


def test_what_is_wrong_with_files(tmp_path: pathlib.Path, jsonl: pathlib.Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "a"}\n{"text": \n')
    with pytest.raises(lookalike.BadRecordError) as caught:
        lookalike.dedup(broken)
    assert (caught.value.source, caught.value.line) == (str(broken), 2)
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(jsonl.read_bytes())[:-50])
    with pytest.raises(lookalike.DamagedError, match="cut off"):
        lookalike.dedup(tmp_path / "cut.jsonl.gz")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(lookalike.TargetError, match="not empty"):
        lookalike.dedup(jsonl, output=tmp_path / "full")
    lookalike.dedup(jsonl, output=tmp_path / "done")
    with pytest.raises(FileExistsError, match="threshold"):
        lookalike.dedup(jsonl, output=tmp_path / "done", threshold=0.5)
    with pytest.raises(OSError):
        lookalike.dedup(jsonl, output=broken / "below a file")
