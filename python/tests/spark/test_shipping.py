"""Executors without the package get that of the driver."""

from __future__ import annotations

import os
import pathlib
import sys
import sysconfig
from typing import Any

import lookalike
import pyarrow
import pytest
from spark_rows import SCHEMA, rows

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
