"""MinHashLSHEnsemble: the sets that contain much of a query (Zhu et al. 2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Hashable, Iterable
from typing import Any, Optional

import numpy as np

from lookalike import _native
from lookalike.compat.datasketch.lsh import MinHashLSH, _check_weights, _kind_of_storage
from lookalike.errors import SettingError

__all__ = ["MinHashLSHEnsemble"]


class MinHashLSHEnsemble:
    """An index with `num_part` partitions by size. It finds sets that probably contain more than a threshold of the
    query. Bands of up to `m` rows are used; `weights` are the weights of false positives and false negatives.

    >>> from lookalike.compat.datasketch import MinHash
    >>> sets = {"some": [b"to", b"be"], "more": [b"to", b"be", b"or", b"not"]}
    >>> sketches = dict(zip(sets, MinHash.bulk(sets.values())))
    >>> ensemble = MinHashLSHEnsemble(threshold=0.8, num_part=2)
    >>> ensemble.index([(key, sketches[key], len(sets[key])) for key in sets])
    >>> sorted(ensemble.query(sketches["some"], 2))
    ['more', 'some']
    """

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        num_part: int = 16,
        m: int = 8,
        weights: tuple[float, float] = (0.5, 0.5),
        storage_config: Optional[dict[str, Any]] = None,
        prepickle: Optional[bool] = None,
    ) -> None:
        if _kind_of_storage(storage_config) != "dict":
            raise SettingError("an ensemble is kept in memory only; leave storage_config out, and pickle it to store it")
        if not 0.0 <= threshold <= 1.0:
            raise ValueError("threshold must be in [0.0, 1.0]")
        if num_perm < 2:
            raise ValueError("Too few permutation functions")
        if num_part < 1:
            raise ValueError("num_part must be at least 1")
        if m < 2 or m > num_perm:
            raise ValueError("m must be in the range of [2, num_perm]")
        _check_weights(weights)
        self.threshold = threshold
        self.h = num_perm
        self.m = m
        # The ratios of sizes that bands are planned for.
        self.xqs = np.exp(np.linspace(-5, 5, 10))
        weighted = (float(weights[0]), float(weights[1]))
        planned = [
            _native.compat_containment_bands(float(threshold), num_perm, m, float(xq), weighted)
            for xq in self.xqs
        ]
        self.params = np.array(planned, dtype=int)
        rows = sorted({r for _, r in planned})
        self.indexes = [
            {r: MinHashLSH(num_perm=num_perm, params=(num_perm // r, r), prepickle=prepickle) for r in rows}
            for _ in range(num_part)
        ]
        self.lowers: list[Any] = [None] * num_part
        self.uppers: list[Any] = [None] * num_part

    def _get_optimal_param(self, x: float, q: float) -> tuple[int, int]:
        i = min(int(np.searchsorted(self.xqs, float(x) / float(q), side="left")), len(self.params) - 1)
        b, r = self.params[i]
        return int(b), int(r)

    def index(self, entries: Iterable[tuple[Hashable, Any, Any]]) -> None:
        """Indexes (key, MinHash, number of elements) of all sets. It can be called once."""
        if not self.is_empty():
            raise ValueError("Cannot call index again on a non-empty index")
        taken = list(entries)
        if not taken:
            raise ValueError("entries is empty")
        if any(not entry[2] > 0 for entry in taken):
            raise ValueError("Set size must be positive")
        taken.sort(key=lambda entry: entry[2])
        counts = sorted(Counter(entry[2] for entry in taken).items())
        sizes = [size for size, _ in counts]
        ranges = _native.compat_partitions(
            [float(size) for size in sizes], [n for _, n in counts], len(self.indexes)
        )
        of_size = dict(zip(map(float, sizes), sizes))
        for i, (lower, upper) in enumerate(ranges):
            self.lowers[i], self.uppers[i] = of_size[lower], of_size[upper]
        part = 0
        for key, minhash, size in taken:
            if size > self.uppers[part]:
                part += 1
            for lsh in self.indexes[part].values():
                lsh.insert(key, minhash)

    def query(self, minhash: Any, size: Any) -> Generator[Any, None, None]:
        """The keys of the sets that likely contain the query, a set of `size` elements."""
        if not size > 0:
            raise ValueError("size must be positive")
        for index, upper in zip(self.indexes, self.uppers):
            if upper is not None:
                b, r = self._get_optimal_param(upper, size)
                yield from index[r]._query_b(minhash, b)

    def __contains__(self, key: Hashable) -> bool:
        return any(key in lsh for index in self.indexes for lsh in index.values())

    def is_empty(self) -> bool:
        """True if nothing was indexed."""
        return all(lsh.is_empty() for index in self.indexes for lsh in index.values())
