"""MinHash: the sketch of a set, with the hash values of datasketch 2.0.0."""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Generator, Iterable
from typing import Any, Callable, Optional

import numpy as np
import numpy.typing as npt

from lookalike import _native
from lookalike.compat.datasketch.hashfunc import sha1_hash32, sha1_hash64

__all__ = ["MinHash"]

_AFFINE32, _AFFINE64, _LEGACY = "affine32", "affine64", "legacy"
_SCHEMES = (_AFFINE32, _AFFINE64, _LEGACY)
_DTYPES: dict[str, Any] = {_AFFINE32: np.uint32, _AFFINE64: np.uint64, _LEGACY: np.uint64}
_MAX_HASHES: dict[str, int] = {_AFFINE32: 2**32 - 1, _AFFINE64: 2**64 - 1, _LEGACY: 2**32 - 1}
# The codes in the bytes of LeanMinHash and bBitMinHash. `legacy` is older than this field and has no code.
_SCHEME_CODES = {_AFFINE32: 1, _AFFINE64: 2}
_SCHEME_OF_CODE = {code: scheme for scheme, code in _SCHEME_CODES.items()}

_MERSENNE_PRIME = 2**61 - 1
# Private names of the scheme `legacy` that programs import from datasketch.
_mersenne_prime = np.uint64(_MERSENNE_PRIME)
_max_hash = np.uint64(2**32 - 1)
_hash_range = 2**32
hashvalue_byte_size = 8
_MOST_PERMUTATIONS = 2**32
# The number of documents that `bulk` processes at a time. Their rows share one array.
_CHUNK = 512

_Array = npt.NDArray[Any]


def _check_scheme(scheme: str) -> None:
    if scheme not in _SCHEMES:
        raise ValueError(f"scheme must be one of {', '.join(_SCHEMES)}, got {scheme!r}")


def _check_scheme_consistency(known: Optional[str], minhash: Any) -> Optional[str]:
    """The scheme of an index after adding `minhash`. Values of different schemes cannot be compared."""
    scheme: Optional[str] = getattr(minhash, "scheme", None)
    if known is None or scheme is None:
        return scheme if known is None else known
    if scheme != known:
        raise ValueError(
            f"MinHash of scheme {scheme!r} in an index of scheme {known!r}: use one scheme for all"
        )
    return known


def _draw_permutations(seed: Any, num_perm: int, scheme: str) -> _Array:
    random = np.random.RandomState(seed)
    if scheme == _LEGACY:
        drawn = [
            (
                random.randint(1, _MERSENNE_PRIME, dtype=np.uint64),
                random.randint(0, _MERSENNE_PRIME, dtype=np.uint64),
            )
            for _ in range(num_perm)
        ]
        permutations: _Array = np.ascontiguousarray(np.array(drawn, dtype=np.uint64).T)
    else:
        dtype, width = _DTYPES[scheme], 32 if scheme == _AFFINE32 else 64
        # Odd multipliers: bijections.
        multipliers = random.randint(0, 1 << (width - 1), num_perm, dtype=dtype) * dtype(2) + dtype(1)
        permutations = np.array([multipliers, random.randint(0, 1 << width, num_perm, dtype=dtype)])
    permutations.flags.writeable = False  # shared by all sketches of the seed
    return permutations


_shared_permutations = functools.lru_cache(maxsize=64)(_draw_permutations)


def _permutations(seed: Any, num_perm: int, scheme: str) -> _Array:
    if isinstance(seed, (int, np.integer)):
        return _shared_permutations(int(seed), num_perm, scheme)
    return _draw_permutations(seed, num_perm, scheme)  # None is another seed every time


@functools.lru_cache(maxsize=1024, typed=True)
def _shared_kind(scheme: Optional[str], seed: Any) -> _native.CompatKind:
    return _native.CompatKind(scheme, seed)


def _kind_of(scheme: Optional[str], seed: Any) -> _native.CompatKind:
    """The scheme and the seed as one object, shared by all sketches with the same scheme and seed."""
    if isinstance(seed, int):
        return _shared_kind(scheme, seed)
    return _native.CompatKind(scheme, seed)


