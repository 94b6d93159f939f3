"""What Spark says when something breaks is an error of lookalike that says what to do."""

from __future__ import annotations

import shutil
from typing import Any, Type

import pyarrow
import pyarrow.parquet
import pytest
from pyspark.errors import PySparkException
from spark_rows import SCHEMA, rows

from lookalike import errors
from lookalike import spark as lookalike_spark
from lookalike.spark.command import main
from lookalike.spark.failures import translated

ABORTED = "An error occurred while calling o81.parquet.\n: org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in "
LOST = (
    "stage 3.0 failed 4 times, most recent failure: Lost task 1.3 in stage 3.0 (TID 9) (10.0.0.7 executor 4): ExecutorLostFailure "
    "(executor 4 exited caused by one of the running tasks) Reason: Command exited with code 137\nDriver stacktrace:\n\tat org.apache"
)


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        (ABORTED + LOST, errors.LookalikeError, ["memoryOverhead", "task_memory", "10.0.0.7 executor 4", "same checkpoint"]),
        (
            ABORTED + "stage 2.0 failed 4 times: java.io.IOException: No space left on device\n\tat java.base/java.io.FileOutputStream",
            errors.FileError,
            ["a disk is full", "spark.local.dir", "No space left on device"],
        ),
        (
            "Cannot broadcast the table that is larger than 8.0 GiB: 9.0 GiB.",
            errors.MemoryLimitError,
            ["members_per_wave", "spark.driver.memory"],
        ),
        ("java.lang.OutOfMemoryError: Java heap space", errors.MemoryLimitError, ["spark.executor.memory"]),
        ("[PATH_NOT_FOUND] Path does not exist: hdfs://nn/in. SQLSTATE: 42K03", errors.NotFoundError, ["is not there", "hdfs://nn/in"]),
        ("org.apache.hadoop.security.AccessControlException: Permission denied: user=me", errors.FileError, ["may not read or write"]),
        ("No FileSystem for scheme \"s3a\"", errors.SettingError, ["--packages", "s3a"]),
        ("SparkContext was shut down", errors.LookalikeError, ["Spark itself ended"]),
        ("something that nobody has seen\nat all", errors.LookalikeError, ["something that nobody has seen. Its log has more"]),
    ],
)
def test_words_of_spark(said: str, kind: Type[Exception], words: Any) -> None:
    with pytest.raises(errors.LookalikeError) as error, translated():
        raise PySparkException(said)
    assert type(error.value) is kind
    for word in words:
        assert word in str(error.value)
    # Nothing of the stack of the JVM.
    assert "\tat " not in str(error.value) and len(str(error.value)) < 900


def test_an_error_that_is_not_of_spark_stays() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError("mine")


def test_inputs_that_are_taken_away(spark: Any, tmp_path: Any) -> None:
    place = tmp_path / "in"
    spark.createDataFrame(rows(20), SCHEMA).write.parquet(str(place))
    frame = spark.read.parquet(str(place))
    shutil.rmtree(place)
    with pytest.raises(errors.NotFoundError, match="a file or folder is not there"):
        lookalike_spark.dedup(frame, id="id", checkpoint=str(tmp_path / "run"))
    with pytest.raises(errors.NotFoundError, match="a file or folder is not there"):
        lookalike_spark.plan(frame, id="id")


def test_the_command_prints_no_traceback(spark: Any, tmp_path: Any, capsys: Any, monkeypatch: Any) -> None:
    # It would end the session of all tests.
    monkeypatch.setattr(type(spark), "stop", lambda self: None)
    broken = tmp_path / "in.parquet"
    broken.write_text("no Parquet file")
    empty = tmp_path / "empty"
    empty.mkdir()
    table = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"text": ["a b c"]}), table)
    for inputs, words in [
        ([str(broken)], "Spark"),
        ([str(empty)], "Spark refuses this job"),
        (["nowhere://x/in.parquet"], "does not know addresses"),
        ([str(table), "--text-field", "body"], "no column 'body'"),
    ]:
        assert main(["dedup", *inputs, "-o", str(tmp_path / "out")]) == 1
        said = capsys.readouterr().err
        lines = [line for line in said.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1 and words in lines[0], said
        assert "Traceback" not in said
