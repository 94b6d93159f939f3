"""WeightedMinHash: sketches of vectors of weights.

The hash values differ from those of datasketch: they come from darts (Christiani 2020) instead of consistent weighted
sampling (Ioffe 2010). In both, two sketches agree with the probability of the weighted Jaccard similarity, with the
same variance. Darts take some forty hashes per weight instead of three logarithms per weight and sample. Sketches
store which of the two algorithms made them (`scheme`); comparing sketches of different algorithms is a `ValueError`.
A generator that was pickled by datasketch keeps its random numbers, and makes the same sketches as in datasketch.
"""

from __future__ import annotations

import collections.abc
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from lookalike import _native

__all__ = ["WeightedMinHash", "WeightedMinHashGenerator"]

_DARTS, _CONSISTENT = "weighted-darts", "weighted-consistent"


class WeightedMinHash:
    """The sketch of a vector: `hashvalues` has two columns, and a row is one sample. A generator makes it.

    >>> generator = WeightedMinHashGenerator(3, sample_size=256)
    >>> a, b = generator.minhash([1, 2, 0]), generator.minhash([1, 1, 1])
    >>> 0.3 < a.jaccard(b) < 0.7
    True
    """

    def __init__(self, seed: int, hashvalues: npt.NDArray[Any]) -> None:
        self.seed = seed
        self.hashvalues = hashvalues
        self.scheme: Optional[str] = None
        """The algorithm that made the values, if a generator made them; `None` for values that were passed in."""

    @classmethod
    def _made(cls, seed: int, hashvalues: npt.NDArray[Any], scheme: Optional[str]) -> WeightedMinHash:
        made = cls(seed, hashvalues)
        made.scheme = scheme
        return made

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # datasketch does not store the algorithm of its sketches, because it has only one.
        self.__dict__.setdefault("scheme", _CONSISTENT)

    def jaccard(self, other: WeightedMinHash) -> float:
        """The estimated weighted Jaccard similarity.

        It is the sum of the smaller weights divided by the sum of the larger weights.
        """
        if other.seed != self.seed:
            raise ValueError("Cannot compute Jaccard given WeightedMinHash objects with different seeds")
        if len(self) != len(other):
            raise ValueError(
                "Cannot compute Jaccard given WeightedMinHash objects with different numbers of hash values"
            )
        if None not in (self.scheme, other.scheme) and self.scheme != other.scheme:
            raise ValueError(
                f"Cannot compute Jaccard given WeightedMinHash objects of {self.scheme!r} and {other.scheme!r}: "
                "one was made by datasketch, the other here"
            )
        equal = np.all(np.asarray(self.hashvalues) == np.asarray(other.hashvalues), axis=1)
        return float(np.count_nonzero(equal)) / float(len(self))

    def digest(self) -> npt.NDArray[Any]:
        """A copy of the hash values."""
        return self.hashvalues.copy()

    def copy(self) -> WeightedMinHash:
        """A sketch of the same values."""
        return self._made(self.seed, self.digest(), self.scheme)

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, WeightedMinHash)
            and self.seed == other.seed
            and np.array_equal(self.hashvalues, other.hashvalues)
        )


