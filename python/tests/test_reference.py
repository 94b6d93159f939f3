"""`docs/python/reference.md` is what the docstrings say. `UPDATE_REFERENCE=1` writes it again."""

from __future__ import annotations

import inspect
import os
import pathlib
import re
import sys
from types import ModuleType
from typing import Any, Iterator, List

import pytest

import lookalike

REFERENCE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python" / "reference.md"
HEAD = """# Reference of the Python package

Made from the docstrings by the tests (`UPDATE_REFERENCE=1`). [The guide](guide.md) shows how it is used. What jobs can be asked is under
[Options](#options).
"""
MODULES = [
    ("lookalike", lookalike),
    ("lookalike.similarity", lookalike.similarity),
    ("lookalike.arrow", lookalike.arrow),
    ("lookalike.errors", lookalike.errors),
]


def signature(thing: Any) -> str:
    try:
        written = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
    written = re.sub(r"ForwardRef\(([^()]*)\)", r"\1", written.replace("'", ""))
    return written.replace(" -> None", "").replace("typing.", "").replace("(/, ", "(").replace("(/)", "()")


def text(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "").strip()


def fenced(documentation: str) -> List[str]:
    """The docstring, with its sessions and columns as blocks."""
    lines: List[str] = []
    inside = False
    for line in documentation.splitlines():
        is_code = line.startswith((">>>", "...", "    ")) or (inside and bool(line))
        if is_code != inside:
            lines += ["```text", line] if is_code else ["```", line]
            inside = is_code
        else:
            lines.append(line)
    return [*lines, "```"] if inside else lines


def members(thing: type) -> Iterator[str]:
    if issubclass(thing, BaseException) or thing is lookalike.Options:
        return
    for name, member in sorted(vars(thing).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            member = member.__func__
        first = text(member).split("\n\n")[0].replace("\n", " ")
        if inspect.isroutine(member) or inspect.isfunction(member):
            shown = signature(getattr(thing, name)).replace("(self, ", "(").replace("(self)", "()").replace("($self, ", "(")
            yield f"- `{name}{shown or '(...)'}`: {first}"
        elif first and isinstance(member, (property, type(lookalike.MinHash.num_hashes))):
            yield f"- `{name}`: {first}"


def section(name: str, thing: Any) -> List[str]:
    lines = ["", f"### {name}", ""]
    if callable(thing) and not (isinstance(thing, type) and issubclass(thing, (BaseException, dict))):
        lines += ["```text", f"{name}{signature(thing)}", "```", ""]
    lines += fenced(text(thing))
    if isinstance(thing, type):
        found = list(members(thing))
        lines += ["", *found] if found else []
    return lines


def generated() -> str:
    lines = HEAD.splitlines()
    for title, module in MODULES:
        lines += ["", f"## {title}", "", *fenced(text(module))]
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        for name in names:
            thing = getattr(module, name)
            own = title == "lookalike" or not hasattr(lookalike, name)
            if own and not isinstance(thing, (ModuleType, str)):
                lines += section(name, thing)
    return "\n".join(line.rstrip() for line in lines) + "\n"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older versions write annotations in other ways")
def test_the_reference_is_what_the_docstrings_say() -> None:
    if os.environ.get("UPDATE_REFERENCE"):
        REFERENCE.write_text(generated(), encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == generated()
