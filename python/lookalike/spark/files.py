"""Files -> kept files, the list of removed documents, and the report; or pairs, clusters, sketches. All of it is written by Spark.

Documents come in the order of one machine: arguments in their order, the files of a folder by their names, rows by their numbers. Without
`id`, a document of Parquet files is its file and its row; `removed` then has `source` and `line`. (Rows of JSON files have no number in
Spark, so there an id is needed, which orders the documents of a file.)
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence
from urllib.parse import unquote

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from .. import _native
from ..errors import NotFoundError, SettingError
from .failures import translated
from .jobs import LINKS_PER_TASK, MEMBERS_PER_WAVE, TASK_MEMORY, Prepared, Sizes, checked_options, clusters_of, sketch
from .outputs import Output
from .planning import Plan, plan
from .run import Run
from .sketches import Sketches
from .sources import File, files_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["clusters_of_files", "dedup_files", "pairs_of_files", "plan_of_files", "sketch_files"]

PLACE, ARGUMENT, SOURCE, LINE = "_lookalike_place", "_lookalike_argument", "_lookalike_source", "_lookalike_line"
"""The columns that say which document this is: the first stands for an id, where there is none."""
_ADDRESS = "_lookalike_address"
_ENDINGS = {"parquet": (".parquet",), "json": (".jsonl", ".json", ".ndjson")}
_COMPRESSED = (".gz", ".zst", ".zstd", ".bz2")


@translated()
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
    out = given.output("dedup", output, checkpoint)
    job = given.prepared("dedup", out, sketches, against_only)
    with out.claimed():
        result = job.dedup()
        counts = result.report["counts"]
        removed = given.with_places(result.removed, "id", "kept_id")
        out.write("kept", result.kept.drop(*given.added), f"{out.folder}/kept", given.kind, counts["kept"])
        out.write("removed", removed, f"{out.folder}/removed", "json", counts["exact"] + counts["near"] + counts["bad_skipped"])
        if not given.has_ids:
            result.report["settings"]["id-field"] = None
        result.report["sources"] = given.all_sources(result.report["sources"])
        text = spark.createDataFrame([(json.dumps(result.report),)], "value string")
        out.hold()
        text.coalesce(1).write.mode("overwrite").text(f"{out.folder}/report")
    return result.report


@translated()
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
    out = given.output("pairs", output, checkpoint)
    job = given.prepared("pairs", out, sketches, False)
    with out.claimed():
        rows = given.with_places(job.pairs(), "a_id", "b_id")
        count = int(rows.count())
        out.write("written", rows, out.folder, "json", count)
    return count


@translated()
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
    out = given.output("clusters", output, checkpoint)
    job = given.prepared("dedup", out, sketches, against_only)
    with out.claimed():
        rows = given.with_places(clusters_of(job.dedup()), "id", "kept_id")
        count = int(rows.count())
        out.write("written", rows, out.folder, "json", count)
    return count


@translated()
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
    return sketch(given.frame, checkpoint=_folder(output), against=given.against, source=SOURCE, **given.options)


@translated()
def plan_of_files(spark: "SparkSession", inputs: Sequence[str], *, input_format: Optional[str] = None, **options: Any) -> Plan:
    """What `dedup_files` would cost. Options are those of `plan`."""
    asked = {name: options.pop(name) for name in ("in_sets", "machine_cores") if name in options}
    given = _Given(spark, inputs, input_format, None, None, options)
    # Which source comes first costs nothing.
    return plan(given.frame, show=False, **asked, **{**given.options, "prefer": None})


class _Given:
    """The documents of files, with columns for their places."""

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
        self.options = options if self.has_ids else {**options, "id": PLACE}
        rows = _rows(spark, inputs, self.kind)
        self.files = _files(inputs, rows)
        self._check_preferred()
        self.frame = _placed(rows, self.files, self.kind)
        self.against: Optional["DataFrame"] = None
        self.against_files: List[File] = []
        if against is not None:
            rows = _rows(spark, against, self.kind)
            self.against_files = _files(against, rows)
            self.against = _placed(rows, self.against_files, self.kind)
        self.added = (ARGUMENT, SOURCE, LINE, PLACE)
        self.order = order or [ARGUMENT, SOURCE, LINE if self.kind == "parquet" else self.options["id"]]

    def _check_preferred(self) -> None:
        """An error if a pattern of `prefer` names no file, before anything is read."""
        if self.options.get("prefer"):
            native = Run(checked_options(self.options), False, _native.new_key()).native
            native.check_sources([file.name for file in self.files])

    def output(self, writes: str, folder: str, checkpoint: Optional[str]) -> Output:
        """The output of a job, which is refused if it has something in it that this job did not write."""
        folder = _folder(folder)
        out = Output(self.frame.sparkSession, folder, writes, checkpoint if checkpoint is not None else f"{folder}.checkpoint")
        out.check()
        return out

    def prepared(self, job: str, out: Output, sketches: Optional[str], against_only: bool) -> Prepared:
        """The job, whose settings, executors and checkpoint are checked."""
        sizes = Sizes(LINKS_PER_TASK, MEMBERS_PER_WAVE, TASK_MEMORY)
        source: Optional[str] = SOURCE
        options = self.options
        if job == "pairs":
            # Pairs do not depend on sources.
            source, options = None, {**options, "prefer": None}
        return Prepared(
            job, self.frame, out.place.path, sketches, self.against, against_only, self.order, source, sizes, options, True
        )

    def with_places(self, rows: "DataFrame", *ids: str) -> "DataFrame":
        """Rows with the file and the row that these ids consist of, if they stand for that."""
        if self.has_ids:
            return rows
        parts = {}
        for name in ids:
            before = name[: -len("id")]
            for part, group in (("source", 1), ("line", 2)):
                found = F.regexp_extract(name, r"(?s)^(.*):(\d+)$", group)
                parts[f"{before}{part}"] = found.cast("bigint") if part == "line" else found
        return rows.withColumns(parts)

    def all_sources(self, counted: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """The sources of a report in the order of one machine, with those that have no documents."""
        known = {(source["against"], source["name"]): source for source in counted}
        files = [(True, file.name) for file in self.against_files] + [(False, file.name) for file in self.files]
        empty = {"records": 0, "removed": 0}
        return [known.get((against, name), {"name": name, "against": against, **empty}) for against, name in files]


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


def _rows(spark: "SparkSession", inputs: Sequence[str], kind: str) -> "DataFrame":
    try:
        return spark.read.format(kind).load(list(inputs))
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            raise NotFoundError(f"there is no such file or folder: {', '.join(inputs)}") from error
        raise


def _files(inputs: Sequence[str], rows: "DataFrame") -> List[File]:
    return files_of(inputs, [re.sub("^file:/+", "file:///", address) for address in rows.inputFiles()])


def _placed(rows: "DataFrame", files: Sequence[File], kind: str) -> "DataFrame":
    """Rows with the columns for their places. A file that was not there when files were listed has none, which is an error later."""
    address = F.regexp_replace(F.col("_metadata.file_path"), "^file:/+", "file:///")
    table = [(file.address, file.argument, file.name) for file in files]
    if any("%" in file.address for file in files):
        # Versions of Spark differ in whether rows have addresses with signs as %20, as lists of files do.
        first = rows.select(address).first()
        if first is not None and all(file.address != first[0] for file in files):
            table = [(unquote(file.address), file.argument, file.name) for file in files]
    known = rows.sparkSession.createDataFrame(table, f"{_ADDRESS} string, {ARGUMENT} int, {SOURCE} string")
    line = F.col("_metadata.row_index") + 1 if kind == "parquet" else F.lit(None).cast("bigint")
    placed = rows.withColumns({_ADDRESS: address, LINE: line})
    placed = placed.join(F.broadcast(known), _ADDRESS, "left").drop(_ADDRESS)
    return placed.withColumn(PLACE, F.concat(SOURCE, F.lit(":"), LINE))
