"""The interface of the package simhash over lookalike: `from lookalike.compat.simhash import Simhash,
SimhashIndex`.

The values are equal to those of simhash 2.1.2. Where simhash 2.1.2 fails (a feature with an integer weight above 255,
with NumPy 2), the values follow its definition.

    >>> a, b = Simhash("How are you? I am fine. Thanks."), Simhash("How are you? I am fine. Thank you.")
    >>> a.distance(b) < 20
    True
    >>> SimhashIndex([("b", b)], k=20).get_near_dups(a)
    ['b']
"""

from __future__ import annotations

import hashlib
import logging
import numbers
import re
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Callable, Optional

from lookalike import _native

__all__ = ["Simhash", "SimhashIndex"]


def _hashfunc(x: bytes) -> bytes:
    return hashlib.md5(x).digest()


class Simhash:
    """A fingerprint of `f` bits (a multiple of 8) whose Hamming distances are small for similar texts.

    `value` is a text (its features are all sequences of four of the characters that `reg` matches), an iterable of
    features or of (feature, weight), a dict of weights, a fingerprint as an integer, or another Simhash.
    `hashfunc` takes bytes and returns bytes, at least `f // 8` of them, or an integer.

    >>> Simhash(["a", ("b", 2)]).value == Simhash({"a": 1, "b": 2}).value
    True
    """

    large_weight_cutoff = 50
    batch_size = 200

    value: Any

    def __init__(
        self,
        value: Any,
        f: int = 64,
        reg: Any = r"[\w\u4e00-\u9fcc]+",
        hashfunc: Callable[[bytes], Any] = _hashfunc,
        log: Optional[logging.Logger] = None,
    ) -> None:
        if f <= 0 or f % 8:
            raise ValueError("f must be a multiple of 8")
        self.f = f
        self.f_bytes = f // 8
        self.reg = reg
        self.value = None
        self.hashfunc = hashfunc
        self.hashfunc_returns_int = isinstance(hashfunc(b"test"), numbers.Integral)
        self.log = logging.getLogger("simhash") if log is None else log
        if isinstance(value, Simhash):
            self.value = value.value
        elif isinstance(value, str):
            self.build_by_text(value)
        elif isinstance(value, Iterable):
            self.build_by_features(value)
        elif isinstance(value, numbers.Integral):
            self.value = value
        else:
            raise Exception(f"Bad parameter with type {type(value)}")

    def __eq__(self, other: object) -> bool:
        return bool(self.value == other.value) if hasattr(other, "value") else NotImplemented

    def _slide(self, content: str, width: int = 4) -> list[str]:
        return [content[i : i + width] for i in range(max(len(content) - width + 1, 1))]

    def _tokenize(self, content: str) -> list[str]:
        return self._slide("".join(re.findall(self.reg, content.lower())))

    def build_by_text(self, content: str) -> None:
        """Makes the fingerprint of a text."""
        own = type(self)
        plain = own._tokenize is Simhash._tokenize and own._slide is Simhash._slide
        if plain and own.build_by_features is Simhash.build_by_features and self._hashes_by_md5():
            letters = "".join(re.findall(self.reg, content.lower()))
            self.value = _native.compat_simhash_text(letters, self.f)
            return
        counts: dict[str, int] = {}
        for feature in self._tokenize(content):
            counts[feature] = counts.get(feature, 0) + 1
        self.build_by_features(counts)

    def _hashes_by_md5(self) -> bool:
        return self.hashfunc is _hashfunc and self.f <= 128

    def build_by_features(self, features: Any) -> None:
        """Makes the fingerprint of features: strings, (string, weight) pairs, or a dict of weights."""
        if isinstance(features, dict):
            features = features.items()
        names: list[str] = []
        weights: list[Any] = []
        weight: Any = 1
        for feature in features:
            # The weight of a plain feature is the last one that was given, as in the original.
            if not isinstance(feature, str):
                feature, weight = feature
            names.append(feature)
            weights.append(weight)
        plain = all(type(weight) is int and 0 <= weight < 2**32 for weight in weights)
        if plain and self._hashes_by_md5():
            self.value = _native.compat_simhash_features(names, weights, self.f)
            return
        hashes = b"".join(map(self._hash, names))
        # An integer below 0 reduces the total, but changes no bit: the original repeats the hash that many times.
        counted = [max(weight, 0) if isinstance(weight, int) else weight for weight in weights]
        bits = _native.compat_simhash_vote(hashes, counted, self.f_bytes, float(sum(weights)) / 2)
        self.value = int.from_bytes(bits, "big")

    def _hash(self, feature: str) -> bytes:
        hashed: Any = self.hashfunc(feature.encode("utf-8"))
        if self.hashfunc_returns_int:
            return int(hashed & (2**self.f - 1)).to_bytes(self.f_bytes, "big")
        cut = bytes(hashed)[-self.f_bytes :]
        if len(cut) != self.f_bytes:
            raise ValueError(f"hashfunc gave {len(cut)} bytes, f = {self.f} needs {self.f_bytes}")
        return cut

    def distance(self, another: Simhash) -> int:
        """The number of bits in which two fingerprints of the same `f` differ."""
        assert self.f == another.f, "fingerprints of different f"
        return bin((int(self.value) ^ int(another.value)) & ((1 << self.f) - 1)).count("1")


