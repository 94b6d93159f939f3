"""A driver in whose job somebody is killed.

    python driver_to_kill.py CHECKPOINT TABLE (executor|executors|worker|driver|driver-inside|nobody) STAGE [files]

executor: the first task of the stage kills the executor that it runs on; in the stage `write`, the driver kills one while kept rows are
written. executors: each task kills its own. worker: the task kills the worker of the cluster too, which started the executor. driver: it
kills itself before the stage. driver-inside: it does so while tasks write into the folder of the stage, or into `kept`, `removed` or
`report`. files: the job has files as its output. LOOKALIKE_MASTER names the cluster; without it there is one of two executors in this
process.
"""

from __future__ import annotations

import json
import os
import pathlib
import signal
import sys
import threading
import time
from typing import Any, List

from pyspark.sql import SparkSession
from pyspark.sql.readwriter import DataFrameWriter

from lookalike import spark as lookalike_spark
from lookalike.spark import decide, edges, files, flow, keys, sets

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.executor.memory": "700m",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    # Small tasks, so that a stage has many.
    "spark.sql.files.maxPartitionBytes": "20000",
}
STAGES: Any = {"keys": keys, "edges": edges, "sets": sets, "decide": decide}


def killing(guarded: Any, marker: str, also_worker: bool, always: bool) -> Any:
    """The stage, but for its first task, which kills the executor that it runs on, and also the worker that started it; or all tasks."""

    def with_death(stage: Any) -> Any:
        whole = guarded(stage)

        def run(batches: Any) -> Any:
            import os
            import signal

            try:
                os.close(os.open(marker, os.O_CREAT | (0 if always else os.O_EXCL)))
            except FileExistsError:
                pass
            else:
                # This process is started by a daemon, that by the executor, and that by the worker.
                def parent(process: int) -> int:
                    with open(f"/proc/{process}/stat") as stat:
                        return int(stat.read().rpartition(")")[2].split()[1])

                executor = parent(os.getppid())
                if also_worker:
                    os.kill(parent(executor), signal.SIGKILL)
                os.kill(executor, signal.SIGKILL)
            yield from whole(batches)

        return run

    return with_death


def executors(application: str) -> List[int]:
    """The processes that are executors of an application."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            if application in words and any("CoarseGrainedExecutorBackend" in word for word in words):
                found.append(int(folder.name))
    return sorted(found)


def kill_while_writing(spark: Any, marker: str) -> None:
    """Kills an executor as soon as a stage of Spark runs."""
    context = spark.sparkContext

    def wait() -> None:
        while not context.statusTracker().getActiveStageIds():
            time.sleep(0.002)
        os.kill(executors(context.applicationId)[0], signal.SIGKILL)
        pathlib.Path(marker).touch()

    threading.Thread(target=wait, daemon=True).start()


def die_while_writing(spark: Any, folder: str) -> None:
    """Kills this process as soon as tasks write into a folder whose name begins like this."""
    tracker = spark.sparkContext.statusTracker()

    def wait() -> None:
        while not any(tracker.getStageInfo(stage).numActiveTasks for stage in tracker.getActiveStageIds() if tracker.getStageInfo(stage)):
            time.sleep(0.002)
        os.kill(os.getpid(), signal.SIGKILL)

    def dying(write: Any) -> Any:
        def run(self: Any, path: str, *rest: Any, **more: Any) -> None:
            if pathlib.Path(path).name.startswith(folder):
                threading.Thread(target=wait, daemon=True).start()
            write(self, path, *rest, **more)

        return run

    for method in ("parquet", "save", "text"):
        setattr(DataFrameWriter, method, dying(getattr(DataFrameWriter, method)))


def of_frames(spark: Any, place: str, table: str, stage: str, marker: str) -> Any:
    """The job on a DataFrame, whose kept rows are written: removed documents, ids of the kept ones, and the report."""
    result = lookalike_spark.dedup(spark.read.parquet(table), id="id", threshold=0.6, checkpoint=place)
    removed = sorted(tuple(row) for row in result.removed.select("id", "kept_id", "kind", "similarity").collect())
    written = f"{place}.kept"
    if stage == "write":
        kill_while_writing(spark, marker)
    result.kept.write.mode("overwrite").parquet(written)
    return removed, sorted(row.id for row in spark.read.parquet(written).select("id").collect()), result.report


def of_files(spark: Any, place: str, table: str) -> Any:
    """The same with files, as they were written."""
    out = f"{place}.out"
    files.dedup_files(spark, [table], id="id", threshold=0.6, checkpoint=place, output=out)
    rows = spark.read.json(f"{out}/removed").select("id", "kept_id", "kind", "similarity").collect()
    kept = sorted(row.id for row in spark.read.parquet(f"{out}/kept").select("id").collect())
    report = json.loads(spark.read.text(f"{out}/report").first().value)
    return sorted(tuple(row) for row in rows), kept, report


def main(place: str, table: str, victim: str, stage: str, output: str = "frames") -> None:
    master = os.environ.get("LOOKALIKE_MASTER", "local-cluster[2,1,1500]")
    builder = SparkSession.builder.master(master).appName("kill")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    marker = f"{place}.killed"
    made = flow.Checkpoint.stage

    def dying(self: Any, name: str, make: Any, summary: Any) -> Any:
        if name.startswith(stage):
            os.kill(os.getpid(), signal.SIGKILL)
        return made(self, name, make, summary)

    if victim == "driver":
        flow.Checkpoint.stage = dying  # type: ignore[method-assign]
    elif victim == "driver-inside":
        die_while_writing(spark, stage)
    elif victim in ("executor", "executors", "worker") and stage != "write":
        STAGES[stage].guarded = killing(STAGES[stage].guarded, marker, victim == "worker", victim == "executors")
    flow.TEXT_BYTES_PER_TASK = 5_000
    job = of_files(spark, place, table) if output == "files" else of_frames(spark, place, table, stage, marker)
    removed, kept, report = job
    print(json.dumps({"removed": removed, "kept": kept, "report": report, "killed": os.path.exists(marker)}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
