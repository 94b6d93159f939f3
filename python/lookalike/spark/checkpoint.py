"""The folder from which a job goes on.

    run/            which job this is: its settings, and which columns it reads
    shared-8c1.../  a row by each core, read back before work begins: do all executors and the driver see one folder?
    keys.done/      a finished stage: where its rows are, and what is known of them
    keys-3f09.../   its rows

Everything is written and read by Spark, so the folder may be anywhere where Spark can write. A stage writes its rows into a folder of
its own, with a random name, and is finished when its record names that folder; so what a killed driver left, or what a second driver
writes at the same time, never mixes with it.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from ..errors import DamagedError, TargetError
from .failures import translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Checkpoint", "differences", "read_value", "write_value"]

VERSION = 1


class Checkpoint:
    """The checkpoint of one job."""

    def __init__(self, spark: "SparkSession", path: str) -> None:
        if not isinstance(path, str) or not path.rstrip("/"):
            raise TypeError("checkpoint must be the address of a folder that all executors can write to")
        self.spark = spark
        self.path = path.rstrip("/")
        self.done: List[str] = []
        """The stages that an earlier run had finished."""

    def begin(self, identity: Dict[str, Any], tasks: int) -> None:
        """Refuses a folder of another job, and one that the driver and all tasks, of which so many run at once, do not share; writes
        which job this is into a new one."""
        identity = json.loads(json.dumps({"format": VERSION, **identity}))
        found = self.identity()
        differing = [] if found is None else differences(found, identity)
        if differing:
            raise TargetError(
                f"the checkpoint {self.path} is of another job: {'; '.join(differing)}. Name another folder, or remove this one"
            )
        self._check_shared(tasks)
        if found is None:
            self._write("run", identity)

    def _check_shared(self, tasks: int) -> None:
        """A task for each core writes a row, and a task for each core reads one. If a host has a folder of its own by this name, the
        rows that it wrote are not where the others look, and those of others are not where it looks."""
        folder = f"{self.path}/shared-{secrets.token_hex(8)}"
        try:
            self.spark.range(0, tasks, 1, tasks).select(F.col("id").cast("string").alias("value")).write.text(folder)
        except Exception as error:
            said = " ".join(str(error).splitlines()[:2])
            raise TargetError(f"the checkpoint {self.path} cannot be written: {said}") from error
        try:
            found = self.spark.read.schema("value string").text(folder).count()
        except Exception as error:
            raise TargetError(self._not_shared(f"what one task wrote cannot be read by another: {str(error).splitlines()[0]}")) from error
        if found != tasks:
            raise TargetError(self._not_shared(f"of the rows that {tasks} tasks wrote into it, {found} are there"))

    def _not_shared(self, why: str) -> str:
        return (
            f"the checkpoint {self.path} is not one folder for the driver and all executors: {why}. Name a folder of a file system that "
            "all hosts have, as hdfs://, s3a://, or one that is mounted everywhere"
        )

    def identity(self) -> Optional[Dict[str, Any]]:
        """Which job the folder belongs to; None if to none yet."""
        return self._read("run")

    def stage(
        self, name: str, make: Callable[[], "DataFrame"], summary: Callable[["DataFrame"], Dict[str, Any]]
    ) -> Tuple["DataFrame", Dict[str, Any]]:
        """The rows of a stage, which is done unless it is finished, and what is known of them."""
        record = self.record(name)
        if record is not None:
            self.done.append(name)
        else:
            folder = f"{name}-{secrets.token_hex(8)}"
            with translated():
                made = make()
                made.write.parquet(f"{self.path}/{folder}")
                rows = self.rows(folder, made.schema)
                record = {"folder": folder, "schema": made.schema.json(), **summary(rows)}
            self.note(name, record)
        return self.rows(record["folder"], _schema(record["schema"])), record

    def record(self, name: str) -> Optional[Dict[str, Any]]:
        """What is known of a finished stage."""
        return self._read(f"{name}.done")

    def note(self, name: str, record: Dict[str, Any]) -> None:
        """Marks a stage as finished."""
        self._write(f"{name}.done", record)

    def rows(self, folder: str, schema: Any) -> "DataFrame":
        # A stage without any row writes no file that has a schema.
        return self.spark.read.schema(schema).parquet(f"{self.path}/{folder}")

    def _write(self, name: str, value: Dict[str, Any]) -> None:
        write_value(self.spark, f"{self.path}/{name}", value)

    def _read(self, name: str) -> Optional[Dict[str, Any]]:
        return read_value(self.spark, f"{self.path}/{name}", f"remove {self.path} and start again")


def write_value(spark: "SparkSession", path: str, value: Dict[str, Any]) -> None:
    """Writes a value into a folder, in place of what is there."""
    frame = spark.createDataFrame([(json.dumps(value, sort_keys=True),)], "value string")
    frame.coalesce(1).write.mode("overwrite").text(path)


def read_value(spark: "SparkSession", path: str, remedy: str) -> Optional[Dict[str, Any]]:
    """The value in a folder; None if there is none. `remedy` says what to do if it is damaged."""
    try:
        row = spark.read.text(path).first()
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            return None
        raise
    if row is None:
        # The driver was killed while this was written.
        return None
    try:
        found: Dict[str, Any] = json.loads(row.value)
    except ValueError:
        raise DamagedError(f"{path} is damaged; {remedy}") from None
    return found


def _schema(written: str) -> Any:
    from pyspark.sql.types import StructType

    return StructType.fromJson(json.loads(written))


def differences(found: Dict[str, Any], wanted: Dict[str, Any], of: str = "") -> List[str]:
    """What differs, in words."""
    differing = []
    for name in sorted({*found, *wanted}):
        there, here = found.get(name), wanted.get(name)
        if isinstance(there, dict) and isinstance(here, dict):
            differing.extend(differences(there, here, f"{of}{name}."))
        elif there != here:
            differing.append(f"{of}{name} was {json.dumps(there)} and is {json.dumps(here)}")
    return differing
