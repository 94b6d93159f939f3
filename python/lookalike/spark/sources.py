"""Arguments -> the files that they name, in the order and by the names of a run on one machine.

A run on one machine takes arguments in their order, and the files of a folder or a pattern sorted by their names; a name begins with
the argument as it was written. Spark knows a file by its whole address, and orders nothing. Which files there are is known to the
driver anyway, so it says for each of them which argument it belongs to, and what it is called.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple
from urllib.parse import unquote

from ..errors import SettingError

__all__ = ["File", "files_of"]

_ADDRESS = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(.*)$")
_WILDCARDS = re.compile(r"[*?\[{\\]")


class File(NamedTuple):
    """A file as Spark names it, which argument it is of, and its name on one machine."""

    address: str
    argument: int
    name: str


def files_of(arguments: Sequence[str], addresses: Sequence[str], home: Optional[str] = None) -> List[File]:
    """The files with these addresses, in the order of a run on one machine. `home` is where relative paths of local files begin."""
    wanted = [_Argument(written, os.getcwd() if home is None else home) for written in arguments]
    found: List[File] = []
    for address in addresses:
        names = [(at, name) for at, one in enumerate(wanted) for name in [one.name_of(address)] if name is not None]
        if len(names) > 1:
            by = " and by ".join(repr(arguments[at]) for at, _ in names)
            raise SettingError(f"the file {address} is named by {by}; name each file once")
        # Spark may find a file by rules of its own; it comes last then, under its address.
        at, name = names[0] if names else (len(wanted), address)
        found.append(File(address, at, name))
    return sorted(found, key=lambda file: (file.argument, file.name.encode()))


class _Argument:
    """A file, a folder or a pattern, as it was written."""

    def __init__(self, written: str, home: str) -> None:
        self.scheme, self.authority, path = _parted(written)
        if self.scheme in (None, "file") and path == "":
            path = "."
        # The part before the first wildcard, as far as it is whole names.
        wildcard = _WILDCARDS.search(path)
        end = len(path) if wildcard is None else path.rfind("/", 0, wildcard.start()) + 1
        fixed, rest = path[:end], path[end:]
        self.begins = fixed if self.scheme in (None, "file") else written[: len(written) - len(rest)]
        self.below = None if wildcard is None else re.compile(f"(?:{_regex(rest)})(?:/.*)?", re.DOTALL)
        self.is_absolute = path.startswith("/")
        self.local = posixpath.normpath(posixpath.join(home, fixed))
        self.fixed = posixpath.normpath(fixed) if fixed else ""

    def name_of(self, address: str) -> Optional[str]:
        """What the file with this address is called; None if it is not of this argument."""
        scheme, authority, path = _parted(address)
        path = unquote(path)
        if self.scheme is not None and self.scheme != scheme or self.authority and self.authority != authority:
            return None
        fixed = self.local if scheme == "file" else self.fixed
        if scheme == "file" or self.is_absolute:
            rest = _rest(path, fixed)
        else:
            # Relative to a folder that only the file system knows.
            place = path.find(f"/{fixed}/") if fixed else -1
            rest = path[place + len(fixed) + 2 :] if place >= 0 else "" if path.endswith(f"/{fixed}") else None
        if rest is None or self.below is not None and self.below.fullmatch(rest) is None:
            return None
        begins = self.begins.rstrip("/") or ("/" if self.begins else "")
        if not rest:
            return begins
        return rest if not begins else begins + rest if begins == "/" else f"{begins}/{rest}"


def _parted(address: str) -> Tuple[Optional[str], str, str]:
    """Scheme, authority and path of an address."""
    found = _ADDRESS.match(address)
    if found is None:
        return None, "", address
    return found.group(1), found.group(2) or "", found.group(3)


def _rest(path: str, folder: str) -> Optional[str]:
    """The path below a folder: empty if it is that itself, None if it is elsewhere."""
    if path == folder:
        return ""
    above = folder if folder.endswith("/") else f"{folder}/"
    return path[len(above) :] if path.startswith(above) else None


_PLAIN: Dict[str, str] = {"*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")"}


def _regex(pattern: str) -> str:
    """A pattern of Hadoop as a regular expression."""
    made, at, depth = [], 0, 0
    while at < len(pattern):
        char = pattern[at]
        close = pattern.find("]", at + 2) if char == "[" else -1
        if char == "\\" and at + 1 < len(pattern):
            at += 1
            made.append(re.escape(pattern[at]))
        elif close > 0:
            inside = pattern[at + 1 : close].replace("\\", "\\\\")
            made.append(f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]")
            at = close
        elif char == "," and depth:
            made.append("|")
        elif char in _PLAIN and (char != "}" or depth):
            depth += {"{": 1, "}": -1}.get(char, 0)
            made.append(_PLAIN[char])
        else:
            made.append(re.escape(char))
        at += 1
    return "".join(made)
