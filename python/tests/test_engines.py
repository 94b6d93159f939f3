"""The examples for other engines remove what `lookalike.dedup` removes. An engine that is not installed is left out."""

from __future__ import annotations

import importlib.util
import pathlib
from typing import Any, List, Tuple

import lookalike
import pytest
from conftest import corpus

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def documents() -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    texts = corpus(200, seed=31)
    texts += texts[:5]
    return pyarrow.table({"id": pyarrow.array(range(len(texts)), pyarrow.int64()), "text": texts})


def expected(table: Any) -> List[Tuple[Any, ...]]:
    _, result = lookalike.dedup(table, threshold=0.6)
    removed = [(row.document, row.kept, row.kind, row.similarity) for row in result.removed]
    assert len(removed) > 20 and {row[2] for row in removed} == {"exact", "near"}
    return removed


def shown(table: Any) -> List[Tuple[Any, ...]]:
    return sorted(zip(*(table[name].to_pylist() for name in ("id", "kept", "kind", "similarity"))))


def test_duckdb() -> None:
    pytest.importorskip("duckdb")
    table = documents()
    assert shown(example("dedup_with_duckdb").removed_documents(table, threshold=0.6)) == expected(table)


def test_ray() -> None:
    ray = pytest.importorskip("ray.data")
    table = documents()
    import ray as runtime

    runtime.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    try:
        given = ray.from_arrow(table).repartition(4)
        assert shown(example("dedup_with_ray").removed_documents(given, threshold=0.6)) == expected(table)
    finally:
        runtime.shutdown()
