from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy
import pytest

import lookalike
from lookalike import BBitMinHash, MinHash, Shingler, Signature, Signatures, WeightedMinHash
from lookalike.errors import DamagedError, IncompatibleError, SettingError

FAMILIES = ["fast-sketch", "multiply-shift", "universal"]


def hashes(*values: int) -> numpy.ndarray[tuple[int], numpy.dtype[numpy.uint64]]:
    return numpy.array(values, dtype=numpy.uint64)


@pytest.mark.parametrize(
    ("family", "num_hashes", "seed", "elements", "slots"),
    [
        ("fast-sketch", 4, 42, (1, 2, 3), [0x692363DB5617C, 0xB3B6222FBA809, 0x203107A484E85, 0xCEA59783D452F]),
        ("fast-sketch", 3, 1, (7,), [0xDBE84972F03FD, 0x17A7913199683F, 0x4EC1995FD5005]),
        ("universal", 3, 42, (1, 2, 3), [0xC4EAF34C8452798, 0x5C2830088EF3831, 0x1D00114A8C191FDE]),
        ("multiply-shift", 4, 42, (1, 2, 3), [0xA915E63D, 0x4F6B0EAA, 0x6CC825FD, 0x354F85CB]),
    ],
)
def test_known_slots(family: str, num_hashes: int, seed: int, elements: tuple[int, ...], slots: list[int]) -> None:
    """The known answers of crates/lookalike/docs/signature-format.md."""
    hasher = MinHash(num_hashes, seed, family)
    assert hasher.sketch(hashes(*elements)).slots.tolist() == slots
    assert hasher.sketch(elements).slots.tolist() == slots
    assert hasher.sketch(hashes(*elements, *elements)).slots.tolist() == slots


def test_what_elements_may_be() -> None:
    hasher = MinHash(64)
    words = hasher.sketch(["apple", "pear"])
    assert words == hasher.sketch({"pear", "apple"}) == hasher.sketch(iter([b"pear", b"apple", b"apple"]))
    assert words == hasher.sketch(numpy.array(["apple", "pear"], dtype=object)) == hasher.sketch({"apple": 1, "pear": 2})
    assert words == hasher.sketch(numpy.array(["apple", "pear"]))
    assert hasher.sketch([5, "a"]) == hasher.sketch([numpy.uint64(5), b"a"])
    text = "one two three four five six"
    assert hasher.sketch(text) == hasher.sketch(Shingler().set(text)) == hasher.sketch(text.encode())
    strided = numpy.arange(20, dtype=numpy.uint64)[::2]
    assert hasher.sketch(strided) == hasher.sketch(strided.copy())


@pytest.mark.parametrize("family", FAMILIES)
def test_estimates(family: str) -> None:
    hasher = MinHash(1024, 3, family)
    # Hashed elements: universal functions are biased on consecutive numbers.
    elements = [str(number) for number in range(1250)]
    a, b = hasher.sketch(elements[:1000]), hasher.sketch(elements[250:])
    estimate = a.estimate(b)
    assert isinstance(estimate, lookalike.Estimate)
    assert abs(estimate.similarity - 0.6) < 4 * 0.0153 and abs(estimate.standard_error - 0.0153) < 0.001
    assert a.jaccard(b) == estimate.similarity == estimate[0]
    assert a.jaccard(a) == 1.0
    assert a.union(b) == a | b == hasher.sketch(elements)
    if family != "universal":
        cardinality = (a | b).cardinality()
        assert abs(cardinality.size - 1250) < 4 * cardinality.standard_error < 400
    for bits in (1, 2, 4, 8, 16):
        short = a.bbit(bits)
        near = short.estimate(b.bbit(bits))
        assert abs(near.similarity - 0.6) < 5 * near.standard_error
        assert short.nbytes == 1024 * bits // 8 == short.words.nbytes and short.bits == bits


def test_empty_set() -> None:
    empty = MinHash().sketch("")
    assert empty.is_empty_set and empty == MinHash().sketch([]) and empty.cardinality().size == 0.0
    assert empty.jaccard(MinHash().sketch([])) == 1.0 and empty.jaccard(MinHash().sketch(["a"])) == 0.0
    assert empty.bbit().is_empty_set and "empty set" in repr(empty)


def test_slots_are_a_view_that_cannot_be_written() -> None:
    signature = MinHash().sketch(["a"])
    slots = signature.slots
    assert numpy.shares_memory(slots, signature.slots) and slots.base is signature  # type: ignore[comparison-overlap]
    assert numpy.shares_memory(numpy.asarray(signature), slots)
    assert not numpy.shares_memory(numpy.array(signature), slots)
    assert numpy.asarray(signature, dtype=numpy.float64).dtype == numpy.float64
    with pytest.raises(ValueError):
        slots[0] = 1
    with pytest.raises(ValueError):
        slots.flags.writeable = True
    kept = slots.tolist()
    del signature
    assert slots.tolist() == kept
    batch = MinHash().sketch_texts(["a b c d e f", "x"])
    assert numpy.shares_memory(batch.slots, numpy.asarray(batch)) and batch.slots.base is batch  # type: ignore[comparison-overlap]
    words = batch[0].bbit(4)
    assert numpy.shares_memory(words.words, words.words)
    with pytest.raises(ValueError):
        batch.slots[0, 0] = 1


