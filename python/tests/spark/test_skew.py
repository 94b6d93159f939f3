"""A key, a set and a partition that hold most of the corpus."""

from __future__ import annotations

import random
from typing import Any

import lookalike
import pyarrow
from spark_rows import removed_of

from lookalike import spark as lookalike_spark

NEAR, OTHERS = 600, 60


def test_most_of_the_corpus_in_one_key_one_set_and_one_partition(spark: Any, tmp_path: Any) -> None:
    rng = random.Random(7)
    template = [f"word{rng.randrange(10**6)}" for _ in range(120)]
    texts = []
    for at in range(NEAR):
        words = list(template)
        words[rng.randrange(100)] = f"changed{at}"
        texts.append(" ".join(words))
    texts += [" ".join(f"other{rng.randrange(10**6)}" for _ in range(40)) for _ in range(OTHERS)]
    documents = [{"id": at, "text": text} for at, text in enumerate(texts)]
    frame = spark.createDataFrame(documents, "id bigint, text string")
    # All near-copies in one partition, and the others in six.
    skewed = frame.where(f"id < {NEAR}").coalesce(1).union(frame.where(f"id >= {NEAR}").repartition(6))
    place = tmp_path / "run"
    # The sets of shingles of the largest set do not fit into the memory of the task, and go through a local file.
    many = lookalike_spark.dedup(skewed, id="id", threshold=0.8, task_memory="64KiB", checkpoint=str(place))
    _, one = lookalike.dedup(pyarrow.Table.from_pylist(documents), id="id", threshold=0.8)
    assert removed_of(many) == sorted(
        (row.document, row.kept, row.kind, row.similarity, row.distance, row.reason) for row in one.removed
    )
    assert len(one.removed) > 0.8 * NEAR

    def written(stage: str) -> Any:
        (folder,) = place.glob(f"{stage}-*")
        return spark.read.parquet(str(folder))

    # One set has nearly all of them.
    largest = max(row["count"] for row in written("sets").groupBy("component").count().collect())
    assert largest > 0.9 * NEAR
    # A key that all have makes a star: each document has one link at most for each task, and no pairs are made.
    links = written("edges").selectExpr("sum(length(links)) / 16").first()[0]
    assert links <= NEAR * written("edges").count()
