"""Stage 1: documents -> their keys, packed by block, and the first half of the report.

Rows are what Spark costs, so no document and no key is a row here: a task makes one row for each block of all keys and each chunk
of its documents. The last row of a task is what it counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator

from .. import _native
from ..errors import SettingError
from .documents import TEXT
from .failures import guarded
from .run import Run, chunks, table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .documents import Documents

__all__ = ["SCHEMA", "packed"]

SCHEMA = (
    "block bigint, entries binary, links binary, numbers binary, "
    "tally string, documents bigint, text_bytes bigint, inputs bigint"
)
_KINDS = {
    "block": "int64",
    "entries": "binary",
    "links": "binary",
    "numbers": "binary",
    "tally": "string",
    "documents": "int64",
    "text_bytes": "int64",
    "inputs": "int64",
}

CHUNK_ROWS = 1 << 16
"""Documents whose keys are packed together, at most."""
CHUNK_BYTES = 32 << 20
"""The bytes of their texts, about."""


def packed(documents: "Documents", run: Run, blocks: int) -> "DataFrame":
    """The packed keys of all documents."""
    names = documents.names
    identity = " or ".join(dict.fromkeys([repr(documents.columns.id), *map(repr, documents.columns.order)]))

    def stage(batches: Iterator[Any]) -> Iterator[Any]:
        yield from _pack(batches, run, blocks, names, identity)

    return documents.for_keys().mapInArrow(guarded(stage), SCHEMA)


def _pack(batches: Iterator[Any], run: Run, blocks: int, names: Dict[str, str], identity: str) -> Iterator[Any]:
    import numpy
    import pyarrow

    inputs, tallies, counted = numpy.int64(0), [], {"documents": 0, "text_bytes": 0}
    for chunk in chunks(batches, CHUNK_ROWS, CHUNK_BYTES):
        for batch in chunk:
            if batch.column("_lacks").true_count:
                raise SettingError(f"a row has null for {identity}; every row needs both an id and a place in the order")
            inputs ^= numpy.bitwise_xor.reduce(batch.column("_check").to_numpy(zero_copy_only=False), initial=0)
            counted["documents"] += batch.num_rows
            counted["text_bytes"] += batch.column(TEXT).nbytes
        keys, tally = run.native.pack_keys(table_of(chunk, names), blocks)
        tallies.append(tally)
        for batch in pyarrow.table(keys).to_batches():
            yield _rows(pyarrow, batch.num_rows, **{name: batch.column(name) for name in batch.schema.names})
    if tallies:
        last = {"tally": _native.add_tallies(tallies), "inputs": int(inputs), **counted}
        yield _rows(pyarrow, 1, **{name: pyarrow.array([value]) for name, value in last.items()})


def _rows(pyarrow: Any, count: int, **given: Any) -> Any:
    columns = {}
    for name, kind in _KINDS.items():
        kind = pyarrow.type_for_alias(kind)
        columns[name] = given[name].cast(kind) if name in given else pyarrow.nulls(count, kind)
    return pyarrow.RecordBatch.from_pydict(columns)
