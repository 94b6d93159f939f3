"""Files -> kept files, the list of removed documents, and the report, all written by Spark.

Without `id`, a document of Parquet files is its file and its row, as on one machine; `removed` then has `source` and `line`. (Rows
of JSON files have no number in Spark, so there an id is needed.)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Tuple

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from ..errors import NotFoundError, SettingError, TargetError
from .checkpoint import Checkpoint
from .jobs import dedup

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["dedup_files"]

PLACE, SOURCE, LINE = "_lookalike_place", "_lookalike_source", "_lookalike_line"
"""The columns that stand for ids, where there are none."""
_ENDINGS = {"parquet": (".parquet",), "json": (".jsonl", ".json", ".ndjson")}
_COMPRESSED = (".gz", ".zst", ".zstd", ".bz2")


def dedup_files(
    spark: "SparkSession",
    inputs: Sequence[str],
    *,
    output: str,
    checkpoint: Optional[str] = None,
    input_format: Optional[str] = None,
    against: Optional[Sequence[str]] = None,
    against_only: bool = False,
    order: Optional[Sequence[str]] = None,
    **options: Any,
) -> Dict[str, Any]:
    """Removes near-duplicates from files, writes `kept`, `removed` and `report` into the folder `output`, and returns the report."""
    output = output.rstrip("/")
    place = checkpoint if checkpoint is not None else f"{output}.checkpoint"
    kind = input_format or _format(inputs)
    has_ids = options.get("id") is not None
    if not has_ids and kind != "parquet":
        raise SettingError("rows of JSON files have no number in Spark: name the field of ids with --id-field, or use Parquet")
    frame = _read(spark, inputs, kind, has_ids)
    other = None if against is None else _read(spark, against, kind, has_ids)
    if not has_ids:
        options, order = {**options, "id": PLACE}, order or [SOURCE, LINE]
    marks = Checkpoint(spark, place)
    _claim(spark, marks, output)
    result = dedup(
        frame,
        checkpoint=place,
        against=other,
        against_only=against_only,
        order=order,
        source=None if has_ids else SOURCE,
        **options,
    )
    kept = result.kept if has_ids else result.kept.drop(PLACE, SOURCE, LINE)
    _write(marks, "kept", kept, f"{output}/kept", kind, result.report["counts"]["kept"])
    removed = result.removed if has_ids else _with_places(result.removed)
    _write(marks, "removed", removed, f"{output}/removed", "json", None)
    if not has_ids:
        result.report["settings"]["id-field"] = None
    text = spark.createDataFrame([(json.dumps(result.report),)], "value string")
    text.coalesce(1).write.mode("overwrite").text(f"{output}/report")
    return result.report


def _format(inputs: Sequence[str]) -> str:
    for kind, endings in _ENDINGS.items():
        if all(_bare(name).endswith(endings) for name in inputs):
            return kind
    # Folders, mostly of what Spark wrote.
    return "parquet"


def _bare(name: str) -> str:
    for ending in _COMPRESSED:
        name = name[: -len(ending)] if name.endswith(ending) else name
    return name


def _read(spark: "SparkSession", inputs: Sequence[str], kind: str, has_ids: bool) -> "DataFrame":
    try:
        rows = spark.read.format(kind).load(list(inputs))
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            raise NotFoundError(f"there is no such file or folder: {', '.join(inputs)}") from error
        raise
    if has_ids:
        return rows
    line = F.col("_metadata.row_index") + 1
    place = F.concat(F.col("_metadata.file_path"), F.lit(":"), line)
    return rows.withColumns({SOURCE: F.col("_metadata.file_path"), LINE: line, PLACE: place})


def _with_places(removed: "DataFrame") -> "DataFrame":
    """Removed documents with the file and the row that their ids consist of."""

    def parts(name: str) -> Tuple[Any, Any]:
        return F.regexp_extract(name, r"^(.*):(\d+)$", 1), F.regexp_extract(name, r"^(.*):(\d+)$", 2).cast("bigint")

    source, line = parts("id")
    kept_source, kept_line = parts("kept_id")
    return removed.withColumns({"source": source, "line": line, "kept_source": kept_source, "kept_line": kept_line})


def _claim(spark: "SparkSession", marks: Checkpoint, output: str) -> None:
    """Refuses an output that has something in it which this job did not write."""
    claimed = marks.record("output")
    if claimed is not None and claimed["path"] == output:
        return
    found = _some_file(spark, output)
    if found is not None:
        raise TargetError(f"the folder {output} is not empty: it has {found}; name another, or remove it")
    marks.note("output", {"path": output})


def _some_file(spark: "SparkSession", folder: str) -> Optional[str]:
    """A file in a folder; None if there is none, or no such folder."""
    try:
        files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(folder)
        found = files.select("path").first()
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise
        return None
    return None if found is None else str(found[0])


def _write(marks: Checkpoint, name: str, rows: "DataFrame", path: str, kind: str, expected: Optional[int]) -> None:
    """Writes rows, unless an earlier run has written them."""
    written_before = marks.record(name)
    if written_before is not None and written_before["path"] == path and _some_file(rows.sparkSession, path) is not None:
        return
    rows.write.mode("overwrite").format(kind).save(path)
    if expected is not None:
        spark = rows.sparkSession
        written = spark.read.schema(rows.schema).format(kind).load(path).count()
        if written != expected:
            raise TargetError(
                f"{written} rows were written to {path}, and {expected} should be: the inputs changed since they were first read; "
                "write them to files that nobody changes, and start again with another output"
            )
    marks.note(name, {"path": path})