class MinHash:
    """The sketch of a set: `num_perm` minima, from which Jaccard similarities are estimated.

    `scheme` is `"affine32"` (the default), `"affine64"` or `"legacy"`. It must be given together with `hashvalues` or
    `permutations`, because these do not tell how they were made. `hashfunc` turns an element into an integer; by
    default it is the SHA-1 of bytes. `gpu_mode` is accepted, but there is no GPU code, so `"always"` raises an error
    when it would be needed.

    >>> m = MinHash(num_perm=64)
    >>> m.update(b"one")
    >>> m.update_batch([b"two", b"three"])
    >>> len(m), m.is_empty()
    (64, False)
    """

    _kind: _native.CompatKind
    num_perm: int
    hashfunc: Callable[[Any], Any]
    hashvalues: _Array
    permutations: _Array

    def __init__(
        self,
        num_perm: int = 128,
        seed: int = 1,
        gpu_mode: str = "disable",
        hashfunc: Optional[Callable[[Any], Any]] = None,
        hashobj: Optional[object] = None,
        hashvalues: Optional[Any] = None,
        permutations: Optional[Any] = None,
        scheme: Optional[str] = None,
    ) -> None:
        if scheme is None:
            if hashvalues is not None or permutations is not None:
                raise ValueError(
                    "scheme must be given together with hashvalues or permutations: that of the MinHash they "
                    "are from, or 'legacy' if they were made by datasketch before 2.0.0"
                )
            scheme = _AFFINE32
        _check_scheme(scheme)
        self._kind = _kind_of(scheme, seed)
        if hashvalues is not None:
            num_perm = len(hashvalues)
        if num_perm < 1:
            raise ValueError("num_perm must be positive")
        if num_perm > _MOST_PERMUTATIONS:
            raise ValueError(f"num_perm must be at most {_MOST_PERMUTATIONS}")
        self.num_perm = num_perm
        if hashfunc is None:
            hashfunc = sha1_hash64 if scheme == _AFFINE64 else sha1_hash32
        if not callable(hashfunc):
            raise ValueError("hashfunc must be callable")
        self.hashfunc = hashfunc
        if hashobj is not None:
            warnings.warn("hashobj does nothing, use hashfunc", DeprecationWarning, stacklevel=2)
        self.hashvalues = (
            self._init_hashvalues(num_perm) if hashvalues is None else self._parse_hashvalues(hashvalues)
        )
        self.permutations = (
            self._init_permutations(num_perm)
            if permutations is None
            else self._parse_permutations(permutations)
        )
        if len(self) != len(self.permutations[0]):
            raise ValueError("hashvalues and permutations must be equally many")
        self._gpu_mode = gpu_mode

    @property
    def scheme(self) -> str:
        """How hash values are made: `"affine32"`, `"affine64"` or `"legacy"`."""
        scheme: str = self._kind.scheme
        return scheme

    @scheme.setter
    def scheme(self, scheme: str) -> None:
        _check_scheme(scheme)
        self._kind = _kind_of(scheme, self._kind.seed if hasattr(self, "_kind") else None)

    @property
    def seed(self) -> Any:
        """The seed of the permutations."""
        return self._kind.seed

    @seed.setter
    def seed(self, seed: Any) -> None:
        self._kind = _kind_of(self._kind.scheme if hasattr(self, "_kind") else None, seed)

    def _init_hashvalues(self, num_perm: int) -> _Array:
        return np.full(num_perm, _MAX_HASHES[self.scheme], dtype=_DTYPES[self.scheme])

    def _init_permutations(self, num_perm: int) -> _Array:
        return _permutations(self.seed, num_perm, self.scheme)

    def _to_array(self, values: Any, what: str) -> _Array:
        """An array with the integer type of the scheme. A value that does not fit is an error."""
        dtype = _DTYPES[self.scheme]
        if isinstance(values, np.ndarray):
            if values.dtype.kind in "iu" and values.size:
                if int(values.max()) > _MAX_HASHES[self.scheme] or int(values.min()) < 0:
                    raise ValueError(f"{what} out of range for scheme {self.scheme!r}")
            return values.astype(dtype)
        try:
            return np.array(values, dtype=dtype)
        except OverflowError as error:
            raise ValueError(f"{what} out of range for scheme {self.scheme!r}: {error}") from error

    def _parse_hashvalues(self, hashvalues: Any) -> _Array:
        if self.scheme == _LEGACY:
            return np.array(hashvalues, dtype=np.uint64)
        return self._to_array(hashvalues, "hash values")

    def _parse_permutations(self, permutations: Any) -> _Array:
        dtype = _DTYPES[self.scheme]
        if isinstance(permutations, np.ndarray) and permutations.dtype == dtype and permutations.ndim == 2:
            parsed = permutations
        elif self.scheme == _LEGACY:
            parsed = np.array([permutations[0], permutations[1]], dtype=dtype)
        else:
            what = "permutation parameters"
            parsed = np.array([self._to_array(permutations[0], what), self._to_array(permutations[1], what)])
        if self.scheme != _LEGACY and np.any(parsed[0] & dtype(1) == 0):
            raise ValueError(f"the first row of permutations must be odd for scheme {self.scheme!r}")
        return np.ascontiguousarray(parsed)

    def _parameters(self) -> _Array:
        """`permutations`, which users may have replaced, with the integer type of the scheme."""
        parameters = self.permutations
        if isinstance(parameters, np.ndarray) and parameters.dtype == _DTYPES[self.scheme]:
            return parameters
        return self._parse_permutations(parameters)

    def _sha1_width(self) -> Optional[bool]:
        """True if elements are hashed to 64 bits of SHA-1, false for 32 bits; None for another function."""
        if self.hashfunc is sha1_hash32:
            return False
        if self.hashfunc is sha1_hash64 and self.scheme != _AFFINE32:
            return True
        return None

    def _values(self) -> _Array:
        """`hashvalues`, which users may have replaced, with the integer type of the scheme."""
        values, dtype = self.hashvalues, _DTYPES[self.scheme]
        if isinstance(values, np.ndarray) and values.dtype == dtype:
            return values
        # A value above the largest hash value cannot be a minimum.
        return self._to_array(np.minimum(values, _MAX_HASHES[self.scheme]), "hash values")

    def _update_bytes(self, items: Any) -> bool:
        """Updates with a list or tuple of bytes. Returns false for any other input."""
        wide = self._sha1_width()
        if wide is None:
            return False
        updated = _native.compat_update_bytes(self.scheme, wide, self._parameters(), self._values(), items)
        if updated is None:
            return False
        self.hashvalues = updated
        return True

    def _update_hashes(self, hashes: list[Any]) -> None:
        dtype = _DTYPES[self.scheme]
        try:
            array = np.array(hashes, dtype=dtype).reshape(-1)
        except OverflowError as error:
            if self.scheme == _LEGACY:
                raise
            raise ValueError(
                f"hashfunc returned a value out of range for scheme {self.scheme!r} ({error}): take one of "
                "the scheme's width, or scheme='affine64' for 64-bit hash values"
            ) from error
        self.hashvalues = _native.compat_update_hashes(
            self.scheme, self._parameters(), self._values(), array
        )

    def update(self, b: Any) -> None:
        """Adds an element: bytes, or any value that `hashfunc` accepts."""
        if not self._update_bytes((b,)):
            self._update_hashes([self.hashfunc(b)])

    def update_batch(self, b: Iterable[Any]) -> None:
        """Adds many elements at once, far faster than one by one.

        >>> m = MinHash()
        >>> m.update_batch([b"token1", b"token2"])
        """
        items = b if isinstance(b, (list, tuple)) else list(b)
        if not items:
            return
        if self._gpu_mode == "always":
            raise RuntimeError("gpu_mode='always', but there is no GPU code: use 'detect' or 'disable'")
        if not self._update_bytes(items):
            self._update_hashes([self.hashfunc(item) for item in items])

    def _check_comparable(self, other: Any, what: str) -> None:
        if getattr(other, "scheme", None) != self.scheme:
            raise ValueError(f"Cannot {what} MinHash with different permutation schemes")
        if other.seed != self.seed:
            raise ValueError(f"Cannot {what} MinHash with different seeds")
        if len(self) != len(other):
            raise ValueError(f"Cannot {what} MinHash with different numbers of permutation functions")

    def jaccard(self, other: MinHash) -> float:
        """The estimated Jaccard similarity of the two sets."""
        self._check_comparable(other, "compute Jaccard given")
        return float(np.count_nonzero(self.hashvalues == other.hashvalues)) / float(len(self))

    def count(self) -> float:
        """The estimated number of different elements."""
        shares = self.hashvalues / float(_MAX_HASHES[self.scheme])
        return float(len(self)) / np.sum(shares) - 1.0

    def merge(self, other: MinHash) -> None:
        """Makes this the sketch of the union of both sets."""
        self._check_comparable(other, "merge")
        self.hashvalues = np.minimum(other.hashvalues, self.hashvalues)

    def digest(self) -> _Array:
        """A copy of the hash values."""
        return self.hashvalues.copy()

    def is_empty(self) -> bool:
        """True if no element was added yet."""
        return not np.any(self.hashvalues != _MAX_HASHES[self.scheme])

    def clear(self) -> None:
        """Removes all elements."""
        self.hashvalues = self._init_hashvalues(len(self))

    def _with_hashvalues(self, hashvalues: _Array) -> MinHash:
        made = MinHash.__new__(MinHash)
        made._kind = self._kind
        made.num_perm = len(hashvalues)
        made.hashfunc = self.hashfunc
        made.hashvalues = hashvalues
        made.permutations = self.permutations
        made._gpu_mode = self._gpu_mode
        return made

    def copy(self) -> MinHash:
        """A MinHash of the same set that is updated independently."""
        return self._with_hashvalues(self.digest())

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, MinHash)
            and self.scheme == other.scheme
            and bool(self.seed == other.seed)
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    @classmethod
    def union(cls, *mhs: MinHash) -> MinHash:
        """The sketch of the union of two or more sets."""
        if len(mhs) < 2:
            raise ValueError("Cannot union less than 2 MinHash")
        first = mhs[0]
        if any(m.seed != first.seed or len(m) != len(first) or m.scheme != first.scheme for m in mhs):
            raise ValueError(
                "The MinHash of a union must have the same seed, number of permutations and scheme"
            )
        return cls(
            num_perm=len(first),
            seed=first.seed,
            hashfunc=first.hashfunc,
            hashvalues=np.minimum.reduce([m.hashvalues for m in mhs]),
            permutations=first.permutations,
            gpu_mode=first._gpu_mode,
            scheme=first.scheme,
        )

    @classmethod
    def bulk(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> list[MinHash]:
        """A MinHash for each list of elements.

        >>> sketches = MinHash.bulk([[b"token1", b"token2"], [b"token2", b"token3"]], num_perm=64)
        >>> len(sketches)
        2
        """
        first = cls(**minhash_kwargs)
        wide = first._sha1_width()
        # For a subclass, its methods are called as datasketch calls them.
        overridden = any(
            getattr(cls, name) is not getattr(MinHash, name) for name in ("copy", "update_batch")
        ) or getattr(cls.generator, "__func__", None) is not getattr(MinHash.generator, "__func__", None)
        if wide is None or overridden or first._gpu_mode == "always":
            return list(cls.generator(b, **minhash_kwargs))
        begun = not first.is_empty()
        made: list[MinHash] = []
        documents = iter(b)
        while True:
            chunk = [
                document if isinstance(document, (list, tuple)) else list(document)
                for document in itertools.islice(documents, _CHUNK)
            ]
            if not chunk:
                return made
            rows = _native.compat_bulk(first.scheme, wide, first._parameters(), chunk)
            if rows is None:  # an element that is not bytes
                for document in chunk:
                    sketch = first.copy()
                    sketch.update_batch(document)
                    made.append(sketch)
            else:
                if begun:
                    rows = np.minimum(rows, first.hashvalues)
                # Each sketch has its own memory, so that keeping one does not keep the memory of the others.
                made.extend(first._with_hashvalues(row.copy()) for row in rows)

    @classmethod
    def generator(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> Generator[MinHash, None, None]:
        """Like `bulk`, one by one; `bulk` is faster."""
        first = cls(**minhash_kwargs)
        for document in b:
            sketch = first.copy()
            sketch.update_batch(document)
            yield sketch

    def __getstate__(self) -> Any:
        state = self.__dict__.copy()
        state.pop("_kind", None)
        state["scheme"], state["seed"] = self.scheme, self.seed
        seed, permutations = state["seed"], state.get("permutations")
        if isinstance(seed, (int, np.integer)) and permutations is _permutations(
            seed, len(self), self.scheme
        ):
            state["permutations"] = None
        return state

    def __setstate__(self, state: Any) -> None:
        state = dict(state)
        # Sketches that datasketch before 2.0.0 pickled have only one possible scheme.
        self._kind = _kind_of(state.pop("scheme", _LEGACY), state.pop("seed", None))
        self.__dict__.update(state)
        self.__dict__.setdefault("_gpu_mode", "disable")
        if self.__dict__.get("permutations") is None:
            self.permutations = _permutations(self.seed, len(self), self.scheme)
        else:
            # In pickles of datasketch before 2.0.0 the permutations are in Fortran order.
            self.permutations = self._parse_permutations(self.permutations)


# Faster versions of the `update` and `jaccard` above, for single calls.
_native.compat_quicken(MinHash)
