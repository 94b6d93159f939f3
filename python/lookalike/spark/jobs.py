"""Whole jobs on DataFrames."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from pyspark.sql import functions as F

from .. import __version__, _native
from .._options import FILES_ONLY, Options, whole
from ..errors import SettingError
from . import decide, finding
from .check import check
from .checkpoint import Checkpoint
from .documents import Documents, columns, documents
from .failures import translated
from .flow import Flow
from .result import Deduplication
from .run import Run
from .sketches import Sketches, kept_sketches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

__all__ = ["clusters", "dedup", "pairs", "sketch"]

LINKS_PER_TASK = 1 << 26
"""Links that one task puts together: 16 bytes each, and some times that while it works."""
MEMBERS_PER_WAVE = 4_000_000
"""Documents of sets whose numbers are broadcast at once, about, through the driver to every executor."""
TASK_MEMORY = "256MiB"
"""What the sets of shingles of a task may take, outside the heap of the JVM. Beyond that they go to a local file."""

_NOT_HERE = ("memory", "threads", "temp_dir")


@translated()
def dedup(
    df: "DataFrame",
    *,
    checkpoint: str,
    sketches: Union[str, Sketches, None] = None,
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
        df: the documents. Rows are counted, and then read for keys, in each wave for the texts of documents that may be
            duplicates, and when `kept` is used.
        checkpoint: the address of a folder that all executors can write to. A job that was killed goes on from it; a folder of
            another job is refused.
        sketches: what `sketch` returned for this DataFrame, or the address of its folder; documents are not hashed again.
        against: documents that come first in keep order and are not removed, with the same columns.
        against_only: compare documents only with those of `against`.
        order: the column, or columns, that say which document comes first (default: the id).
        source: the column with names of sources, for `prefer` and for the report.
        links_per_task: up to so many links between documents, one task finds the connected sets. It changes no answer.
        members_per_wave: about so many documents are decided at once, or more if one connected set has more; each wave reads
            the documents again. It changes no answer.
        task_memory: what the sets of shingles of a task may take in memory, as in "256MiB". It changes no answer.
        **options: see `lookalike.Options`. `id` is needed. What is for files or for one machine is refused.
    """
    sizes = Sizes(links_per_task, members_per_wave, task_memory)
    return Prepared("dedup", df, checkpoint, sketches, against, against_only, order, source, sizes, options).dedup()


def clusters(df: "DataFrame", **given: Any) -> "DataFrame":
    """All clusters of at least two documents: a row for each document, with the kept one of its cluster (`kept_id`) and its
    similarity to that. The kept document itself is a row too, without a similarity.

    Args:
        df: the documents.
        **given: what `dedup` takes.
    """
    return clusters_of(dedup(df, **given))


def clusters_of(result: Deduplication) -> "DataFrame":
    """The clusters of what `dedup` returned."""
    # Documents of `against` may have the ids of others.
    marks = ["against"] if "against" in result.removed.columns else []
    members = result.removed.where("kept_id is not null").select("kept_id", "id", "similarity", *marks)
    kept = members.select("kept_id", F.col("kept_id").alias("id"), F.lit(None).cast("double").alias("similarity"), *marks)
    return kept.distinct().unionByName(members)


@translated()
def pairs(
    df: "DataFrame",
    *,
    checkpoint: str,
    sketches: Union[str, Sketches, None] = None,
    order: Union[str, Sequence[str], None] = None,
    links_per_task: int = LINKS_PER_TASK,
    members_per_wave: int = MEMBERS_PER_WAVE,
    task_memory: Union[int, str] = TASK_MEMORY,
    **options: "Unpack[Options]",
) -> "DataFrame":
    """All pairs of documents that are at least as similar as the threshold: those of `lookalike.pairs` on a table.

    A row is a pair: `a_id`, which comes first in the order, `b_id`, `similarity` and, with SimHash, `distance`. A set of n copies has
    n (n - 1) / 2 pairs, and the task that has the set makes all of them.

    Args:
        df: the documents.
        checkpoint, sketches, order, links_per_task, members_per_wave, task_memory: as for `dedup`.
        **options: see `lookalike.Options`. `id` is needed.
    """
    sizes = Sizes(links_per_task, members_per_wave, task_memory)
    return Prepared("pairs", df, checkpoint, sketches, None, False, order, None, sizes, options).pairs()


