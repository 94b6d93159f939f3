"""A checkpoint that is not one folder for all hosts is refused, and is not taken for one with nothing in it."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from spark_rows import FULL, SCHEMA, lose, rows
from standalone import ALONE, cluster
from test_kill import documents as documents
from test_kill import run

from lookalike import spark as lookalike_spark
from lookalike.errors import TargetError


def test_a_core_that_writes_elsewhere_is_found_before_work_begins(spark: Any, tmp_path: Any, monkeypatch: Any) -> None:
    lose(monkeypatch, "text", "shared-")
    frame = spark.createDataFrame(rows(20), SCHEMA)
    with pytest.raises(TargetError, match=r"is not one folder .* of the rows that 2 tasks wrote into it, 1 are there"):
        lookalike_spark.dedup(frame, id="id", checkpoint=str(tmp_path / "run"))
    assert not list((tmp_path / "run").glob("keys*"))


def test_keys_that_are_not_there_are_missed(spark: Any, tmp_path: Any, monkeypatch: Any) -> None:
    lose(monkeypatch, "parquet", "keys-")
    documents = rows(40)
    frame = spark.createDataFrame(documents, SCHEMA).repartition(3)
    with pytest.raises(TargetError, match=f"there were {len(documents)} documents, and the checkpoint .* has the keys of"):
        lookalike_spark.dedup(frame, id="id", checkpoint=str(tmp_path / "run"))


@pytest.mark.skipif(not FULL, reason="LOOKALIKE_SPARK_FULL is not set")
def test_a_host_with_a_folder_of_its_own(documents: Any, tmp_path: Any) -> None:
    if subprocess.run([*ALONE, "true"], capture_output=True).returncode != 0:
        pytest.skip("a process cannot have a file system of its own here")
    file, _, _ = documents
    own = tmp_path / "own"
    own.mkdir()
    with cluster(tmp_path, alone=own) as master:
        done = run(own / "run", file, "nobody", "", master)
    assert done.returncode != 0
    assert "TargetError" in done.stderr and "is not one folder for the driver and all executors" in done.stderr, done.stderr[-3000:]
