"""bBitMinHash: the lowest bits of each hash value (Li and König 2010)."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.compat.datasketch.minhash import (
    _LEGACY,
    _SCHEME_CODES,
    _SCHEME_OF_CODE,
    MinHash,
    _check_scheme,
)

__all__ = ["bBitMinHash"]

_HEAD = struct.Struct("<qBdi")


class bBitMinHash:
    """The `b` lowest bits (0 to 32) of each value of a MinHash.

    `r` is the expected size of a set as a share of all existing elements, 0.0 if it is not known. When pickled, `b`
    bits are rounded up to 1, 2, 4, 8, 16 or 32 bits of a byte string.

    >>> m = MinHash()
    >>> m.update_batch([b"one", b"two"])
    >>> bBitMinHash(m, 2).jaccard(bBitMinHash(m, 2))
    1.0
    """

    __slots__ = ("b", "hashvalues", "r", "scheme", "seed")

    b: int
    r: float
    seed: Any
    scheme: str
    hashvalues: npt.NDArray[np.uint32]

    def __init__(self, minhash: MinHash, b: int = 1, r: float = 0.0) -> None:
        b, r = int(b), float(r)
        if not 0 <= b <= 32:
            raise ValueError("b must be an integer in [0, 32]")
        if r > 1.0:
            raise ValueError("r must be a float in [0.0, 1.0]")
        _check_scheme(minhash.scheme)
        values = minhash.hashvalues
        self.hashvalues = np.bitwise_and(values, values.dtype.type(2**b - 1)).astype(np.uint32)
        self.seed = minhash.seed
        self.scheme = minhash.scheme
        self.b = b
        self.r = r

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, bBitMinHash)
            and (self.scheme, self.seed, self.b, self.r) == (other.scheme, other.seed, other.b, other.r)
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    def jaccard(self, other: bBitMinHash) -> float:
        """The estimated Jaccard similarity, corrected for chance agreements."""
        if self.b != other.b:
            raise ValueError("Cannot compare two b-bit MinHashes with different b values")
        if self.scheme != other.scheme:
            raise ValueError("Cannot compare two b-bit MinHashes with different permutation schemes")
        if self.seed != other.seed:
            raise ValueError("Cannot compare two b-bit MinHashes with different set of permutations")
        agreeing = float(np.count_nonzero(self.hashvalues == other.hashvalues)) / float(self.hashvalues.size)
        a1, a2 = _chance(self.r, self.b), _chance(other.r, other.b)
        if self.r == 0.0 and other.r == 0.0:
            c1, c2 = a1, a2
        else:
            total = self.r + other.r
            c1 = (a1 * other.r + a2 * self.r) / total
            c2 = (a1 * self.r + a2 * other.r) / total
        return (agreeing - c1) / (1 - c2)

    def _slot_bits(self) -> int:
        # b = 0 is stored as 4 bits, as datasketch does.
        return next(bits for bits in (1, 2, 4, 8, 16, 32) if self.b <= bits) if self.b else 4

    def bytesize(self) -> int:
        """The number of bytes of the pickled state."""
        blocks = -(-self.hashvalues.size * self._slot_bits() // 64)
        return _HEAD.size + (self.scheme != _LEGACY) + 8 * blocks

    def __getstate__(self) -> bytearray:
        bits, count = self._slot_bits(), self.hashvalues.size
        per_block = 64 // bits
        slots = np.zeros(-(-count // per_block) * per_block, dtype=np.uint64)
        slots[:count] = self.hashvalues
        # The first value of a block is in its highest bits.
        shifts = np.arange(per_block - 1, -1, -1, dtype=np.uint64) * np.uint64(bits)
        blocks = np.bitwise_or.reduce(slots.reshape(-1, per_block) << shifts, axis=1)
        if self.scheme == _LEGACY:
            head = _HEAD.pack(self.seed, self.b, self.r, count)
        else:
            head = _HEAD.pack(self.seed, self.b, self.r, -count) + bytes([_SCHEME_CODES[self.scheme]])
        return bytearray(head + blocks.astype("<u8").tobytes())

    def __setstate__(self, buf: Any) -> None:
        buf = bytes(buf)
        self.seed, self.b, self.r, count = _HEAD.unpack_from(buf, 0)
        offset = _HEAD.size
        if count >= 0:
            self.scheme = _LEGACY
        else:
            code = buf[offset] if offset < len(buf) else -1
            if code not in _SCHEME_OF_CODE:
                raise ValueError(f"Unknown permutation scheme code: {code}")
            self.scheme, count, offset = _SCHEME_OF_CODE[code], -count, offset + 1
        bits = self._slot_bits()
        per_block = 64 // bits
        blocks = np.frombuffer(buf, dtype="<u8", count=-(-count // per_block), offset=offset)
        shifts = np.arange(per_block - 1, -1, -1, dtype=np.uint64) * np.uint64(bits)
        slots = (blocks[:, np.newaxis] >> shifts) & np.uint64(2**bits - 1)
        self.hashvalues = slots.reshape(-1)[:count].astype(np.uint32)


def _chance(r: float, b: int) -> float:
    """The probability that the lowest bits of different values agree, for sets of share `r`."""
    if r == 0.0:
        return 1.0 / (1 << b)
    return float(r * (1 - r) ** (2**b - 1) / (1 - (1 - r) ** (2 * b)))
