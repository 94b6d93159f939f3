"""What goes wrong, one class per kind.

Every class is a `LookalikeError`, and also the built-in exception that a caller would expect in its place: a setting
that makes no sense is a `ValueError`, a file that cannot be read an `OSError`, and so on.
"""

from __future__ import annotations

__all__ = [
    "BadRecordError",
    "DamagedError",
    "FileError",
    "IncompatibleError",
    "InternalError",
    "LookalikeError",
    "MemoryLimitError",
    "NotFoundError",
    "SettingError",
    "TargetError",
]


class LookalikeError(Exception):
    """Anything that lookalike itself says no to."""


class SettingError(LookalikeError, ValueError):
    """A setting or an argument that makes no sense; the message says what is allowed."""


class IncompatibleError(LookalikeError, ValueError):
    """Two sketches that were made in different ways, and so say nothing about each other."""


class BadRecordError(LookalikeError, ValueError):
    """A record without a usable text, and `on_bad_record="fail"`.

    `source`, `line` (from 1) and `reason` say which and why. Of what was handed over in memory, `source` is "table" or
    "against", and the row is `line - 1`; in `lookalike.arrow` it is "id", and `line` the id itself.
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
    """A file or an object that cannot be read or written."""


class NotFoundError(FileError, FileNotFoundError):
    """There is no such file or folder."""


class DamagedError(LookalikeError, ValueError):
    """Bytes that are not what they should be: a truncated file, a damaged signature."""


class TargetError(LookalikeError, FileExistsError):
    """The target folder holds something else."""


class InternalError(LookalikeError, RuntimeError):
    """A mistake in lookalike itself, which should be reported; the message says what was found."""


class MemoryLimitError(LookalikeError, MemoryError):
    """The memory limit is too small for this corpus; the message says what would do."""
