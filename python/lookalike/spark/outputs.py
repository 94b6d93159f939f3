"""The folder that a job writes to, and whose it is.

    out/            what the job writes
    out.job/        which job that is: its checkpoint, and the driver that writes

Spark writes into a folder without looking who else does, and two that write at once leave the rows of both. So a driver says beside the
folder that it is its own, and looks before each write, and before the last one, whether it still is. A driver of another job is
refused, and so is a second driver of the same job on the same host. On another host nobody can tell whether the first is still alive:
there the later one takes the folder over, and the earlier one ends with an error.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import time
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional, Set

from pyspark.errors import AnalysisException

from ..errors import InUseError, TargetError
from .checkpoint import Checkpoint, read_value, write_value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Output"]

_OWN: Set[str] = set()
"""The marks of this process."""


class Output:
    """The output of a job. `writes` says what is written there."""

    def __init__(self, spark: "SparkSession", folder: str, writes: str, checkpoint: str) -> None:
        self.spark, self.folder, self.writes = spark, folder, writes
        self.marker = f"{folder}.job"
        self.place = Checkpoint(spark, checkpoint)
        self.mark = secrets.token_hex(8)
        self.paths: Dict[str, str] = {}

    def check(self) -> None:
        """An error if another job writes to the folder, or if it has something in it which this job did not write, or wrote as
        something else."""
        owner = self._owner()
        alive = False if owner is None or owner["ended"] else _is_alive(owner)
        if owner is not None and alive is not False:
            who = f"the process {owner['process']} on {owner['host']}, since {owner['since']}"
            if owner["checkpoint"] != self.place.path:
                raise InUseError(
                    f"another job, with the checkpoint {owner['checkpoint']}, writes to {self.folder}: {who}. Name another output; or, "
                    f"if that job is not running any more, remove {self.marker} and what it wrote"
                )
            if alive:
                raise InUseError(f"the same job is running already, and writes to {self.folder}: {who}. Wait for it, or end it first")
        known = self.place.record("output")
        self.paths = {} if known is None else known["paths"]
        other = self.paths.get(self.folder, self.writes)
        if other != self.writes:
            raise TargetError(f"the folder {self.folder} has what `{other}` wrote; name another for `{self.writes}`, or remove it")
        if self.folder not in self.paths:
            found = _some_file(self.spark, self.folder)
            if found is not None:
                raise TargetError(f"the folder {self.folder} is not empty: it has {found}; name another, or remove it")

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Whoever looks meanwhile is told that the folder has an owner. Call it when it is known that the checkpoint is that of this
        job, since that remembers the folder too."""
        _OWN.add(self.mark)
        try:
            self._say(ended=False)
            self.hold()
            self.place.note("output", {"paths": {**self.paths, self.folder: self.writes}})
            yield
            self._say(ended=True)
        except BaseException:
            # What went wrong is what is said, whether or not this succeeds.
            with contextlib.suppress(Exception):
                self.hold()
                self._say(ended=True)
            raise
        finally:
            _OWN.discard(self.mark)

    def hold(self) -> None:
        """An error if the folder is not this driver's any more."""
        owner = self._owner()
        if owner is None or owner["mark"] != self.mark:
            by = "somebody" if owner is None else f"the process {owner['process']} on {owner['host']}"
            raise InUseError(
                f"{by} has taken over {self.folder} since this job began, so this one ends before it is whole; start a job once, and "
                f"give each job an output of its own"
            )

    def write(self, name: str, rows: "DataFrame", path: str, kind: str, expected: int) -> None:
        """Writes rows and counts them, unless an earlier run has written them."""
        self.hold()
        before = self.place.record(name)
        if before is not None and before["path"] == path and _some_file(self.spark, path) is not None:
            return
        rows.write.mode("overwrite").format(kind).save(path)
        written = self.spark.read.schema(rows.schema).format(kind).load(path).count()
        self.hold()
        if written != expected:
            raise TargetError(
                f"{written} rows were written to {path}, and {expected} should be: the inputs changed since they were first read; "
                "write them to files that nobody changes, and start again with another output"
            )
        self.place.note(name, {"path": path})

    def _owner(self) -> Optional[Dict[str, Any]]:
        return read_value(self.spark, self.marker, f"remove {self.marker} if no job writes to {self.folder}")

    def _say(self, ended: bool) -> None:
        said = {
            "checkpoint": self.place.path,
            "mark": self.mark,
            "host": socket.gethostname(),
            "process": os.getpid(),
            "began": _beginning_of(os.getpid()),
            "since": time.strftime("%Y-%m-%d %H:%M:%S %z"),
            "ended": ended,
        }
        write_value(self.spark, self.marker, said)


def _is_alive(owner: Dict[str, Any]) -> Optional[bool]:
    """Whether the driver that wrote a marker still runs; None if that is another host's, which nobody can tell here."""
    if owner["host"] != socket.gethostname():
        return None
    if owner["process"] == os.getpid():
        return owner["mark"] in _OWN
    try:
        os.kill(owner["process"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    # Numbers of processes are used again.
    return bool(owner["began"] == _beginning_of(owner["process"]))


def _beginning_of(process: int) -> Optional[str]:
    """When a process began, as Linux counts it; None on other systems."""
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def _some_file(spark: "SparkSession", folder: str) -> Optional[str]:
    """A file in a folder; None if there is none, or no such folder."""
    try:
        files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(folder)
        found = files.select("path").first()
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise
        return None
    return None if found is None else str(found[0])
