"""The stages of a run as functions from Arrow tables to Arrow tables, for use on a cluster.

    id, text                 -> Stages.sketch               -> id, content_hash, shingles, signature, keys, reason
    key, ids                 -> candidate_pairs             -> a, b
    a, b, signatures of both -> Stages.signature_similarity -> a, b, similarity, compared
    a, b, texts of both      -> Stages.verify               -> a, b, similarity, duplicate

Between the stages, an engine groups rows by key and joins texts to pairs. The answers are the same as those of a run
on one machine. A table is any object with `__arrow_c_stream__`. The functions return an `ArrowTable`, which any Arrow
library can read: `pyarrow.table(t)`, `polars.DataFrame(t)`. Ids and keys are signed 64-bit integers.

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
    """The stages of a run with the given options; see `lookalike.Options`."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self._options = dict(options)
        self._native = _native.Stages(resolve("Stages", self._options))

    def __reduce__(self) -> Any:
        return _stages, (self._options,)

    def sketch(self, table: Any) -> ArrowTable:
        """Takes a table with `id` and the text; returns content hash, shingles, signature and keys.

        Documents that share a key are candidates. A document that is only compared by content hash has no keys. A
        text that is null is an error. If `on_bad_record` is not "fail", its row contains only the reason.
        """
        return self._native.sketch(_table(table))

    def signature_similarity(self, table: Any) -> ArrowTable:
        """Takes a table with `a`, `b`, `a_signature` and `b_signature`; returns the estimated similarity, and whether
        a run would compare the two."""
        return self._native.signature_similarity(_table(table))

    def verify(self, table: Any) -> ArrowTable:
        """Takes a table with `a`, `b`, `a_text` and `b_text`; returns the exact similarity, and whether it is at
        least the threshold."""
        return self._native.verify(_table(table))


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


def _stages(options: Any) -> Stages:
    return Stages(**options)


def _table(table: Any) -> ArrowTable:
    found = arrow_table(table)
    if found is None:
        raise TypeError(f"{type(table).__name__} is not an Arrow table: it has no __arrow_c_stream__")
    return found
