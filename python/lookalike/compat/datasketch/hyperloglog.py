"""HyperLogLog and HyperLogLogPlusPlus: how many different values there were.

Registers, counts and bytes are those of datasketch 2.0.0.
"""

from __future__ import annotations

import struct
import warnings
from typing import Any, Callable, Optional

import numpy as np

from lookalike import _native
from lookalike.compat.datasketch.hashfunc import sha1_hash32, sha1_hash64
from lookalike.compat.datasketch.hyperloglog_const import _bias, _raw_estimate, _thresholds

__all__ = ["HyperLogLog", "HyperLogLogPlusPlus"]

_NEAR = (
    "Warning: estimate is close to error correction threshold. "
    "Output may not satisfy HyperLogLog accuracy guarantee."
)


class HyperLogLog:
    """Counts different values in `2 ** p` registers of a byte each, by hashes of 32 bits.

    `reg` are registers to begin with; then their number decides `p`. `hashfunc` makes an integer of up to 32 bits of a
    value. `hashobj` has no effect.

    >>> h = HyperLogLog()
    >>> for word in b"to be or not to be".split():
    ...     h.update(word)
    >>> round(h.count())
    4
    """

    __slots__ = ("alpha", "hashfunc", "m", "max_rank", "p", "reg")

    _hash_range_bit = 32
    _hash_range_byte = 4

    alpha: float
    hashfunc: Callable[[Any], int]
    m: int
    max_rank: int
    p: int
    reg: Any

    def __init__(
        self,
        p: int = 8,
        reg: Optional[Any] = None,
        hashfunc: Callable[[Any], int] = sha1_hash32,
        hashobj: Optional[object] = None,
    ) -> None:
        if reg is None:
            self.p, self.m = p, 1 << p
            self.reg = np.zeros((self.m,), dtype=np.int8)
        elif not isinstance(reg, np.ndarray):
            raise ValueError("The imported register must be a numpy.ndarray.")
        else:
            self.m = reg.size
            self.p = self.m.bit_length() - 1
            if self.p < 0 or self.m != 1 << self.p:
                raise ValueError("The imported register has incorrect size. Expect a power of 2.")
            self.reg = reg
        if not callable(hashfunc):
            raise ValueError("The hashfunc must be a callable.")
        if hashobj is not None:
            warnings.warn("hashobj is deprecated, use hashfunc instead.", DeprecationWarning, stacklevel=2)
        self.hashfunc = hashfunc
        self.alpha = self._get_alpha(self.p)
        self.max_rank = self._hash_range_bit - self.p

    def _get_alpha(self, p: int) -> float:
        if not 4 <= p <= 16:
            raise ValueError("p=%d should be in range [4 : 16]" % p)
        few = {4: 0.673, 5: 0.697, 6: 0.709}
        return few[p] if p in few else 0.7213 / (1.0 + 1.079 / (1 << p))

    def update(self, b: Any) -> None:
        """Counts a value: bytes, or what `hashfunc` takes."""
        bits = self._hash_range_bit
        # The native code computes the values of these two functions itself.
        quick = sha1_hash32 if bits == 32 else sha1_hash64
        if self.hashfunc is quick and _native.compat_hyperloglog_update(self.reg, b, self.p, bits):
            return
        hashed = self.hashfunc(b)
        register = hashed & (self.m - 1)
        self.reg[register] = max(self.reg[register], self._get_rank(hashed >> self.p))

    def count(self) -> float:
        """The estimated number of different values."""
        raw = self._raw_estimate()
        small = 2.5 * self.m
        if abs(raw - small) / small < 0.15:
            warnings.warn(_NEAR, stacklevel=2)
        if raw <= small:
            return self._linearcounting(self._num_zero())
        if raw <= (1.0 / 30.0) * (1 << 32):
            return raw
        return self._largerange_correction(raw)

    def merge(self, other: HyperLogLog) -> None:
        """Makes this the sketch of the union."""
        if self.m != other.m or self.p != other.p:
            raise ValueError("Cannot merge HyperLogLog with different precisions.")
        self.reg = np.maximum(self.reg, other.reg)

    def digest(self) -> Any:
        """A copy of the registers."""
        return self.reg.copy()

    def copy(self) -> HyperLogLog:
        """An independent copy."""
        return self.__class__(reg=self.digest(), hashfunc=self.hashfunc)

    def is_empty(self) -> bool:
        """True if nothing was counted."""
        return not np.any(self.reg)

    def clear(self) -> None:
        """Forgets all values."""
        self.reg = np.zeros((self.m,), dtype=np.int8)

    def __len__(self) -> int:
        return len(self.reg)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, HyperLogLog):
            return False
        return (self.p, self.m) == (other.p, other.m) and bool(np.array_equal(self.reg, other.reg))

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def union(cls, *hyperloglogs: HyperLogLog) -> HyperLogLog:
        """The sketch of the union of two or more."""
        if len(hyperloglogs) < 2:
            raise ValueError("Cannot union less than 2 HyperLogLog sketches")
        first = hyperloglogs[0]
        if any(other.m != first.m for other in hyperloglogs):
            raise ValueError("Cannot union HyperLogLog sketches with different precisions")
        registers = np.maximum.reduce([other.reg for other in hyperloglogs])
        return cls(reg=registers, hashfunc=first.hashfunc)

    def bytesize(self) -> int:
        """The number of bytes that `serialize` writes."""
        return 1 + self.m

    def serialize(self, buf: Any) -> None:
        """Writes the precision and the registers into a buffer, a byte each."""
        if len(buf) < self.bytesize():
            raise ValueError("The buffer does not have enough space for holding this HyperLogLog.")
        struct.pack_into("B%dB" % self.m, buf, 0, self.p, *self.reg)

    @classmethod
    def deserialize(cls, buf: Any) -> HyperLogLog:
        """Reads what `serialize` wrote."""
        read = cls(struct.unpack_from("B", buf, 0)[0])
        read.reg = read._read_registers(buf)
        return read

    def _read_registers(self, buf: Any) -> Any:
        return np.array(struct.unpack_from("%dB" % self.m, buf, 1), dtype=np.int8)

    def __getstate__(self) -> bytearray:
        buf = bytearray(self.bytesize())
        self.serialize(buf)
        return buf

    def __setstate__(self, buf: Any) -> None:
        self.__init__(p=struct.unpack_from("B", buf, 0)[0])  # type: ignore[misc]
        self.reg = self._read_registers(buf)

    def _raw_estimate(self) -> float:
        raw: float = self.alpha * float(self.m**2) / np.sum(2.0 ** (-self.reg))
        return raw

    def _num_zero(self) -> int:
        return int(self.m - np.count_nonzero(self.reg))

    def _get_rank(self, bits: int) -> int:
        rank: int = self.max_rank - bits.bit_length() + 1
        if rank <= 0:
            raise ValueError("Hash value overflow, maximum size is %d bits" % self.max_rank)
        return rank

    def _linearcounting(self, num_zero: int) -> float:
        counted: float = self.m * np.log(self.m / float(num_zero))
        return counted

    def _largerange_correction(self, e: float) -> float:
        corrected: float = -(1 << 32) * np.log(1.0 - e / (1 << 32))
        return corrected


