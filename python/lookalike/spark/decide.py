"""Stage 4: the documents of connected sets -> which of them are removed, and for which kept one each; the rest of the report.

All documents of a set are in one task, which decides them with the code of one machine. Texts of documents in no set are not sent
anywhere: the numbers of those in sets are broadcast, and each task picks its documents as it reads them. Above a number that is
stated, sets are decided in waves, each with a broadcast and a read of its own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _native
from .documents import TEXT
from .failures import guarded
from .run import Run, table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .documents import Documents

__all__ = ["cpus", "decided", "local_folder", "of_sets", "positions", "schema"]


def schema(documents: "Documents") -> T.StructType:
    """What `decided` returns: removed documents, and a row for each task with what it counted."""
    return T.StructType(
        [
            T.StructField("id", documents.id_type),
            T.StructField("kind", T.StringType()),
            T.StructField("kept_id", documents.id_type),
            T.StructField("similarity", T.DoubleType()),
            T.StructField("distance", T.LongType()),
            T.StructField("reason", T.StringType()),
            T.StructField("against", T.BooleanType()),
            T.StructField("tally", T.StringType()),
            T.StructField("documents", T.LongType()),
        ]
    )


def of_sets(documents: "Documents", sets: "DataFrame", partitions: int) -> "DataFrame":
    """The documents of these sets, all of a set in one partition."""
    given = documents.for_decisions().where(F.col(TEXT).isNotNull())
    members = sets.select(F.col("number").alias("_number"), F.col("component").alias("_component"))
    return given.join(F.broadcast(members), "_number").repartition(partitions, "_component")


def decided(documents: "Documents", sets: "DataFrame", run: Run, partitions: int, memory: int) -> "DataFrame":
    """The removed documents of these sets."""
    orders, called = documents.orders, documents.names

    def stage(batches: Iterator[Any]) -> Iterator[Any]:
        yield from _decide(batches, run, orders, called, memory)

    return of_sets(documents, sets, partitions).mapInArrow(guarded(stage), schema(documents))


def _decide(
    batches: Iterator[Any], run: Run, orders: List[str], called: Dict[str, str], memory: int
) -> Iterator[Any]:
    import pyarrow

    deciding = _native.Deciding(run.native, memory, local_folder(), cpus())
    ids, places, against = [], [], []
    for batch in batches:
        if batch.num_rows:
            names = batch.schema.names
            ids.append(batch.column("_id"))
            places.append(batch.select(orders))
            if "_against" in names:
                against.append(batch.column("_against"))
            deciding.add(table_of([batch.select([name for name in names if name != "_id" and name not in orders])], called))
    if not ids:
        return
    # Rows with the same order are ordered by their ids, so that it does not matter in which order they arrive.
    ordered_by = pyarrow.Table.from_batches(places).append_column("_by_id", pyarrow.chunked_array(ids))
    removed, tally = deciding.decide(positions(ordered_by))
    yield from _rows(pyarrow, removed, pyarrow.chunked_array(ids), pyarrow.chunked_array(against) if against else None)
    count = sum(map(len, ids))
    last = {"tally": pyarrow.array([tally]), "documents": pyarrow.array([count])}
    empty = _columns(pyarrow, ids[0].type)
    yield pyarrow.RecordBatch.from_pydict({name: last.get(name, pyarrow.nulls(1, kind)) for name, kind in empty.items()})


def cpus() -> int:
    """The cores of a task (`spark.task.cpus`), as Spark says them to its workers."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 1 if context is None else max(context.cpus(), 1)


def local_folder() -> Optional[str]:
    """Where a task may write what does not fit into its memory: a folder of `spark.local.dir`, which Spark names to its workers; workers
    on the same host use different ones. None if Spark names none that can be written to."""
    named = [folder for folder in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if folder]
    usable = [folder for folder in named if os.access(folder, os.W_OK | os.X_OK)]
    return usable[os.getpid() % len(usable)] if usable else None


def positions(orders: Any) -> List[int]:
    """Where each row comes in input order, which these columns say."""
    import numpy
    from pyarrow import compute

    ordered = compute.sort_indices(orders, sort_keys=[(name, "ascending") for name in orders.column_names]).to_numpy()
    positions = numpy.empty(len(ordered), dtype=numpy.int64)
    positions[ordered] = numpy.arange(len(ordered))
    return positions.tolist()  # type: ignore[no-any-return]


def _columns(pyarrow: Any, id_type: Any) -> Any:
    return {
        "id": id_type,
        "kind": pyarrow.string(),
        "kept_id": id_type,
        "similarity": pyarrow.float64(),
        "distance": pyarrow.int64(),
        "reason": pyarrow.string(),
        "against": pyarrow.bool_(),
        "tally": pyarrow.string(),
        "documents": pyarrow.int64(),
    }


def _rows(pyarrow: Any, removed: Any, ids: Any, against: Any) -> Iterator[Any]:
    """Removed documents by their ids."""
    found = pyarrow.table(removed)
    count = found.num_rows
    if not count:
        return
    kept = found["kept"]
    columns = {
        "id": ids.take(found["id"]),
        "kept_id": ids.take(kept),
        "against": pyarrow.nulls(count, pyarrow.bool_()) if against is None else against.take(kept),
        **{name: found[name] for name in ("kind", "similarity", "distance", "reason")},
    }
    kinds = _columns(pyarrow, ids.type)
    whole = {name: columns[name] if name in columns else pyarrow.nulls(count, kind) for name, kind in kinds.items()}
    yield from pyarrow.table(whole).combine_chunks().to_batches()
