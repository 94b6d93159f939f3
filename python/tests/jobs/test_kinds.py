"""Sets and fingerprints of every type that holds them."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Callable, Dict, List, Set, Tuple

import lookalike
import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

BASKETS: List[List[Any]] = [
    ["milk", "rolls", "butter", 1],
    ["rolls", "milk", "butter", 1],
    ["milk", "rolls", "butter"],
    ["beer", "a, b"],
    [],
]
TEXTS = [[str(item) for item in basket] for basket in BASKETS]

INPUTS: Dict[str, Callable[[List[List[str]]], Any]] = {
    "lists": lambda baskets: baskets,
    "sets": lambda baskets: [set(basket) for basket in baskets],
    "tuples": lambda baskets: [tuple(basket) for basket in baskets],
    "pandas series": lambda baskets: pd.Series(baskets),
    "pandas of sets": lambda baskets: pd.Series([frozenset(basket) for basket in baskets]),
    "polars": lambda baskets: pl.Series(baskets, dtype=pl.List(pl.String)),
    "arrow": lambda baskets: pa.array(baskets, type=pa.list_(pa.string())),
    "arrow large": lambda baskets: pa.chunked_array([pa.array(baskets, type=pa.large_list(pa.string()))]),
}


def found(pairs: lookalike.Pairs) -> Set[Tuple[int, int, float]]:
    return {(pair.a, pair.b, round(pair.similarity or 0.0, 4)) for pair in pairs}


@pytest.mark.parametrize("name", INPUTS)
def test_sets(name: str) -> None:
    pairs = lookalike.pairs(INPUTS[name](TEXTS), kind="sets", threshold=0.7)
    assert found(pairs) == {(0, 1, 1.0), (0, 2, 0.75), (1, 2, 0.75)}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_sets_go_in_and_out(make: Callable[[Any], Any]) -> None:
    frame = make({"name": list("abcde"), "items": TEXTS})
    pairs = lookalike.pairs(frame, kind="sets", text="items", id="name", threshold=0.7)
    assert {(pair.a, pair.b) for pair in pairs} == {("a", "b"), ("a", "c"), ("b", "c")}
    kept, result = lookalike.dedup(frame, kind="sets", text="items", id="name", threshold=0.7)
    assert type(kept) is type(frame) and list(kept["name"]) in (list("ade"), [pa.scalar(name) for name in "ade"])
    assert [removed.document for removed in result.removed] == ["b", "c"]


def test_items_are_values() -> None:
    assert found(lookalike.pairs(BASKETS, kind="sets", threshold=0.9)) == {(0, 1, 1.0)}
    # A number and its text differ.
    assert found(lookalike.pairs([[1, 2], ["1", "2"], [1.0, 2]], kind="sets")) == {(0, 2, 1.0)}


def test_weights_and_queries() -> None:
    weighed: List[Dict[str, float]] = [{"a": 3, "b": 1}, {"a": 3}, {"c": 1}]
    pairs = lookalike.pairs(weighed, kind="sets", measure="weighted-jaccard", threshold=0.5)
    assert found(pairs) == {(0, 1, 0.75)}
    best = lookalike.query(TEXTS, {"milk", "beer"}, kind="sets", top=1)
    assert best[0].document == 3
    with pytest.raises(lookalike.LookalikeError, match="item 2"):
        lookalike.pairs([["a", None]], kind="sets")


def prints() -> List[int]:
    """Numbers of 256 bits, of which the second differs from the first in 30, and the third in 40 bits."""
    first = int.from_bytes(bytes(range(160, 192)), "big") | 1 << 255
    flipped = [first ^ sum(1 << 6 * bit for bit in range(count)) for count in (30, 40)]
    return [first, *flipped]


def test_whole_numbers_of_256_bits() -> None:
    gives: List[Callable[[Any], Any]] = [list, tuple, lambda values: pd.Series(values, dtype=object)]
    for give in gives:
        pairs = lookalike.pairs(give(prints()), kind="fingerprints", bits=256, distance=31)
        # The second and the third differ in ten bits.
        assert {(pair.a, pair.b, pair.distance) for pair in pairs} == {(0, 1, 30), (1, 2, 10)}
    with pytest.raises(lookalike.SettingError, match="bits=256"):
        lookalike.pairs(prints(), kind="fingerprints")
    with pytest.raises(lookalike.LookalikeError, match="256 bits, not 128"):
        lookalike.pairs(prints(), kind="fingerprints", bits=128)


@pytest.mark.parametrize("bits", [16, 20, 32, 64])
def test_whole_numbers_of_few_bits(bits: int) -> None:
    values = [1, 3, 2 ** (bits - 1), 2**bits - 1]
    pairs = lookalike.pairs(values, kind="fingerprints", bits=bits, distance=1)
    assert {(pair.a, pair.b) for pair in pairs} == {(0, 1)}
    with pytest.raises(lookalike.LookalikeError, match="bits"):
        lookalike.pairs([*values, 2**bits], kind="fingerprints", bits=bits)


def test_negative_numbers_have_64_bits() -> None:
    pairs = lookalike.pairs([-1, 2**64 - 1], kind="fingerprints", distance=0)
    assert {(pair.a, pair.b) for pair in pairs} == {(0, 1)}
    with pytest.raises(lookalike.SettingError, match="negative"):
        lookalike.pairs([-1], kind="fingerprints", bits=32)


PRINTS: Dict[str, Callable[[bytes], Any]] = {
    "bytes": lambda all: [all[at : at + 8] for at in range(0, 24, 8)],
    "digits": lambda all: [all[at : at + 8].hex() for at in range(0, 24, 8)],
    "numbers": lambda all: [int.from_bytes(all[at : at + 8], "big") for at in range(0, 24, 8)],
    "numpy": lambda all: np.frombuffer(all, dtype=">u8").astype(np.uint64),
    "rows": lambda all: np.frombuffer(all, dtype=np.uint8).reshape(3, 8),
    "pandas": lambda all: pd.Series(np.frombuffer(all, dtype=">u8").astype(np.uint64)),
    "polars": lambda all: pl.Series([all[at : at + 8] for at in range(0, 24, 8)], dtype=pl.Binary),
    "polars numbers": lambda all: pl.Series(np.frombuffer(all, dtype=">u8").astype(np.uint64)),
    "arrow": lambda all: pa.array([all[at : at + 8] for at in range(0, 24, 8)], type=pa.binary(8)),
}


@pytest.mark.parametrize("name", PRINTS)
def test_fingerprints(name: str) -> None:
    all = bytes.fromhex("ff00ff00ff00ff00" "ff00ff00ff00ff03" "0123456789abcdef")
    pairs = lookalike.pairs(PRINTS[name](all), kind="fingerprints", distance=2)
    assert {(pair.a, pair.b, pair.distance) for pair in pairs} == {(0, 1, 2)}


def test_arrays_in_files(tmp_path: pathlib.Path) -> None:
    rows = np.array([[255, 0], [255, 1], [7, 200]], dtype=np.uint8)
    np.save(tmp_path / "prints.npy", rows)
    path = tmp_path / "prints.npy"
    found = lookalike.pairs(path, kind="fingerprints", distance=1)
    assert len(found) == 1 and found[0].distance == 1
    # The same bytes are coordinates of vectors.
    assert len(lookalike.pairs(path, kind="vectors", threshold=0.99)) == 1


def test_files_of_lists(tmp_path: pathlib.Path) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(pa.table({"name": list("abcde"), "items": TEXTS}), tmp_path / "sets.parquet")
    pairs = lookalike.pairs(tmp_path / "sets.parquet", kind="sets", text="items", id="name", threshold=0.7)
    assert {(pair.a, pair.b) for pair in pairs} == {("a", "b"), ("a", "c"), ("b", "c")}


def test_two_values_are_compared() -> None:
    sets = lookalike.compare({"milk", "rolls"}, ["milk", 2], kind="sets")
    assert abs(sets.similarity - 1 / 3) < 1e-12 and not sets.duplicate
    assert sets.shared == [("milk", 1, 1)] and sets.only_a == [("rolls", 1)] and sets.only_b == [(2, 1)]
    # The JSON of a set is a set, and not a text with its words.
    assert lookalike.compare(json.dumps(["a b", "c d"]), json.dumps(["b a", "d c"]), kind="sets").similarity == 0
    prints = lookalike.compare(prints_of(0), prints_of(7), kind="fingerprints", bits=256, distance=3)
    assert (prints.distance, prints.bits, prints.duplicate) == (3, 256, True)
    vectors = lookalike.compare(np.array([3.0, 4.0]), [4, 3], kind="vectors")
    assert vectors.cosine is not None and abs(vectors.cosine - 0.96) < 1e-12
    assert vectors.degrees is not None and abs(vectors.degrees - 16.26) < 0.01
    with pytest.raises(lookalike.SettingError, match="common"):
        lookalike.compare(["a"], ["a"], kind="sets", common=3)
    with pytest.raises(lookalike.LookalikeError, match="second value"):
        lookalike.compare([1.0], [1.0, 2.0], kind="vectors")


def prints_of(last: int) -> int:
    return 1 << 255 | last
