"""Executors that cannot run the package are named before anything is run."""

from __future__ import annotations

import pathlib
import re
import socket
import sys
from typing import Any

import pytest
from spark_rows import SCHEMA, rows

from lookalike import spark as lookalike_spark
from lookalike.errors import SettingError


def python_with(folder: pathlib.Path, package: str, code: str) -> str:
    """A Python that finds this package before the installed one."""
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text(code)
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    return str(script)


@pytest.mark.parametrize(
    ("package", "code", "said"),
    [
        ("lookalike", "raise ModuleNotFoundError(\"No module named 'lookalike'\")", "cannot import lookalike: ModuleNotFoundError"),
        ("lookalike", "__version__ = '0.0.1'", "has lookalike 0.0.1, and the driver"),
        ("pyarrow", "raise ModuleNotFoundError(\"No module named 'pyarrow'\")", "cannot import pyarrow"),
    ],
)
def test_the_first_job_says_what_is_missing(
    spark: Any, tmp_path: Any, monkeypatch: Any, package: str, code: str, said: str
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", python_with(tmp_path, package, code))
    frame = spark.createDataFrame(rows(3), SCHEMA)
    with pytest.raises(SettingError, match=said) as error:
        lookalike_spark.dedup(frame, id="id", checkpoint=str(tmp_path / "run"))
    assert "the executor on " in str(error.value) and "--archives" in str(error.value)
    assert not (tmp_path / "run").exists()


def test_a_python_that_is_not_there(spark: Any, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(tmp_path / "absent"))
    with pytest.raises(SettingError, match="no Python where it looks for one"):
        lookalike_spark.check(spark)


def test_another_python(spark: Any, monkeypatch: Any) -> None:
    # What the driver says of itself, and each worker compares with what it is.
    monkeypatch.setattr(spark.sparkContext, "pythonVer", "3.8")
    with pytest.raises(SettingError, match=r"the executor on [^ ]+ has another Python than the driver.*different version") as error:
        lookalike_spark.check(spark)
    host = re.search(r"the executor on ([^ ]+) has", str(error.value))
    assert host is not None and host.group(1) in ("localhost", "127.0.0.1", socket.gethostname())


def test_all_cores_answer(spark: Any) -> None:
    assert lookalike_spark.check(spark) == 2
