"""A job through Spark Connect, in a process of its own: one process has either kind of session.

    python connect_job.py CHECKPOINT TABLE
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

from lookalike import spark as lookalike_spark


def main(place: str, table: str) -> None:
    # This starts a server of Spark Connect in another process.
    builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.read.parquet(table)
    result = lookalike_spark.dedup(frame, id="id", threshold=0.6, checkpoint=f"{place}/dedup")
    removed = sorted(tuple(row) for row in result.removed.select("id", "kept_id", "kind", "similarity").collect())
    kept = sorted(row.id for row in result.kept.select("id").collect())
    pairs = lookalike_spark.pairs(frame, id="id", threshold=0.6, checkpoint=f"{place}/pairs")
    plan = lookalike_spark.plan(frame, id="id", show=False)
    lookalike_spark.ship(spark)
    found = {"removed": removed, "kept": kept, "pairs": pairs.count(), "planned": plan.documents}
    print(json.dumps({**found, "session": type(spark).__module__, "tasks": lookalike_spark.check(spark)}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
