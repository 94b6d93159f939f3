"""The script for Slurm, with an `srun` that starts two workers on this machine."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import lookalike
import pyarrow
import pyarrow.parquet
import pytest
from spark_rows import FULL, rows

from lookalike.spark.command import main

# What srun does, for two nodes: the command once for each.
SRUN = """#!/bin/bash
while [[ $1 == --* ]]; do shift; done
trap 'kill $one $two' TERM
"$@" & one=$!
"$@" & two=$!
wait
"""


def environment(folder: pathlib.Path) -> Any:
    programs = folder / "bin"
    programs.mkdir()
    (programs / "srun").write_text(SRUN)
    (programs / "srun").chmod(0o755)
    path = f"{programs}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    return {
        **os.environ,
        "PATH": path,
        "PYSPARK_PYTHON": sys.executable,
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_CPUS_PER_TASK": "1",
        "LOOKALIKE_WORKER_MEMORY": "1g",
        "LOOKALIKE_MASTER_HOST": "127.0.0.1",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "TMPDIR": str(folder),
    }


def test_the_script_says_what_is_missing(tmp_path: Any, capsys: Any) -> None:
    assert main(["slurm"]) == 0
    script = capsys.readouterr().out.strip()
    outside = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    done = subprocess.run(["bash", script, "true"], env=outside, capture_output=True, text=True)
    assert done.returncode != 0 and "start it with sbatch" in done.stderr
    assert subprocess.run(["bash", script], env=outside, capture_output=True).returncode == 2


@pytest.mark.skipif(not FULL, reason="LOOKALIKE_SPARK_FULL is not set")
def test_a_cluster_inside_an_allocation(tmp_path: Any, capsys: Any) -> None:
    assert main(["slurm"]) == 0
    script = capsys.readouterr().out.strip()
    table = pyarrow.Table.from_pylist([{"text": row["text"]} for row in rows(100)])
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    command = [sys.executable, "-m", "lookalike.spark", "dedup", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "out")]
    settings = ["--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.executor.memory=700m", "--conf", "spark.ui.enabled=false"]
    done = subprocess.run(["bash", script, *command, *settings], env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(next((tmp_path / "out" / "report").glob("*.txt")).read_text())
    _, one = lookalike.dedup(table)
    assert report["counts"] == one.summary["counts"]
    # Both workers had a core, and none of the processes is left.
    assert report["run"]["threads"] == 2
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert str(tmp_path) not in left