class SimhashIndex:
    """Finds all fingerprints within `k` bits of a query. No fingerprint is missed.

    `objs` is a list of (id, Simhash); answers are the ids as strings.

    >>> index = SimhashIndex([("a", Simhash(0b1111)), ("b", Simhash(0xffff))], k=2)
    >>> index.get_near_dups(Simhash(0b0011))
    ['a']
    """

    def __init__(self, objs: Any, f: int = 64, k: int = 2, log: Optional[logging.Logger] = None) -> None:
        if k < 0:
            raise ValueError("k must not be negative")
        self.k = k
        self.f = f
        self.log = logging.getLogger("simhash") if log is None else log
        self._lock = threading.Lock()
        self._table = _native.CompatBlockTable(f, min(k, f))
        # The id at each position of the table, and the position of each (fingerprint, id).
        self._ids: list[str] = []
        self._positions: dict[tuple[int, str], int] = {}
        self.log.info("Initializing %s data.", len(objs))
        for obj_id, simhash in objs:
            self.add(obj_id, simhash)

    def _bits(self, simhash: Simhash) -> int:
        assert simhash.f == self.f, "a fingerprint of another f"
        return int(simhash.value) & ((1 << self.f) - 1)

    def _bytes(self, bits: int) -> bytes:
        return bits.to_bytes(-(-self.f // 64) * 8, "little")

    def get_near_dups(self, simhash: Simhash) -> list[str]:
        """The ids of all fingerprints within `k` bits, each once."""
        with self._lock:
            near = self._table.near(self._bytes(self._bits(simhash)))
            return list(dict.fromkeys(self._ids[position] for position in near))

    def add(self, obj_id: Any, simhash: Simhash) -> None:
        """Adds a fingerprint. An id may have several fingerprints."""
        bits = self._bits(simhash)
        name = (bits, str(obj_id))
        with self._lock:
            if name in self._positions:
                return
            position = self._table.insert(self._bytes(bits))
            if position == len(self._ids):
                self._ids.append(name[1])
            else:
                self._ids[position] = name[1]
            self._positions[name] = position

    def delete(self, obj_id: Any, simhash: Simhash) -> None:
        """Removes a fingerprint of an id. Nothing happens if it does not exist."""
        with self._lock:
            position = self._positions.pop((self._bits(simhash), str(obj_id)), None)
            if position is not None:
                self._table.remove(position)

    @property
    def offsets(self) -> list[int]:
        """Where the blocks of a fingerprint begin. Two fingerprints within `k` bits agree in at least one block."""
        return [self.f // (self.k + 1) * i for i in range(self.k + 1)]

    def get_keys(self, simhash: Simhash) -> Iterator[str]:
        """The names of the buckets of a fingerprint, one for each block."""
        ends = [*self.offsets[1:], self.f]
        for i, (start, end) in enumerate(zip(self.offsets, ends)):
            yield f"{int(simhash.value) >> start & 2 ** (end - start) - 1:x}:{i:x}"

    def bucket_size(self) -> int:
        """The number of buckets that contain a fingerprint."""
        return self._table.bucket_count()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_table"], state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self._table = _native.CompatBlockTable(self.f, min(self.k, self.f))
        stored, self._ids, self._positions = list(self._positions), [], {}
        for bits, name in stored:
            self.add(name, Simhash(bits, self.f))
