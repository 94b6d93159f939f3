from __future__ import annotations

import pickle

import numpy
import pytest

import lookalike
from lookalike import HammingIndex, Shingler, SimHash
from lookalike.errors import SettingError


def test_widths_agree() -> None:
    features = [1, 2, 3]
    wide = SimHash(128, seed=7).fingerprint(features)
    for bits in (16, 32, 64):
        assert SimHash(bits, seed=7).fingerprint(features) == wide & ((1 << bits) - 1)


def test_estimate() -> None:
    hasher = SimHash(seed=7)
    features = numpy.arange(1000, dtype=numpy.uint64)
    estimate = hasher.estimate(hasher.fingerprint(features[:950]), hasher.fingerprint(features[50:]))
    assert isinstance(estimate, lookalike.AngleEstimate)
    assert abs(estimate.cosine - 900 / 950) < 4 * estimate.cosine_standard_error
    assert SimHash.distance(0b1011, 0b0001) == 2 and SimHash.distance(2**127, 0) == 1


def test_texts() -> None:
    hasher = SimHash(shingler="words:2")
    texts = ["to be or not to be", "to be or not to bee", ""]
    fingerprints = hasher.fingerprints(texts)
    assert fingerprints.dtype == numpy.uint64
    assert fingerprints.tolist() == [hasher.fingerprint(text) for text in texts]
    assert hasher.fingerprint(texts[0]) == hasher.fingerprint(Shingler("words:2").set(texts[0]))
    assert fingerprints[2] == 0
    wide = SimHash(128, "words:2").fingerprints(texts)
    assert wide.dtype == object and [value & (2**64 - 1) for value in wide] == fingerprints.tolist()
    assert len(SimHash().fingerprints([])) == 0


def test_weights() -> None:
    hasher = SimHash()
    assert hasher.fingerprint({"a": 2.0, "b": 1.0}) == hasher.fingerprint({"b": 1.0, "a": 2.0}) == hasher.fingerprint(["a"])
    assert hasher.fingerprint({"a": 2.0}) == hasher.fingerprint(["a", "a"]) == hasher.fingerprint({b"a": 0.5})
    assert hasher.fingerprint({"a": -1.0}) == hasher.fingerprint(["a"]) ^ (2**64 - 1)
    for weight in (float("nan"), float("inf")):
        with pytest.raises(SettingError):
            hasher.fingerprint({"a": weight})
    with pytest.raises(TypeError):
        hasher.fingerprint({"a": None})


def test_sim_hash_value() -> None:
    hasher = SimHash(32, "characters:3", seed=5)
    again = pickle.loads(pickle.dumps(hasher))
    assert again == hasher and hash(again) == hash(hasher) and again.fingerprint("abcdef") == hasher.fingerprint("abcdef")
    assert repr(hasher) == "SimHash(bits=32, shingler=Shingler('characters:3'), seed=5)"
    assert eval(repr(hasher)) == hasher and hasher != SimHash(32, "characters:3")
    for bits in (0, 8, 65, -1, 2**70):
        with pytest.raises(SettingError):
            SimHash(bits)
    for wrong in (None, 5, [None], [1.5]):
        with pytest.raises(TypeError):
            hasher.fingerprint(wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingError):
        hasher.fingerprints(["\ud800"])
    with pytest.raises(SettingError):
        SimHash.distance(-1, 0)
    with pytest.raises(SettingError):
        SimHash.distance(2**128, 0)
    with pytest.raises(SettingError):
        hasher.estimate(2**32, 0)


@pytest.mark.parametrize("bits", [16, 32, 64, 128])
def test_hamming_index_finds_all(bits: int) -> None:
    generator = numpy.random.default_rng(bits)
    values = [int.from_bytes(generator.bytes(bits // 8), "little") for _ in range(300)]
    values += [value ^ (1 << int(generator.integers(bits))) ^ (1 << int(generator.integers(bits))) for value in values]
    index = HammingIndex(values, 3, bits=bits)
    assert len(index) == 600 and index.nbytes > 0

    def near(query: int) -> list[tuple[int, int]]:
        distances = ((SimHash.distance(query, value), at) for at, value in enumerate(values))
        return [(at, distance) for distance, at in sorted(distances) if distance <= 3]

    queries = values[:40] + [0]
    assert index.query_many(queries) == [index.query(query) for query in queries] == [near(query) for query in queries]
    pairs = [(a, b, SimHash.distance(values[a], values[b])) for a in range(600) for b in range(a + 1, 600)]
    assert index.pairs() == [pair for pair in pairs if pair[2] <= 3]
    assert index.pairs(1) == [pair for pair in pairs if pair[2] <= 1]
    assert index.query(values[0], 0) == [match for match in near(values[0]) if match[1] == 0]
    again = pickle.loads(pickle.dumps(index))
    assert again.pairs() == index.pairs() and (again.bits, again.distance) == (bits, 3)


def test_hamming_index_ids_and_arrays() -> None:
    fingerprints = SimHash(shingler="words:1").fingerprints(["a b c d e", "a b c d e", "other words in here"])
    index = HammingIndex(fingerprints, ids=["x", None, ("y", 2)])
    assert index.query(int(fingerprints[0])) == [("x", 0), (None, 0)] and index.pairs() == [("x", None, 0)]
    assert index.query(fingerprints[2]) == [(("y", 2), 0)]
    assert pickle.loads(pickle.dumps(index)).pairs() == index.pairs()
    assert repr(index) == "<HammingIndex of 3 fingerprints of 64 bits, distance 3>"
    assert HammingIndex([]).query(5) == [] and HammingIndex([]).pairs() == [] and len(HammingIndex([])) == 0


def test_senseless_hamming_indexes() -> None:
    for bits in (0, 63, 256):
        with pytest.raises(SettingError):
            HammingIndex([1], bits=bits)
    with pytest.raises(SettingError):
        HammingIndex([1], distance=65)
    with pytest.raises(SettingError):
        HammingIndex([1], distance=-1)
    with pytest.raises(SettingError):
        HammingIndex([2**16], bits=16)
    with pytest.raises(SettingError):
        HammingIndex(numpy.array([2**16], dtype=numpy.uint64), bits=16)
    with pytest.raises(SettingError):
        HammingIndex([1, 2], ids=["a"])
    with pytest.raises(SettingError):
        HammingIndex([-1])
    index = HammingIndex([1])
    with pytest.raises(SettingError):
        index.query(1, 4)
    with pytest.raises(SettingError):
        index.query(2**64)
    for wrong in (None, "a", 1.5):
        with pytest.raises(TypeError):
            index.query(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            HammingIndex([wrong])  # type: ignore[list-item]