class WeightedMinHashGenerator:
    """Makes sketches of vectors of `dim` weights, which are at least 0, with `sample_size` samples (at most
    4096).

    It has no random numbers to store (`rs`, `ln_cs` and `betas` of datasketch), so the number of dimensions costs
    nothing. A generator that was pickled by datasketch has them, and works as it did there.

    >>> len(WeightedMinHashGenerator(10**6).minhash([0.5] + [0] * 999_999))
    128
    """

    def __init__(self, dim: int, sample_size: int = 128, seed: int = 1) -> None:
        if not 0 <= seed < 2**32:
            raise ValueError("seed must be between 0 and 2**32 - 1")
        if not 1 <= sample_size <= 4096:
            raise ValueError("sample_size must be between 1 and 4096")
        self.dim = dim
        self.sample_size = sample_size
        self.seed = seed

    @property
    def _scheme(self) -> str:
        return _CONSISTENT if "rs" in self.__dict__ else _DARTS

    def _consistent_samples(self, columns: Any, weights: Any) -> npt.NDArray[np.int64]:
        """Ioffe's samples of one vector by the random numbers of a pickled generator, in single precision."""
        rs, betas, ln_cs = (self.__dict__[name][:, columns] for name in ("rs", "betas", "ln_cs"))
        ts = np.floor(np.log(np.asarray(weights, dtype=np.float32)) / rs + betas)
        least = np.argmin(ln_cs - (ts - betas) * rs - rs, axis=1)
        rows = np.arange(len(least))
        return np.stack([np.asarray(columns)[least], ts[rows, least]], axis=1).astype(np.int64)

    def _sketches(self, ends: Any, columns: Any, weights: Any) -> npt.NDArray[np.int64]:
        if self._scheme == _CONSISTENT:
            starts = np.concatenate([[0], np.asarray(ends, dtype=np.int64)])
            nothing = np.zeros((self.sample_size, 2), dtype=np.int64)
            rows = [
                self._consistent_samples(columns[start:end], weights[start:end]) if start < end else nothing
                for start, end in zip(starts[:-1], starts[1:])
            ]
            return np.array(rows, dtype=np.int64).reshape(-1, self.sample_size, 2)
        slots = _native.compat_weighted(
            self.sample_size,
            int(self.seed),
            np.asarray(ends, dtype=np.int64),
            np.asarray(columns, dtype=np.int64),
            # In single precision, as in datasketch: values that are equal there are equal here.
            np.asarray(weights, dtype=np.float32).astype(np.float64),
        )
        return np.stack([slots >> np.uint64(32), slots & np.uint64(2**32 - 1)], axis=2).astype(np.int64)

    def minhash(self, v: Any) -> WeightedMinHash:
        """The sketch of one vector."""
        if not isinstance(v, collections.abc.Sized):
            raise TypeError("Input vector must be sized")
        if len(v) != self.dim:
            raise ValueError(f"Input dimension mismatch, expecting {self.dim}")
        weights = np.asarray(v, dtype=np.float32)
        if weights.ndim != 1:
            raise ValueError("Input must have one dimension")
        (columns,) = np.nonzero(weights)
        if not len(columns):
            raise ValueError("Input is all zeros")
        sketches = self._sketches([len(columns)], columns, weights[columns])
        return WeightedMinHash._made(self.seed, sketches[0], self._scheme)

    def minhash_many(self, X: Any) -> list[Optional[WeightedMinHash]]:
        """The sketches of the rows of a matrix (a NumPy array or a SciPy sparse matrix); None for a row of zeros.

        They are equal to those of `minhash`.
        """
        sparse = hasattr(X, "tocsr")
        if not sparse and not isinstance(X, np.ndarray):
            raise TypeError("Input X must be a sparse matrix or numpy matrix")
        if X.ndim != 2:
            raise ValueError("Input must have two dimensions")
        if X.shape[1] != self.dim:
            raise ValueError(f"Input dimension mismatch, expecting {self.dim}")
        if sparse:
            rows = X.tocsr(copy=True)
            rows.sum_duplicates()
            rows = rows.astype(np.float32)
            rows.eliminate_zeros()
            ends, columns, weights = rows.indptr[1:], rows.indices, rows.data
        else:
            dense = np.asarray(X, dtype=np.float32)
            of_row, columns = np.nonzero(dense)
            weights = dense[of_row, columns]
            ends = np.cumsum(np.bincount(of_row, minlength=len(dense)))
        sketches = self._sketches(ends, columns, weights)
        filled = np.diff(np.concatenate([[0], ends])) > 0
        return [
            WeightedMinHash._made(self.seed, values, self._scheme) if some else None
            for values, some in zip(sketches, filled)
        ]