class HyperLogLogPlusPlus(HyperLogLog):
    """The same by hashes of 64 bits, with the estimator of HyperLogLog++.

    >>> h = HyperLogLogPlusPlus()
    >>> for word in b"to be or not to be".split():
    ...     h.update(word)
    >>> round(h.count())
    4
    """

    _hash_range_bit = 64
    _hash_range_byte = 8

    def __init__(
        self,
        p: int = 8,
        reg: Optional[Any] = None,
        hashfunc: Callable[[Any], int] = sha1_hash64,
        hashobj: Optional[object] = None,
    ) -> None:
        super().__init__(p=p, reg=reg, hashfunc=hashfunc, hashobj=hashobj)

    def _get_threshold(self, p: int) -> int:
        return _thresholds[p - 4]

    def _estimate_bias(self, e: float, p: int) -> float:
        nearest = np.argsort((e - _raw_estimate[p - 4]) ** 2)[:6]
        mean: Any = np.mean(_bias[p - 4][nearest])
        return mean  # type: ignore[no-any-return]

    def count(self) -> float:
        """The estimated number of different values."""
        num_zero = self._num_zero()
        if num_zero > 0:
            linear = self._linearcounting(num_zero)
            if linear <= self._get_threshold(self.p):
                return linear
        raw = self._raw_estimate()
        return raw - self._estimate_bias(raw, self.p) if raw <= 5 * self.m else raw
