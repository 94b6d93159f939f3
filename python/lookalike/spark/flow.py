"""The stages of one job, each with what the one before it wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from pyspark.sql import functions as F

from .. import _native
from ..errors import BadRecordError, DuplicateIdError, TargetError
from . import edges, keys, sets
from .checkpoint import Checkpoint
from .documents import TEXT, Documents
from .failures import BadRecordInTask, guarded, translated
from .run import Run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Flow"]

KEY_BYTES_PER_TASK = 32 << 20
"""Packed keys that a task connects, about."""
TEXT_BYTES_PER_TASK = 16 << 20
"""Texts that a task decides, about, unless a set has more."""
DOCUMENTS_PER_BLOCK = 200_000
"""Documents whose keys fill a block, about: with 21 keys each, 16 bytes for a key, that is 75 MB."""
MOST_BLOCKS = 1 << 16
"""A task makes a row for each block and chunk of documents, so there may be as many as a chunk has documents."""


def blocks_of(documents: int, tasks: int) -> int:
    """Into how many blocks all keys are divided."""
    return min(max(documents // DOCUMENTS_PER_BLOCK, 2 * tasks), MOST_BLOCKS)


class Flow:
    """The stages of one job.

    `met` is the checkpoint of the stages up to the connected sets: that of the job itself, or of sketches that were kept. `known` are
    the documents by what those stages read of them.
    """

    def __init__(
        self, given: Documents, run: Run, place: Checkpoint, tasks: int, met: Optional[Checkpoint], known: Optional[Documents]
    ) -> None:
        self.given, self.run, self.place, self.tasks = given, run, place, tasks
        self.met = place if met is None else met
        self.known = given if known is None else known

    def meet(self, links_per_task: int) -> None:
        """Finds the connected sets: all stages that do not compare texts."""
        self.packed = self._keys()
        self.members = self._sets(self._edges(self.packed), links_per_task)

    def _keys(self) -> "DataFrame":
        inputs = self.met.record("keys")
        if inputs is not None:
            self._check_inputs(inputs)

        there: List[int] = []

        def make() -> "DataFrame":
            there.append(self.given.frame.count())
            return keys.packed(self.given, self.run, blocks_of(there[0], self.tasks))

        def summary(rows: "DataFrame") -> Dict[str, Any]:
            found = _row(
                rows.agg(
                    F.coalesce(F.sum("documents"), F.lit(0)).alias("documents"),
                    F.coalesce(F.sum("text_bytes"), F.lit(0)).alias("text_bytes"),
                    F.coalesce(F.bit_xor("inputs"), F.lit(0)).alias("inputs"),
                    F.coalesce(F.sum(F.length("entries") + F.length("links") + F.length("numbers")), F.lit(0)).alias("bytes"),
                )
            )
            if found["documents"] != there[0]:
                raise TargetError(
                    f"there were {there[0]} documents, and the checkpoint {self.met.path} has the keys of {found['documents']}: either "
                    "an executor does not see the same folder there as the others, or the inputs changed in between. Name a folder "
                    "that all share, and write the inputs to files that nobody changes"
                )
            return found

        try:
            rows, self.read = self.met.stage("keys", make, summary)
        except BadRecordInTask:
            raise self._bad_record() from None
        return rows

    def _edges(self, packed: "DataFrame") -> "DataFrame":
        partitions = max(self.tasks, self.read["bytes"] // KEY_BYTES_PER_TASK)

        def summary(rows: "DataFrame") -> Dict[str, Any]:
            found = _row(
                rows.agg(
                    F.coalesce(F.sum(F.length("links")), F.lit(0)).alias("bytes"),
                    F.max(F.when(F.length("repeated") > 0, F.col("repeated"))).alias("repeated"),
                )
            )
            self._check_repeated(found.pop("repeated"))
            return {"links": found["bytes"] // 16}

        rows, self.links = self.met.stage("edges", lambda: edges.connected(packed, partitions), summary)
        return rows

    def _sets(self, linked: "DataFrame", limit: int) -> "DataFrame":
        def make() -> "DataFrame":
            count = self.links["links"]
            if count <= limit:
                return sets.in_one_task(linked)
            partitions = max(self.tasks, 16 * count // KEY_BYTES_PER_TASK)

            def keep(name: str, rows: "DataFrame") -> "DataFrame":
                return self.met.stage(f"sets-{name}", lambda: rows, lambda _: {})[0]

            return sets.in_rounds(linked, partitions, keep)

        rows, record = self.met.stage("sets", make, lambda rows: {"members": rows.count()})
        self.count = record["members"]
        return rows

    def in_waves(
        self, name: str, limit: int, work: Callable[["DataFrame", int], "DataFrame"]
    ) -> List["DataFrame"]:
        """Does `work` with the documents of all sets, of which so many are taken at once; a stage for each wave.

        `work` takes the members of some sets and a number of partitions. Its rows have `documents`: of each task, how many it had.
        """
        waves = max(1, -(-self.count // limit))
        mean = self.read["text_bytes"] // max(self.read["documents"], 1)
        partitions = max(self.tasks, min(self.count, limit) * mean // TEXT_BYTES_PER_TASK)
        done, found = [], 0
        for wave in range(waves):

            def make(wave: int = wave) -> "DataFrame":
                of_wave = self.members
                if waves > 1:
                    of_wave = of_wave.where(F.pmod(F.xxhash64("component"), F.lit(waves)) == wave)
                return work(of_wave, partitions)

            def summary(rows: "DataFrame") -> Dict[str, Any]:
                return _row(rows.agg(F.coalesce(F.sum("documents"), F.lit(0)).alias("documents")))

            rows, record = self.place.stage(f"{name}-{wave}-of-{waves}", make, summary)
            done.append(rows)
            found += record["documents"]
        if found < self.count:
            raise TargetError(
                f"{self.count} documents were in connected sets, and only {found} were there at the second read: the inputs changed "
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
        now = _row(self.known.frame.agg(F.count(F.lit(1)).alias("documents"), F.coalesce(F.bit_xor("_check"), F.lit(0)).alias("inputs")))
        if now["documents"] != record["documents"]:
            why = f"they were {record['documents']} rows and are {now['documents']}"
        elif now["inputs"] != record["inputs"]:
            why = f"they are still {now['documents']} rows, but not the same ones"
        else:
            return
        what = f"the checkpoint {self.met.path} was" if self.met is self.place else f"the sketches in {self.met.path} were"
        raise TargetError(f"the inputs changed since {what} written: {why}. Name another folder, or remove this one")

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
        found = self.given.frame.where(F.col(TEXT).isNull()).select("_id").first()
        identity: Any = None if found is None else found[0]
        return BadRecordError("id", identity, f"the field `{text}` is null")


def _row(frame: "DataFrame") -> Dict[str, Any]:
    """The only row of an aggregate."""
    found = frame.first()
    assert found is not None, "an aggregate has a row"
    return dict(found.asDict())
