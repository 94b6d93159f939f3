"""Executors and drivers that are killed: the same answer, and no row twice."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any, Dict, List, Optional

import lookalike
import pyarrow
import pyarrow.parquet
import pytest
from conftest import corpus
from spark_rows import FULL
from standalone import cluster

STAGES = ["keys", "edges", "sets", "decide"]
DRIVER = pathlib.Path(__file__).with_name("driver_to_kill.py")


def run(
    place: Any, table: Any, victim: str, stage: str, master: Optional[str] = None, output: str = "frames"
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(DRIVER), str(place), str(table), victim, stage, output]
    environment = os.environ if master is None else {**os.environ, "LOOKALIKE_MASTER": master}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def answer(done: "subprocess.CompletedProcess[str]") -> Dict[str, Any]:
    assert done.returncode == 0, done.stderr[-3000:]
    found: Dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def documents(tmp_path_factory: Any) -> Any:
    """A table as a file, and what is removed from it."""
    rows = [{"id": at, "text": text} for at, text in enumerate(corpus(400, seed=9))]
    table = pyarrow.Table.from_pylist(rows)
    file = tmp_path_factory.mktemp("kill") / "in.parquet"
    pyarrow.parquet.write_table(table, file, row_group_size=20)
    _, one = lookalike.dedup(table, id="id", threshold=0.6)
    removed = sorted([row.document, row.kept, row.kind, row.similarity] for row in one.removed)
    assert len(removed) > 50
    return file, removed, one.summary


def check(found: Dict[str, Any], removed: List[Any], report: Dict[str, Any], of_files: bool = False) -> None:
    assert found["removed"] == removed
    assert found["kept"] == sorted(set(range(400)) - {row[0] for row in removed})
    # Files are sources of their own.
    left_out = {"run": None, "plan": None, **({"sources": None} if of_files else {})}
    assert {**found["report"], **left_out} == {**report, **left_out}


@pytest.mark.parametrize("stage", STAGES if FULL else ["decide"])
def test_an_executor_is_killed(documents: Any, tmp_path: Any, stage: str) -> None:
    file, removed, report = documents
    found = answer(run(tmp_path / "run", file, "executor", stage))
    assert found["killed"]
    check(found, removed, report)


@pytest.mark.skipif(not FULL, reason="LOOKALIKE_SPARK_FULL is not set")
@pytest.mark.parametrize("stage", STAGES)
def test_the_driver_is_killed_and_started_again(documents: Any, tmp_path: Any, stage: str) -> None:
    file, removed, report = documents
    assert run(tmp_path / "run", file, "driver", stage).returncode == -signal.SIGKILL
    found = answer(run(tmp_path / "run", file, "nobody", ""))
    check(found, removed, report)
    assert found["report"]["run"]["finished_before"] == STAGES[: STAGES.index(stage)]


@pytest.mark.skipif(not FULL, reason="LOOKALIKE_SPARK_FULL is not set")
@pytest.mark.parametrize(
    ("stage", "output"),
    [*((stage, "frames") for stage in [*STAGES, "run.kept"]), *((stage, "files") for stage in ["keys", "decide", "kept", "removed", "report"])],
)
def test_the_driver_is_killed_while_it_writes_and_started_again(documents: Any, tmp_path: Any, stage: str, output: str) -> None:
    file, removed, report = documents
    killed = run(tmp_path / "run", file, "driver-inside", stage, output=output)
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-3000:]
    # Nothing looks whole that is not.
    if stage != "report":
        assert not list((tmp_path / "run.out" / "report").glob("part-*"))
    found = answer(run(tmp_path / "run", file, "nobody", "", output=output))
    check(found, removed, report, of_files=output == "files")
    before = STAGES.index(stage) if stage in STAGES else len(STAGES)
    assert len(found["report"]["run"]["finished_before"]) == before


@pytest.mark.skipif(not FULL, reason="LOOKALIKE_SPARK_FULL is not set")
def test_executors_that_are_lost_for_good(documents: Any, tmp_path: Any) -> None:
    file, removed, report = documents
    done = run(tmp_path / "run", file, "executors", "decide")
    assert done.returncode != 0
    assert "LookalikeError: executors were lost again and again" in done.stderr, done.stderr[-3000:]
    found = answer(run(tmp_path / "run", file, "nobody", ""))
    check(found, removed, report)
    assert found["report"]["run"]["finished_before"] == STAGES[:-1]


@pytest.mark.skipif(not FULL, reason="LOOKALIKE_SPARK_FULL is not set")
@pytest.mark.parametrize(("victim", "stage"), [("executor", stage) for stage in [*STAGES, "write"]] + [("worker", "keys"), ("worker", "decide")])
def test_somebody_is_killed_on_a_cluster_of_processes(documents: Any, tmp_path: Any, victim: str, stage: str) -> None:
    file, removed, report = documents
    with cluster(tmp_path) as master:
        found = answer(run(tmp_path / "run", file, victim, stage, master))
    assert found["killed"]
    check(found, removed, report)