def test_batches() -> None:
    hasher = MinHash(32)
    texts = [f"this is text number {number} of all of them" for number in range(10_000)] + ["", "short"]
    batch = hasher.sketch_texts(texts)
    assert len(batch) == len(texts) and batch.slots.shape == (len(texts), 32) and batch.slots.dtype == numpy.uint64
    for at in (0, 1, 4095, 4096, 9999, 10_000, -1):
        assert batch[at] == hasher.sketch(texts[at])
    assert batch == hasher.sketch_texts(iter(texts)) == hasher.sketch_many(texts)
    assert batch == hasher.sketch_many([Shingler().set(text) for text in texts])
    assert [signature.slots[0] for signature in batch] == batch.slots[:, 0].tolist()
    assert batch[2:8:2].slots.tolist() == batch.slots[2:8:2].tolist() and len(batch[5:2]) == 0
    assert batch[::-1][0] == batch[-1] and list(reversed(batch[:3]))[0] == batch[2]
    with pytest.raises(IndexError):
        batch[len(texts)]
    with pytest.raises(IndexError):
        batch[-len(texts) - 1]
    with pytest.raises(TypeError):
        batch["0"]  # type: ignore[call-overload]
    assert batch.family == "fast-sketch" and batch.seed == 1 and batch.num_hashes == 32
    assert Signatures.from_slots(batch.slots) == batch and batch != batch[:1]
    empty = hasher.sketch_texts([])
    assert len(empty) == 0 and empty.slots.shape == (0, 32) and list(empty) == []


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol: int) -> None:
    hasher = MinHash(16, 9, "multiply-shift", Shingler("characters:3", case="keep"))
    signature = hasher.sketch("abcdef")
    batch = hasher.sketch_texts(["abcdef", "xyz"])
    for value in (hasher, signature, signature.bbit(2), batch, batch[:0], WeightedMinHash(8, 2)):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value and type(again) is type(value)
        if not isinstance(value, Signatures):
            assert hash(again) == hash(value)
    assert pickle.loads(pickle.dumps(hasher, protocol)).sketch("abcdef") == signature


def test_bytes() -> None:
    signature = MinHash(4, 42).sketch(hashes(1, 2, 3))
    data = signature.to_bytes()
    assert data[:8] == b"LKMH\x01\x04\0\0" and len(data) == 20 + 32
    assert Signature.from_bytes(data) == signature
    short = signature.bbit(8)
    assert BBitMinHash.from_bytes(short.to_bytes()) == short == BBitMinHash(signature, bits=8)
    classes: list[tuple[Callable[[bytes], object], bytes]] = [
        (Signature.from_bytes, data),
        (BBitMinHash.from_bytes, short.to_bytes()),
    ]
    for read, good in classes:
        for cut in range(len(good)):
            with pytest.raises(DamagedError):
                read(good[:cut])
        with pytest.raises(DamagedError):
            read(good + b"\0")
        with pytest.raises(DamagedError):
            read(b"")
        with pytest.raises(TypeError):
            read("text")  # type: ignore[arg-type]


