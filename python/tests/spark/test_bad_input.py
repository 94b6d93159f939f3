"""What cannot be right is an error of `lookalike.errors` that says what to do."""

from __future__ import annotations

from typing import Any

import pytest
from spark_rows import SCHEMA, removed_of, rows

from lookalike import spark as lookalike_spark
from lookalike.errors import BadRecordError, DuplicateIdError, SettingError

TEXT = "one two three four five six"


def test_a_row_without_text(spark: Any, tmp_path: Any) -> None:
    frame = spark.createDataFrame([("a", TEXT), ("b", None), ("c", TEXT)], "id string, text string")

    def run(name: str, **options: Any) -> Any:
        return lookalike_spark.dedup(frame, id="id", checkpoint=str(tmp_path / name), **options)

    with pytest.raises(BadRecordError, match="the document with the id b: the field `text` is null"):
        run("fail")
    skipped = run("skip", on_bad_record="skip")
    assert removed_of(skipped) == [
        ("b", None, "bad", None, None, "the field `text` is null"),
        ("c", "a", "exact", 1.0, None, None),
    ]
    assert [row.id for row in skipped.kept.collect()] == ["a"]
    kept = run("keep", on_bad_record="keep")
    assert sorted(row.id for row in kept.kept.collect()) == ["a", "b"]
    assert (skipped.report["counts"]["bad_skipped"], kept.report["counts"]["bad_kept"]) == (1, 1)


def test_ids_that_are_null_or_come_twice(spark: Any, tmp_path: Any) -> None:
    null = spark.createDataFrame([("a", TEXT), (None, "other words")], "id string, text string")
    with pytest.raises(SettingError, match="null for 'id'"):
        lookalike_spark.dedup(null, id="id", checkpoint=str(tmp_path / "null"))
    twice = spark.createDataFrame([("a", TEXT), ("b", TEXT), ("b", "other words")], "id string, text string")
    with pytest.raises(DuplicateIdError, match="the id 'b' is that of 2 rows"):
        lookalike_spark.dedup(twice.repartition(3), id="id", checkpoint=str(tmp_path / "twice"))


def test_other_columns_may_differ_by_case_only(spark: Any, tmp_path: Any) -> None:
    frame = spark.createDataFrame([("a", TEXT, 1, 2), ("b", TEXT, 3, 4)], "id string, text string, n int, N int")
    result = lookalike_spark.dedup(frame, id="id", checkpoint=str(tmp_path / "run"))
    assert [tuple(row) for row in result.kept.collect()] == [("a", TEXT, 1, 2)]


def test_a_preferred_source_that_is_not_there(spark: Any, tmp_path: Any) -> None:
    frame = spark.createDataFrame(rows(3), SCHEMA)
    with pytest.raises(SettingError, match="prefer.*part-9.*no source matches"):
        lookalike_spark.dedup(frame, id="id", source="origin", prefer=["part-1", "part-9"], checkpoint=str(tmp_path / "run"))


def test_columns_with_any_name(spark: Any, tmp_path: Any) -> None:
    frame = spark.createDataFrame([("a", TEXT), ("b", TEXT), ("c", None)], "`the id` string, `a ``text` string")
    options: Any = {"id": "the id", "text": "a `text", "on_bad_record": "skip"}
    result = lookalike_spark.dedup(frame, checkpoint=str(tmp_path / "run"), **options)
    assert sorted((row.id, row.kind) for row in result.removed.collect()) == [("b", "exact"), ("c", "bad")]
    assert [row[0] for row in result.kept.collect()] == ["a"]
    assert lookalike_spark.pairs(frame, checkpoint=str(tmp_path / "pairs"), **options).count() == 1


def test_columns_and_options(spark: Any, tmp_path: Any) -> None:
    frame = spark.createDataFrame(rows(3), SCHEMA)
    place = str(tmp_path / "run")
    for wrong, options in [
        ("no column 'body'", {"id": "id", "text": "body"}),
        ("no column 'url'", {"id": "url"}),
        ("no column 'when'", {"id": "id", "keep": "max:when"}),
        ("name the column of ids", {}),
        ("'place' is bigint and cannot be the text", {"id": "id", "text": "place"}),
        ("against_only compares", {"id": "id", "against_only": True}),
        ("prefer names sources", {"id": "id", "prefer": ["x"]}),
        ("threshold = 2.0 is not allowed", {"id": "id", "threshold": 2}),
    ]:
        with pytest.raises(SettingError, match=wrong):
            lookalike_spark.dedup(frame, checkpoint=place, **options)
    both = frame.select("id", "text", frame["text"])
    with pytest.raises(SettingError, match="2 columns 'text'"):
        lookalike_spark.dedup(both, id="id", checkpoint=place)
    case = frame.selectExpr("id", "text", "text as Text")
    with pytest.raises(SettingError, match="takes for one: 'text', 'Text'; rename all but one"):
        lookalike_spark.dedup(case, id="id", checkpoint=place)
    for options in ({"id": "tags"}, {"id": "id", "within": "tags"}):
        with pytest.raises(SettingError, match="'tags' is map<string,int>, of which Spark has no hash"):
            maps = frame.selectExpr("id", "text", "map('a', 1) as tags")
            lookalike_spark.dedup(maps, order="text", checkpoint=place, **options)
    for kind in ("sets", "fingerprints", "vectors"):
        for run in (lookalike_spark.dedup, lookalike_spark.pairs):
            with pytest.raises(SettingError, match=f"kind.*{kind}.*on a cluster documents are texts"):
                run(frame, id="id", kind=kind, checkpoint=place)
    with pytest.raises(SettingError, match="cast one of them"):
        lookalike_spark.dedup(frame, against=frame.selectExpr("1 as id", "text"), id="id", checkpoint=place)
    for name in ("memory", "threads", "annotate"):
        with pytest.raises(TypeError, match=name):
            lookalike_spark.dedup(frame, id="id", checkpoint=place, **{name: 2})
    with pytest.raises(TypeError, match="did you mean 'threshold'"):
        lookalike_spark.dedup(frame, id="id", checkpoint=place, treshold=0.5)
