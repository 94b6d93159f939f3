"""Files in, files out."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any, List

import lookalike
import pyarrow
import pyarrow.parquet
import pytest
from spark_rows import rows

from lookalike.errors import NotFoundError, SettingError, TargetError
from lookalike.spark.command import main
from lookalike.spark.files import clusters_of_files, dedup_files, pairs_of_files, plan_of_files, sketch_files


def written(folder: pathlib.Path) -> List[Any]:
    lines = [line for file in sorted(folder.glob("*.json")) for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def test_parquet_files_are_decided_as_by_the_command(spark: Any, tmp_path: Any) -> None:
    documents = rows(150, seed=3)
    files = tmp_path / "in"
    files.mkdir()
    for at in range(3):
        part = pyarrow.Table.from_pylist([{"text": row["text"], "n": row["place"]} for row in documents[at::3]])
        pyarrow.parquet.write_table(part, files / f"part-{at}.parquet", row_group_size=20)
    _, one = lookalike.dedup(str(files), output=str(tmp_path / "one"), threshold=0.6)
    out = tmp_path / "many"
    report = dedup_files(spark, [str(files)], output=str(out), threshold=0.6)
    short = [(row["source"].rsplit("/", 1)[1], row["line"], row["kind"], row.get("similarity")) for row in written(out / "removed")]
    expected = [json.loads(line) for line in (tmp_path / "one" / "removed.jsonl").read_text().splitlines()]
    assert len(expected) > 20
    assert sorted(short) == sorted(
        (os.path.basename(row["source"]), row["line"], row["kind"], row["similarity"]) for row in expected
    )
    assert report["counts"] == one.summary["counts"]
    kept = pyarrow.parquet.read_table(out / "kept")
    assert kept.column_names == ["text", "n"]
    assert kept.num_rows == report["counts"]["kept"]
    assert json.loads(next((out / "report").glob("*.txt")).read_text())["counts"] == report["counts"]
    # The same again does nothing, and something else in the folder is refused.
    assert dedup_files(spark, [str(files)], output=str(out), threshold=0.6)["counts"] == report["counts"]
    with pytest.raises(TargetError, match="is not empty"):
        dedup_files(spark, [str(files)], output=str(out), checkpoint=str(tmp_path / "other"))
    with pytest.raises(NotFoundError, match="no such file"):
        dedup_files(spark, [str(tmp_path / "absent.parquet")], output=str(tmp_path / "none"))


def test_sketches_pairs_and_clusters_of_files(spark: Any, tmp_path: Any) -> None:
    file = tmp_path / "part.parquet"
    table = pyarrow.Table.from_pylist([{"text": row["text"]} for row in rows(80, seed=3)])
    pyarrow.parquet.write_table(table, file)
    sketches = tmp_path / "sketches"
    assert sketch_files(spark, [str(file)], output=f"{sketches}/", threshold=0.6).documents == table.num_rows
    options = {"sketches": str(sketches), "threshold": 0.6}
    pairs = lookalike.pairs(table, threshold=0.6)
    assert pairs_of_files(spark, [str(file)], output=str(tmp_path / "pairs"), **options) == len(pairs) > 10
    found = [(row["a_line"] - 1, row["b_line"] - 1, row["similarity"]) for row in written(tmp_path / "pairs")]
    assert sorted(found) == sorted((pair.a, pair.b, pair.similarity) for pair in pairs)
    clusters = lookalike.clusters(table, threshold=0.6)
    members = clusters_of_files(spark, [str(file)], output=str(tmp_path / "clusters"), **options)
    assert members == sum(len(cluster.members) for cluster in clusters)
    assert {row["kept_line"] - 1 for row in written(tmp_path / "clusters")} == {cluster.kept for cluster in clusters}
    assert plan_of_files(spark, [str(file)], threshold=0.6).documents == table.num_rows


def test_a_job_that_is_refused_does_not_take_over_an_output(spark: Any, tmp_path: Any) -> None:
    file = tmp_path / "part.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"text": row["text"]} for row in rows(5)]), file)
    place = str(tmp_path / "run")
    dedup_files(spark, [str(file)], output=str(tmp_path / "out"), checkpoint=place)
    with pytest.raises(TargetError, match="is of another job"):
        dedup_files(spark, [str(file)], output=str(tmp_path / "other"), checkpoint=place, threshold=0.5)
    # The first job still has its output, and may write it elsewhere too.
    for output in ("more", "out"):
        dedup_files(spark, [str(file)], output=str(tmp_path / output), checkpoint=place)
    assert not (tmp_path / "other").exists()


def test_rows_that_vanish_before_they_are_written(spark: Any, tmp_path: Any) -> None:
    files, out = tmp_path / "in", tmp_path / "out"
    files.mkdir()
    table = pyarrow.Table.from_pylist([{"text": row["text"], "id": row["id"]} for row in rows(20)])
    pyarrow.parquet.write_table(table, files / "part.parquet")
    dedup_files(spark, [str(files)], output=str(out), id="id")
    # The driver was killed before the kept rows were written, and then somebody took rows away.
    shutil.rmtree(f"{out}.checkpoint/kept.done")
    pyarrow.parquet.write_table(table.slice(2), files / "part.parquet")
    with pytest.raises(TargetError, match="the inputs changed"):
        dedup_files(spark, [str(files)], output=str(out), id="id")


def test_json_needs_ids(spark: Any, tmp_path: Any) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text("".join(json.dumps({"id": row["id"], "text": row["text"]}) + "\n" for row in rows(20)))
    with pytest.raises(SettingError, match="--id-field"):
        dedup_files(spark, [str(file)], output=str(tmp_path / "out"))
    report = dedup_files(spark, [str(file)], output=str(tmp_path / "out"), id="id")
    assert len(written(tmp_path / "out" / "kept")) == report["counts"]["kept"]


def test_the_script_is_what_spark_submit_takes(capsys: Any) -> None:
    assert main(["script"]) == 0
    script = capsys.readouterr().out.strip()
    said = subprocess.run([sys.executable, script, "dedup", "--help"], capture_output=True, text=True, check=True).stdout
    assert "--threshold" in said and "--checkpoint" in said
