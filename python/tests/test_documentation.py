"""Every snippet of the documents runs, and prints what they show."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import pathlib
import pkgutil
import re
import shutil

import pytest

import lookalike
from lookalike.compat.datasketch._absent import INSTEAD

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "python").glob("*.md"))
DOCUMENTS = ["README.md", *(str(page.relative_to(ROOT)) for page in PAGES if page.stem != "reference")]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", DOCUMENTS)
def test_snippets_of_documents(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """```pycon is a session whose output is checked; ```python only has to run. One page is one session."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "demo", "demo")
    pytest.importorskip("matplotlib").use("Agg")
    text = (ROOT / name).read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    ran = 0
    for block in re.finditer(r"^```(python|pycon)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        kind, code = block.groups()
        line = text.count("\n", 0, block.start(2))
        if kind == "python":
            exec(compile("\n" * line + code, name, "exec"), names)
        else:
            session = doctest.DocTestParser().get_doctest(code, names, name, name, line)
            complaints: list[str] = []
            runner.run(session, out=complaints.append, clear_globs=False)
            names = session.globs
            assert not complaints, "".join(complaints)
        ran += 1
    assert ran > 0, f"{name} shows no Python"


def modules() -> list[str]:
    found = pkgutil.walk_packages(lookalike.__path__, "lookalike.")
    # What datasketch has and lookalike has not cannot be imported.
    left_out = {"lookalike._native", *(f"lookalike.compat.datasketch.{name}" for name in INSTEAD)}
    names = ["lookalike", *(module.name for module in found if module.name not in left_out)]
    if importlib.util.find_spec("pyspark") is None:
        names = [name for name in names if not name.startswith("lookalike.spark")]
    return names


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=FLAGS)
    assert failed == 0


def test_everything_public_is_documented() -> None:
    for name in lookalike.__all__:
        thing = getattr(lookalike, name)
        if callable(thing):
            assert (thing.__doc__ or "").strip(), name


def test_the_package_is_the_installed_one_and_typed() -> None:
    folder = pathlib.Path(os.fspath(lookalike.__file__)).parent
    assert (folder / "py.typed").exists() and (folder / "_native.pyi").exists()
    assert re.fullmatch(r"\d+\.\d+\.\d+", lookalike.__version__)
