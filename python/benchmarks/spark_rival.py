"""Today's kind of script for the same job, written from its description: word 5-grams in Python, min-hashes in NumPy, a row for each band,
`groupBy` of bands, connected components in rounds, and one document kept of each component. Nothing is verified.
"""

from __future__ import annotations

import re
from typing import Any, Iterator, List, Tuple

from pyspark.sql import functions as F

HASHES, BANDS, ROWS = 128, 21, 6
"""Those of the command at a threshold of 0.8."""
PRIME, LARGEST = (1 << 61) - 1, (1 << 32) - 1


def kept_for(frame: Any, place: str) -> Any:
    """The removed documents (`id`), each with the first of its component (`kept_id`). Rounds are written to `place`."""
    spark = frame.sparkSession

    @F.udf("array<struct<band:int, key:binary>>")
    def bands(text: str) -> List[Tuple[int, bytes]]:
        import hashlib

        import numpy as np

        random = np.random.RandomState(42)
        a = random.randint(1, PRIME, HASHES, dtype=np.uint64)
        b = random.randint(0, PRIME, HASHES, dtype=np.uint64)
        words = re.findall(r"\w+", text.lower())
        grams = {" ".join(words[at : at + 5]) for at in range(max(len(words) - 4, 1))}
        hashed = np.array([int.from_bytes(hashlib.sha1(gram.encode()).digest()[:4], "little") for gram in grams], dtype=np.uint64)
        signature = (((hashed[:, None] * a + b) % PRIME) & LARGEST).min(axis=0).astype(">u4")
        return [(band, signature[band * ROWS : (band + 1) * ROWS].tobytes()) for band in range(BANDS)]

    rows = frame.select("id", F.explode(bands("text")).alias("at")).select("id", "at.band", "at.key")
    groups = rows.groupBy("band", "key").agg(F.collect_list("id").alias("ids")).where("size(ids) > 1")
    edges = groups.select(F.array_min("ids").alias("b"), F.explode("ids").alias("a")).where("a != b").distinct()
    for number in _counting():
        edges.write.parquet(f"{place}/{number}")
        edges = spark.read.parquet(f"{place}/{number}")
        # Every document to the smallest of what it is connected with, and those to each other.
        both = edges.unionByName(edges.select(F.col("b").alias("a"), F.col("a").alias("b")))
        smallest = both.groupBy("a").agg(F.array_min(F.collect_set("b")).alias("m"), F.collect_set("b").alias("all"))
        smallest = smallest.withColumn("m", F.least("a", "m"))
        after = smallest.select(F.explode(F.concat("all", F.array("a"))).alias("a"), F.col("m").alias("b")).where("a != b").distinct()
        if after.exceptAll(edges).isEmpty() and edges.exceptAll(after).isEmpty():
            break
        edges = after
    return edges.groupBy(F.col("a").alias("id")).agg(F.min("b").alias("kept_id"))


def _counting() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1
