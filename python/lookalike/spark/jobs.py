"""Whole jobs on DataFrames."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from pyspark.sql import functions as F

from .. import __version__, _native
from .._options import FILES_ONLY, Options, whole
from ..errors import BadRecordError, DuplicateIdError, SettingError, TargetError
from . import decide, edges, keys, sets
from .check import check
from .checkpoint import Checkpoint
from .documents import Documents, columns, documents
from .failures import BadRecordInTask, guarded, translated
from .result import Deduplication
from .run import Run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

__all__ = ["clusters", "dedup"]

LINKS_PER_TASK = 1 << 26
"""Links that one task puts together: 16 bytes each, and some times that while it works."""
MEMBERS_PER_WAVE = 4_000_000
"""Documents of sets whose numbers are broadcast at once, through the driver to every executor."""
TASK_MEMORY = "256MiB"
"""What the sets of shingles of a task may take, outside the heap of the JVM. Beyond that they go to a local file."""
KEY_BYTES_PER_TASK = 32 << 20
"""Packed keys that a task connects, about."""
TEXT_BYTES_PER_TASK = 16 << 20
"""Texts that a task decides, about, unless a set has more."""
DOCUMENTS_PER_BLOCK = 200_000
"""Documents whose keys fill a block, about: with 21 keys each, 16 bytes for a key, that is 75 MB."""
MOST_BLOCKS = 1 << 16
"""A task makes a row for each block and chunk of documents, so there may be as many as a chunk has documents."""

_NOT_HERE = ("memory", "threads", "temp_dir")


def dedup(
    df: "DataFrame",
    *,
    checkpoint: str,
    against: Optional["DataFrame"] = None,
    against_only: bool = False,
    order: Union[str, Sequence[str], None] = None,
    source: Optional[str] = None,
    links_per_task: int = LINKS_PER_TASK,
    members_per_wave: int = MEMBERS_PER_WAVE,
    task_memory: Union[int, str] = TASK_MEMORY,
    **options: "Unpack[Options]",
) -> Deduplication:
    """Removes near-duplicates from a DataFrame, as `lookalike.dedup` does from a table.

    Args:
        df: the documents. Rows are read three times: for keys, for the texts of documents that may be duplicates, and when
            `kept` is used.
        checkpoint: the address of a folder that all executors can write to. A job that was killed goes on from it; a folder of
            another job is refused.
        against: documents that come first in keep order and are not removed, with the same columns.
        against_only: compare documents only with those of `against`.
        order: the column, or columns, that say which document comes first (default: the id).
        source: the column with names of sources, for `prefer` and for the report.
        links_per_task: up to so many links between documents, one task finds the connected sets. It changes no answer.
        members_per_wave: so many documents are decided at once; each wave reads the documents again. It changes no answer.
        task_memory: what the sets of shingles of a task may take in memory, as in "256MiB". It changes no answer.
        **options: see `lookalike.Options`. `id` is needed. What is for files or for one machine is refused.
    """
    started = time.time()
    chosen = _options(options)
    if against_only and against is None:
        raise SettingError("against_only compares documents with those of against: name them too")
    named = columns(chosen, order, source)
    run = Run(chosen, against_only, _native.new_key())
    given = documents(df, against, named)
    limits = [whole("links_per_task", links_per_task, 1), whole("members_per_wave", members_per_wave, 1)]
    memory = _native.parse_size(task_memory) if isinstance(task_memory, str) else whole("task_memory", task_memory, 1)
    spark = df.sparkSession
    place = Checkpoint(spark, checkpoint)
    tasks = check(spark)
    place.begin(
        {
            "lookalike": __version__,
            "settings": run.settings(),
            "columns": {"id": named.id, "order": list(named.order), "source": named.source, "against": given.has_against},
        }
    )
    job = _Job(given, run, place, tasks)
    packed = job.keys()
    linked = job.edges(packed)
    members = job.sets(linked, limits[0])
    waves = job.decide(members, limits[1], memory)
    removed = _removed(waves, given)
    report = run.report(job.tally([packed, *waves]))
    report["run"].update(started=int(started), seconds=time.time() - started, threads=tasks, resumed=bool(place.done))
    report["run"]["finished_before"] = place.done
    return Deduplication(df, named, removed, report)


def clusters(df: "DataFrame", **given: Any) -> "DataFrame":
    """All clusters of at least two documents: a row for each document, with the kept one of its cluster (`kept_id`) and its
    similarity to that. The kept document itself is a row too, without a similarity.

    Args:
        df: the documents.
        **given: what `dedup` takes.
    """
    members = dedup(df, **given).removed.where("kept_id is not null").select("kept_id", "id", "similarity")
    kept = members.select("kept_id", F.col("kept_id").alias("id"), F.lit(None).cast("double").alias("similarity"))
    return kept.distinct().unionByName(members)


def _options(options: Any) -> Dict[str, Any]:
    for name in FILES_ONLY:
        if options.get(name) not in (None, False):
            raise TypeError(f"{name} is for files, and this is a DataFrame")
    for name in _NOT_HERE:
        if options.get(name) is not None:
            raise TypeError(f"{name} is for one machine; on a cluster, Spark's own settings say it")
    chosen = {name: value for name, value in options.items() if value is not None or name == "bands"}
    if "weights" in chosen:
        chosen["weights"] = os.fsdecode(chosen["weights"])
    return chosen


class _Job:
    """The stages of one job, each with what the one before it wrote."""

    def __init__(self, given: Documents, run: Run, place: Checkpoint, tasks: int) -> None:
        self.given, self.run, self.place, self.tasks = given, run, place, tasks

    def keys(self) -> "DataFrame":
        inputs = self.place.record("keys")
        if inputs is not None:
            self._check_inputs(inputs)

        def make() -> "DataFrame":
            blocks = self.given.frame.count() // DOCUMENTS_PER_BLOCK
            return keys.packed(self.given, self.run, min(max(blocks, 2 * self.tasks), MOST_BLOCKS))

        def summary(rows: "DataFrame") -> Dict[str, Any]:
            return _row(
                rows.agg(
                    F.coalesce(F.sum("documents"), F.lit(0)).alias("documents"),
                    F.coalesce(F.sum("text_bytes"), F.lit(0)).alias("text_bytes"),
                    F.coalesce(F.bit_xor("inputs"), F.lit(0)).alias("inputs"),
                    F.coalesce(F.sum(F.length("entries") + F.length("links") + F.length("numbers")), F.lit(0)).alias("bytes"),
                )
            )

        try:
            rows, record = self.place.stage("keys", make, summary)
        except BadRecordInTask:
            raise self._bad_record() from None
        self.record = record
        return rows

    def edges(self, packed: "DataFrame") -> "DataFrame":
        partitions = max(self.tasks, self.record["bytes"] // KEY_BYTES_PER_TASK)

        def summary(rows: "DataFrame") -> Dict[str, Any]:
            found = _row(
                rows.agg(
                    F.coalesce(F.sum(F.length("links")), F.lit(0)).alias("bytes"),
                    F.max(F.when(F.length("repeated") > 0, F.col("repeated"))).alias("repeated"),
                )
            )
            self._check_repeated(found.pop("repeated"))
            return {"links": found["bytes"] // 16}

        rows, self.links = self.place.stage("edges", lambda: edges.connected(packed, partitions), summary)
        return rows

    def sets(self, linked: "DataFrame", limit: int) -> "DataFrame":
        def make() -> "DataFrame":
            count = self.links["links"]
            if count <= limit:
                return sets.in_one_task(linked)
            partitions = max(self.tasks, 16 * count // KEY_BYTES_PER_TASK)

            def keep(name: str, rows: "DataFrame") -> "DataFrame":
                return self.place.stage(f"sets-{name}", lambda: rows, lambda _: {})[0]

            return sets.in_rounds(linked, partitions, keep)

        rows, self.members = self.place.stage("sets", make, lambda rows: {"members": rows.count()})
        return rows

    def decide(self, members: "DataFrame", limit: int, memory: int) -> List["DataFrame"]:
        count = self.members["members"]
        waves = max(1, -(-count // limit))
        mean = self.record["text_bytes"] // max(self.record["documents"], 1)
        partitions = max(self.tasks, count * mean // TEXT_BYTES_PER_TASK // waves)
        done, found = [], 0
        for wave in range(waves):
            of_wave = members.where(F.pmod(F.xxhash64("component"), F.lit(waves)) == wave)

            def make(of_wave: "DataFrame" = of_wave) -> "DataFrame":
                return decide.decided(self.given, of_wave, self.run, partitions, memory)

            def summary(rows: "DataFrame") -> Dict[str, Any]:
                return _row(rows.agg(F.coalesce(F.sum("documents"), F.lit(0)).alias("documents")))

            rows, record = self.place.stage(f"decide-{wave}-of-{waves}", make, summary)
            done.append(rows)
            found += record["documents"]
        if found < count:
            raise TargetError(
                f"{count} documents were in connected sets, and only {found} were there at the second read: the inputs changed "
                "in between; write them to files that nobody changes, and start again with another checkpoint"
            )
        return done

    def tally(self, counted: List["DataFrame"]) -> str:
        """What all tasks counted."""

        def stage(batches: Any) -> Any:
            import pyarrow

            tallies = [tally for batch in batches for tally in batch.column("tally").to_pylist()]
            yield pyarrow.RecordBatch.from_pydict({"tally": pyarrow.array([_native.add_tallies(tallies)])})

        rows = counted[0].select("tally")
        for more in counted[1:]:
            rows = rows.unionByName(more.select("tally"))
        with translated():
            found = rows.where("tally is not null").repartition(1).mapInArrow(guarded(stage), "tally string").first()
        return _native.add_tallies([] if found is None else [found.tally])

    def _check_inputs(self, record: Dict[str, Any]) -> None:
        now = _row(self.given.frame.agg(F.count(F.lit(1)).alias("documents"), F.coalesce(F.bit_xor("_check"), F.lit(0)).alias("inputs")))
        if now["documents"] != record["documents"]:
            why = f"they were {record['documents']} rows and are {now['documents']}"
        elif now["inputs"] != record["inputs"]:
            why = f"they are still {now['documents']} rows, but not the same ones"
        else:
            return
        raise TargetError(
            f"the inputs changed since the checkpoint {self.place.path} was written: {why}. Name another folder, or remove this one"
        )

    def _check_repeated(self, numbers: Optional[bytes]) -> None:
        """An error if numbers that come twice are of ids that do."""
        if not numbers:
            return
        some = [int.from_bytes(numbers[at : at + 8], "little", signed=True) for at in range(0, min(len(numbers), 800), 8)]
        same = ["_id", "_against"] if self.given.has_against else ["_id"]
        twice = self.given.frame.where(F.col("_number").isin(some)).groupBy(*same).count().where("count > 1").first()
        if twice is not None:
            raise DuplicateIdError(
                f"the id {twice[0]!r} is that of {twice['count']} rows; here an id is all that tells documents apart, so "
                "make ids unique, for example with the name of the source in front"
            )

    def _bad_record(self) -> BadRecordError:
        text = self.given.columns.text
        found = self.given.frame.where(F.col(_quoted(text)).isNull()).select("_id").first()
        identity: Any = None if found is None else found[0]
        return BadRecordError("id", identity, f"the field `{text}` is null")


def _removed(waves: List["DataFrame"], given: Documents) -> "DataFrame":
    rows = waves[0]
    for more in waves[1:]:
        rows = rows.unionByName(more)
    shown = ["id", "kind", "kept_id", "similarity", "distance", "reason", *(["against"] if given.has_against else [])]
    return rows.where("tally is null").select(*shown)


def _row(frame: "DataFrame") -> Dict[str, Any]:
    """The only row of an aggregate."""
    found = frame.first()
    assert found is not None, "an aggregate has a row"
    return dict(found.asDict())


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
