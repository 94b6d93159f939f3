"""Reads what datasketch has pickled, without datasketch.

Pickles name the classes they are of, so those of datasketch load as objects of datasketch. `load` and `loads`
make the classes of `lookalike.compat.datasketch` of them: sketches of all kinds, and indexes that were kept
in memory. Sketches pickled before datasketch 2.0.0 have the scheme `legacy`.

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
    """What datasketch keeps keys and buckets in: a dictionary."""

    _dict: dict[Any, Any]


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "datasketch.storage" and name in ("DictListStorage", "DictSetStorage"):
            return Storage
        if module == "datasketch" or module.startswith("datasketch."):
            module = "lookalike.compat." + module
        return super().find_class(module, name)


def load(file: IO[bytes]) -> Any:
    """The next object of a file."""
    return _Unpickler(file).load()


def loads(data: Any) -> Any:
    """The object that bytes are of."""
    return load(io.BytesIO(data))
