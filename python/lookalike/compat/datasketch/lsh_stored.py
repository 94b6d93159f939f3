"""MinHashLSH in a folder: `MinHashLSH(storage_config={"type": "lookalike", "path": folder})`.

A write that has returned survives the end of the process, however it ends. One process at a time can have the folder
open; any number of threads can use the index.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Hashable, Iterator
from types import TracebackType
from typing import Any, NoReturn, Optional

from lookalike import _native
from lookalike.compat.datasketch.lsh import MinHashLSH, _View
from lookalike.compat.datasketch.minhash import _check_scheme_consistency
from lookalike.errors import DuplicateIdError, SettingError

__all__ = ["StoredMinHashLSH"]

_PICKLE_PROTOCOL = 4
"""Fixed, so that a key has the same bytes in every version of Python."""
_SETTINGS = ("type", "path", "accept_loss")
_EXISTS = "The given key already exists"
_MERGED_AT_ONCE = 10_000


class StoredMinHashLSH(MinHashLSH):
    """A `MinHashLSH` that is kept in a folder. It has the methods of `MinHashLSH`, `close`, and is a context manager.

    `storage_config` has the `path` of the folder. It is created if it does not exist or is empty; otherwise the
    index in it is opened, and must have been made with the same parameters. Keys of type str, bytes and int are stored
    as they are, and others are pickled. With `prepickle=True` all are pickled, with `prepickle=False` all must be bytes.

    `insert` and `remove` return when the disk has the change. An `insertion_session` writes batches of `buffer_size`
    keys, each as a whole or not at all, and `query` finds them when they are written: at the latest when the session
    ends.

    >>> import tempfile
    >>> from lookalike.compat.datasketch import MinHash
    >>> m = MinHash()
    >>> m.update_batch([b"to", b"be"])
    >>> storage = {"type": "lookalike", "path": tempfile.mkdtemp()}
    >>> with MinHashLSH(threshold=0.9, storage_config=storage) as lsh:
    ...     lsh.insert("hamlet", m)
    >>> with MinHashLSH(threshold=0.9, storage_config=storage) as lsh:
    ...     lsh.query(m)
    ['hamlet']
    """

    def _open(self, storage_config: dict[str, Any], prepickle: Optional[bool]) -> None:
        unknown = [name for name in storage_config if name not in _SETTINGS]
        if unknown:
            raise SettingError(
                f"storage_config of type 'lookalike' has no {unknown[0]!r}; it has 'path' and 'accept_loss'"
            )
        if "path" not in storage_config:
            raise SettingError("storage_config of type 'lookalike' needs a 'path': the folder of the index")
        self._require_bytes_keys = prepickle is False
        kinds = {None: "as they are", True: "pickled", False: "of bytes"}
        hashed = "" if self.hashfunc is None else ", hashed by a function"
        note = f"{self.h} hash values in bands of {self.r}{hashed}; keys {kinds[prepickle]}"
        self._lock = threading.RLock()
        self._inserting: dict[bytes, tuple[list[int], bool]] = {}
        self._removing: dict[bytes, None] = {}
        self._stored = _native.CompatStoredTable(
            os.fspath(storage_config["path"]), self.b, self.r, self.h, note, bool(storage_config.get("accept_loss"))
        )
        self._minhash_scheme = self._stored.label()

    def close(self) -> None:
        """Writes what is buffered, and closes the index. Another process can open it then."""
        if not self._stored.closed:
            try:
                self._flush()
            finally:
                self._stored.close()

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._stored.closed

    def __enter__(self) -> StoredMinHashLSH:
        return self

    def __exit__(
        self,
        exc_type: Optional[type[BaseException]],
        exc_val: Optional[BaseException],
        exc_tb: Optional[TracebackType],
    ) -> None:
        self.close()

    def _name(self, key: Any) -> bytes:
        """A key as it is stored: a byte for its kind, and its bytes."""
        if self.prepickle:
            return b"p" + pickle.dumps(key, _PICKLE_PROTOCOL)
        if type(key) is bytes:
            return b"b" + key
        if type(key) is str:
            return b"s" + key.encode("utf-8", "surrogatepass")
        if type(key) is int:
            return b"i" + str(key).encode()
        hash(key)
        return b"p" + pickle.dumps(key, _PICKLE_PROTOCOL)

    def _key(self, name: bytes) -> Any:
        kind, stored = name[:1], name[1:]
        if kind == b"b":
            return stored
        if kind == b"s":
            return stored.decode("utf-8", "surrogatepass")
        return int(stored) if kind == b"i" else pickle.loads(stored)

    def _named(self, found: list[Any]) -> list[Any]:
        return [self._key(name) for name in found]

    def _band_keys(self, minhash: Any, b: int) -> list[int]:
        if len(minhash.hashvalues) != self.h:
            raise self._other_length(minhash)
        if self.hashfunc is None:
            return self._stored.keys(minhash.hashvalues, b)
        return self._stored.keys_of_bytes(self._hashed_bands(minhash, b))

    def _insert(self, key: Any, minhash: Any, check_duplication: bool = True, buffer: bool = False) -> None:
        bands = self._band_keys(minhash, self.b)
        scheme = _check_scheme_consistency(self._minhash_scheme, minhash)
        if self._require_bytes_keys and not isinstance(key, bytes):
            raise TypeError(
                f"prepickle=False requires bytes keys for non-dict storage, got {type(key).__name__}. "
                "Either pass bytes keys or use prepickle=True for automatic serialization."
            )
        name = self._name(key)
        if not buffer:
            self._write([(name, bands)], not check_duplication, scheme)
        else:
            with self._lock:
                if name in self._removing:
                    self._flush()
                if name in self._inserting:
                    if check_duplication:
                        raise ValueError(_EXISTS)
                    self._flush()
                if check_duplication and self._stored.contains(name):
                    raise ValueError(_EXISTS)
                self._inserting[name] = (bands, not check_duplication)
                self._minhash_scheme = scheme
                if len(self._inserting) >= self._buffer_size:
                    self._flush()
        self._minhash_scheme = scheme

    def _write(self, entries: list[tuple[bytes, list[int]]], repeat: bool, scheme: Optional[str]) -> None:
        try:
            self._stored.insert(entries, repeat, scheme)
        except DuplicateIdError:
            raise ValueError(_EXISTS) from None

    def _flush(self) -> None:
        with self._lock:
            inserting, self._inserting = self._inserting, {}
            removing, self._removing = self._removing, {}
            for repeat in (False, True):
                entries = [(name, bands) for name, (bands, repeats) in inserting.items() if repeats is repeat]
                if entries:
                    self._write(entries, repeat, self._minhash_scheme)
            if removing:
                self._stored.remove(list(removing))

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Adds everything in another index of the same bands, in memory or in a folder, in batches.

        `check_overlap` refuses keys that are in both.
        """
        if not isinstance(other, MinHashLSH):
            raise ValueError(f"Cannot merge type MinHashLSH and type {type(other).__name__}.")
        if (self.h, self.b, self.r) != (other.h, other.b, other.r):
            raise ValueError("Cannot merge MinHashLSH with different initialization parameters.")
        ours, theirs = self._minhash_scheme, other._minhash_scheme
        if ours is not None and theirs is not None and ours != theirs:
            raise ValueError(
                f"Cannot merge MinHashLSH of MinHash scheme {theirs!r} into one of scheme {ours!r}"
            )
        if check_overlap and any(self._stored.contains(self._name(key)) for key in _keys_of(other)):
            raise ValueError("The keys are overlapping, duplicate key exists.")
        if other is self:
            return
        self._flush()
        scheme = theirs if ours is None else ours
        batch: list[tuple[bytes, list[int]]] = []
        for key in _keys_of(other):
            buckets = [int.from_bytes(bucket, "big") for bucket in other._buckets_of(key)]
            name = self._name(key)
            batch.extend((name, buckets[at : at + self.b]) for at in range(0, len(buckets), self.b))
            if len(batch) >= _MERGED_AT_ONCE:
                self._write(batch, True, scheme)
                batch = []
        if batch:
            self._write(batch, True, scheme)
        self._minhash_scheme = scheme

    def _candidates(self, minhash: Any, b: int) -> list[Any]:
        bands = self._band_keys(minhash, b)
        _check_scheme_consistency(self._minhash_scheme, minhash)
        return self._stored.query(bands)

    def query(self, minhash: Any) -> list[Any]:
        """The keys of the sets that share a band with the query, each once."""
        return self._named(self._candidates(minhash, self.b))

    def __contains__(self, key: Hashable) -> bool:
        return self._stored.contains(self._name(key))

    def _remove(self, key: Any, buffer: bool = False) -> None:
        name = self._name(key)
        if not buffer:
            self._flush()
            if not self._stored.remove([name]):
                raise ValueError("The given key does not exist")
            return
        with self._lock:
            if name in self._inserting:
                self._flush()
            if name in self._removing or not self._stored.contains(name):
                raise ValueError("The given key does not exist")
            self._removing[name] = None
            if len(self._removing) >= self._buffer_size:
                self._flush()

    def is_empty(self) -> bool:
        """True if the index has no keys."""
        return len(self._stored) == 0

    def get_counts(self) -> list[dict[bytes, int]]:
        """For each band, the number of keys in each of its buckets."""
        return [self._stored.bucket_sizes(band) for band in range(self.b)]

    def _buckets_of(self, key: Any) -> list[bytes]:
        return self._stored.keys_of(self._name(key))

    @property
    def keys(self) -> _View:
        """The keys of the index (pickled, with `prepickle=True`), and the buckets of each."""
        return _Keys(self)

    @property
    def hashtables(self) -> list[_View]:
        """The buckets of each band, and the keys in each."""
        return [_Hashtable(self, band) for band in range(self.b)]

    def __getstate__(self) -> NoReturn:
        raise TypeError("an index in a folder cannot be pickled or copied: open its folder again with storage_config")