@translated()
def sketch(
    df: "DataFrame",
    *,
    checkpoint: str,
    against: Optional["DataFrame"] = None,
    source: Optional[str] = None,
    links_per_task: int = LINKS_PER_TASK,
    **options: "Unpack[Options]",
) -> Sketches:
    """Sketches the documents of a DataFrame and finds out which may be duplicates; `dedup`, `pairs` and `clusters` of the same
    DataFrame start from there with `sketches=`.

    Sketches are those of one threshold, since keys depend on it. With sketches, `order`, `clusters`, `prefer`, and `keep` as "first" or
    "longest" can be chosen anew; what contradicts the sketches is refused.

    Args:
        df: the documents.
        checkpoint: the address of the folder for the sketches.
        against, source, links_per_task: as for `dedup`.
        **options: see `lookalike.Options`. `id` is needed.
    """
    sizes = Sizes(links_per_task, MEMBERS_PER_WAVE, TASK_MEMORY)
    prepared = Prepared("sketch", df, checkpoint, None, against, False, None, source, sizes, options)
    flow = prepared.flow
    flow.meet(sizes.links)
    return Sketches(prepared.place.path, flow.read["documents"], flow.count)


class Sizes:
    """How much is done at once. It changes no answer."""

    def __init__(self, links: int, members: int, memory: Union[int, str]) -> None:
        self.links = whole("links_per_task", links, 1)
        self.members = whole("members_per_wave", members, 1)
        self.memory = _native.parse_size(memory) if isinstance(memory, str) else whole("task_memory", memory, 1)


class Prepared:
    """A job whose settings, executors and checkpoint are checked; nothing is read yet."""

    def __init__(
        self,
        job: str,
        df: "DataFrame",
        checkpoint: str,
        sketches: Union[str, Sketches, None],
        against: Optional["DataFrame"],
        against_only: bool,
        order: Union[str, Sequence[str], None],
        source: Optional[str],
        sizes: Sizes,
        options: Any,
        has_known_sources: bool = False,
    ) -> None:
        """With `has_known_sources`, it is known that each pattern of `prefer` names one."""
        self.started = time.time()
        self.options = checked_options(options)
        if against_only and against is None:
            raise SettingError("against_only compares documents with those of against: name them too")
        self.named = columns(self.options, order, source)
        self.run = Run(self.options, against_only, _native.new_key())
        self.df, self.sizes = df, sizes
        self.given = documents(df, against, self.named)
        spark = df.sparkSession
        self.place = Checkpoint(spark, checkpoint)
        read = {
            "id": self.named.id,
            "order": list(self.named.order),
            "others": list(self.named.others),
            "source": self.named.source,
            "against": self.given.has_against,
        }
        met: Optional[Checkpoint] = None
        known: Optional[Documents] = None
        if sketches is not None:
            # Pairs do not depend on sources.
            compared = {name: value for name, value in read.items() if name != "source" or job != "pairs"}
            met, as_sketched = kept_sketches(spark, sketches, self.run.settings(), compared, self.named)
            known = documents(df, against, as_sketched)
        self.tasks = check(spark)
        self.place.begin({"lookalike": __version__, "job": job, "settings": self.run.settings(), "columns": read}, self.tasks)
        self.checks_sources = bool(self.options.get("prefer")) and not has_known_sources
        self.flow = Flow(self.given, self.run, self.place, self.tasks, met, known)

    def dedup(self) -> Deduplication:
        """Decides which documents are removed."""
        flow = self.flow
        flow.meet(self.sizes.links)
        if self.checks_sources:
            sources = self.run.report(flow.tally([flow.packed]))["sources"]
            self.run.native.check_sources([source["name"] for source in sources if not source["against"]])

        def work(members: "DataFrame", partitions: int) -> "DataFrame":
            return decide.decided(self.given, members, self.run, partitions, self.sizes.memory)

        waves = flow.in_waves("decide", self.sizes.members, work)
        report = self.run.report(flow.tally([flow.packed, *waves]))
        seconds = time.time() - self.started
        report["run"].update(started=int(self.started), seconds=seconds, threads=self.tasks, resumed=bool(self.place.done))
        report["run"]["finished_before"] = self.place.done
        shown = ["id", "kind", "kept_id", "similarity", "distance", "reason", *(["against"] if self.given.has_against else [])]
        return Deduplication(self.df, self.named, _together(waves).where("tally is null").select(*shown), report)

    def pairs(self) -> "DataFrame":
        """Finds all pairs."""
        self.flow.meet(self.sizes.links)

        def work(members: "DataFrame", partitions: int) -> "DataFrame":
            return finding.found(self.given, members, self.options, partitions, self.sizes.memory)

        waves = self.flow.in_waves("pairs", self.sizes.members, work)
        return _together(waves).where("documents is null").drop("documents")


def _together(waves: List["DataFrame"]) -> "DataFrame":
    rows = waves[0]
    for more in waves[1:]:
        rows = rows.unionByName(more)
    return rows


def checked_options(options: Any) -> Dict[str, Any]:
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
