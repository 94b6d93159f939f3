"""WeightedMinHash: sketches of vectors of weights.

The hash values are not those of datasketch: they come from darts (Christiani 2020) in place of consistent
weighted sampling (Ioffe 2010). Both agree with the probability of the weighted Jaccard similarity, with the
same variance; darts take some forty hashes per weight in place of three logarithms per weight and sample.
Do not mix sketches of both in one index.
"""

from __future__ import annotations

import collections.abc
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from lookalike import _native

__all__ = ["WeightedMinHash", "WeightedMinHashGenerator"]


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

    def jaccard(self, other: WeightedMinHash) -> float:
        """The estimated weighted Jaccard similarity.

        It is the sum of the smaller weights over that of the larger ones.
        """
        if other.seed != self.seed:
            raise ValueError("Cannot compute Jaccard given WeightedMinHash objects with different seeds")
        if len(self) != len(other):
            raise ValueError(
                "Cannot compute Jaccard given WeightedMinHash objects with different numbers of hash values"
            )
        equal = np.all(np.asarray(self.hashvalues) == np.asarray(other.hashvalues), axis=1)
        return float(np.count_nonzero(equal)) / float(len(self))

    def digest(self) -> npt.NDArray[Any]:
        """A copy of the hash values."""
        return self.hashvalues.copy()

    def copy(self) -> WeightedMinHash:
        """A sketch of the same values."""
        return WeightedMinHash(self.seed, self.digest())

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

    It has no random numbers to keep (`rs`, `ln_cs` and `betas` of datasketch), so any number of dimensions
    costs nothing.

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

    def _sketches(self, ends: Any, columns: Any, weights: Any) -> npt.NDArray[np.int64]:
        slots = _native.compat_weighted(
            self.sample_size,
            int(self.seed),
            np.asarray(ends, dtype=np.int64),
            np.asarray(columns, dtype=np.int64),
            # In single precision, as datasketch has them: what is equal there is equal here.
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
        return WeightedMinHash(self.seed, self._sketches([len(columns)], columns, weights[columns])[0])

    def minhash_many(self, X: Any) -> list[Optional[WeightedMinHash]]:
        """The sketches of the rows of a matrix, a NumPy array or a SciPy sparse one; None for a row of zeros.

        They equal those of `minhash`.
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
            WeightedMinHash(self.seed, values) if some else None for values, some in zip(sketches, filled)
        ]