def test_incomparable_signatures() -> None:
    signature = MinHash(16).sketch(["a"])
    others = [MinHash(32).sketch(["a"]), MinHash(16, 2).sketch(["a"]), MinHash(16, 1, "universal").sketch(["a"])]
    others.append(WeightedMinHash(16).sketch({"a": 1.0}))
    for other in others:
        for compare in (signature.estimate, signature.jaccard, signature.union, signature.__or__):
            with pytest.raises(IncompatibleError):
                compare(other)
        with pytest.raises(IncompatibleError):
            signature.bbit().jaccard(other.bbit())
        assert signature != other
    with pytest.raises(IncompatibleError):
        signature.bbit(1).estimate(signature.bbit(2))
    for wrong in (None, 1, "a"):
        with pytest.raises(TypeError):
            signature.jaccard(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            signature | wrong  # type: ignore[operator]
        assert signature != wrong


def test_repr_and_properties() -> None:
    signature = MinHash(16, 2).sketch(["a"])
    assert repr(signature) == "<Signature fast-sketch, 16 hashes, seed 2>" and len(signature) == 16
    assert repr(signature.bbit()) == "<BBitMinHash 1 bit of fast-sketch, 16 hashes, seed 2>"
    assert repr(MinHash()) == "MinHash(num_hashes=128, seed=1, family='fast-sketch', shingler=Shingler('words:5'))"
    assert eval(repr(MinHash(7, 8, "universal", "words:2"))) == MinHash(7, 8, "universal", Shingler("words:2"))
    assert repr(MinHash(8).sketch_texts(["a"])) == "<Signatures 1 of fast-sketch, 8 hashes, seed 1>"
    assert (signature.family, signature.seed, signature.num_hashes) == ("fast-sketch", 2, 16)
    assert len({signature, MinHash(16, 2).sketch(["a"]), MinHash(16, 2).sketch(["b"])}) == 2


@pytest.mark.parametrize("num_hashes", [0, -1, 4097, 2**63, 2**64, 2**100])
def test_senseless_numbers_of_hashes(num_hashes: int) -> None:
    for maker in (MinHash, WeightedMinHash):
        with pytest.raises(SettingError):
            maker(num_hashes)
    with pytest.raises(SettingError):
        MinHash(8).sketch(["a"]).bbit(num_hashes)


def test_senseless_arguments() -> None:
    for seed in (-1, 2**64):
        with pytest.raises(SettingError):
            MinHash(seed=seed)
    with pytest.raises(SettingError, match="fast-sketch, multiply-shift, universal"):
        MinHash(family="sha1")
    for wrong in ("128", 1.5, None, [1]):
        with pytest.raises(TypeError):
            MinHash(wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingError):
        MinHash(shingler="letters")
    with pytest.raises(TypeError):
        MinHash(shingler=5)  # type: ignore[arg-type]
    with pytest.raises(SettingError):
        Signature.from_slots(hashes())
    with pytest.raises(SettingError):
        Signature.from_slots(hashes(1), family="none")
    with pytest.raises(TypeError):
        Signatures.from_slots(hashes(1))
    with pytest.raises(SettingError):
        Signatures.from_slots(numpy.zeros((3, 0), dtype=numpy.uint64))


@pytest.mark.parametrize(
    "elements",
    [None, 5, 1.5, [None], [1.5], [float("nan")], [[1]], numpy.array([1, 2]), numpy.array([1.0]), numpy.zeros((2, 2), "u8")],
)
def test_what_are_no_elements(elements: object) -> None:
    hasher = MinHash(8)
    with pytest.raises(TypeError):
        hasher.sketch(elements)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hasher.sketch_many([elements])  # type: ignore[list-item]


def test_what_are_no_texts() -> None:
    hasher = MinHash(8)
    with pytest.raises(SettingError):
        hasher.sketch([-1])
    with pytest.raises(SettingError):
        hasher.sketch("\ud800")
    with pytest.raises(SettingError):
        hasher.sketch_texts(["fine", "\udfff"])
    with pytest.raises(TypeError, match=r"texts\[1\] is of type NoneType"):
        hasher.sketch_texts(["fine", None])  # type: ignore[list-item]
    for wrong in ("one text", b"bytes", None, 5):
        with pytest.raises(TypeError):
            hasher.sketch_texts(wrong)  # type: ignore[arg-type]

    def failing() -> object:
        yield "fine"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        hasher.sketch_texts(failing())  # type: ignore[arg-type]


def test_weighted() -> None:
    hasher = WeightedMinHash(1024, 1)
    a = hasher.sketch((hashes(10, 20, 30), [2.0, 0.5, 1.0]))
    b = hasher.sketch({10: 1.0, 20: 0.5, 40: 0.5})
    estimate = a.estimate(b)
    assert abs(estimate.similarity - 0.375) < 4 * estimate.standard_error and a.family == "weighted"
    assert hasher.sketch({"a": 1, b"b": 2}) == hasher.sketch((["a", "b"], numpy.array([1, 2])))
    assert hasher.sketch({"a": 0.0}).is_empty_set and hasher.sketch({}).is_empty_set
    bag, counts = Shingler("characters:2").bag("hahaha")
    assert hasher.sketch((bag, counts)) == hasher.sketch({int(h): float(n) for h, n in zip(bag, counts)})
    for weight in (float("nan"), float("inf"), -1.0):
        with pytest.raises(SettingError):
            hasher.sketch({"a": weight})
    with pytest.raises(SettingError):
        hasher.sketch((hashes(1, 2), [1.0]))
    with pytest.raises(SettingError):
        hasher.sketch((hashes(1), [[1.0]]))
    for wrong in (None, "text", ["a"], {"a": None}, {None: 1.0}, (1,), {"a": "x"}):
        with pytest.raises((TypeError, ValueError)):
            hasher.sketch(wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingError):
        a.cardinality()


def test_columns_of_other_libraries_are_texts() -> None:
    pa, pl, pd = (pytest.importorskip(name) for name in ("pyarrow", "polars", "pandas"))
    texts = ["one two three four five six", "seven eight nine ten eleven", ""]
    expected = MinHash().sketch_texts(texts).slots
    for column in (pa.array(texts), pa.chunked_array([texts[:1], texts[1:]]), pl.Series(texts), pd.Series(texts)):
        assert numpy.array_equal(MinHash().sketch_texts(column).slots, expected)
    with pytest.raises(TypeError, match=r"texts\[1\]"):
        MinHash().sketch_texts(pa.array(["a", None]))
