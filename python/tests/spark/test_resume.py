"""A job goes on from its checkpoint, and refuses one that is not its own."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any

import pytest
from spark_rows import SCHEMA, removed_of, rows

from lookalike import spark as lookalike_spark
from lookalike.errors import TargetError


def test_finished_stages_are_not_done_again(spark: Any, tmp_path: Any) -> None:
    frame = spark.createDataFrame(rows(60), SCHEMA)
    place = tmp_path / "run"

    def run() -> Any:
        return lookalike_spark.dedup(frame, id="id", threshold=0.6, checkpoint=str(place))

    first = run()
    assert first.report["run"]["finished_before"] == []
    expected = removed_of(first)
    assert len(expected) > 5
    for stage, before in [("decide-0-of-1", ["keys", "edges", "sets"]), ("edges", ["keys"])]:
        # A driver that was killed in this stage has no record of it, nor of what comes after it.
        for record in ["decide-0-of-1", "sets", "edges", "keys"]:
            shutil.rmtree(place / f"{record}.done", ignore_errors=True)
            if record == stage:
                break
        again = run()
        assert again.report["run"]["finished_before"] == before
        assert removed_of(again) == expected
        assert {**again.report, "run": None} == {**first.report, "run": None}
    assert run().report["run"]["finished_before"] == ["keys", "edges", "sets", "decide-0-of-1"]


def test_another_job_is_refused_with_the_difference(spark: Any, tmp_path: Any) -> None:
    documents = rows(20)
    frame = spark.createDataFrame(documents, SCHEMA)
    place = str(tmp_path / "run")
    lookalike_spark.dedup(frame, id="id", checkpoint=place)
    with pytest.raises(TargetError, match=r"settings.threshold was 0.8 and is 0.5"):
        lookalike_spark.dedup(frame, id="id", threshold=0.5, checkpoint=place)
    with pytest.raises(TargetError, match=r"columns.order was \[\"id\"\] and is \[\"place\"\]"):
        lookalike_spark.dedup(frame, id="id", order="place", checkpoint=place)
    with pytest.raises(TargetError, match=r"they were 31 rows and are 30"):
        lookalike_spark.dedup(frame.where("place > 0"), id="id", checkpoint=place)
    documents[3]["text"] += " more"
    with pytest.raises(TargetError, match=r"still 31 rows, but not the same"):
        lookalike_spark.dedup(spark.createDataFrame(documents, SCHEMA), id="id", checkpoint=place)


def test_a_checkpoint_that_cannot_be_written(spark: Any, tmp_path: Any) -> None:
    file = pathlib.Path(tmp_path / "file")
    file.write_text("")
    frame = spark.createDataFrame(rows(5), SCHEMA)
    with pytest.raises(TargetError, match="cannot be written"):
        lookalike_spark.dedup(frame, id="id", checkpoint=str(file / "run"))
    with pytest.raises(TypeError, match="checkpoint must be the address"):
        lookalike_spark.dedup(frame, id="id", checkpoint="")
