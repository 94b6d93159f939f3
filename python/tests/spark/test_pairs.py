"""Pairs on Spark are those of one machine."""

from __future__ import annotations

from typing import Any, Dict, List

import lookalike
import pyarrow
import pytest
from spark_rows import FULL, SCHEMA, rows

from lookalike import spark as lookalike_spark

CHOICES: List[Dict[str, Any]] = [
    {"threshold": 0.6},
    {"measure": "containment", "threshold": 0.7, "within": "domain"},
    {"method": "simhash", "distance": 6, "threshold": 0.5},
    {"verify": "estimate", "threshold": 0.6},
]


@pytest.mark.parametrize("at", range(len(CHOICES)) if FULL else [1, 2])
def test_the_pairs_of_one_machine(spark: Any, tmp_path: Any, at: int) -> None:
    documents = rows(200, seed=20 + at)
    one = lookalike.pairs(pyarrow.Table.from_pylist(documents), id="id", **CHOICES[at])
    frame = spark.createDataFrame(documents, SCHEMA).repartition([3, 1, 7, 2][at])
    # In waves, or not.
    sizes = {"members_per_wave": 60} if at % 2 else {}
    many = lookalike_spark.pairs(frame, id="id", order="place", checkpoint=str(tmp_path / "run"), **sizes, **CHOICES[at])
    assert many.columns == ["a_id", "b_id", "similarity", "distance"]
    found = sorted(tuple(row) for row in many.collect())
    assert len(found) > 20
    assert found == sorted((pair.a, pair.b, pair.similarity, pair.distance) for pair in one)


def test_no_pairs(spark: Any, tmp_path: Any) -> None:
    frame = spark.createDataFrame([("a", "some text"), ("b", "quite another")], "id string, text string")
    assert lookalike_spark.pairs(frame, id="id", checkpoint=str(tmp_path / "run")).count() == 0
