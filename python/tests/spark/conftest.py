"""A Spark of two cores on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any, Iterator, List

import pytest

# Without PySpark or Java there is nothing to test here; `cargo xtask test` says so.
collect_ignore_glob: List[str] = []
try:
    import pyspark  # noqa: F401
except ImportError:
    collect_ignore_glob = ["test_*.py"]
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    collect_ignore_glob = ["test_*.py"]

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
# Spark starts `python3` otherwise, whatever that has.
os.environ["PYSPARK_PYTHON"] = sys.executable
# After the folder of all tests, which has a `conftest` too.
sys.path.append(os.path.dirname(__file__))

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    # Whatever a plan needs, an application of a few seconds has no time to gain from compiling it.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
