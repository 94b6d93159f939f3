"""Errors of tasks -> errors of `lookalike.errors` on the driver.

Spark hands on the text of an exception, not the exception. So a task writes what it has to say as one line that the driver finds
in that text.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any, Callable, Iterator

from .. import errors

__all__ = ["guarded", "translated"]

_MARK = "lookalike-task-error:"
_FOUND = re.compile(re.escape(_MARK) + r"(\{.*?\}):end")


class TaskError(Exception):
    """What a task says."""


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
    """Raises the error of a task as the class that it was there."""
    try:
        yield
    except Exception as error:
        found = _FOUND.search(str(error))
        if found is None:
            raise
        said = json.loads(found.group(1))
        if said["class"] == "BadRecordError":
            raise BadRecordInTask() from error
        kind = getattr(errors, said["class"], errors.LookalikeError)
        raise kind(said["message"]) from error


class BadRecordInTask(Exception):
    """A record without a text. A task knows its number only, so the driver looks for its id."""
