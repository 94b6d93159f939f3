"""The stages of a run as functions from Arrow tables to Arrow tables, for use on a cluster.

Whole jobs, as `dedup` decides them:

    id, text                  -> Stages.sketch         -> id, content_hash, shingles, signature, keys, rank, against, ...
    sketches, by content hash -> copies                -> id, original, against, original_against
    sketches without copies   -> key_blocks            -> block, entries
    key blocks, by block      -> edges                 -> a, b
    edges, by document        -> large_star, small_star, in rounds: connected sets
    sketches and texts, by connected set
                              -> Stages.decide         -> id, kept, kind, similarity, distance, reason
    copies, joined with that  -> Stages.removed_copies -> the same of copies
    sketches                  -> Stages.bad_records    -> the same of documents without a text

Pairs, for who wants those:

    key, ids                  -> candidate_pairs             -> a, b
    a, b, signatures of both  -> Stages.signature_similarity -> a, b, similarity, compared
    a, b, texts of both       -> Stages.verify               -> a, b, similarity, duplicate
    documents and pairs       -> Stages.verify_pairs         -> the same; each text is shingled once
    id, text                  -> Stages.prepare              -> id, set

Between them an engine groups rows and joins them; `docs/python/stages.md` has a whole job. The answers are those of a run on
one machine. Tables are anything with `__arrow_c_stream__`; what comes back is an `ArrowTable`, which any Arrow library reads:
`pyarrow.table(t)`, `polars.DataFrame(t)`. Ids and keys are signed 64-bit integers; ids must be unique, and follow the input
order if that is to break ties.

>>> import pyarrow
>>> from lookalike.arrow import Stages
>>> table = pyarrow.table({"id": [1, 2], "text": ["a rose is a rose is a rose", "A rose is a rose; is a rose"]})
>>> sketches = pyarrow.table(Stages(shingles="words:3").sketch(table))
>>> sketches.column_names
['id', 'content_hash', 'shingles', 'signature', 'keys', 'rank', 'against', 'within_hash', 'reason']
>>> sketches["keys"][0] == sketches["keys"][1]
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from . import _native
from ._native import ArrowTable
from ._options import Options, resolve, whole
from ._sources import arrow_table

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "ArrowTable",
    "Stages",
    "candidate_pairs",
    "copies",
    "edges",
    "key_blocks",
    "large_star",
    "small_star",
]


class Stages:
    """The stages of a run with these options; see `lookalike.Options`.

    What decides is hashed with a `key`, which is drawn at random unless it is given. A pickled copy has the same one, so all
    workers that are sent a copy can compare what any of them prepared. `against_only` is that of `dedup`.
    """

    def __init__(
        self, *, key: Optional[str] = None, against_only: bool = False, **options: Unpack[Options]
    ) -> None:
        self._key = _native.new_key() if key is None else key
        self._against_only = against_only
        self._options = dict(options)
        more = {"against-only": True} if against_only else {}
        self._native = _native.Stages(resolve("Stages", self._options, **more), self._key)

    def __reduce__(self) -> Any:
        return _stages, (self._key, self._against_only, self._options)

    def sketch(self, table: Any) -> ArrowTable:
        """Of a table with `id` and the text: content hash, shingles, signature, keys and rank.

        The table also has the columns that `within` and `keep` name; `source`, a name, if there is `prefer`; and `against`,
        true for documents that are never removed, if there are any. Documents with an equal `content_hash` are exact
        copies. Documents that share a key are candidates; one that is compared by content hash only has no keys. `rank` is
        bytes that compare as documents come in keep order. A text that is null is an error; unless `on_bad_record` is
        "fail", it is a row with little but the reason.
        """
        return self._native.sketch(_table(table))

    def decide(self, table: Any) -> ArrowTable:
        """Of documents of connected sets: which are removed as near-duplicates, and for which kept one each.

        A row has the `component` of a document, what `sketch` returned of it, and its text, or the `set` that was prepared of
        it (neither, unless `verify` is "exact"). All documents of a set must be in the table; there may be many sets. A set
        that is too large for one worker can be decided in pieces, in keep order: each with the documents that were kept of
        the earlier pieces, which are true in a column `kept`.
        """
        return self._native.decide(_table(table))

    def removed_copies(self, table: Any) -> ArrowTable:
        """Of copies, joined with what `decide` says of their originals: the copies that are removed.

        The join is on `original` = `id` of the removed document, and keeps copies whose original is not removed.
        """
        return self._native.removed_copies(_table(table))

    def bad_records(self, table: Any) -> ArrowTable:
        """Of sketches: those that are removed because they have no text, if `on_bad_record` is "skip"."""
        return self._native.bad_records(_table(table))

    def signature_similarity(self, table: Any) -> ArrowTable:
        """Takes a table with `a`, `b`, `a_signature` and `b_signature`; returns the estimated similarity, and whether
        a run would compare the two."""
        return self._native.signature_similarity(_table(table))

    def verify(self, table: Any) -> ArrowTable:
        """Takes a table with `a`, `b`, `a_text` and `b_text`; returns the exact similarity, and whether it is at
        least the threshold."""
        return self._native.verify(_table(table))

    def prepare(self, table: Any) -> ArrowTable:
        """Of a table with `id` and the text: the set that is compared, as bytes.

        It takes 8 bytes for each shingle, about as many as the text. So texts are what to send around, unless a document is
        compared in many places. Only workers with the same key can compare sets; others raise an error.
        """
        return self._native.prepare(_table(table))

    def verify_pairs(self, documents: Any, pairs: Any) -> ArrowTable:
        """Of documents (`id`, and the text or the `set` of it) and pairs of them (`a`, `b`): what `verify` returns.

        Each document is shingled once, however many pairs it is in.
        """
        return self._native.verify_pairs(_table(documents), _table(pairs))


def copies(table: Any) -> ArrowTable:
    """Of sketches: the exact copies, each with the first document in keep order that has the same text.

    All rows of one `content_hash` must be in the table. Copies go no further: leave them out before `key_blocks`.
    """
    return _native.copies(_table(table))


def key_blocks(table: Any, blocks: int) -> ArrowTable:
    """Of sketches: their keys, packed by which of so many blocks they fall into, a row for each block.

    Most engines pay for rows more than for bytes: this makes as many rows as there are blocks, and not one for each key.
    """
    return _native.key_blocks(_table(table), min(whole("blocks", blocks, 1), 2**32 - 1))


def edges(table: Any) -> ArrowTable:
    """Of key blocks, or of lists of `ids` that share a key: which documents are connected.

    All rows of one block must be in the table. Each document but the first of a connected set (`a`) has one edge, to that first
    one (`b`), so a key that a million documents share makes a million rows at most.

    >>> import pyarrow
    >>> from lookalike.arrow import edges
    >>> pyarrow.table(edges(pyarrow.table({"ids": [[3, 1, 2], [7, 3], [8, 9]]}))).to_pydict()
    {'a': [2, 3, 7, 9], 'b': [1, 1, 1, 8]}
    """
    return _native.edges(_table(table))


def large_star(table: Any) -> ArrowTable:
    """Of edges in both directions: the larger neighbours of each `a`, each with the smallest one.

    All rows of one `a` must be in the table. With `small_star` it is a round, which an engine repeats until the edges are those
    of the round before. Every document then has one edge, to the smallest id of its connected set.
    """
    return _native.large_star(_table(table))


def small_star(table: Any) -> ArrowTable:
    """Of edges as `large_star` returns them: each `a` and its neighbours, with the smallest of them.

    All rows of one `a` must be in the table.
    """
    return _native.small_star(_table(table))


def candidate_pairs(table: Any) -> ArrowTable:
    """Takes a table with `ids`, lists of ids that share a key; returns all pairs, the smaller id first.

    A list of n ids has n (n - 1) / 2 pairs, so remove exact copies before. A pair that shares several keys is
    returned once for each key.

    >>> import pyarrow
    >>> from lookalike.arrow import candidate_pairs
    >>> pyarrow.table(candidate_pairs(pyarrow.table({"ids": [[3, 1, 2]]}))).to_pydict()
    {'a': [1, 1, 2], 'b': [2, 3, 3]}
    """
    return _native.candidate_pairs(_table(table))


def _stages(key: str, against_only: bool, options: Any) -> Stages:
    return Stages(key=key, against_only=against_only, **options)


def _table(table: Any) -> ArrowTable:
    found = arrow_table(table)
    if found is None:
        raise TypeError(f"{type(table).__name__} is not an Arrow table: it has no __arrow_c_stream__")
    return found