def _keys_of(lsh: MinHashLSH) -> Iterator[Any]:
    """The keys as they were inserted."""
    if isinstance(lsh, StoredMinHashLSH):
        for name in _names_of(lsh):
            yield lsh._key(name)
    else:
        yield from lsh._named(list(lsh._positions))


def _names_of(lsh: StoredMinHashLSH) -> Iterator[bytes]:
    after = b""
    while True:
        names = lsh._stored.names_after(after)
        if not names:
            return
        yield from names
        after = names[-1]


class _StoredView(_View):
    _lsh: StoredMinHashLSH

    def _form(self, name: bytes) -> Any:
        """A key as the views give it."""
        return name[1:] if self._lsh.prepickle else self._lsh._key(name)

    def _name(self, key: Any) -> bytes:
        return b"p" + bytes(key) if self._lsh.prepickle else self._lsh._name(key)

    def empty_buffer(self) -> None:
        """Writes what sessions have buffered."""
        self._lsh._flush()


class _Keys(_StoredView):
    def keys(self) -> Any:
        return [self._form(name) for name in _names_of(self._lsh)]

    def get(self, key: Any) -> list[bytes]:
        return self._lsh._stored.keys_of(self._name(key))

    def size(self) -> int:
        return len(self._lsh._stored)

    def has_key(self, key: Any) -> bool:
        return self._lsh._stored.contains(self._name(key))


class _Hashtable(_StoredView):
    def __init__(self, lsh: StoredMinHashLSH, band: int) -> None:
        super().__init__(lsh)
        self._band = band

    def keys(self) -> Any:
        return self.itemcounts().keys()

    def get(self, key: Any) -> set[Any]:
        """The keys in a bucket, by its name or by the bytes of its band; none if there is no such bucket."""
        if not isinstance(key, bytes) or not key:
            return set()
        lsh = self._lsh
        names = lsh._stored.bucket(self._band, key)
        if not names:
            names = lsh._stored.bucket_of_band(self._band, key, lsh.hashfunc is not None)
        return {self._form(name) for name in names}

    def size(self) -> int:
        return len(self.itemcounts())

    def has_key(self, key: Any) -> bool:
        return bool(self.get(key))

    def itemcounts(self, **_: Any) -> dict[Any, int]:
        return self._lsh._stored.bucket_sizes(self._band)
