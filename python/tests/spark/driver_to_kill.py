"""A driver on `local-cluster`, in which one task kills its own executor, or which kills itself before a stage.

    python driver_to_kill.py CHECKPOINT TABLE (executor|driver|nobody) STAGE
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

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


def killing(guarded: Any, marker: str) -> Any:
    """The stage, but for its first task, which kills the executor that it runs on."""

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
                # A worker is started by a daemon, and that by the executor.
                with open(f"/proc/{os.getppid()}/stat") as stat:
                    os.kill(int(stat.read().rpartition(")")[2].split()[1]), signal.SIGKILL)
            yield from whole(batches)

        return run

    return with_death


def main(place: str, table: str, victim: str, stage: str) -> None:
    builder = SparkSession.builder.master("local-cluster[2,1,1500]").appName("kill")
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
    elif victim == "executor":
        STAGES[stage].guarded = killing(STAGES[stage].guarded, marker)
    flow.TEXT_BYTES_PER_TASK = 5_000
    result = lookalike_spark.dedup(spark.read.parquet(table), id="id", threshold=0.6, checkpoint=place)
    removed = sorted(tuple(row) for row in result.removed.select("id", "kept_id", "kind", "similarity").collect())
    kept = sorted(row.id for row in result.kept.select("id").collect())
    print(json.dumps({"removed": removed, "kept": kept, "report": result.report, "killed": os.path.exists(marker)}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
