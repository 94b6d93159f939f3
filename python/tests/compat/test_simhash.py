"""lookalike.compat.simhash."""

from __future__ import annotations

import hashlib
import logging
import pickle
import random
import re

import numpy as np
import pytest

from lookalike.compat.simhash import Simhash, SimhashIndex

TEXTS = [
    "How are you? I Am fine. Thanks. And you?",
    "How old are you? :-) i am fine. Thank you.",
    "",
    "abc",
    "!!!",
    "你妈妈喊你回家吃饭哦,回家罗回家罗",
    "naïve café — ﬁne \U0001f600 ΣΑΣ",
    "aaaa " * 40,
    "the quick brown fox " * 5,
]


def test_known_values():
    assert Simhash(["aaa", "bbb"]).value == 57087923692560392
    assert Simhash("").value == 16825458760271544958
    assert Simhash([]).value == 0 == Simhash({}).value


@pytest.mark.parametrize("f", [8, 16, 32, 64, 72, 128])
def test_values_equal_those_of_simhash(f):
    simhash = pytest.importorskip("simhash")
    draw = random.Random(1)
    for text in TEXTS:
        assert Simhash(text, f=f).value == simhash.Simhash(text, f=f).value, text
    for count in (1, 2, 3, 50, 450):
        features = ["%x" % draw.getrandbits(30) for _ in range(count)]
        weighted = [(feature, draw.randint(0, 200)) for feature in features]
        real = [(feature, draw.uniform(0, 3)) for feature in features]
        below = [(feature, draw.randint(-2, 60)) for feature in features]
        mixed = [draw.choice((feature, (feature, draw.randint(1, 9)))) for feature in features]
        numpy = [(feature, np.float32(weight)) for feature, weight in real]
        for value in (
            features,
            weighted,
            dict(weighted),
            real,
            dict(real),
            below,
            mixed,
            numpy,
            iter(features),
        ):
            if isinstance(value, type(iter([]))):
                assert Simhash(iter(features), f=f).value == simhash.Simhash(iter(features), f=f).value
            else:
                assert Simhash(value, f=f).value == simhash.Simhash(value, f=f).value


def test_functions_and_patterns_of_the_user():
    simhash = pytest.importorskip("simhash")
    functions = [
        lambda x: hashlib.sha256(x).digest(),
        lambda x: int(hashlib.md5(x).hexdigest(), 16),
        lambda x: hashlib.sha512(x).digest(),
    ]
    for hashfunc in functions:
        for f in (64, 128):
            for text in TEXTS:
                assert (
                    Simhash(text, f=f, hashfunc=hashfunc).value
                    == simhash.Simhash(text, f=f, hashfunc=hashfunc).value
                )
    assert (
        Simhash(TEXTS[0], f=512, hashfunc=functions[2]).value
        == simhash.Simhash(TEXTS[0], f=512, hashfunc=functions[2]).value
    )
    for reg in (r"[a-z]+", re.compile(r"\w", re.UNICODE)):
        assert Simhash(TEXTS[1], reg=reg).value == simhash.Simhash(TEXTS[1], reg=reg).value

    class Words(Simhash):
        def _tokenize(self, content):
            return content.split()

    class TheirWords(simhash.Simhash):
        def _tokenize(self, content):
            return content.split()

    assert Words(TEXTS[0]).value == TheirWords(TEXTS[0]).value != Simhash(TEXTS[0]).value


def test_ways_to_make_one():
    a = Simhash(TEXTS[0])
    assert Simhash(a) == a == Simhash(a.value) and Simhash(a).value == a.value
    assert a != Simhash(TEXTS[1]) and a != "a"
    assert a.f == 64 and a.f_bytes == 8 and a.log is logging.getLogger("simhash")
    assert Simhash([("a", 1000)]).value == Simhash(["a"]).value
    for wrong in (1.5, None):
        with pytest.raises(Exception, match="Bad parameter"):
            Simhash(wrong)
    for f in (0, 7, -8):
        with pytest.raises(ValueError):
            Simhash("a", f=f)
    with pytest.raises(ValueError):
        Simhash("a", f=256)
    with pytest.raises(ValueError):
        Simhash(["a"], f=256)
    with pytest.raises(UnicodeEncodeError):
        Simhash(["\ud800"])
    with pytest.raises((TypeError, ValueError)):
        Simhash([5])


