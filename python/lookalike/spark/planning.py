"""What a job would cost, from a formula: rows and bytes of each stage, disk, CPU, and whether one machine would be sooner done.

The formula has the number of documents, the bytes of their texts, the keys of a document, and the share of documents in sets. The first
three are measured, the last one is what is not known before: it is assumed, and said so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from pyspark.sql import functions as F

from .. import _native
from .. import jobs as one_machine
from .._options import Options, whole
from ..errors import SettingError
from .check import check
from .documents import TEXT, columns, documents
from .failures import translated
from .flow import KEY_BYTES_PER_TASK, blocks_of
from .jobs import MEMBERS_PER_WAVE, checked_options
from .keys import CHUNK_BYTES, CHUNK_ROWS
from .run import Run, table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

__all__ = ["Costs", "Plan", "plan", "planned"]

IN_SETS = 0.3
"""The share of documents that share a key with another one, unless the caller knows better."""
SAMPLE = 1_000
"""Documents of which the keys are counted."""
MACHINE_CORES = 16
"""The cores of the machine that the cluster is compared with, unless the caller has another one."""


@dataclass(frozen=True)
class Costs:
    """CPU seconds, fitted to measured runs of the command and of this job in a warm session (`docs/spark.md`), on one machine.

    What a document costs on Spark grows with the share of documents in sets: their texts are shuffled, sketched again and compared.
    """

    alone_text_byte: float = 5.5e-9
    """Of a byte of text on one machine."""
    alone_document: float = 1.7e-6
    """Of a document on one machine, besides its text."""
    text_byte: float = 26e-9
    """Of a byte of text on Spark."""
    document: float = 4.6e-6
    """Of a document on Spark, besides its text: its keys."""
    member: float = 19e-6
    """Of a document in a set on Spark, besides the two."""
    fixed: float = 7.0
    """Of a job on Spark, whatever its size: plans, and the JVM that compiles itself."""

    def alone(self, documents: int, text_bytes: int) -> float:
        """On one machine."""
        return self.alone_document * documents + self.alone_text_byte * text_bytes

    def on_spark(self, documents: int, text_bytes: int, members: int) -> float:
        """On Spark, all executors and the driver together."""
        return self.fixed + self.document * documents + self.text_byte * text_bytes + self.member * members


@dataclass(frozen=True)
class Stage:
    """What a stage reads of the inputs, what it shuffles, and what it writes to the checkpoint."""

    name: str
    shuffled_rows: int
    shuffled_bytes: int
    written_bytes: int
    read_bytes: int = 0
    """Bytes of text. A file of other columns is larger, and a compressed one smaller."""


@dataclass(frozen=True)
class Plan:
    """What a job would cost. `print` shows it."""

    documents: int
    text_bytes: int
    keys_per_document: float
    in_sets: float
    tasks: int
    """Tasks that run at once."""
    machine_cores: int
    bands: str
    waves: int
    stages: List[Stage]
    cpu_seconds: float
    """On Spark, of all executors and the driver."""
    alone_cpu_seconds: float
    """Of `lookalike dedup` on one machine."""

    @property
    def seconds(self) -> float:
        """How long the job takes on this cluster, if all its cores have work."""
        return self.cpu_seconds / self.tasks

    @property
    def alone_seconds(self) -> float:
        """How long it takes on one machine, if all its cores have work."""
        return self.alone_cpu_seconds / self.machine_cores

    @property
    def one_machine_is_sooner(self) -> bool:
        """True if `lookalike dedup` on one machine would be done before this cluster."""
        return self.alone_seconds < self.seconds

    @property
    def disk_bytes(self) -> int:
        """What the checkpoint takes."""
        return sum(stage.written_bytes for stage in self.stages)

    @property
    def read_bytes(self) -> int:
        """Bytes of text that all stages read, and `kept`, which is written from the inputs."""
        return sum(stage.read_bytes for stage in self.stages)

    @property
    def shuffled_rows(self) -> int:
        """Rows of all shuffles."""
        return sum(stage.shuffled_rows for stage in self.stages)

    @property
    def shuffled_bytes(self) -> int:
        """Bytes of all shuffles, texts of documents in sets among them."""
        return sum(stage.shuffled_bytes for stage in self.stages)

    def __str__(self) -> str:
        lines = [
            f"{self.documents:,} documents, {_size(self.text_bytes)} of text, {self.keys_per_document:.1f} keys each ({self.bands})",
            f"assumed: {self.in_sets:.0%} of them share a key with another one; decided in {self.waves} wave{'s' * (self.waves > 1)}",
            f"{'stage':<8}{'text read':>12}{'rows shuffled':>16}{'bytes shuffled':>16}{'to the checkpoint':>19}",
        ]
        for stage in (*self.stages, Stage("all", self.shuffled_rows, self.shuffled_bytes, self.disk_bytes, self.read_bytes)):
            read, shuffled, written = _size(stage.read_bytes), _size(stage.shuffled_bytes), _size(stage.written_bytes)
            lines.append(f"{stage.name:<8}{read:>12}{stage.shuffled_rows:>16,}{shuffled:>16}{written:>19}")
        if self.waves > 1:
            lines.append(
                f"Each wave reads all documents again: {self.waves:,} reads in place of one, which the CPU and the times below do not "
                "count. Fewer waves need a larger members_per_wave, and memory for it on the driver and on every executor."
            )
        cluster = f"{_time(self.cpu_seconds)} of CPU, {_time(self.seconds)} with the {self.tasks} tasks that run at once here"
        alone = f"{_time(self.alone_cpu_seconds)} of CPU, {_time(self.alone_seconds)} with {self.machine_cores} cores"
        lines += [f"on Spark:       about {cluster}", f"on one machine: about {alone}"]
        if self.one_machine_is_sooner and self.alone_seconds > 0:
            enough = -(-self.cpu_seconds // self.alone_seconds)
            lines.append(
                f"One machine would be sooner done: `lookalike dedup`. A cluster pays from about {enough:,.0f} cores on, or if the data "
                "cannot leave it."
            )
        return "\n".join(lines)


@translated()
def plan(
    df: "DataFrame",
    *,
    in_sets: float = IN_SETS,
    machine_cores: int = MACHINE_CORES,
    show: bool = True,
    **options: "Unpack[Options]",
) -> Plan:
    """What `dedup` of a DataFrame would cost. It counts the rows and their bytes, and takes a few texts to count their keys.

    Args:
        df: the documents.
        in_sets: the share of documents that share a key with another one, from 0 to 1.
        machine_cores: the cores of the one machine to compare with.
        show: print the plan too.
        **options: see `lookalike.Options`. `id` is needed.
    """
    if not 0.0 <= in_sets <= 1.0:
        raise SettingError(f"in_sets = {in_sets} is not allowed: it is a share from 0 to 1")
    machine_cores = whole("machine_cores", machine_cores, 1)
    chosen = checked_options(options)
    named = columns(chosen, None, None)
    run = Run(chosen, False, _native.new_key())
    given = documents(df, None, named)
    text = F.col(TEXT)
    tasks = check(df.sparkSession)
    sizes = given.frame.agg(F.count(text).alias("documents"), F.sum(F.octet_length(text)).alias("bytes")).first()
    assert sizes is not None, "an aggregate has a row"
    some = _collected(given.for_keys().where(text.isNotNull()).limit(SAMPLE))
    made = planned(sizes.documents, sizes.bytes or 0, _keys_of(run, some, given.names), _bands(chosen), tasks, in_sets, machine_cores)
    if show:
        print(made)
    return made


def planned(
    documents: int,
    text_bytes: int,
    keys: float,
    bands: str,
    tasks: int,
    in_sets: float = IN_SETS,
    machine_cores: int = MACHINE_CORES,
    costs: Optional[Costs] = None,
) -> Plan:
    """The formula."""
    costs = Costs() if costs is None else costs
    chunks = max(tasks, -(-documents // CHUNK_ROWS), -(-text_bytes // CHUNK_BYTES))
    # A chunk makes a row for each block that one of its keys or documents falls into.
    rows = int(min(chunks * blocks_of(documents, tasks), documents * (keys + 2)))
    # The fingerprint is one more key. An entry has 16 bytes, the number of a document 8.
    key_bytes = int(documents * (16 * (keys + 1) + 8))
    partitions = max(tasks, key_bytes // KEY_BYTES_PER_TASK)
    members = int(documents * in_sets)
    waves = max(1, -(-members // MEMBERS_PER_WAVE))
    # A document has a link for each task that has a shared key of it.
    links = int(members * min(partitions, keys + 1))
    member_text = int(text_bytes * in_sets)
    stages = [
        Stage("keys", 0, 0, key_bytes, text_bytes),
        Stage("edges", rows, key_bytes, 16 * links),
        Stage("sets", partitions, 16 * links, 16 * members),
        Stage("decide", members, member_text + 48 * members, 40 * members, waves * text_bytes),
        Stage("write", 0, 0, 0, text_bytes),
    ]
    return Plan(
        documents,
        text_bytes,
        keys,
        in_sets,
        tasks,
        machine_cores,
        bands,
        waves,
        stages,
        costs.on_spark(documents, text_bytes, members),
        costs.alone(documents, text_bytes),
    )


def _collected(frame: "DataFrame") -> Any:
    """The rows of a small DataFrame as an Arrow table. (`toArrow` does the same, from Spark 4.0 on.)"""
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_schema

    rows = [row.asDict() for row in frame.collect()]
    return pyarrow.Table.from_pylist(rows, schema=to_arrow_schema(frame.schema))


def _keys_of(run: Run, some: Any, names: Dict[str, str]) -> float:
    """How many keys a document has, on average, without the fingerprint."""
    if not some.num_rows:
        return 0.0
    import pyarrow

    packed = pyarrow.table(run.native.pack_keys(table_of(some.to_batches(), names), 1)[0])
    entries = sum(len(value.as_py()) for name in ("entries", "links") for value in packed[name]) // 16
    return float(max(entries / some.num_rows - 1, 0.0))


def _bands(options: Dict[str, Any]) -> str:
    """The plan of bands as a phrase."""
    made = one_machine.plan(1, **options)
    return f"{made.bands} bands of {made.rows} rows" if made.rows else f"{made.bands} tables"


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if count < 1024 or unit == "TiB":
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1024
    raise AssertionError("there is a largest unit")


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
