"""Before anything else: can the executors run this?

Spark starts `python3` of each host unless it is told otherwise, so an executor may have another Python, another version of
lookalike, or none. One task for each core looks, and what is wrong is said within seconds, with the host.
"""

from __future__ import annotations

import json
import platform
import re
from typing import TYPE_CHECKING, Any, Dict, List

from pyspark.sql import functions as F

from .. import __version__
from ..errors import SettingError
from .failures import said_by, translated

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["check"]

_ROWS = 1024
"""Rows that are spread over all cores."""
_NAMED_HOSTS = 10
"""How many hosts an error names, at most, if it is not known which it is."""
_REMEDY = (
    "send the environment with the job: pack it with venv-pack, and give spark-submit --archives env.tar.gz#env "
    "--conf spark.pyspark.python=./env/bin/python (docs/spark.md has the steps)"
)


@translated()
def check(spark: "SparkSession") -> int:
    """Checks that every executor can run lookalike, and returns how many tasks run at once.

    An executor without the package, without PyArrow, or with another version is a `SettingError` that names the host.
    """
    found = _asked(spark)
    for host in found:
        for package in ("lookalike", "pyarrow"):
            if host[package]["error"] is not None:
                raise SettingError(
                    f"the executor on {host['host']} ({host['python']}) cannot import {package}: {host[package]['error']}; {_REMEDY}"
                )
        there = host["lookalike"]["version"]
        if there != __version__:
            raise SettingError(
                f"the executor on {host['host']} ({host['python']}) has lookalike {there}, and the driver {__version__}; {_REMEDY}"
            )
    return len({host["partition"] for host in found})


def _asked(spark: "SparkSession") -> List[Dict[str, Any]]:
    # This function is nested so that it is sent whole: an executor need not have this module.
    def probe(_):  # type: ignore[no-untyped-def]
        import importlib
        import json
        import platform
        import socket
        import sys

        said: "dict[str, object]" = {"host": socket.gethostname(), "python": f"{sys.executable}, {platform.python_version()}"}
        for package in ("lookalike", "pyarrow"):
            try:
                version, error = importlib.import_module(package).__version__, None
            except Exception as cause:
                version, error = None, f"{type(cause).__name__}: {cause}"
            said[package] = {"version": version, "error": error}
        return json.dumps(said)

    # Without Arrow, which an executor may not have.
    asked = F.udf(probe, "string", useArrow=False)
    rows = spark.range(_ROWS).select(F.spark_partition_id().alias("partition"), asked("id").alias("said"))
    try:
        answers = rows.dropDuplicates().collect()
    except Exception as error:
        raise _explained(spark, error) from error
    return [{"partition": row.partition, **json.loads(row.said)} for row in answers]


def _explained(spark: "SparkSession", error: Exception) -> Exception:
    """What keeps Python from running on an executor at all."""
    said = said_by(error)
    other = re.search(r"Python versions in the Spark Connect client|PYTHON_VERSION_MISMATCH|Python in worker has different version", said)
    if other is not None:
        return SettingError(
            f"the executor on {_host(spark, said)} has another Python than the driver, which has {platform.python_version()}: "
            f"{_first_line(said)}; {_REMEDY}"
        )
    if "Cannot run program" in said:
        return SettingError(f"the executor on {_host(spark, said)} has no Python where it looks for one: {_first_line(said)}; {_REMEDY}")
    return error


def _host(spark: "SparkSession", said: str) -> str:
    """The host of the task that failed, if Spark names it; otherwise those of all executors, which the JVM of each says without Python."""
    found = re.search(r"\(TID \d+\) \(([^\s()]+) executor", said)
    if found is not None:
        return found.group(1)
    address = F.expr("reflect('java.net.InetAddress', 'getLocalHost')")
    try:
        rows = spark.range(_ROWS).select(address.alias("host")).distinct().collect()
    except Exception:
        # What went wrong first is what is said.
        return "a host that Spark does not name"
    # A name and a number: `node-7/10.0.0.7`.
    hosts = sorted({row.host.partition("/")[0] for row in rows})
    more = f" and {len(hosts) - _NAMED_HOSTS} others" if len(hosts) > _NAMED_HOSTS else ""
    return hosts[0] if len(hosts) == 1 else f"one of {', '.join(hosts[:_NAMED_HOSTS])}{more}"


def _first_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if "different version" in line or "Cannot run" in line]
    return lines[0] if lines else said.splitlines()[0]
