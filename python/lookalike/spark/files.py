"""Files -> kept files, the list of removed documents, and the report; or pairs, clusters, sketches. All of it is written by Spark.

Without `id`, a document of Parquet files is its file and its row, as on one machine; `removed` then has `source` and `line`. (Rows
of JSON files have no number in Spark, so there an id is needed.)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from ..errors import NotFoundError, SettingError, TargetError
from .checkpoint import Checkpoint
from .jobs import LINKS_PER_TASK, MEMBERS_PER_WAVE, TASK_MEMORY, Prepared, Sizes, clusters_of, sketch
from .planning import Plan, plan
from .sketches import Sketches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["clusters_of_files", "dedup_files", "pairs_of_files", "plan_of_files", "sketch_files"]

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
    sketches: Optional[str] = None,
    input_format: Optional[str] = None,
    against: Optional[Sequence[str]] = None,
    against_only: bool = False,
    order: Optional[Sequence[str]] = None,
    **options: Any,
) -> Dict[str, Any]:
    """Removes near-duplicates from files, writes `kept`, `removed` and `report` into the folder `output`, and returns the report."""
    given = _Given(spark, inputs, input_format, against, order, options)
    job = given.prepared("dedup", output, checkpoint, sketches, against_only)
    result = job.dedup()
    kept = result.kept.drop(*given.added)
    _write(job.place, "kept", kept, f"{_folder(output)}/kept", given.kind, result.report["counts"]["kept"])
    _write(job.place, "removed", given.with_places(result.removed, "id", "kept_id"), f"{_folder(output)}/removed", "json", None)
    if not given.has_ids:
        result.report["settings"]["id-field"] = None
    text = spark.createDataFrame([(json.dumps(result.report),)], "value string")
    text.coalesce(1).write.mode("overwrite").text(f"{_folder(output)}/report")
    return result.report


def pairs_of_files(
    spark: "SparkSession",
    inputs: Sequence[str],
    *,
    output: str,
    checkpoint: Optional[str] = None,
    sketches: Optional[str] = None,
    input_format: Optional[str] = None,
    order: Optional[Sequence[str]] = None,
    **options: Any,
) -> int:
    """Writes all pairs of similar documents of files as JSON into the folder `output`, and returns how many there are."""
    given = _Given(spark, inputs, input_format, None, order, options)
    job = given.prepared("pairs", output, checkpoint, sketches, False)
    rows = given.with_places(job.pairs(), "a_id", "b_id")
    _write(job.place, "written", rows, _folder(output), "json", None)
    return int(rows.count())


def clusters_of_files(
    spark: "SparkSession",
    inputs: Sequence[str],
    *,
    output: str,
    checkpoint: Optional[str] = None,
    sketches: Optional[str] = None,
    input_format: Optional[str] = None,
    against: Optional[Sequence[str]] = None,
    against_only: bool = False,
    order: Optional[Sequence[str]] = None,
    **options: Any,
) -> int:
    """Writes the clusters of files as JSON into the folder `output`, a row for each member, and returns how many rows there are."""
    given = _Given(spark, inputs, input_format, against, order, options)
    job = given.prepared("clusters", output, checkpoint, sketches, against_only)
    rows = given.with_places(clusters_of(job.dedup()), "id", "kept_id")
    _write(job.place, "written", rows, _folder(output), "json", None)
    return int(rows.count())


def sketch_files(
    spark: "SparkSession",
    inputs: Sequence[str],
    *,
    output: str,
    input_format: Optional[str] = None,
    against: Optional[Sequence[str]] = None,
    **options: Any,
) -> Sketches:
    """Sketches the documents of files into the folder `output`."""
    given = _Given(spark, inputs, input_format, against, None, options)
    return sketch(given.frame, checkpoint=_folder(output), against=given.against, source=given.source, **given.options)


def plan_of_files(spark: "SparkSession", inputs: Sequence[str], *, input_format: Optional[str] = None, **options: Any) -> Plan:
    """What `dedup_files` would cost. Options are those of `plan`."""
    given = _Given(spark, inputs, input_format, None, None, options)
    return plan(given.frame, show=False, **given.options)


class _Given:
    """The documents of files. Without ids they have columns of their own, which stand for ids."""

    def __init__(
        self,
        spark: "SparkSession",
        inputs: Sequence[str],
        input_format: Optional[str],
        against: Optional[Sequence[str]],
        order: Optional[Sequence[str]],
        options: Dict[str, Any],
    ) -> None:
        self.kind = input_format or _format(inputs)
        self.has_ids = options.get("id") is not None
        if not self.has_ids and self.kind != "parquet":
            raise SettingError("rows of JSON files have no number in Spark: name the field of ids with --id-field, or use Parquet")
        self.frame = _read(spark, inputs, self.kind, self.has_ids)
        self.against = None if against is None else _read(spark, against, self.kind, self.has_ids)
        self.added = () if self.has_ids else (PLACE, SOURCE, LINE)
        self.options = options if self.has_ids else {**options, "id": PLACE}
        self.order = order if self.has_ids or order else [SOURCE, LINE]
        self.source = None if self.has_ids else SOURCE

    def prepared(
        self, writes: str, output: str, checkpoint: Optional[str], sketches: Optional[str], against_only: bool
    ) -> Prepared:
        """The job that writes these things, whose output is refused if it has something in it that this job did not write."""
        job = "dedup" if writes == "clusters" else writes
        spark, folder = self.frame.sparkSession, _folder(output)
        place = checkpoint if checkpoint is not None else f"{folder}.checkpoint"
        claimed = _claimed(spark, Checkpoint(spark, place), folder, writes)
        sizes = Sizes(LINKS_PER_TASK, MEMBERS_PER_WAVE, TASK_MEMORY)
        source = self.source if job == "dedup" else None
        prepared = Prepared(
            job, self.frame, place, sketches, self.against, against_only, self.order, source, sizes, self.options
        )
        # Only now is it known that the checkpoint is that of this job.
        prepared.place.note("output", {"paths": claimed})
        return prepared

    def with_places(self, rows: "DataFrame", *ids: str) -> "DataFrame":
        """Rows with the file and the row that these ids consist of, if they stand for that."""
        if self.has_ids:
            return rows
        parts = {}
        for name in ids:
            before = name[: -len("id")]
            for part, group in (("source", 1), ("line", 2)):
                found = F.regexp_extract(name, r"^(.*):(\d+)$", group)
                parts[f"{before}{part}"] = found.cast("bigint") if part == "line" else found
        return rows.withColumns(parts)


def _folder(output: str) -> str:
    return output.rstrip("/")


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


def _claimed(spark: "SparkSession", marks: Checkpoint, output: str, writes: str) -> Dict[str, str]:
    """The outputs of a job and what is written to each, with this one. An error if it has something in it which the job did not
    write, or wrote as something else."""
    known = marks.record("output")
    paths: Dict[str, str] = {} if known is None else known["paths"]
    other = paths.get(output, writes)
    if other != writes:
        raise TargetError(f"the folder {output} has what `{other}` wrote; name another for `{writes}`, or remove it")
    if output not in paths:
        found = _some_file(spark, output)
        if found is not None:
            raise TargetError(f"the folder {output} is not empty: it has {found}; name another, or remove it")
    return {**paths, output: writes}


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
