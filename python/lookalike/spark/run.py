"""The kernels of a run, on the driver and on the workers."""

from __future__ import annotations

import functools
import json
from typing import Any, Dict, Iterable, Iterator, List, Optional

from .. import _native
from .._options import resolve

__all__ = ["Run", "chunks", "table_of"]


class Run:
    """The stages of a run with these options. A pickled copy has the same options and the same key."""

    def __init__(self, options: Dict[str, Any], against_only: bool, key: str) -> None:
        self._given = (json.dumps(options, sort_keys=True), against_only, key)
        self.native: Any = _native_run(*self._given)

    def __reduce__(self) -> Any:
        options, against_only, key = self._given
        return _run_again, (options, against_only, key)

    def settings(self) -> Dict[str, Any]:
        """All settings, with the defaults."""
        found: Dict[str, Any] = json.loads(self.native.settings())
        return found

    def report(self, tally: str) -> Dict[str, Any]:
        """The report of a run that counted this."""
        found: Dict[str, Any] = json.loads(self.native.report(tally))
        return found


def _run_again(options: str, against_only: bool, key: str) -> Run:
    return Run(json.loads(options), against_only, key)


@functools.lru_cache(maxsize=4)
def _native_run(options: str, against_only: bool, key: str) -> Any:
    # A worker has many tasks of one run.
    more = {"against-only": True} if against_only else {}
    return _native.ClusterRun(resolve("dedup", json.loads(options), **more), key)


def table_of(batches: List[Any], names: Optional[Dict[str, str]] = None) -> Any:
    """Arrow batches of Spark as a table for the kernels; some columns get other names."""
    import pyarrow

    table = pyarrow.Table.from_batches(batches)
    if names:
        table = table.rename_columns([names.get(name, name) for name in table.column_names])
    return _native.ArrowTable.from_stream(table)


def chunks(batches: Iterable[Any], rows: int, size: int) -> Iterator[List[Any]]:
    """Batches that come one after the other, together until they have so many rows or bytes."""
    some: List[Any] = []
    count = weight = 0
    for batch in batches:
        some.append(batch)
        count += batch.num_rows
        weight += batch.nbytes
        if count >= rows or weight >= size:
            yield some
            some, count, weight = [], 0, 0
    if some:
        yield some
