"""A driver in whose job somebody is killed.

    python driver_to_kill.py CHECKPOINT TABLE (executor|worker|driver|nobody) STAGE

executor: the first task of the stage kills the executor that it runs on; in the stage `write`, the driver kills one while kept rows are
written. worker: the task kills the worker of the cluster too, which started the executor. driver: it kills itself before the stage.
LOOKALIKE_MASTER names the cluster; without it there is one of two executors in this process.
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

from lookalike import spark as lookalike_spark
from lookalike.spark import decide, edges, flow, keys, sets

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


def killing(guarded: Any, marker: str, also_worker: bool) -> Any:
    """The stage, but for its first task, which kills the executor that it runs on, and also the worker that started it."""

    def with_death(stage: Any) -> Any:
        whole = guarded(stage)

        def run(batches: Any) -> Any:
            import os
            import signal

            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
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


def main(place: str, table: str, victim: str, stage: str) -> None:
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
    elif victim in ("executor", "worker") and stage != "write":
        STAGES[stage].guarded = killing(STAGES[stage].guarded, marker, victim == "worker")
    flow.TEXT_BYTES_PER_TASK = 5_000
    result = lookalike_spark.dedup(spark.read.parquet(table), id="id", threshold=0.6, checkpoint=place)
    removed = sorted(tuple(row) for row in result.removed.select("id", "kept_id", "kind", "similarity").collect())
    written = f"{place}.kept"
    if stage == "write":
        kill_while_writing(spark, marker)
    result.kept.write.mode("overwrite").parquet(written)
    kept = sorted(row.id for row in spark.read.parquet(written).select("id").collect())
    print(json.dumps({"removed": removed, "kept": kept, "report": result.report, "killed": os.path.exists(marker)}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
