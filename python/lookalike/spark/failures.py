"""Errors of tasks and of Spark -> errors of `lookalike.errors` on the driver.

Spark hands on the text of an exception, not the exception. So a task writes what it has to say as one line that the driver finds
in that text. What Spark itself says (a full disk, an executor that is lost for good, a folder that is not there) is recognised by
its words, and gets a sentence that says what to do.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any, Callable, Iterator, List, NamedTuple, Type

from .. import errors

__all__ = ["guarded", "said_by", "translated"]

_MARK = "lookalike-task-error:"
_FOUND = re.compile(re.escape(_MARK) + r"(\{.*?\}):end")
_OF_SPARK = ("pyspark", "py4j", "grpc")
_LONGEST_LINE = 400
_GO_ON = "The same call with the same checkpoint goes on from the last finished stage"


class TaskError(Exception):
    """What a task says."""


class _Rule(NamedTuple):
    words: "re.Pattern[str]"
    kind: Type[errors.LookalikeError]
    advice: str


def _rule(words: str, kind: Type[errors.LookalikeError], advice: str) -> _Rule:
    return _Rule(re.compile(words), kind, advice)


# The first that applies: a disk that is full, or too little memory, also loses executors and files.
_RULES = (
    _rule(
        r"No space left on device|Disk quota exceeded|DSQuotaExceededException|not enough space on the disk",
        errors.FileError,
        f"a disk is full: that of spark.local.dir of an executor, for shuffles and large sets, or that of the checkpoint or output. {_GO_ON}",
    ),
    _rule(
        r"Cannot broadcast the table|build and broadcast the table|Not enough memory to build|spark\.driver\.maxResultSize"
        r"|java\.lang\.OutOfMemoryError|UNABLE_TO_ACQUIRE_MEMORY",
        errors.MemoryLimitError,
        "a JVM of Spark has too little memory: lower members_per_wave, or raise spark.driver.memory and spark.executor.memory. "
        f"{_GO_ON}",
    ),
    _rule(
        r"ExecutorLostFailure|ExecutorDeadException|Executor heartbeat timed out|FetchFailedException"
        r"|Missing an output location for shuffle|Master removed our application|All masters are unresponsive"
        r"|Max number of executor failures",
        errors.LookalikeError,
        "executors were lost again and again. Spark's page and the log of the executor say why; if it was for their memory, raise "
        f"spark.executor.memoryOverhead, or lower task_memory. {_GO_ON}",
    ),
    _rule(
        r"SparkContext (?:was|has been) (?:shut ?down|stopped|cancelled)|Cannot call methods on a stopped SparkContext"
        r"|Answer from Java side is empty|JAVA_GATEWAY_EXITED|Error while (?:sending|receiving)",
        errors.LookalikeError,
        f"Spark itself ended, or did not begin. {_GO_ON}",
    ),
    _rule(
        r"AccessControlException|Permission denied|AccessDeniedException|Access Denied|status code: 403",
        errors.FileError,
        "the user of the executors may not read or write there",
    ),
    _rule(
        r"PATH_NOT_FOUND|FILE_NOT_EXIST|FileNotFoundException|NoSuchFileException",
        errors.NotFoundError,
        "a file or folder is not there, or not for all executors. Inputs and the checkpoint must stay until the job has ended",
    ),
    _rule(
        r"No FileSystem for scheme|ClassNotFoundException.*FileSystem|UNSUPPORTED_DATASOURCE|DATA_SOURCE_NOT_FOUND",
        errors.SettingError,
        "Spark does not know addresses or files of this kind: add the package for it (--packages of spark-submit)",
    ),
)


def guarded(stage: Callable[[Iterator[Any]], Iterator[Any]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The stage, with errors of lookalike in a form that the driver reads."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from stage(batches)
        except errors.LookalikeError as error:
            said = json.dumps({"class": type(error).__name__, "message": str(error)})
            raise TaskError(f"{_MARK}{said}:end") from error

    return run


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Raises the error of a task as the class that it was there, and any other error of Spark as one of `lookalike.errors`."""
    try:
        yield
    except Exception as error:
        if not _is_of_spark(error):
            raise
        said = said_by(error)
        found = _FOUND.search(said)
        if found is None:
            raise _explained(error, said) from error
        task = json.loads(found.group(1))
        if task["class"] == "BadRecordError":
            raise BadRecordInTask() from error
        kind = getattr(errors, task["class"], errors.LookalikeError)
        raise kind(task["message"]) from error


class BadRecordInTask(Exception):
    """A record without a text. A task knows its number only, so the driver looks for its id."""


def said_by(error: BaseException) -> str:
    """All that an error of Spark says: its message, the stack of the JVM, and what caused it."""
    parts: List[str] = []
    cause: Any = error
    while cause is not None:
        parts += [str(cause), str(getattr(cause, "_stackTrace", None) or "")]
        cause = getattr(cause, "_cause", None) or getattr(cause, "__cause__", None)
    return "\n".join(parts)


def _is_of_spark(error: Exception) -> bool:
    return isinstance(error, ConnectionError) or type(error).__module__.partition(".")[0] in _OF_SPARK


def _explained(error: Exception, said: str) -> errors.LookalikeError:
    """An error of Spark, with what to do."""
    for words, kind, advice in _RULES:
        found = words.search(said)
        if found is not None:
            return kind(f"{advice}. Spark says: {_line_at(said, found.start())}")
    first = next((line for line in map(_bare, said.splitlines()) if line), type(error).__name__)
    if type(error).__name__ in ("AnalysisException", "ParseException", "IllegalArgumentException"):
        return errors.SettingError(f"Spark refuses this job: {first}")
    return errors.LookalikeError(f"Spark ended the job: {first}. Its log has more. {_GO_ON}")


def _bare(line: str) -> str:
    """A line of Spark, without what says nothing."""
    line = line.strip().lstrip(": ")
    return "" if line.startswith("An error occurred while calling") else line[:_LONGEST_LINE]


def _line_at(said: str, place: int) -> str:
    start, end = said.rfind("\n", 0, place) + 1, said.find("\n", place)
    line = said[start : end if end >= 0 else len(said)]
    # A line of Spark may be long, and what matters is at its end.
    at = max(0, place - start - _LONGEST_LINE // 2)
    return line[at : at + _LONGEST_LINE].strip().lstrip(": ")
