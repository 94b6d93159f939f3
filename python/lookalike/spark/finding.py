"""Another stage 4: the documents of connected sets -> all pairs of them that are similar.

All documents of a set are in one task, which finds their pairs as one machine does. Two documents of different sets share no key, so
they are no candidates on one machine either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List

from pyspark.sql import types as T

from .decide import cpus, of_sets, positions
from .failures import guarded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .documents import Documents

__all__ = ["found", "schema"]

LEAST_MEMORY = 64 << 20
"""The smallest memory limit of a run on one machine."""


def schema(documents: "Documents") -> T.StructType:
    """What `found` returns: pairs, and a row for each task with the number of its documents."""
    return T.StructType(
        [
            T.StructField("a_id", documents.id_type),
            T.StructField("b_id", documents.id_type),
            T.StructField("similarity", T.DoubleType()),
            T.StructField("distance", T.LongType()),
            T.StructField("documents", T.LongType()),
        ]
    )


def found(documents: "Documents", sets: "DataFrame", options: Dict[str, Any], partitions: int, memory: int) -> "DataFrame":
    """The pairs of these sets."""
    orders, called = documents.orders, documents.names
    # Rows of a task are known by their places.
    options = {**options, "id": None, "memory": max(memory, LEAST_MEMORY)}

    def stage(batches: Iterator[Any]) -> Iterator[Any]:
        yield from _find(batches, options, orders, called)

    return of_sets(documents, sets, partitions).mapInArrow(guarded(stage), schema(documents))


def _find(
    batches: Iterator[Any], options: Dict[str, Any], orders: List[str], called: Dict[str, str]
) -> Iterator[Any]:
    import numpy
    import pyarrow

    import lookalike

    some = [batch for batch in batches if batch.num_rows]
    if not some:
        return
    rows = pyarrow.Table.from_batches(some)
    ids = rows["_id"]
    place = numpy.array(positions(rows.select([*orders, "_id"])))
    given = rows.select(list(called)).rename_columns(list(called.values()))
    pairs = lookalike.pairs(given, **options, threads=cpus()).to_dict()
    a, b = (numpy.array(pairs[name], dtype=numpy.int64) for name in ("a", "b"))
    # The document that comes first in input order is the first of a pair.
    first, second = numpy.where(place[a] < place[b], (a, b), (b, a))
    similarity = pyarrow.array(pairs["similarity"], pyarrow.float64())
    distance = pyarrow.array(pairs["distance"], pyarrow.int64())
    yield from _rows(len(a), a_id=ids.take(first), b_id=ids.take(second), similarity=similarity, distance=distance)
    yield from _rows(1, a_id=pyarrow.nulls(1, ids.type), b_id=pyarrow.nulls(1, ids.type), documents=[rows.num_rows])


def _rows(count: int, **given: Any) -> Iterator[Any]:
    """Rows with nulls in the columns that are not given."""
    import pyarrow

    kinds = {"similarity": pyarrow.float64(), "distance": pyarrow.int64(), "documents": pyarrow.int64()}
    columns = {name: given[name] for name in ("a_id", "b_id")}
    columns.update({name: given[name] if name in given else pyarrow.nulls(count, kind) for name, kind in kinds.items()})
    if count:
        yield from pyarrow.table(columns).combine_chunks().to_batches()
