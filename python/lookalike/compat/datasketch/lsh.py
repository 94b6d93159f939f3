"""MinHashLSH: the sets that are similar to a query, by bands of their sketches."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Hashable, Iterator
from types import TracebackType
from typing import Any, Callable, Optional, Union

import numpy as np

from lookalike import _native
from lookalike.compat.datasketch.minhash import _check_scheme_consistency
from lookalike.compat.datasketch.weighted_minhash import _CONSISTENT
from lookalike.errors import SettingError

__all__ = ["MinHashLSH", "MinHashLSHDeletionSession", "MinHashLSHInsertionSession"]

_optimal_param = functools.lru_cache(maxsize=256)(_native.compat_bands)


def _kind_of_storage(storage_config: Optional[dict[str, Any]]) -> str:
    kind = storage_config.get("type", "dict") if storage_config else "dict"
    if kind not in ("dict", "lookalike"):
        raise SettingError(
            f"storage_config of type {kind!r} is not offered: lookalike keeps indexes in memory, or in a folder with "
            'storage_config={"type": "lookalike", "path": ...}, and needs no server'
        )
    return str(kind)


def _check_weights(weights: tuple[float, float]) -> None:
    if len(weights) != 2:
        raise ValueError("weights are those of false positives and of false negatives")
    if any(not 0.0 <= weight <= 1.0 for weight in weights):
        raise ValueError("Weight must be in [0.0, 1.0]")
    if sum(weights) != 1.0:
        raise ValueError("Weights must sum to 1.0")


class MinHashLSH:
    """An index that finds sets whose Jaccard similarity to a query is likely above a threshold.

    `weights` are the weights of false positives and false negatives in the choice of bands and rows. `params` gives
    these two numbers directly. `hashfunc` compresses the bytes of a band. With `storage_config={"type": "lookalike",
    "path": folder}` the index is kept in a folder, and is a `StoredMinHashLSH`. The names of buckets (in `get_counts`, `keys` and `hashtables`) are 8 bytes, the hash of their band.

    >>> from lookalike.compat.datasketch import MinHash
    >>> m = MinHash()
    >>> m.update_batch([b"to", b"be"])
    >>> lsh = MinHashLSH(threshold=0.9, num_perm=128)
    >>> lsh.b, lsh.r
    (5, 25)
    >>> lsh.insert("hamlet", m)
    >>> lsh.query(m)
    ['hamlet']
    """

    def __new__(cls, *arguments: Any, **named: Any) -> MinHashLSH:
        # A class of the user may take other arguments, so only those of this one are looked at.
        if cls is MinHashLSH:
            storage_config = named.get("storage_config", arguments[4] if len(arguments) > 4 else None)
            if _kind_of_storage(storage_config) == "lookalike":
                from lookalike.compat.datasketch.lsh_stored import StoredMinHashLSH

                return super().__new__(StoredMinHashLSH)
        return super().__new__(cls)

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        weights: tuple[float, float] = (0.5, 0.5),
        params: Optional[tuple[int, int]] = None,
        storage_config: Optional[dict[str, Any]] = None,
        prepickle: Optional[bool] = None,
        hashfunc: Optional[Callable[[bytes], bytes]] = None,
    ) -> None:
        if not 0.0 <= threshold <= 1.0:
            raise ValueError("threshold must be in [0.0, 1.0]")
        if num_perm < 2:
            raise ValueError("Too few permutation functions")
        _check_weights(weights)
        self.h = num_perm
        if params is not None:
            self.b, self.r = params
            if self.b * self.r > num_perm:
                raise ValueError(
                    f"params: {self.b} bands of {self.r} rows are {self.b * self.r} hash values, more than "
                    f"the num_perm {num_perm}; was num_perm forgotten?"
                )
        else:
            self.b, self.r = _optimal_param(
                float(threshold), int(num_perm), float(weights[0]), float(weights[1])
            )
        if self.b < 2:
            raise ValueError("The number of bands are too small (b < 2)")
        self.prepickle = bool(prepickle)
        self.hashfunc = hashfunc or None
        self.hashranges = [(i * self.r, (i + 1) * self.r) for i in range(self.b)]
        self._buffer_size = 50000
        self._minhash_scheme: Optional[str] = None
        self._query_buffer: list[set[Any]] = []
        self._open(storage_config or {}, prepickle)

    def _open(self, storage_config: dict[str, Any], prepickle: Optional[bool]) -> None:
        if _kind_of_storage(storage_config) == "lookalike":
            raise SettingError(f"{type(self).__name__} cannot be kept in a folder: derive it from StoredMinHashLSH")
        self._table = _native.CompatBandTable(self.b, self.r, self.h)
        # The key at each position of the table, and the positions of each key. A key has several positions if it was
        # inserted again without a check, or merged.
        self._names: list[Any] = []
        self._positions: dict[Any, Union[int, tuple[int, ...]]] = {}
        self._repeated = False

    @property
    def buffer_size(self) -> int:
        """Accepted, but without effect: nothing is buffered."""
        return self._buffer_size

    @buffer_size.setter
    def buffer_size(self, value: int) -> None:
        self._buffer_size = value

    @property
    def keys(self) -> _View:
        """The keys of the index, and the buckets of each."""
        return Keys(self)

    @property
    def hashtables(self) -> list[_View]:
        """The buckets of each band, and the keys in each."""
        return [Hashtable(self, band) for band in range(self.b)]

    def insert(self, key: Hashable, minhash: Any, check_duplication: bool = True) -> None:
        """Adds a key with the MinHash (or WeightedMinHash) of its set."""
        self._insert(key, minhash, check_duplication=check_duplication, buffer=False)

    def _insert(self, key: Any, minhash: Any, check_duplication: bool = True, buffer: bool = False) -> None:
        if len(minhash.hashvalues) != self.h:
            raise self._other_length(minhash)
        if getattr(minhash, "scheme", None) != self._minhash_scheme:
            self._minhash_scheme = _check_scheme_consistency(self._minhash_scheme, minhash)
        if self.prepickle:
            key = pickle.dumps(key)
        if key in self._positions and check_duplication:
            raise ValueError("The given key already exists")
        if self.hashfunc is None:
            position = self._table.insert(minhash.hashvalues, self._names, key)
        else:
            position = self._table.insert_bytes(self._hashed_bands(minhash, self.b), self._names, key)
        self._register(key, position)

    def _other_length(self, minhash: Any) -> ValueError:
        return ValueError(f"Expecting minhash with length {self.h}, got {len(minhash.hashvalues)}")

    def _hashed_bands(self, minhash: Any, b: int) -> list[bytes]:
        bands = []
        for start, end in self.hashranges[:b]:
            hashed: Any = self._hashed_byteswap(minhash.hashvalues[start:end])
            bands.append(_band_bytes(hashed))
        return bands

    def _byteswap(self, hs: Any) -> bytes:
        swapped: bytes = hs.byteswap().tobytes()
        return swapped

    @property
    def _H(self) -> Callable[[Any], Any]:
        """The function that turns the values of a band into bytes. `hashtables` find their buckets by these bytes too."""
        return self._byteswap if self.hashfunc is None else self._hashed_byteswap

    def _hashed_byteswap(self, hs: Any) -> Any:
        if self.hashfunc is None:
            raise RuntimeError("there is no hashfunc")
        return self.hashfunc(self._byteswap(hs))

    def _register(self, key: Any, position: int) -> None:
        known = self._positions.setdefault(key, position)
        if known != position:
            self._positions[key] = (*_all(known), position)
            self._repeated = True

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Adds everything in another index of the same bands.

        `check_overlap` refuses keys that are in both.
        """
        if type(self) is not type(other):
            raise ValueError(f"Cannot merge type MinHashLSH and type {type(other).__name__}.")
        if (self.h, self.b, self.r) != (other.h, other.b, other.r):
            raise ValueError("Cannot merge MinHashLSH with different initialization parameters.")
        ours, theirs = self._minhash_scheme, other._minhash_scheme
        if ours is not None and theirs is not None and ours != theirs:
            raise ValueError(
                f"Cannot merge MinHashLSH of MinHash scheme {theirs!r} into one of scheme {ours!r}"
            )
        if check_overlap and not self._positions.keys().isdisjoint(other._positions.keys()):
            raise ValueError("The keys are overlapping, duplicate key exists.")
        if other is self:
            return
        self._minhash_scheme = theirs if ours is None else ours
        for name, position in self._table.merge(other._table, self._names, other._names):
            self._register(name, position)

    def insertion_session(self, buffer_size: int = 50000) -> MinHashLSHInsertionSession:
        """A context manager with an `insert`."""
        return MinHashLSHInsertionSession(self, buffer_size=buffer_size)

    def deletion_session(self, buffer_size: int = 50000) -> MinHashLSHDeletionSession:
        """A context manager with a `remove`."""
        return MinHashLSHDeletionSession(self, buffer_size=buffer_size)

    def _candidates(self, minhash: Any, b: int) -> list[Any]:
        """The keys (pickled, if keys are pickled) that share one of the first `b` bands, each once."""
        if len(minhash.hashvalues) != self.h:
            raise self._other_length(minhash)
        if getattr(minhash, "scheme", None) != self._minhash_scheme:
            _check_scheme_consistency(self._minhash_scheme, minhash)
        if self.hashfunc is None:
            found: list[Any] = self._table.query(minhash.hashvalues, self._names, b)
        else:
            found = self._table.query_bytes(self._hashed_bands(minhash, b), self._names)
        return list(dict.fromkeys(found)) if self._repeated else found

    def query(self, minhash: Any) -> list[Any]:
        """The keys of the sets that share a band with the query, each once.

        These are candidates: filter by `MinHash.jaccard`, or by the sets themselves.
        """
        if self.prepickle or self._repeated or self.hashfunc is not None:
            return self._named(self._candidates(minhash, self.b))
        # The usual case, with as few steps as possible.
        values = minhash.hashvalues
        if len(values) != self.h:
            raise self._other_length(minhash)
        if getattr(minhash, "scheme", None) != self._minhash_scheme:
            _check_scheme_consistency(self._minhash_scheme, minhash)
        return self._table.query(values, self._names, self.b)

    def _query_b(self, minhash: Any, b: int) -> set[Any]:
        if b > self.b:
            raise ValueError("b must be less or equal to the number of hash tables")
        return set(self._named(self._candidates(minhash, b)))

    def _named(self, found: list[Any]) -> list[Any]:
        """The keys that were inserted, from what is kept of them."""
        return [pickle.loads(key) for key in found] if self.prepickle else found

    def add_to_query_buffer(self, minhash: Any) -> None:
        """Adds a query for the next `collect_query_buffer`."""
        self._query_buffer.append(set(self._candidates(minhash, self.b)))

    def collect_query_buffer(self) -> list[Any]:
        """The keys that all queries in the buffer find; then the buffer is empty."""
        buffered, self._query_buffer = self._query_buffer, []
        return self._named(list(set.intersection(*buffered))) if buffered else []

    def __contains__(self, key: Hashable) -> bool:
        return (pickle.dumps(key) if self.prepickle else key) in self._positions

    def remove(self, key: Hashable) -> None:
        """Removes a key."""
        self._remove(key, buffer=False)

    def _remove(self, key: Any, buffer: bool = False) -> None:
        if self.prepickle:
            key = pickle.dumps(key)
        if key not in self._positions:
            raise ValueError("The given key does not exist")
        for position in _all(self._positions.pop(key)):
            self._table.remove(position, self._names)

    def _flush(self) -> None:
        """Writes what sessions have buffered."""

    def is_empty(self) -> bool:
        """True if the index has no keys."""
        return len(self._table) == 0

    def get_counts(self) -> list[dict[bytes, int]]:
        """For each band, the number of keys in each of its buckets."""
        return [self._table.bucket_sizes(band) for band in range(self.b)]

    def get_subset_counts(self, *keys: Hashable) -> list[dict[bytes, int]]:
        """The same, only for these keys."""
        counts: list[dict[bytes, int]] = [{} for _ in range(self.b)]
        for key in set(keys):
            for bucket, of_band in zip(self._buckets_of(key), counts):
                of_band[bucket] = of_band.get(bucket, 0) + 1
        return counts

    def _buckets_of(self, key: Any) -> list[bytes]:
        buckets: list[bytes] = self.keys.get(pickle.dumps(key) if self.prepickle else key)
        return buckets

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_positions"]
        state["_table"], state["_names"] = self._table.to_bytes(self._names)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_table" not in state:
            self._set_datasketch_state(state)
            return
        self.__dict__.update(state)
        self._table = _native.CompatBandTable.from_bytes(state["_table"], self.r, self.h)
        self._positions = {}
        for position, name in enumerate(self._names):
            self._register(name, position)

    def _set_datasketch_state(self, state: dict[str, Any]) -> None:
        """From a pickle of datasketch, in which each key has the bytes of its bands, or the result of `hashfunc` for
        these bytes."""
        stored = getattr(state.get("keys"), "_dict", None)
        if stored is None:
            raise ValueError("not an index that was kept in memory: build it again from the sketches")
        MinHashLSH.__init__(
            self,
            num_perm=state["h"],
            params=(state["b"], state["r"]),
            prepickle=state.get("prepickle"),
            hashfunc=state.get("hashfunc"),
        )
        self._minhash_scheme = state.get("_minhash_scheme")
        for name, value in state.items():
            if name not in _DATASKETCH_STATE:
                setattr(self, name, value)
        for key, bands in stored.items():
            # A key that was inserted several times, or merged, has the bands of each insertion.
            for start in range(0, len(bands), self.b):
                self._insert_stored(key, [_band_bytes(band) for band in bands[start : start + self.b]])

    def _insert_stored(self, key: Any, bands: list[bytes]) -> None:
        if self.hashfunc is None:
            # Values that are in no band are not stored, and not used.
            size = len(bands[0]) // self.r
            if size == 16 and self._minhash_scheme is None:
                self._minhash_scheme = _CONSISTENT
            values = np.frombuffer(b"".join(bands), dtype=f">u{size if size < 16 else 8}")
            padded = np.zeros(self.h * size // values.itemsize, dtype=values.dtype.newbyteorder("="))
            padded[: len(values)] = values
            position = self._table.insert(padded, self._names, key)
        else:
            position = self._table.insert_bytes(bands, self._names, key)
        self._register(key, position)


_DATASKETCH_STATE = frozenset(
    ("h", "b", "r", "keys", "hashtables", "hashranges", "prepickle", "hashfunc", "buffer_size", "_H")
    + ("_buffer_size", "_minhash_scheme", "_require_bytes_keys")
)
"""The attributes of an index that datasketch pickles. All others were added by the user."""


def _band_bytes(hashed: Any) -> bytes:
    """The result of `hashfunc` for a band, as bytes."""
    if isinstance(hashed, bytes):
        return hashed
    if isinstance(hashed, (bytearray, memoryview)):
        return bytes(hashed)
    if isinstance(hashed, (int, np.integer)):
        return str(int(hashed)).encode()
    if isinstance(hashed, str):
        return hashed.encode()
    raise TypeError(f"hashfunc must return bytes or an integer, not {type(hashed).__name__}")


def _all(positions: Union[int, tuple[int, ...]]) -> tuple[int, ...]:
    return positions if isinstance(positions, tuple) else (positions,)


class _View:
    """The common base of the two views of an index."""

    def __init__(self, lsh: MinHashLSH) -> None:
        self._lsh = lsh

    @property
    def buffer_size(self) -> int:
        return self._lsh.buffer_size

    @buffer_size.setter
    def buffer_size(self, value: int) -> None:
        self._lsh.buffer_size = value

    def empty_buffer(self) -> None:
        """Nothing is buffered."""

    def keys(self) -> Any:
        raise NotImplementedError

    def get(self, key: Any) -> Any:
        raise NotImplementedError

    def size(self) -> int:
        raise NotImplementedError

    def has_key(self, key: Any) -> bool:
        raise NotImplementedError

    def insert(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("the tables of an index are views of it: call insert of the index")

    def remove(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("the tables of an index are views of it: call remove of the index")

    def getmany(self, *keys: Any) -> list[Any]:
        return [self.get(key) for key in keys]

    def itemcounts(self, **_: Any) -> dict[Any, int]:
        return {key: len(self.get(key)) for key in self.keys()}

    def status(self) -> dict[str, int]:
        return {"keyspace_size": len(self)}

    def __getitem__(self, key: Any) -> Any:
        return self.get(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __len__(self) -> int:
        return self.size()

    def __contains__(self, key: Any) -> bool:
        return self.has_key(key)


class Keys(_View):
    """The keys of an index (pickled, with `prepickle`) -> the names of their buckets, one for each band."""

    def keys(self) -> Any:
        return self._lsh._positions.keys()

    def get(self, key: Any) -> list[bytes]:
        """The buckets of a key; none if it is not there."""
        positions = _all(self._lsh._positions.get(key, ()))
        return [bucket for position in positions for bucket in self._lsh._table.keys_at(position)]

    def size(self) -> int:
        return len(self._lsh._positions)

    def has_key(self, key: Any) -> bool:
        return key in self._lsh._positions


class Hashtable(_View):
    """The buckets of one band -> the keys in them."""

    def __init__(self, lsh: MinHashLSH, band: int) -> None:
        super().__init__(lsh)
        self._band = band

    def keys(self) -> Any:
        return self.itemcounts().keys()

    def get(self, key: Any) -> set[Any]:
        """The keys in a bucket, by its name or by the bytes of its band; none if there is no such bucket."""
        lsh = self._lsh
        if not isinstance(key, bytes) or not key:
            return set()
        positions = lsh._table.bucket(self._band, key)
        if not positions:
            positions = lsh._table.bucket_of_band(self._band, key, lsh.hashfunc is not None)
        return {lsh._names[position] for position in positions}

    def size(self) -> int:
        return self._lsh._table.bucket_count(self._band)

    def has_key(self, key: Any) -> bool:
        return bool(self.get(key))

    def itemcounts(self, **_: Any) -> dict[Any, int]:
        return self._lsh._table.bucket_sizes(self._band)


class _Session:
    def __init__(self, lsh: MinHashLSH, buffer_size: int) -> None:
        self.lsh = lsh
        self.lsh.buffer_size = buffer_size

    def __exit__(
        self,
        exc_type: Optional[type[BaseException]],
        exc_val: Optional[BaseException],
        exc_tb: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Writes what is buffered. In memory nothing is: every step already took effect."""
        self.lsh._flush()


class MinHashLSHInsertionSession(_Session):
    """Inserts into an index: `with lsh.insertion_session() as session`."""

    def __enter__(self) -> MinHashLSHInsertionSession:
        return self

    def insert(self, key: Hashable, minhash: Any, check_duplication: bool = True) -> None:
        """Adds a key with the MinHash (or WeightedMinHash) of its set."""
        self.lsh._insert(key, minhash, check_duplication=check_duplication, buffer=True)


class MinHashLSHDeletionSession(_Session):
    """Removes from an index: `with lsh.deletion_session() as session`."""

    def __enter__(self) -> MinHashLSHDeletionSession:
        return self

    def remove(self, key: Hashable) -> None:
        """Removes a key."""
        self.lsh._remove(key, buffer=True)