def test_distance():
    a, b = Simhash(0b1010), Simhash(0b0110)
    assert a.distance(b) == 2 and a.distance(a) == 0
    assert Simhash(-1).distance(Simhash(0)) == 64
    with pytest.raises(AssertionError):
        a.distance(Simhash(1, f=128))


@pytest.mark.parametrize("f, k", [(64, 0), (64, 2), (64, 3), (64, 10), (128, 5), (8, 3), (200, 3), (16, 20)])
def test_index_answers_equal_comparing_with_all(f, k):
    draw = random.Random(1)
    base = draw.getrandbits(f)

    def near():
        value = base
        for _ in range(draw.randint(0, 2 * k + 2)):
            value ^= 1 << draw.randrange(f)
        return Simhash(value, f=f)

    objects = [(str(i), near()) for i in range(150)]
    index = SimhashIndex(objects, f=f, k=k)
    gone = set(draw.sample(range(150), 30))
    for i in gone:
        index.delete(*objects[i])
    left = [o for i, o in enumerate(objects) if i not in gone]
    loaded = pickle.loads(pickle.dumps(index))
    for query in [near() for _ in range(50)]:
        expected = {name for name, other in left if query.distance(other) <= k}
        for asked in (index, loaded):
            found = asked.get_near_dups(query)
            assert set(found) == expected and len(found) == len(expected)


def test_index():
    simhash = pytest.importorskip("simhash")
    texts = {1: TEXTS[0], 2: TEXTS[1], 3: "This is a different one", 4: TEXTS[0] + " Yes"}
    pair = [
        lib.SimhashIndex([(str(i), lib.Simhash(text)) for i, text in texts.items()], k=10)
        for lib in (__import__("lookalike.compat.simhash", fromlist=["x"]), simhash)
    ]
    for lib_index, lib in zip(pair, (Simhash, simhash.Simhash)):
        query = lib(TEXTS[0])
        lib_index.add("5", query)
        lib_index.add("5", query)
        assert lib_index.offsets == pair[1].offsets
    queries = [Simhash(TEXTS[0]), simhash.Simhash(TEXTS[0])]
    assert sorted(pair[0].get_near_dups(queries[0])) == sorted(pair[1].get_near_dups(queries[1]))
    assert list(pair[0].get_keys(queries[0])) == list(pair[1].get_keys(queries[1]))
    assert pair[0].bucket_size() <= pair[1].bucket_size()
    for index, query in zip(pair, queries):
        index.delete("5", query)
        index.delete("5", query)
        index.delete("none", query)
    assert sorted(pair[0].get_near_dups(queries[0])) == sorted(pair[1].get_near_dups(queries[1]))


def test_index_details():
    index = SimhashIndex([], k=3)
    assert index.get_near_dups(Simhash(5)) == [] and index.bucket_size() == 0
    index.add(17, Simhash(5))
    assert index.get_near_dups(Simhash(5)) == ["17"] and index.bucket_size() == 4
    index.add(17, Simhash(4))  # another fingerprint of the same id
    assert index.get_near_dups(Simhash(5)) == ["17"]
    index.delete(17, Simhash(5))
    assert index.get_near_dups(Simhash(5)) == ["17"]
    index.delete(17, Simhash(4))
    assert index.get_near_dups(Simhash(5)) == [] and index.bucket_size() == 0
    with pytest.raises(AssertionError):
        index.add("a", Simhash(1, f=128))
    with pytest.raises(ValueError):
        SimhashIndex([], k=-1)
