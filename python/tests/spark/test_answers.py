"""The answer on Spark is that of one machine, report and all."""

from __future__ import annotations

from typing import Any, Dict, List

import lookalike
import pyarrow
import pytest
from spark_rows import FULL, SCHEMA, comparable, removed_of, rows

from lookalike import spark as lookalike_spark

CHOICES: List[Dict[str, Any]] = [
    {},
    {"threshold": 0.5, "keep": "longest"},
    {"threshold": 0.6, "keep": "max:score", "within": "domain"},
    {"threshold": 0.6, "keep": "min:score", "elements": "bag", "clusters": "components"},
    {"measure": "containment", "threshold": 0.7},
    {"method": "simhash", "distance": 6, "threshold": 0.5},
    {"verify": "estimate", "threshold": 0.6},
    {"verify": "none", "threshold": 0.6, "shingles": "characters:9"},
    {"max_text": 500, "preset": "fineweb"},
]


def expected(table: Any, **options: Any) -> Any:
    _, result = lookalike.dedup(table, **options)
    return result


@pytest.mark.parametrize("at", range(len(CHOICES)))
def test_the_answer_of_one_machine(spark: Any, tmp_path: Any, at: int) -> None:
    options = CHOICES[at]
    documents = rows(250, seed=at)
    table = pyarrow.Table.from_pylist(documents)
    one = expected(table, id="id", **options)
    frame = spark.createDataFrame(documents, SCHEMA).repartition([1, 2, 7, 64][at % 4])
    many = lookalike_spark.dedup(frame, id="id", order="place", checkpoint=str(tmp_path / "run"), **options)
    found = removed_of(many)
    assert len(found) > 10
    assert found == sorted((row.document, row.kept, row.kind, row.similarity, row.distance, row.reason) for row in one.removed)
    assert comparable(many.report) == comparable(one.summary)
    kept = sorted(row.id for row in many.kept.select("id").collect())
    assert kept == sorted({row["id"] for row in documents} - {row[0] for row in found})
    assert many.kept.columns == frame.columns


@pytest.mark.parametrize("batch", [1, 10_000] if FULL else [1])
def test_small_and_large_batches_and_waves_and_rounds(spark: Any, tmp_path: Any, batch: int) -> None:
    documents = rows(60)
    table = pyarrow.Table.from_pylist(documents)
    one = expected(table, id="id", threshold=0.6)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", batch)
    try:
        many = lookalike_spark.dedup(
            spark.createDataFrame(documents, SCHEMA).repartition(3),
            id="id",
            order="place",
            threshold=0.6,
            checkpoint=str(tmp_path / "run"),
            # Rounds and three waves, or neither.
            **({"links_per_task": 1, "members_per_wave": 20} if batch == 1 else {}),
        )
        found = removed_of(many)
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert found == sorted((row.document, row.kept, row.kind, row.similarity, row.distance, row.reason) for row in one.removed)
    assert comparable(many.report) == comparable(one.summary)


@pytest.mark.parametrize("only", [False, True])
def test_against(spark: Any, tmp_path: Any, only: bool) -> None:
    documents = rows(120, seed=5)
    old, new = documents[::3], [row for row in documents if row["place"] % 3]
    # An id may be on both sides.
    new[0]["id"] = old[0]["id"]
    options = {"threshold": 0.6, "against_only": only}
    one = expected(pyarrow.Table.from_pylist(new), against=pyarrow.Table.from_pylist(old), id="id", **options)
    many = lookalike_spark.dedup(
        spark.createDataFrame(new, SCHEMA),
        against=spark.createDataFrame(old, SCHEMA),
        id="id",
        order="place",
        checkpoint=str(tmp_path / "run"),
        **options,
    )
    found = sorted((row.id, row.kept_id, row.kind, row.similarity, row.against) for row in many.removed.collect())
    assert len(found) > 10
    assert found == sorted((row.document, row.kept, row.kind, row.similarity, row.against) for row in one.removed)
    assert {row[4] for row in found} == ({True} if only else {True, False})


def test_preferred_sources_and_ids_of_any_type(spark: Any, tmp_path: Any) -> None:
    text = "one two three four five six"
    documents = [(10, text, "crawl/1"), (9, text, "crawl/2"), (11, text, "books/1"), (2, "something else", "books/1")]
    frame = spark.createDataFrame(documents, "id int, text string, origin string")
    result = lookalike_spark.dedup(frame, id="id", source="origin", prefer=["books/*"], checkpoint=str(tmp_path / "run"))
    removed = result.removed
    assert sorted(tuple(row)[:3] for row in removed.collect()) == [(9, "exact", 11), (10, "exact", 11)]
    assert str(removed.schema["id"].dataType) == "IntegerType()"
    sources = {source["name"]: source["removed"] for source in result.report["sources"]}
    assert sources == {"books/1": 0, "crawl/1": 1, "crawl/2": 1}


@pytest.mark.skipif(not FULL, reason="other tests order by ids too")
def test_ids_are_their_own_order(spark: Any, tmp_path: Any) -> None:
    text = "one two three four five six"
    frame = spark.createDataFrame([(10, text), (9, text), (2, "something else entirely")], "id int, text string")
    result = lookalike_spark.dedup(frame, id="id", checkpoint=str(tmp_path / "run"))
    assert [tuple(row)[:3] for row in result.removed.collect()] == [(10, "exact", 9)]


def test_nothing_and_nothing_to_remove(spark: Any, tmp_path: Any) -> None:
    alone = [("a", "some text"), ("b", "quite another")]
    for at, documents in enumerate([[], alone] if FULL else [[]]):
        frame = spark.createDataFrame(documents, "id string, text string")
        result = lookalike_spark.dedup(frame, id="id", checkpoint=str(tmp_path / str(at)))
        assert (result.removed.count(), result.kept.count()) == (0, len(documents))
        assert result.report["counts"]["documents"] == len(documents)


@pytest.mark.skipif(not FULL, reason="the test of commands compares clusters too")
def test_clusters_are_those_of_one_machine(spark: Any, tmp_path: Any) -> None:
    documents = rows(60, seed=2)
    expected = lookalike.clusters(pyarrow.Table.from_pylist(documents), id="id", threshold=0.6)
    found: Dict[str, List[Any]] = {}
    frame = spark.createDataFrame(documents, SCHEMA)
    for row in lookalike_spark.clusters(frame, id="id", order="place", threshold=0.6, checkpoint=str(tmp_path / "run")).collect():
        found.setdefault(row.kept_id, []).append(row.id)
    assert len(found) > 5
    assert {kept: sorted(ids) for kept, ids in found.items()} == {it.kept: sorted(it.members) for it in expected}
