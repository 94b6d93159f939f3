"""What a job returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

from pyspark.sql import functions as F

from .documents import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .documents import Columns

__all__ = ["Deduplication"]

BROADCAST_ROWS = 4_000_000
"""Up to so many removed ids are sent to every executor; above that Spark joins as it sees fit."""
_REMOVED = "_lookalike_removed"
"""The name of the column of removed ids in the join."""


class Deduplication:
    """The rows that stay, the documents that are removed, and the report."""

    def __init__(self, frame: "DataFrame", columns: "Columns", removed: "DataFrame", report: Dict[str, Any]) -> None:
        self._frame = frame
        self._columns = columns
        self._removed = removed
        self.report = report
        """The fields of `report.json`."""

    @property
    def removed(self) -> "DataFrame":
        """The removed documents: `id`, `kind`, `kept_id`, `similarity`, `distance`, `reason`; with `against`, also whether
        the kept document is one of those."""
        bad = self._bad()
        return self._removed if bad is None else self._removed.unionByName(bad, allowMissingColumns=True)

    @property
    def kept(self) -> "DataFrame":
        """The rows that stay, with all their columns. They are read again from the DataFrame that was given."""
        ids = self._removed.select(F.col("id").alias(_REMOVED))
        counts = self.report["counts"]
        if counts["exact"] + counts["near"] <= BROADCAST_ROWS:
            ids = F.broadcast(ids)
        rows = self._frame
        if self._skips():
            rows = rows.where(self._text().isNotNull())
        return rows.join(ids, rows[quoted(self._columns.id)] == ids[_REMOVED], "left_anti")

    def _skips(self) -> bool:
        return bool(self.report["settings"]["on-bad-record"] == "skip" and self.report["counts"]["bad_skipped"])

    def _text(self) -> Any:
        return self._frame[quoted(self._columns.text)]

    def _bad(self) -> Any:
        if not self._skips():
            return None
        reason = f"the field `{self._columns.text}` is null"
        return self._frame.where(self._text().isNull()).select(
            self._frame[quoted(self._columns.id)].alias("id"), F.lit("bad").alias("kind"), F.lit(reason).alias("reason")
        )

    def __repr__(self) -> str:
        counts = self.report["counts"]
        return f"<{counts['documents']} documents: {counts['exact']} exact copies and {counts['near']} near-duplicates removed>"
