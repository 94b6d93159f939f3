"""AsyncMinHashLSH: `MinHashLSH` for an event loop.

The index is in a folder (`storage_config={"type": "lookalike", "path": folder}`), and every call that waits for the disk
runs in a thread of the event loop's pool, so that the loop goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Hashable
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar

from lookalike.compat.datasketch.lsh import MinHashLSH, _kind_of_storage
from lookalike.compat.datasketch.lsh_stored import StoredMinHashLSH
from lookalike.errors import SettingError

__all__ = ["AsyncMinHashLSH", "AsyncMinHashLSHDeleteSession", "AsyncMinHashLSHInsertionSession"]

_Result = TypeVar("_Result")


class AsyncMinHashLSH:
    """A `MinHashLSH` whose methods are awaited. It is opened by `async with`, or by awaiting it.

    The arguments are those of `MinHashLSH`; `storage_config` must be given.

    >>> import asyncio, tempfile
    >>> from lookalike.compat.datasketch import MinHash
    >>> async def main():
    ...     m = MinHash(num_perm=16)
    ...     m.update(b"data")
    ...     storage = {"type": "lookalike", "path": tempfile.mkdtemp()}
    ...     async with AsyncMinHashLSH(threshold=0.5, num_perm=16, storage_config=storage) as lsh:
    ...         await lsh.insert("key", m)
    ...         return await lsh.query(m)
    >>> asyncio.run(main())
    ['key']
    """

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        weights: tuple[float, float] = (0.5, 0.5),
        params: Optional[tuple[int, int]] = None,
        storage_config: Optional[dict[str, Any]] = None,
        prepickle: Optional[bool] = None,
    ) -> None:
        if storage_config is None or _kind_of_storage(storage_config) != "lookalike":
            raise SettingError('AsyncMinHashLSH needs storage_config={"type": "lookalike", "path": ...}')
        # An index in memory has the same parameters, and checks them.
        planned = MinHashLSH(threshold, num_perm, weights, params)
        self.h, self.b, self.r, self.hashranges = planned.h, planned.b, planned.r, planned.hashranges
        self.prepickle = bool(prepickle)
        self._arguments = (threshold, num_perm, weights, (self.b, self.r), dict(storage_config), prepickle)
        self._batch_size = 10000
        self._lsh: Optional[StoredMinHashLSH] = None

    def __await__(self) -> Generator[Any, None, AsyncMinHashLSH]:
        return self._opened().__await__()

    async def _opened(self) -> AsyncMinHashLSH:
        await self.init_storages()
        return self

    async def __aenter__(self) -> AsyncMinHashLSH:
        return await self

    async def __aexit__(
        self,
        exc_type: Optional[type[BaseException]],
        exc_val: Optional[BaseException],
        exc_tb: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def init_storages(self) -> None:
        """Opens the index, if it is not open."""
        if self._lsh is None:
            opened = await asyncio.to_thread(MinHashLSH, *self._arguments)
            assert isinstance(opened, StoredMinHashLSH)
            opened.buffer_size = self._batch_size
            self._lsh = opened

    async def close(self) -> None:
        """Writes what is buffered, and closes the index."""
        lsh, self._lsh = self._lsh, None
        if lsh is not None:
            await asyncio.to_thread(lsh.close)

    def _index(self) -> StoredMinHashLSH:
        if self._lsh is None:
            raise AttributeError("AsyncMinHashLSH is not initialized.")
        return self._lsh

    async def _call(self, method: Callable[..., _Result], *arguments: Any, **named: Any) -> _Result:
        return await asyncio.to_thread(method, *arguments, **named)

    @property
    def batch_size(self) -> int:
        """The number of keys that a session writes at once."""
        return self._batch_size

    @batch_size.setter
    def batch_size(self, value: int) -> None:
        self._index().buffer_size = value
        self._batch_size = value

    async def insert(self, key: Hashable, minhash: Any, check_duplication: bool = True) -> None:
        """Adds a key with the MinHash of its set. The disk has it when this returns."""
        await self._call(self._index()._insert, key, minhash, check_duplication=check_duplication)

    def insertion_session(self, batch_size: int = 10000) -> AsyncMinHashLSHInsertionSession:
        """An asynchronous context manager with an `insert`. It writes batches."""
        return AsyncMinHashLSHInsertionSession(self, batch_size=batch_size)

    def delete_session(self, batch_size: int = 10000) -> AsyncMinHashLSHDeleteSession:
        """An asynchronous context manager with a `remove`. It writes batches."""
        return AsyncMinHashLSHDeleteSession(self, batch_size=batch_size)

    async def query(self, minhash: Any) -> list[Any]:
        """The keys of the sets that share a band with the query, each once."""
        return await self._call(self._index().query, minhash)

    async def _query_b(self, minhash: Any, b: int) -> set[Any]:
        return await self._call(self._index()._query_b, minhash, b)

    async def has_key(self, key: Hashable) -> bool:
        """True if the key is in the index."""
        return await self._call(self._index().__contains__, key)

    async def remove(self, key: Hashable) -> None:
        """Removes a key."""
        await self._call(self._index()._remove, key)

    async def is_empty(self) -> bool:
        """True if the index has no keys."""
        return await self._call(self._index().is_empty)

    async def get_counts(self) -> list[dict[bytes, int]]:
        """For each band, the number of keys in each of its buckets."""
        return await self._call(self._index().get_counts)

    async def get_subset_counts(self, *keys: Hashable) -> list[dict[bytes, int]]:
        """The same, only for these keys."""
        return await self._call(self._index().get_subset_counts, *keys)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_lsh"] = None
        return state


class _Session:
    def __init__(self, lsh: AsyncMinHashLSH, batch_size: int) -> None:
        self.lsh = lsh
        self.lsh.batch_size = batch_size

    async def __aexit__(
        self,
        exc_type: Optional[type[BaseException]],
        exc_val: Optional[BaseException],
        exc_tb: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Writes what is buffered."""
        await self.lsh._call(self.lsh._index()._flush)


class AsyncMinHashLSHInsertionSession(_Session):
    """Inserts in batches: `async with lsh.insertion_session() as session`."""

    async def __aenter__(self) -> AsyncMinHashLSHInsertionSession:
        return self

    async def insert(self, key: Hashable, minhash: Any, check_duplication: bool = True) -> None:
        """Adds a key with the MinHash of its set."""
        insert = self.lsh._index()._insert
        await self.lsh._call(insert, key, minhash, check_duplication=check_duplication, buffer=True)


class AsyncMinHashLSHDeleteSession(_Session):
    """Removes in batches: `async with lsh.delete_session() as session`."""

    async def __aenter__(self) -> AsyncMinHashLSHDeleteSession:
        return self

    async def remove(self, key: Hashable) -> None:
        """Removes a key."""
        await self.lsh._call(self.lsh._index()._remove, key, buffer=True)
