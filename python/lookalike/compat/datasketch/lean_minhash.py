"""LeanMinHash: only hash values, seed and scheme."""

from __future__ import annotations

import struct
from typing import Any, Optional

import numpy as np

from lookalike.compat.datasketch.minhash import (
    _AFFINE64,
    _LEGACY,
    _SCHEME_CODES,
    _SCHEME_OF_CODE,
    MinHash,
    _check_scheme,
    _kind_of,
)

__all__ = ["LeanMinHash"]


def _letter(scheme: str) -> str:
    return "Q" if scheme == _AFFINE64 else "I"


class LeanMinHash(MinHash):
    """A MinHash that takes little memory and cannot be updated. It is made from another MinHash or from its parts.

    Its bytes are those of datasketch: the seed in 8 bytes; the number of values in 4 bytes, negative if a byte for
    the scheme follows; and the values, in 4 bytes each, or 8 bytes for `affine64`.

    >>> lean = LeanMinHash(MinHash(num_perm=4))
    >>> buffer = bytearray(lean.bytesize())
    >>> lean.serialize(buffer)
    >>> LeanMinHash.deserialize(buffer) == lean
    True
    """

    __slots__ = ("_kind", "hashvalues")

    def __init__(
        self,
        minhash: Optional[MinHash] = None,
        seed: Optional[int] = None,
        hashvalues: Optional[Any] = None,
        scheme: Optional[str] = None,
    ) -> None:
        if minhash is not None:
            if scheme is not None and scheme != minhash.scheme:
                raise ValueError(f"scheme {scheme!r}, but the MinHash has scheme {minhash.scheme!r}")
            self._set(minhash.seed, minhash.hashvalues, minhash.scheme)
        elif hashvalues is not None and seed is not None:
            if scheme is None:
                raise ValueError(
                    "scheme must be given together with hashvalues: that of the MinHash they are from, or "
                    "'legacy' if they were made by datasketch before 2.0.0"
                )
            self._set(seed, hashvalues, scheme)
        else:
            raise ValueError("give a MinHash, or both seed and hashvalues: they cannot be None")

    def _set(self, seed: Any, hashvalues: Any, scheme: str) -> None:
        _check_scheme(scheme)
        self._kind = _kind_of(scheme, seed)
        self.hashvalues = self._parse_hashvalues(hashvalues)
        if scheme != _LEGACY and len(self.hashvalues) == 0:
            raise ValueError("hashvalues must not be empty")

    def _initialize_slots(self, seed: Any, hashvalues: Any, scheme: str = _LEGACY) -> None:
        """Some programs call this after `object.__new__(LeanMinHash)`, although it is private."""
        self._set(seed, hashvalues, scheme)

    @classmethod
    def _of(cls, seed: Any, hashvalues: Any, scheme: str) -> LeanMinHash:
        made = LeanMinHash.__new__(LeanMinHash)
        made._set(seed, hashvalues, scheme)
        return made

    def update(self, b: Any) -> None:
        """Raises: a LeanMinHash cannot be updated."""
        raise TypeError("Cannot update a LeanMinHash: keep the MinHash it is from")

    def update_batch(self, b: Any) -> None:
        """Raises: a LeanMinHash cannot be updated."""
        raise TypeError("Cannot update a LeanMinHash: keep the MinHash it is from")

    def copy(self) -> LeanMinHash:
        """A LeanMinHash of the same values."""
        return self._of(self.seed, self.hashvalues, self.scheme)

    def _format(self, byteorder: str) -> str:
        code = "" if self.scheme == _LEGACY else "B"
        return f"{byteorder}qi{code}{len(self)}{_letter(self.scheme)}"

    def bytesize(self, byteorder: str = "@") -> int:
        """The number of bytes that `serialize` writes; `byteorder` is a character of the module struct."""
        return struct.calcsize(self._format(byteorder))

    def serialize(self, buf: Any, byteorder: str = "@") -> None:
        """Writes the sketch to the beginning of a buffer, such as a bytearray."""
        if len(buf) < self.bytesize(byteorder):
            raise ValueError(
                f"The buffer does not have enough space: {len(buf)} of {self.bytesize(byteorder)} bytes"
            )
        values = self.hashvalues.tolist()
        if self.scheme == _LEGACY:
            struct.pack_into(self._format(byteorder), buf, 0, self.seed, len(self), *values)
        else:
            code = _SCHEME_CODES[self.scheme]
            struct.pack_into(self._format(byteorder), buf, 0, self.seed, -len(self), code, *values)

    @staticmethod
    def _read(buf: Any, byteorder: str) -> tuple[int, Any, str]:
        buf = memoryview(buf)
        head = f"{byteorder}qi"
        seed, count = struct.unpack_from(head, buf, 0)
        if count >= 0:
            scheme, offset = _LEGACY, struct.calcsize(head)
        else:
            (code,) = struct.unpack_from("B", buf, struct.calcsize(head))
            if code not in _SCHEME_OF_CODE:
                raise ValueError(f"Unknown permutation scheme code: {code}")
            count, scheme = -count, _SCHEME_OF_CODE[code]
            # In the native byte order, a format without values is aligned too.
            offset = struct.calcsize(f"{head}B0{_letter(scheme)}")
        return seed, struct.unpack_from(f"{byteorder}{count}{_letter(scheme)}", buf, offset), scheme

    @classmethod
    def deserialize(cls, buf: Any, byteorder: str = "@") -> LeanMinHash:
        """The sketch at the beginning of a buffer."""
        return cls._of(*cls._read(buf, byteorder))

    def __getstate__(self) -> Any:
        buffer = bytearray(self.bytesize())
        self.serialize(buffer)
        return buffer

    def __setstate__(self, state: Any) -> None:
        self._set(*self._read(state, "@"))

    def __hash__(self) -> int:
        return hash((self.scheme, self.seed, self.hashvalues.tobytes()))

    __eq__ = MinHash.__eq__

    @classmethod
    def union(cls, *lmhs: MinHash) -> LeanMinHash:
        """The sketch of the union of two or more sets."""
        if len(lmhs) < 2:
            raise ValueError("Cannot union less than 2 MinHash")
        first = lmhs[0]
        if any(m.seed != first.seed or len(m) != len(first) or m.scheme != first.scheme for m in lmhs):
            raise ValueError(
                "The MinHash of a union must have the same seed, number of permutations and scheme"
            )
        return cls._of(first.seed, np.minimum.reduce([m.hashvalues for m in lmhs]), first.scheme)
