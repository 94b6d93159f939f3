"""The stages as functions from Arrow tables to Arrow tables: what a cluster calls.

    id, text                 -> Stages.sketch               -> id, content_hash, shingles, signature, keys, reason
    key, ids                 -> candidate_pairs             -> a, b
    a, b, signatures of both -> Stages.signature_similarity -> a, b, similarity, compared
    a, b, texts of both      -> Stages.verify               -> a, b, similarity, duplicate

Between them an engine groups rows by key and joins texts to pairs. The answers are those of a run on one machine. Tables
are anything with `__arrow_c_stream__`; what comes back is an `ArrowTable`, which any Arrow library reads: `pyarrow.table(t)`,
`polars.DataFrame(t)`. Ids and keys are signed 64-bit integers.

>>> import pyarrow
>>> from lookalike.arrow import Stages
>>> table = pyarrow.table({"id": [1, 2], "text": ["a rose is a rose is a rose", "A rose is a rose; is a rose"]})
>>> sketches = pyarrow.table(Stages(shingles="words:3").sketch(table))
>>> sketches.column_names
['id', 'content_hash', 'shingles', 'signature', 'keys', 'reason']
>>> sketches["keys"][0] == sketches["keys"][1]
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native
from ._native import ArrowTable
from ._options import Options, resolve
from ._sources import arrow_table

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ArrowTable", "Stages", "candidate_pairs"]


class Stages:
    """The stages of a run with these options; see `lookalike.Options`."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self._options = dict(options)
        self._native = _native.Stages(resolve("Stages", self._options))

    def __reduce__(self) -> Any:
        return _stages, (self._options,)

    def sketch(self, table: Any) -> ArrowTable:
        """Of a table with `id` and the text: content hash, shingles, signature and keys.

        Documents that share a key are candidates. One that is compared by content hash only has no keys. A text that is
        null is an error; unless `on_bad_record` is "fail", it is a row with nothing but the reason.
        """
        return self._native.sketch(_table(table))

    def signature_similarity(self, table: Any) -> ArrowTable:
        """Of a table with `a`, `b`, `a_signature` and `b_signature`: the estimated similarity, and whether a run would
        compare the two."""
        return self._native.signature_similarity(_table(table))

    def verify(self, table: Any) -> ArrowTable:
        """Of a table with `a`, `b`, `a_text` and `b_text`: the exact similarity, and whether it reaches the threshold."""
        return self._native.verify(_table(table))


def candidate_pairs(table: Any) -> ArrowTable:
    """Of a table with `ids`, lists of ids that share a key: all pairs, the smaller id first.

    A list of n ids has n (n - 1) / 2 pairs, so take exact copies out before. A pair that shares several keys comes once for
    each.

    >>> import pyarrow
    >>> from lookalike.arrow import candidate_pairs
    >>> pyarrow.table(candidate_pairs(pyarrow.table({"ids": [[3, 1, 2]]}))).to_pydict()
    {'a': [1, 1, 2], 'b': [2, 3, 3]}
    """
    return _native.candidate_pairs(_table(table))


def _stages(options: Any) -> Stages:
    return Stages(**options)


def _table(table: Any) -> ArrowTable:
    found = arrow_table(table)
    if found is None:
        raise TypeError(f"{type(table).__name__} is no Arrow table: it has no __arrow_c_stream__")
    return found
