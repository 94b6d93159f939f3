"""Files in, files out."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
from typing import Any, Dict, List

import lookalike
import pyarrow
import pyarrow.parquet
import pytest
from spark_rows import comparable, lose, rows

from lookalike.errors import InUseError, NotFoundError, SettingError, TargetError
from lookalike.spark.checkpoint import read_value, write_value
from lookalike.spark.command import main
from lookalike.spark.files import clusters_of_files, dedup_files, pairs_of_files, plan_of_files, sketch_files
from lookalike.spark.outputs import Output, _beginning_of


def written(folder: pathlib.Path) -> List[Any]:
    lines = [line for file in sorted(folder.glob("*.json")) for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def places(removed: List[Any]) -> List[Any]:
    return sorted(
        (row["source"], row["line"], row["kept_source"], row["kept_line"], row["kind"], row.get("similarity")) for row in removed
    )


def by_ids(removed: List[Any]) -> List[Any]:
    return sorted((row["id"], row["kept_id"], row["kind"], row["similarity"]) for row in removed)


def without_disk(report: Any) -> Any:
    """A report without the disk of one machine, which takes some bytes for an id: on Spark the place of a document stands for one."""
    found = comparable(report)
    return {**found, "plan": {**found["plan"], "disk_bytes_per_document": None}}


FOLDERS = {"web": ["b", "a c%d"], "books": ["z", "a"], "news": ["1"]}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: Any) -> pathlib.Path:
    """Folders with files of documents that have near-duplicates in all of them, one of the files empty."""
    home: pathlib.Path = tmp_path_factory.mktemp("folders")
    documents = rows(150, seed=3)
    # The order of ids is neither that of files nor that of rows.
    table = pyarrow.Table.from_pylist([{"id": row["id"], "text": row["text"], "n": row["place"]} for row in documents])
    names = [f"{folder}/{name}.parquet" for folder, of_folder in FOLDERS.items() for name in of_folder]
    for at, name in enumerate(names):
        (home / name).parent.mkdir(exist_ok=True)
        pyarrow.parquet.write_table(table.take(list(range(at, table.num_rows, len(names)))), home / name, row_group_size=10)
    pyarrow.parquet.write_table(table.slice(0, 0), home / "news" / "empty.parquet")
    return home


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["web", "books", "news"], {}),
        (["books/z.parquet", "web", "books/a.parquet"], {"id": "id"}),
        (["web", "books/*.parquet", "news/"], {"id": "id", "prefer": ["news", "books"]}),
    ],
)
def test_folders_are_decided_as_on_one_machine(spark: Any, folders: Any, tmp_path: Any, arguments: Any, options: Any) -> None:
    inputs = [f"{folders}/{argument}" for argument in arguments]
    options = {"threshold": 0.6, **options}
    if "prefer" in options:
        options["prefer"] = [f"{folders}/{folder}" for folder in options["prefer"]]
    _, one = lookalike.dedup([pathlib.Path(path) for path in inputs], output=str(tmp_path / "one"), **options)
    expected = [json.loads(line) for line in (tmp_path / "one" / "removed.jsonl").read_text().splitlines()]
    report = dedup_files(spark, inputs, output=str(tmp_path / "many"), **options)
    found = written(tmp_path / "many" / "removed")
    assert len(expected) > 20
    if "id" in options:
        assert by_ids(found) == by_ids(expected)
    else:
        assert places(found) == places(expected)
    assert report["sources"] == one.summary["sources"]
    assert without_disk(report) == without_disk(one.summary)
    assert pyarrow.parquet.read_table(tmp_path / "many" / "kept").column_names == ["id", "text", "n"]


def test_the_command_calls_sources_as_that_of_one_machine_does(folders: Any, tmp_path: Any) -> None:
    words = ["news/", "./web", "books/*.parquet", "--threshold", "0.6", "--prefer", "books", "--prefer", "*c%d*", "--keep", "longest"]
    more = ["--master", "local[2]", "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=2"]
    for package, out, rest in [("lookalike", "one", []), ("lookalike.spark", "many", more)]:
        command = [sys.executable, "-m", package, "dedup", *words, "-o", str(tmp_path / out), *rest]
        done = subprocess.run(command, cwd=folders, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
    expected = [json.loads(line) for line in (tmp_path / "one" / "removed.jsonl").read_text().splitlines()]
    one = json.loads((tmp_path / "one" / "report.json").read_text())
    many = json.loads(next((tmp_path / "many" / "report").glob("*.txt")).read_text())
    assert {source["name"] for source in one["sources"]} >= {"./web/a c%d.parquet", "news/1.parquet", "books/z.parquet"}
    assert places(written(tmp_path / "many" / "removed")) == places(expected)
    assert many["sources"] == one["sources"]
    assert without_disk(many) == without_disk(one)


def test_patterns_that_match_no_file_are_refused_at_once(spark: Any, folders: Any, tmp_path: Any) -> None:
    web, books = str(folders / "web"), str(folders / "books")
    for run in (dedup_files, pairs_of_files, sketch_files):
        with pytest.raises(SettingError, match="prefer.*magazines.*no source matches"):
            run(spark, [web, books], output=str(tmp_path / "out"), prefer=[books, "magazines"])
    assert not list(tmp_path.iterdir())
    # What comes first matters neither for pairs nor for a plan.
    assert pairs_of_files(spark, [web], output=str(tmp_path / "pairs"), prefer=[web], threshold=0.6) > 0
    assert plan_of_files(spark, [web], prefer=[web]).documents > 0


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
    expected = [json.loads(line) for line in (tmp_path / "one" / "removed.jsonl").read_text().splitlines()]
    assert len(expected) > 20
    assert places(written(out / "removed")) == places(expected)
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


def owner(**more: Any) -> Dict[str, Any]:
    """What a driver says that writes to an output."""
    there = {"checkpoint": "/elsewhere", "mark": "x", "host": socket.gethostname(), "process": os.getpid(), "began": None}
    return {**there, "since": "2026-01-01", "ended": False, **more}


def test_two_jobs_do_not_write_to_one_output(spark: Any, tmp_path: Any) -> None:
    file, out = tmp_path / "part.parquet", str(tmp_path / "out")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"text": row["text"]} for row in rows(5)]), file)
    running = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        alive = {"process": running.pid, "began": _beginning_of(running.pid)}
        place = f"{out}.checkpoint"
        for said, by in [
            ({"host": "another"}, "another job, with the checkpoint /elsewhere, writes to"),
            (alive, "another job, with the checkpoint /elsewhere"),
            ({**alive, "checkpoint": place}, "the same job is running already"),
        ]:
            write_value(spark, f"{out}.job", owner(**said))
            with pytest.raises(InUseError, match=by):
                dedup_files(spark, [str(file)], output=out)
            assert not os.path.exists(out) and not os.path.exists(place)
    finally:
        running.kill()
        running.wait()
    # The driver was killed, or has ended, or its number is that of another process now: the job goes on.
    for said in [alive, {"ended": True, "host": "another"}, {"process": os.getppid(), "began": "0"}, {"checkpoint": place, "host": "another"}]:
        write_value(spark, f"{out}.job", owner(**said))
        assert dedup_files(spark, [str(file)], output=out)["counts"]["documents"] == 16


@pytest.mark.parametrize("at", ["kept", "removed", "report"])
def test_a_job_whose_output_is_taken_over_leaves_none_that_looks_whole(spark: Any, tmp_path: Any, monkeypatch: Any, at: str) -> None:
    file, out = tmp_path / "part.parquet", str(tmp_path / "out")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"text": row["text"]} for row in rows(5)]), file)
    hold, calls = Output.hold, {"kept": 2, "removed": 4, "report": 6}
    held: List[int] = []

    def taken_over(self: Any) -> None:
        held.append(1)
        if len(held) == calls[at]:
            write_value(spark, f"{out}.job", owner(host="another", mark="y"))
        hold(self)

    monkeypatch.setattr(Output, "hold", taken_over)
    with pytest.raises(InUseError, match="on another has taken over"):
        dedup_files(spark, [str(file)], output=out)
    assert not os.path.exists(f"{out}/report")
    assert os.path.exists(f"{out}/kept") == (at != "kept")
    monkeypatch.setattr(Output, "hold", hold)
    # The marker of the other one stays, so that it can end its work.
    assert read_value(spark, f"{out}.job", "")["mark"] == "y"


def test_removed_documents_are_counted_when_they_are_written(spark: Any, tmp_path: Any, monkeypatch: Any) -> None:
    file, out = tmp_path / "part.parquet", tmp_path / "out"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"text": row["text"]} for row in rows(40)]), file)
    lose(monkeypatch, "save", "removed")
    with pytest.raises(TargetError, match=r"rows were written to .*removed, and \d+ should be"):
        dedup_files(spark, [str(file)], output=str(out), threshold=0.6)
    assert not (out / "report").exists()


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
