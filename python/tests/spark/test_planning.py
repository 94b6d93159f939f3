"""The formula of what a job costs, against what jobs cost."""

from __future__ import annotations

import pathlib
from typing import Any, Optional

import pytest
from spark_rows import SCHEMA, rows

from lookalike import spark as lookalike_spark
from lookalike.errors import SettingError
from lookalike.spark.planning import planned


def test_a_plan_is_what_a_job_writes(spark: Any, tmp_path: Any, capsys: Any) -> None:
    documents = rows(400, seed=8)
    frame = spark.createDataFrame(documents, SCHEMA)
    place = str(tmp_path / "sketches")
    sketches = lookalike_spark.sketch(frame, id="id", threshold=0.6, checkpoint=place)
    plan = lookalike_spark.plan(frame, id="id", threshold=0.6, in_sets=sketches.in_sets / sketches.documents)
    assert plan.documents == len(documents)
    assert plan.text_bytes == sum(len(row["text"].encode()) for row in documents)
    said = capsys.readouterr().out
    assert f"{plan.bands}" in said and "One machine would be sooner done" in said

    def written(stage: str, columns: str) -> Any:
        (folder,) = [path for path in pathlib.Path(place).glob(f"{stage}-*")]
        return spark.read.parquet(str(folder)).selectExpr(columns).first()[0]

    keys = written("keys", "sum(length(entries) + length(links) + length(numbers))")
    stages = {stage.name: stage for stage in plan.stages}
    # Documents with the same key within a chunk have a link in place of an entry, which is as long.
    assert stages["keys"].written_bytes == pytest.approx(keys, rel=0.02)
    # A document has at most one link for each task.
    assert written("edges", "sum(length(links))") <= stages["edges"].written_bytes
    assert written("sets", "count(1)") == sketches.in_sets
    assert stages["decide"].shuffled_rows == pytest.approx(sketches.in_sets, abs=1)
    with pytest.raises(SettingError, match="in_sets = 2"):
        lookalike_spark.plan(frame, id="id", in_sets=2)


def test_what_a_plan_says_of_large_corpora() -> None:
    small = planned(10**4, 4 * 10**6, 21, "21 bands of 6 rows", tasks=2)
    assert small.one_machine_is_sooner and "`lookalike dedup`" in str(small)
    # A cluster with a hundred times the cores of the machine is sooner done.
    assert small.read_bytes == 3 * 4 * 10**6 and "again" not in str(small)
    large = planned(10**11, 10**14, 21, "21 bands of 6 rows", tasks=4_000, machine_cores=16)
    assert not large.one_machine_is_sooner and "sooner" not in str(large)
    assert large.waves == 7_500
    # Each wave reads everything, besides keys and the rows that are written.
    assert large.read_bytes == (7_500 + 2) * 10**14
    assert "reads all documents again: 7,500 reads in place of one" in str(large)
    # Rows are at most a few for each document, whatever the size.
    for exponent in range(4, 12):
        plan = planned(10**exponent, 400 * 10**exponent, 21, "", tasks=100)
        assert plan.shuffled_rows <= 1.4 * plan.documents + 100_000, exponent
        assert plan.stages[0].written_bytes == plan.documents * (16 * 22 + 8)


MEASURED = [
    # documents, bytes of text, keys, share in sets; CPU seconds on Spark and of the command (docs/spark.md)
    (1_000, 400_000, 12, 0.424, 7.0, None),
    (100_000, 40_000_000, 12, 0.512, 9.5, 0.35),
    (1_000_000, 400_000_000, 12, 0.86, 38.8, 3.92),
    (20_000, 151_000_000, 21, 0.93, 11.4, 0.87),
]


@pytest.mark.parametrize("documents, text_bytes, keys, in_sets, spark_seconds, alone_seconds", MEASURED)
def test_the_costs_are_those_that_were_measured(
    documents: int, text_bytes: int, keys: float, in_sets: float, spark_seconds: float, alone_seconds: Optional[float]
) -> None:
    plan = planned(documents, text_bytes, keys, "", tasks=2, in_sets=in_sets)
    assert plan.cpu_seconds == pytest.approx(spark_seconds, rel=0.2)
    if alone_seconds is not None:
        assert plan.alone_cpu_seconds == pytest.approx(alone_seconds, rel=0.2)


def test_keys_alone_take_few_bytes() -> None:
    # A short document has about 12 keys and its fingerprint; at most 260 bytes were wanted.
    plan = planned(10**6, 400 * 10**6, 12, "", tasks=2)
    assert plan.stages[0].written_bytes == 216 * 10**6
