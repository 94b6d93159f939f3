"""Stage 3: links -> connected sets: the number of each document that is connected with another, and the smallest number of its set.

Up to `links_per_task` links, one task puts all of them together. Above that it is done in rounds of large stars and small stars
(Kiveris et al., 2014), in which every task has the neighbours of some documents. The driver has nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, Tuple

from pyspark.sql import functions as F

from .. import _native
from .failures import guarded
from .run import table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SCHEMA", "in_one_task", "in_rounds"]

SCHEMA = "number bigint, component bigint"
_EDGES = "a bigint, b bigint"


def in_one_task(links: "DataFrame") -> "DataFrame":
    """The sets of all links, by one task."""

    def stage(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        rows = [batch for batch in batches if batch.num_rows]
        if rows:
            yield from pyarrow.table(_native.members(_native.connect(table_of(rows)))).to_batches()

    return links.select("links").repartition(1).mapInArrow(guarded(stage), SCHEMA)


def in_rounds(links: "DataFrame", partitions: int, keep: Callable[[str, "DataFrame"], "DataFrame"]) -> "DataFrame":
    """The sets of all links, by many tasks. `keep` writes the edges of a round, and returns them as they were written."""
    edges = keep("edges", links.select("links").mapInArrow(guarded(_each(_native.edges_of_links)), _EDGES).distinct())
    before, number = _sum(edges), 0
    while True:
        number += 1
        both = edges.unionByName(edges.select(F.col("b").alias("a"), F.col("a").alias("b")))
        large = both.repartition(partitions, "a").mapInArrow(guarded(_whole(_native.large_star)), _EDGES)
        small = large.repartition(partitions, "a").mapInArrow(guarded(_whole(_native.small_star)), _EDGES)
        edges = keep(f"round-{number}", small.distinct())
        after = _sum(edges)
        if after == before:
            break
        before = after
    members = edges.select(F.col("a").alias("number"), F.col("b").alias("component"))
    firsts = edges.select(F.col("b").alias("number"), F.col("b").alias("component")).distinct()
    return members.unionByName(firsts)


def _sum(edges: "DataFrame") -> Tuple[int, int, int]:
    """What tells edges from those of another round."""
    other = F.xxhash64(F.lit("again"), "a", "b")
    found = edges.agg(F.count(F.lit(1)), F.bit_xor(F.xxhash64("a", "b")), F.bit_xor(other)).first()
    assert found is not None, "an aggregate has a row"
    return tuple(found)


def _each(stage: Callable[[Any], Any]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            yield from pyarrow.table(stage(table_of([batch]))).to_batches()

    return run


def _whole(stage: Callable[[Any], Any]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        rows = [batch for batch in batches if batch.num_rows]
        if rows:
            yield from pyarrow.table(stage(table_of(rows))).to_batches()

    return run
