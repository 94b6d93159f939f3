"""Sketches that are kept: the same answers, without hashing again; and what contradicts them is refused."""

from __future__ import annotations

import pathlib
from typing import Any

import lookalike
import pyarrow
import pytest
from spark_rows import SCHEMA, comparable, removed_of, rows

from lookalike import spark as lookalike_spark
from lookalike.errors import SettingError, TargetError


def test_later_jobs_start_from_sketches(spark: Any, tmp_path: Any) -> None:
    documents = rows(120, seed=6)
    table = pyarrow.Table.from_pylist(documents)
    frame = spark.createDataFrame(documents, SCHEMA).repartition(3)
    sketches = lookalike_spark.sketch(frame, id="id", threshold=0.6, checkpoint=str(tmp_path / "sketches"))
    assert sketches.documents == len(documents) and sketches.in_sets > 10
    for keep in ("first", "longest"):
        place = tmp_path / keep
        many = lookalike_spark.dedup(
            frame, id="id", order="place", threshold=0.6, keep=keep, sketches=sketches, checkpoint=str(place)
        )
        _, one = lookalike.dedup(table, id="id", threshold=0.6, keep=keep)
        assert removed_of(many) == sorted(
            (row.document, row.kept, row.kind, row.similarity, row.distance, row.reason) for row in one.removed
        )
        assert comparable(many.report) == comparable(one.summary)
        assert not list(place.glob("keys*"))
    pairs = lookalike_spark.pairs(
        frame, id="id", order="place", threshold=0.6, sketches=sketches.path, checkpoint=str(tmp_path / "pairs")
    )
    expected = lookalike.pairs(table, id="id", threshold=0.6)
    assert sorted(tuple(row)[:3] for row in pairs.collect()) == sorted((pair.a, pair.b, pair.similarity) for pair in expected)


def test_what_contradicts_sketches_is_refused(spark: Any, tmp_path: Any) -> None:
    documents = rows(20)
    frame = spark.createDataFrame(documents, SCHEMA)
    kept = str(tmp_path / "sketches")

    def run(given: Any, **options: Any) -> Any:
        return lookalike_spark.dedup(given, sketches=kept, checkpoint=str(tmp_path / "run"), **{"id": "id", **options})

    with pytest.raises(TargetError, match="there are no sketches in .*make them with"):
        run(frame)
    lookalike_spark.sketch(frame, id="id", checkpoint=kept)
    for wrong, options in [
        (r"settings.threshold was 0.8 and is 0.5", {"threshold": 0.5}),
        (r"settings.shingles was \"words:5\" and is \"words:3\"", {"shingles": "words:3"}),
        (r"columns.source was null and is \"origin\"", {"source": "origin"}),
        (r"have no values for keep='max:score'", {"keep": "max:score"}),
    ]:
        with pytest.raises(SettingError, match=wrong):
            run(frame, **options)
    assert not pathlib.Path(tmp_path / "run").exists()
    with pytest.raises(TargetError, match="the inputs changed since the sketches in .* they were 31 rows and are 30"):
        run(frame.where("place > 0"))
    with pytest.raises(TypeError, match="sketches must be what sketch"):
        lookalike_spark.dedup(frame, id="id", sketches=1, checkpoint=str(tmp_path / "other"))  # type: ignore[arg-type]
