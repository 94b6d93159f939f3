"""The same job through Spark Connect, which has no `sparkContext`."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import lookalike
import pyarrow
import pyarrow.parquet
import pytest
from conftest import corpus
from spark_rows import FULL

JOB = pathlib.Path(__file__).with_name("connect_job.py")


@pytest.mark.skipif(not FULL, reason="LOOKALIKE_SPARK_FULL is not set")
def test_the_answer_is_that_of_one_machine(tmp_path: Any) -> None:
    rows = [{"id": at, "text": text} for at, text in enumerate(corpus(100, seed=4))]
    table = pyarrow.Table.from_pylist(rows)
    file = tmp_path / "in.parquet"
    pyarrow.parquet.write_table(table, file)
    done = subprocess.run([sys.executable, str(JOB), str(tmp_path), str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert ".connect." in found["session"]
    _, one = lookalike.dedup(table, id="id", threshold=0.6)
    removed = sorted([row.document, row.kept, row.kind, row.similarity] for row in one.removed)
    assert len(removed) > 10 and found["removed"] == removed
    assert found["kept"] == sorted(set(range(100)) - {row[0] for row in removed})
    assert found["pairs"] == len(lookalike.pairs(table, id="id", threshold=0.6))
    assert (found["planned"], found["tasks"]) == (100, 2)
