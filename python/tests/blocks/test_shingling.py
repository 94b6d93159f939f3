"""Signatures carry what cut their texts, through everything that keeps them."""

from __future__ import annotations

import copy
import pathlib
import pickle

import pytest

from lookalike import (
    LSH,
    BBitMinHash,
    DamagedError,
    IncompatibleError,
    MinHash,
    SettingError,
    Shingler,
    Signature,
    Signatures,
    WeightedMinHash,
)

TEXT = "to be or not to be, that is the question"
OTHERS = [
    "words:5",
    "characters:2",
    "stop-words:2",
    Shingler("words:2", case="keep"),
    Shingler("words:2", form="nfkc"),
    Shingler("words:2", punctuation="drop"),
    Shingler("words:2", whitespace="remove"),
]
FULL = "words:2 case=fold form=nfc punctuation=keep whitespace=collapse"
HASHER = MinHash(shingler="words:2")


def ways(signature: Signature) -> list[Signature]:
    """The signature, kept in every way there is."""
    return [
        signature,
        pickle.loads(pickle.dumps(signature)),
        copy.deepcopy(signature),
        Signature.from_bytes(signature.to_bytes()),
        signature | signature,
        signature | HASHER.sketch(["an element"]),
        HASHER.sketch(["an element"]) | signature,
        HASHER.sketch_texts([TEXT])[0],
        HASHER.sketch_texts([TEXT, TEXT])[1:][0],
        HASHER.sketch_many([TEXT])[0],
        pickle.loads(pickle.dumps(HASHER.sketch_texts([TEXT])))[0],
        Signature.from_slots(signature.slots, shingling="words:2"),
        Signature.from_slots(signature.slots, shingling=Shingler("words:2")),
        Signatures.from_slots(HASHER.sketch_texts([TEXT]).slots, shingling=FULL)[0],
    ]


def test_what_is_carried() -> None:
    signature = HASHER.sketch(TEXT)
    assert [kept.shingling for kept in ways(signature)] == [FULL] * 14
    lsh = LSH(0.5)
    lsh.insert(0, signature)
    assert lsh.get(0).shingling == FULL == pickle.loads(pickle.dumps(lsh)).get(0).shingling
    assert HASHER.sketch_texts([TEXT]).shingling == FULL
    assert signature.bbit().shingling == FULL
    assert MinHash(shingler="words:02").sketch(TEXT).shingling == FULL


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_other_shinglings_are_refused(other: object) -> None:
    theirs = MinHash(shingler=other).sketch(TEXT)
    for ours in ways(HASHER.sketch(TEXT)):
        for compare in (ours.jaccard, ours.estimate, ours.union):
            with pytest.raises(IncompatibleError, match="shingling differs .*words:2.* against "):
                compare(theirs)
    small = [pickle.loads(pickle.dumps(BBitMinHash(HASHER.sketch(TEXT)))), theirs.bbit()]
    small.append(BBitMinHash.from_bytes(HASHER.sketch(TEXT).bbit().to_bytes()))
    for ours in (small[0], small[2]):
        with pytest.raises(IncompatibleError, match="shingling"):
            ours.jaccard(small[1])
        with pytest.raises(IncompatibleError, match="shingling"):
            small[1].estimate(ours)


def test_indexes(tmp_path: pathlib.Path) -> None:
    lsh = LSH(0.5)
    assert lsh.shingling is None
    lsh.insert("elements", HASHER.sketch(["a", "b"]))
    assert lsh.shingling is None
    lsh.insert("text", HASHER.sketch(TEXT))
    lsh.save(tmp_path / "index")
    theirs = MinHash(shingler="words:5").sketch(TEXT)
    for index in (lsh, LSH.load(tmp_path / "index"), pickle.loads(pickle.dumps(lsh))):
        assert index.shingling == FULL
        for question in (index.query, index.candidates, lambda other, index=index: index.top_k(other, 1)):
            with pytest.raises(IncompatibleError, match="shingling"):
                question(theirs)
        with pytest.raises(IncompatibleError, match="shingling"):
            index.insert("theirs", theirs)
        with pytest.raises(IncompatibleError, match="shingling"):
            index.insert_many(["a", "b"], [HASHER.sketch("a"), theirs])
        assert index.keys() == ["elements", "text"]
        assert index.query(HASHER.sketch(TEXT)) == [("text", 1.0)]
        assert index.query(HASHER.sketch(Shingler("words:2").set(TEXT))) == [("text", 1.0)]


def test_given_elements_go_with_anything() -> None:
    given = HASHER.sketch(Shingler("words:2").set(TEXT))
    assert given.shingling is None and WeightedMinHash().sketch({"a": 1.0}).shingling is None
    assert given == HASHER.sketch(TEXT) and hash(given) == hash(HASHER.sketch(TEXT))
    assert given.jaccard(HASHER.sketch(TEXT)) == HASHER.sketch(TEXT).jaccard(given) == 1.0
    given.jaccard(MinHash(shingler="words:5").sketch(TEXT))
    # Its bytes are those that every program reads.
    assert given.to_bytes()[:4] == b"LKMH" and HASHER.sketch(TEXT).to_bytes()[:4] == b"LKTX"
    assert HASHER.sketch(TEXT).to_bytes().endswith(given.to_bytes())


def test_what_makes_no_sense() -> None:
    slots = HASHER.sketch(TEXT).slots
    for wrong in ("letters:2", "words:2 colour=red", "words:2 case=upper", ""):
        with pytest.raises(SettingError):
            Signature.from_slots(slots, shingling=wrong)
    with pytest.raises(TypeError, match="Shingler"):
        Signature.from_slots(slots, shingling=5)  # type: ignore[arg-type]
    stored = HASHER.sketch(TEXT).to_bytes()
    for damaged in (stored[:9], stored[:30], stored[:-1], stored[:5] + b"x" + stored[6:], stored + b"x"):
        with pytest.raises(DamagedError):
            Signature.from_bytes(damaged)
