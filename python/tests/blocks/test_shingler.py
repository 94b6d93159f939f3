from __future__ import annotations

import copy
import pickle

import numpy
import pytest

from lookalike import Shingler
from lookalike.errors import SettingError


def test_known_hashes() -> None:
    """The known answers of crates/lookalike/docs/signature-format.md."""
    words = Shingler("words:2").set("The quick brown fox")
    assert sorted([13835531587668747783, 11298471941893573523, 15564091880629292870]) == words.tolist()
    characters = Shingler("characters:3").set("fünf")
    assert sorted([14690918223568307317, 18183208934445715449]) == characters.tolist()


def test_set_and_bag() -> None:
    shingler = Shingler("characters:2")
    hashes = shingler.set("abcab")
    assert hashes.dtype == numpy.uint64 and hashes.tolist() == sorted(set(hashes.tolist())) and len(hashes) == 3
    bag, counts = shingler.bag("abcab")
    assert bag.tolist() == hashes.tolist() and sorted(counts.tolist()) == [1, 1, 2]
    assert [s.tolist() for s in shingler.sets(["abcab", "", "x"])] == [
        shingler.set(text).tolist() for text in ("abcab", "", "x")
    ]
    assert shingler.shingles("abcab") == ["ab", "bc", "ca", "ab"]


def test_exact_similarities() -> None:
    shingler = Shingler("characters:5")
    assert shingler.jaccard("the dog which chased the cat", "the dog that chased the cat") == 15 / 32
    assert shingler.jaccard("", "") == 1.0
    assert shingler.containment("the dog", "see the dog run") == 1.0
    assert Shingler().containment("", "anything") == 1.0


def test_normalisation() -> None:
    assert Shingler("words:2").jaccard("To  BE", "to be") == 1.0
    assert Shingler("words:2", case="keep").jaccard("To BE", "to be") == 0.0
    assert Shingler("characters:9", whitespace="remove").shingles("touch down") == ["touchdown"]
    assert Shingler("words:1", punctuation="drop").shingles("don't") == ["dont"]
    assert Shingler("words:1", form="nfkc").shingles("ﬁne") == ["fine"]


def test_bytes_that_are_not_utf8_count_as_replacement_characters() -> None:
    assert Shingler("characters:1").set(b"a\xff").tolist() == Shingler("characters:1").set("a\ufffd").tolist()


def test_value() -> None:
    shingler = Shingler("words:3", case="keep", form="nfkd")
    assert repr(shingler) == "Shingler('words:3', case='keep', form='nfkd')"
    assert repr(Shingler()) == "Shingler('words:5')"
    assert eval(repr(shingler)) == shingler and hash(eval(repr(shingler))) == hash(shingler)
    assert shingler != Shingler("words:3") and shingler != "words:3"
    for again in (pickle.loads(pickle.dumps(shingler)), copy.copy(shingler), copy.deepcopy(shingler)):
        assert again == shingler and again.set("A b C").tolist() == shingler.set("A b C").tolist()


@pytest.mark.parametrize(
    "arguments",
    [("words",), ("words:0",), ("words:-1",), ("words:99999999999999999999",), ("sentences:2",), ("",), ("words:1e9",)],
)
def test_senseless_shingles(arguments: tuple[str]) -> None:
    with pytest.raises(SettingError):
        Shingler(*arguments)


@pytest.mark.parametrize("name", ["case", "form", "punctuation", "whitespace"])
def test_senseless_choices(name: str) -> None:
    with pytest.raises(SettingError, match="is not one of"):
        Shingler("words:5", **{name: "what"})


@pytest.mark.parametrize("text", [None, 1, 1.5, ["a"], float("nan"), bytearray(b"a")])
def test_what_is_no_text(text: object) -> None:
    for method in (Shingler().set, Shingler().bag, Shingler().shingles):
        with pytest.raises(TypeError):
            method(text)  # type: ignore[arg-type]


def test_surrogates_and_wrong_items() -> None:
    with pytest.raises(SettingError):
        Shingler().set("\ud800")
    with pytest.raises(TypeError, match=r"texts\[1\] is of type NoneType"):
        Shingler().sets(["a", None])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="several texts"):
        Shingler().sets("one text")
    assert Shingler().sets([]) == []
