"""The errors of lookalike, one class for each kind.

Every class is a `LookalikeError`, and also a subclass of the matching built-in exception: a setting
that makes no sense is a `ValueError`, a file that cannot be read is an `OSError`, and so on.
"""

from __future__ import annotations

__all__ = [
    "BadRecordError",
    "DamagedError",
    "DuplicateIdError",
    "FileError",
    "IncompatibleError",
    "InternalError",
    "InUseError",
    "LookalikeError",
    "MemoryLimitError",
    "NotFoundError",
    "SettingError",
    "TargetError",
    "UnknownIdError",
]


class LookalikeError(Exception):
    """The base class of all errors of lookalike."""


class SettingError(LookalikeError, ValueError):
    """A setting or an argument that makes no sense; the message says what is allowed."""


class IncompatibleError(LookalikeError, ValueError):
    """Two sketches cannot be compared, because they were made in different ways."""


class BadRecordError(LookalikeError, ValueError):
    """A record has no usable text, and `on_bad_record` is "fail".

    `source`, `line` (counted from 1) and `reason` tell which record it is and why it is bad. For documents in memory,
    `source` is "table" or "against", and the row is `line - 1`. In `lookalike.arrow`, `source` is "id", and `line` is
    the id itself.
    """

    def __init__(self, source: str, line: int, reason: str) -> None:
        super().__init__(source, line, reason)
        self.source = source
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        place = f"{self.source}, line {self.line}"
        if self.source in ("table", "against"):
            place = f"{self.source}, row {self.line - 1}"
        elif self.source == "id":
            place = f"the document with the id {self.line}"
        return f'{place}: {self.reason} (on_bad_record="skip" leaves such records out)'


class FileError(LookalikeError, OSError):
    """A file or an object cannot be read or written."""


class NotFoundError(FileError, FileNotFoundError):
    """There is no such file or folder."""


class DamagedError(LookalikeError, ValueError):
    """Stored bytes are damaged: a truncated file, a damaged signature."""


class TargetError(LookalikeError, FileExistsError):
    """The target folder already contains something else."""


class InUseError(TargetError):
    """Another process has the index open; the message has its number."""


class DuplicateIdError(LookalikeError, ValueError):
    """A document of the index has this id already."""


class UnknownIdError(LookalikeError, KeyError):
    """No document of the index has this id."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class InternalError(LookalikeError, RuntimeError):
    """A bug in lookalike itself. Please report it with the message."""


class MemoryLimitError(LookalikeError, MemoryError):
    """The memory limit is too small for this corpus; the message says which limit would be enough."""
