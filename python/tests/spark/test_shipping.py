"""Executors without the package get that of the driver, or an environment that is sent with the job."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
from typing import Any

import lookalike
import pyarrow
import pyarrow.parquet
import pytest
from spark_rows import FULL, SCHEMA, rows
from standalone import SPARK, cluster

from lookalike import spark as lookalike_spark
from lookalike.errors import SettingError


def python_without_the_package(folder: pathlib.Path) -> str:
    """A Python that finds all installed packages but lookalike."""
    packages = folder / "packages"
    packages.mkdir()
    for entry in pathlib.Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("lookalike"):
            (packages / entry.name).symlink_to(entry)
    script = folder / "python"
    # Without `site`, so that it does not look where the tests are installed.
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}:$PYTHONPATH" exec "{sys.executable}" -S "$@"\n')
    script.chmod(0o755)
    return str(script)


def test_executors_without_the_package_get_it(spark: Any, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", python_without_the_package(tmp_path))
    documents = rows(40)
    frame = spark.createDataFrame(documents, SCHEMA)
    with pytest.raises(SettingError, match="cannot import lookalike"):
        lookalike_spark.check(spark)
    lookalike_spark.ship(spark)
    lookalike_spark.ship(spark)
    assert lookalike_spark.check(spark) == 2
    many = lookalike_spark.dedup(frame, id="id", order="place", checkpoint=str(tmp_path / "run"))
    _, one = lookalike.dedup(pyarrow.Table.from_pylist(documents), id="id")
    assert sorted(row.id for row in many.removed.collect()) == sorted(row.document for row in one.removed)
    # It is the archive that they use.
    from pyspark.sql import functions as F

    @F.udf("string", useArrow=False)
    def place(_: Any) -> str:
        import lookalike

        return os.path.dirname(lookalike.__file__)

    used = spark.range(1).select(place("id")).first()[0]
    assert used != os.path.dirname(lookalike.__file__) and os.path.basename(used) == "lookalike"


def packed_environment(folder: pathlib.Path) -> pathlib.Path:
    """An archive, by venv-pack, of an environment with the package and what it needs on executors, without PySpark."""
    environment = folder / "environment"

    def run(*words: object) -> None:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]

    run(sys.executable, "-m", "venv", environment)
    packages = [f"{name}=={version(name)}" for name in ("pyarrow", "numpy", "pandas")]
    pip = [environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, "venv-pack>=0.2", "setuptools<81", *packages)
    installed = pathlib.Path(lookalike.__file__).parent
    (into,) = environment.glob("lib/python*/site-packages")
    shutil.copytree(installed, into / "lookalike", ignore=shutil.ignore_patterns("__pycache__"))
    archive = folder / "lookalike-env.tar.gz"
    run(environment / "bin" / "venv-pack", "--prefix", environment, "--compress-level", "1", "--output", archive)
    return archive


def version(name: str) -> str:
    from importlib.metadata import version

    return version(name)


@pytest.mark.skipif(not FULL, reason="LOOKALIKE_SPARK_FULL is not set")
def test_a_packed_environment_is_sent_with_the_job(tmp_path: Any) -> None:
    documents = rows(60)
    table = pyarrow.Table.from_pylist([{"id": row["id"], "text": row["text"]} for row in documents])
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    archive = packed_environment(tmp_path)
    bare = python_without_the_package(tmp_path)
    command = [sys.executable, "-m", "lookalike.spark", "script"]
    script = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def submit(master: str, python: str, out: pathlib.Path, *more: str) -> "subprocess.CompletedProcess[str]":
        settings = {"spark.pyspark.python": python, "spark.pyspark.driver.python": sys.executable, "spark.ui.enabled": "false"}
        settings.update({"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.executor.memory": "600m"})
        words = [str(SPARK / "bin" / "spark-submit"), "--master", master, *more]
        words += [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        words += [script, "dedup", str(tmp_path / "in.parquet"), "-o", str(out)]
        # What the tests set for all sessions would take the place of the setting.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK_")}
        environment.update({"SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": "127.0.0.1"})
        return subprocess.run(words, capture_output=True, text=True, env=environment)

    with cluster(tmp_path) as master:
        refused = submit(master, bare, tmp_path / "refused")
        assert refused.returncode != 0
        assert "cannot import lookalike" in refused.stdout + refused.stderr, refused.stdout[-1000:] + refused.stderr[-6000:]
        done = submit(master, "./env/bin/python", tmp_path / "out", "--archives", f"{archive}#env")
    assert done.returncode == 0, done.stderr[-3000:]
    _, one = lookalike.dedup(table, id="id")
    removed = [json.loads(line) for file in (tmp_path / "out" / "removed").glob("*.json") for line in file.read_text().splitlines()]
    assert len(removed) == len(one.removed) > 5
    lines = {number: row["id"] for number, row in enumerate(documents, start=1)}
    assert sorted(lines[row["line"]] for row in removed) == sorted(row.document for row in one.removed)
