"""Stage 2: packed keys, block by block -> which documents are connected, contracted within each task.

A key that a million documents share makes a star of a million links at most, and each document has one link for each task, however
many keys it shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

from .. import _native
from .failures import guarded
from .run import table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SCHEMA", "connected"]

SCHEMA = "links binary, repeated binary"


def connected(keys: "DataFrame", partitions: int) -> "DataFrame":
    """The links of all blocks, a row for each task."""
    blocks = keys.where("tally is null").select("block", "entries", "links", "numbers")
    return blocks.repartition(partitions, "block").mapInArrow(guarded(connect_all), SCHEMA)


def connect_all(batches: Iterator[Any]) -> Iterator[Any]:
    """All rows of a task as one row."""
    import pyarrow

    rows = [batch for batch in batches if batch.num_rows]
    if rows:
        found = pyarrow.table(_native.connect(table_of(rows)))
        yield from found.cast(pyarrow.schema([("links", pyarrow.binary()), ("repeated", pyarrow.binary())])).to_batches()
