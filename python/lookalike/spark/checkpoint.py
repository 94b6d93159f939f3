"""The folder from which a job goes on.

    run/            which job this is: its settings, and which columns it reads
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

from ..errors import DamagedError, TargetError
from .failures import translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Checkpoint", "differences"]

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

    def begin(self, identity: Dict[str, Any]) -> None:
        """Refuses a folder of another job; writes which job this is into a new one."""
        identity = json.loads(json.dumps({"format": VERSION, **identity}))
        found = self.identity()
        if found is None:
            try:
                self._write("run", identity)
            except Exception as error:
                said = " ".join(str(error).splitlines()[:2])
                raise TargetError(f"the checkpoint {self.path} cannot be written: {said}") from error
            return
        differing = differences(found, identity)
        if differing:
            raise TargetError(
                f"the checkpoint {self.path} is of another job: {'; '.join(differing)}. Name another folder, or remove this one"
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
        frame = self.spark.createDataFrame([(json.dumps(value, sort_keys=True),)], "value string")
        frame.coalesce(1).write.mode("overwrite").text(f"{self.path}/{name}")

    def _read(self, name: str) -> Optional[Dict[str, Any]]:
        try:
            row = self.spark.read.text(f"{self.path}/{name}").first()
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
            raise DamagedError(f"{self.path}/{name} is damaged; remove {self.path} and start again") from None
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
