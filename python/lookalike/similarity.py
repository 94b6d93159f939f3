"""Exact similarities of two sets, weighted sets, vectors or strings.

A set is a NumPy array of uint64 hashes, or an iterable of str, bytes and ints; it is compared by the 64-bit hashes of
its elements. For texts, see `Shingler.jaccard` and `Shingler.containment`.

>>> from lookalike import similarity
>>> similarity.jaccard({"a", "b", "c"}, {"b", "c", "d"})
0.5
"""

from __future__ import annotations

from ._native import (
    containment,
    cosine,
    dice,
    edit_distance,
    jaccard,
    overlap_coefficient,
    weighted_jaccard,
)

__all__ = [
    "containment",
    "cosine",
    "dice",
    "edit_distance",
    "jaccard",
    "overlap_coefficient",
    "weighted_jaccard",
]
