"""A task works with the cores that Spark gives it."""

from __future__ import annotations

import types
from typing import Any, Dict, List

import lookalike
import pyarrow
import pyspark
import pytest

from lookalike import _native
from lookalike.spark import decide, finding
from lookalike.spark.run import Run

CORES = 3


@pytest.fixture
def task(monkeypatch: Any) -> None:
    """As if this process were a task."""
    monkeypatch.setattr(pyspark.TaskContext, "get", classmethod(lambda cls: types.SimpleNamespace(cpus=lambda: CORES)))


def documents() -> Any:
    texts = ["one two three four five six", "one two three four five six", "seven eight"]
    columns = {
        "_id": pyarrow.array(["a", "b", "c"]),
        "_order0": pyarrow.array([0, 1, 2]),
        "_number": pyarrow.array([1, 2, 2]),
        "_component": pyarrow.array([1, 1, 2]),
        "_text": pyarrow.array(texts),
    }
    return pyarrow.RecordBatch.from_pydict(columns)


def test_decisions(task: None, monkeypatch: Any) -> None:
    given: List[Any] = []
    made = _native.Deciding

    def deciding(*arguments: Any) -> Any:
        given.append(arguments[3])
        return made(*arguments)

    monkeypatch.setattr(decide._native, "Deciding", deciding)
    run = Run({}, False, _native.new_key())
    rows = [row for batch in decide._decide(iter([documents()]), run, ["_order0"], {"_text": "text"}, 1 << 20) for row in batch.to_pylist()]
    assert [(row["id"], row["kept_id"]) for row in rows if row["tally"] is None] == [("b", "a")]
    assert given == [CORES]


def test_pairs(task: None, monkeypatch: Any) -> None:
    given: List[Dict[str, Any]] = []
    pairs = lookalike.pairs

    def found(table: Any, **options: Any) -> Any:
        given.append(options)
        return pairs(table, **options)

    monkeypatch.setattr(lookalike, "pairs", found)
    rows = [row for batch in finding._find(iter([documents()]), {"id": None}, ["_order0"], {"_text": "text"}) for row in batch.to_pylist()]
    assert [(row["a_id"], row["b_id"]) for row in rows if row["documents"] is None] == [("a", "b")]
    assert [options["threads"] for options in given] == [CORES]


def test_outside_of_a_task_there_is_one() -> None:
    assert decide.cpus() == 1
