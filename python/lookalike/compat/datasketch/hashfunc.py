"""The hash functions of elements: the first bytes of their SHA-1.

A `MinHash` with one of these functions hashes lists of bytes without calling it.
"""

from __future__ import annotations

import hashlib
from typing import Any

__all__ = ["sha1_hash32", "sha1_hash64"]


def sha1_hash32(data: Any) -> int:
    """32 bits of the SHA-1 of bytes, or of anything else that is a buffer.

    >>> sha1_hash32(b"hello")
    499578026
    """
    return int.from_bytes(hashlib.sha1(data).digest()[:4], "little")


def sha1_hash64(data: Any) -> int:
    """64 bits of the SHA-1 of bytes, or of anything else that is a buffer.

    >>> sha1_hash64(b"hello")
    11738849977924252842
    """
    return int.from_bytes(hashlib.sha1(data).digest()[:8], "little")
