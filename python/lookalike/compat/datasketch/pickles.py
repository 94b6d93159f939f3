"""Reads pickles of datasketch, without datasketch.

Pickles contain the names of their classes, so pickles of datasketch normally load as objects of datasketch. `load`
and `loads` load them as the classes of `lookalike.compat.datasketch` instead: sketches of all kinds, and indexes that
were kept in memory. Sketches that were pickled before datasketch 2.0.0 have the scheme `legacy`.

    >>> import pickle
    >>> from lookalike.compat.datasketch import MinHash
    >>> loads(pickle.dumps(MinHash())) == MinHash()
    True

As with pickle itself, load nothing from a source that is not trusted.
"""

from __future__ import annotations

import io
import pickle
from typing import IO, Any

__all__ = ["load", "loads"]


class Storage:
    """The container of datasketch for keys and buckets: a dictionary."""

    _dict: dict[Any, Any]


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "datasketch.storage" and name in ("DictListStorage", "DictSetStorage"):
            return Storage
        if module == "datasketch" or module.startswith("datasketch."):
            module = "lookalike.compat." + module
        return super().find_class(module, name)


def load(file: IO[bytes]) -> Any:
    """Loads the next object of a file."""
    return _Unpickler(file).load()


def loads(data: Any) -> Any:
    """Loads the object from bytes."""
    return load(io.BytesIO(data))
