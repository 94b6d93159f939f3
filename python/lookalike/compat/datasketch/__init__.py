"""The interface of datasketch 2, implemented with lookalike: change the import, keep the code.

The hash values of `MinHash` are equal to those of datasketch 2.0.0 bit for bit, in all three schemes, so stored
sketches can be compared with new ones. The values of `WeightedMinHash` differ: they come from another algorithm that
estimates the same similarity.

    >>> from lookalike.compat.datasketch import MinHash, MinHashLSH
    >>> a, b = MinHash(), MinHash()
    >>> a.update_batch([b"to", b"be", b"or", b"not"])
    >>> b.update_batch([b"to", b"be", b"or", b"what"])
    >>> 0.3 < a.jaccard(b) < 0.9
    True
    >>> lsh = MinHashLSH(threshold=0.3)
    >>> lsh.insert("a", a)
    >>> lsh.query(b)
    ['a']
"""

from __future__ import annotations

from typing import NoReturn

from lookalike.compat.datasketch._absent import INSTEAD, absent
from lookalike.compat.datasketch.aio import AsyncMinHashLSH
from lookalike.compat.datasketch.b_bit_minhash import bBitMinHash
from lookalike.compat.datasketch.hashfunc import sha1_hash32, sha1_hash64
from lookalike.compat.datasketch.hyperloglog import HyperLogLog, HyperLogLogPlusPlus
from lookalike.compat.datasketch.lean_minhash import LeanMinHash
from lookalike.compat.datasketch.lsh import MinHashLSH
from lookalike.compat.datasketch.lsh_stored import StoredMinHashLSH
from lookalike.compat.datasketch.lshensemble import MinHashLSHEnsemble
from lookalike.compat.datasketch.lshforest import MinHashLSHForest
from lookalike.compat.datasketch.minhash import MinHash
from lookalike.compat.datasketch.weighted_minhash import WeightedMinHash, WeightedMinHashGenerator

__all__ = [
    "AsyncMinHashLSH",
    "HyperLogLog",
    "HyperLogLogPlusPlus",
    "LeanMinHash",
    "MinHash",
    "MinHashLSH",
    "MinHashLSHEnsemble",
    "MinHashLSHForest",
    "StoredMinHashLSH",
    "WeightedMinHash",
    "WeightedMinHashGenerator",
    "WeightedMinHashLSH",
    "WeightedMinHashLSHForest",
    "bBitMinHash",
    "sha1_hash32",
    "sha1_hash64",
]

WeightedMinHashLSH = MinHashLSH
WeightedMinHashLSHForest = MinHashLSHForest

__version__ = "2.0.0"
"""The version of datasketch whose interface this is."""


def __getattr__(name: str) -> NoReturn:
    if name in INSTEAD:
        # Not an AttributeError: `from ... import name` would drop its message.
        raise absent(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
