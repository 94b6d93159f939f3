"""MinHashLSHForest: the most similar sets, without a threshold."""

from __future__ import annotations

import math
import threading
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from lookalike import _native
from lookalike.compat.datasketch.minhash import _check_scheme_consistency
from lookalike.compat.datasketch.weighted_minhash import _CONSISTENT

__all__ = ["MinHashLSHForest"]


class MinHashLSHForest:
    """An index of `l` prefix trees that finds about the `k` most similar sets.

    New keys are found only after the next call of `index`.

    >>> from lookalike.compat.datasketch import MinHash
    >>> m = MinHash()
    >>> m.update_batch([b"to", b"be"])
    >>> forest = MinHashLSHForest(num_perm=128)
    >>> forest.add("hamlet", m)
    >>> forest.index()
    >>> forest.query(m, 10)
    ['hamlet']
    """

    def __init__(self, num_perm: int = 128, l: int = 8) -> None:  # noqa: E741
        if l <= 0 or num_perm <= 0:
            raise ValueError("num_perm and l must be positive")
        if l > num_perm:
            raise ValueError("l cannot be greater than num_perm")
        self.l = l
        self.k = int(num_perm / l)
        self.hashranges = [(i * self.k, (i + 1) * self.k) for i in range(self.l)]
        self._minhash_scheme: Optional[str] = None
        self._dtype: Any = None
        self._forest = _native.CompatForest(self.l, self.k)
        self._lock = threading.Lock()
        self._names: list[Any] = []
        self._numbers: dict[Any, int] = {}

    @property
    def keys(self) -> Keys:
        """The keys that were added, each with the bytes of its values in every tree."""
        return Keys(self)

    @property
    def hashtables(self) -> list[dict[bytes, list[Any]]]:
        """For each tree, the keys that were added, by the bytes of their values. Computed on request."""
        tables: list[dict[bytes, list[Any]]] = [{} for _ in range(self.l)]
        for key, segments in self.keys.items():
            for table, segment in zip(tables, segments):
                table.setdefault(segment, []).append(key)
        return tables

    @property
    def sorted_hashtables(self) -> list[list[bytes]]:
        """For each tree, the bytes of the searchable keys, ascending. Computed on request."""
        names = self._names[: self._forest.indexed()]
        segments = [self.keys[name] for name in names]
        return [sorted({of_key[tree] for of_key in segments}) for tree in range(self.l)]

    def _H(self, hs: Any) -> bytes:
        swapped: bytes = hs.byteswap().tobytes()
        return swapped

    def _slots(self, minhash: Any) -> Any:
        if len(minhash) < self.k * self.l:
            raise ValueError("The num_perm of MinHash out of range")
        values = minhash.hashvalues
        if isinstance(values, np.ndarray) and values.ndim == 2:
            return _pairs_to_slots(values)
        return values

    def add(self, key: Hashable, minhash: Any) -> None:
        """Adds a key with the MinHash (or WeightedMinHash) of its set. It is found after the next `index`."""
        slots = self._slots(minhash)
        self._minhash_scheme = _check_scheme_consistency(self._minhash_scheme, minhash)
        if key in self._numbers:
            raise ValueError("The given key has already been added")
        if self._dtype is None:
            self._dtype = None if slots is not minhash.hashvalues else np.asarray(slots).dtype
        # A key and its position in the trees change together, even if other threads add keys.
        with self._lock:
            self._forest.add(slots)
            self._numbers[key] = len(self._names)
            self._names.append(key)

    def index(self) -> None:
        """Makes all keys that were added searchable."""
        self._forest.index()

    def query(self, minhash: Any, k: int) -> list[Any]:
        """At most `k` keys of the approximately most similar sets.

        For a better answer, ask for a multiple of `k` keys and rank them by `MinHash.jaccard`.
        """
        if k <= 0:
            raise ValueError("k must be positive")
        slots = self._slots(minhash)
        _check_scheme_consistency(self._minhash_scheme, minhash)
        found: list[Any] = self._forest.query(slots, math.ceil(min(k, len(self._names) + 1)), self._names)
        return found

    def get_minhash_hashvalues(self, key: Hashable) -> npt.NDArray[Any]:
        """The hash values of a key that the trees use: the first `k * l`."""
        number = self._numbers.get(key)
        if number is None:
            raise KeyError(f"The provided key does not exist in the LSHForest: {key}")
        if self._dtype is None:
            raise ValueError("the values of a WeightedMinHash are not kept: keep the sketch itself")
        return self._forest.hashvalues(number).astype(self._dtype)

    def is_empty(self) -> bool:
        """True if no key is searchable."""
        return self._forest.indexed() == 0

    def __contains__(self, key: Hashable) -> bool:
        return key in self._numbers

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_numbers"], state["_lock"]
        slots = [self._forest.hashvalues(number) for number in range(len(self._names))]
        state["_forest"] = (slots, self._forest.indexed())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_forest" not in state:
            state = _of_datasketch(state)
        self.__dict__.update(state)
        self._lock = threading.Lock()
        slots, indexed = state["_forest"]
        self._forest = _native.CompatForest(self.l, self.k)
        for number, values in enumerate(slots):
            if number == indexed:
                self._forest.index()
            self._forest.add(values)
        if indexed and indexed == len(slots):
            self._forest.index()
        self._numbers = {name: number for number, name in enumerate(self._names)}


def _of_datasketch(state: dict[str, Any]) -> dict[str, Any]:
    """From a pickle of datasketch, in which each key has the bytes of its values in every tree."""
    stored: dict[Any, list[bytes]] = state.get("keys", {})
    depth, trees = state["k"], state["l"]
    # Keys that were added after the last `index` come last, and are not searchable yet.
    searchable = set(state["sorted_hashtables"][0])
    indexed = [key for key, segments in stored.items() if segments[0] in searchable]
    stored = {**{key: stored[key] for key in indexed}, **stored}
    slots, size = [], 8
    for segments in stored.values():
        size = len(segments[0]) // depth
        values = np.frombuffer(b"".join(segments), dtype=f">u{min(size, 8)}").astype(np.uint64)
        slots.append(values if size <= 8 else _pairs_to_slots(values.reshape(-1, 2)))
    return {
        "l": trees,
        "k": depth,
        "hashranges": state["hashranges"],
        "_minhash_scheme": state.get("_minhash_scheme") or (_CONSISTENT if size == 16 else None),
        "_dtype": {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}.get(size),
        "_names": list(stored),
        "_forest": (slots, len(indexed)),
    }


def _pairs_to_slots(pairs: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """The two numbers of each weighted sample as one slot."""
    wide = pairs.astype(np.uint64)
    slots: npt.NDArray[np.uint64] = wide[:, 0] << np.uint64(32) ^ wide[:, 1] & np.uint64(2**32 - 1)
    return slots


class Keys(Mapping[Any, list[bytes]]):
    """The keys of a forest -> the bytes of their values, big-endian, tree by tree."""

    def __init__(self, forest: MinHashLSHForest) -> None:
        self._of = forest

    def __getitem__(self, key: Any) -> list[bytes]:
        values = self._of._forest.hashvalues(self._of._numbers[key]).astype(self._of._dtype or np.uint64)
        swapped = values.astype(values.dtype.newbyteorder(">"))
        return [swapped[start:end].tobytes() for start, end in self._of.hashranges]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._of._numbers)

    def __len__(self) -> int:
        return len(self._of._numbers)
