"""Programs written for datasketch and simhash run after the import is changed, and say the same."""

from __future__ import annotations

import importlib
import pathlib
import re

import pytest

# Each uses `PACKAGE`, and leaves what it found in `answer`.
PROGRAMS = {
    "similarity": """
from PACKAGE import MinHash
data1 = "minhash is a probabilistic data structure for estimating the similarity between datasets".split()
data2 = "minhash is a probability data structure for estimating the similarity between documents".split()
m1, m2 = MinHash(), MinHash()
for d in data1:
    m1.update(d.encode("utf8"))
for d in data2:
    m2.update(d.encode("utf8"))
answer = m1.jaccard(m2), m1.count(), MinHash.union(m1, m2).count(), m1.copy() == m1
m1.merge(m2)
answer += m1.is_empty(), len(m1), list(m1.digest())
""",
    "own hash function": """
import zlib
from PACKAGE import MinHash
m = MinHash(num_perm=256, hashfunc=lambda x: zlib.crc32(x.encode()))
m.update_batch("one two three".split())
m.update("four")
answer = list(m.hashvalues)
""",
    "index": """
from PACKAGE import MinHash, MinHashLSH
sets = {f"m{i}": {b"%d" % j for j in range(i, i + 30)} for i in range(0, 60, 3)}
lsh = MinHashLSH(threshold=0.6, num_perm=128)
sketches = dict(zip(sets, MinHash.bulk(sets.values(), num_perm=128)))
with lsh.insertion_session() as session:
    for key, sketch in sketches.items():
        session.insert(key, sketch)
lsh.remove("m3")
answer = {key: sorted(lsh.query(sketch)) for key, sketch in sketches.items()}, "m3" in lsh, "m6" in lsh
answer += lsh.b, lsh.r, [sum(band.values()) for band in lsh.get_counts()]
""",
    "pairs from the tables": """
from PACKAGE import MinHash, MinHashLSH
from PACKAGE.lsh import MinHashLSH as Again
lsh = Again(threshold=0.5, num_perm=64, params=(16, 4))
for i, sketch in enumerate(MinHash.generator([[b"%d" % j for j in range(i, i + 40)] for i in range(40)], num_perm=64)):
    lsh.insert(i, sketch)
answer = set()
for table in lsh.hashtables:
    for bucket in table.keys():
        keys = sorted(table.get(bucket))
        answer |= {(a, b) for a in keys for b in keys if a < b}
answer = sorted(answer), sorted(lsh.keys)
""",
    "forest": """
from PACKAGE import MinHash, MinHashLSHForest
from PACKAGE.minhash import MinHash as Same
assert MinHash is Same
sketches = MinHash.bulk([[b"%d" % j for j in range(i, i + 25)] for i in range(50)])
forest = MinHashLSHForest(num_perm=128)
for i, sketch in enumerate(sketches):
    forest.add(i, sketch)
forest.index()
answer = [sorted(forest.query(sketch, 5)) for sketch in sketches], 7 in forest
""",
    "ensemble": """
from PACKAGE import MinHash, MinHashLSHEnsemble
sets = [[b"%d" % j for j in range(i, 3 * i)] for i in range(5, 15)]
sketches = MinHash.bulk(sets, num_perm=64)
ensemble = MinHashLSHEnsemble(threshold=0.8, num_perm=64, num_part=32)
ensemble.index((i, sketch, len(items)) for i, (sketch, items) in enumerate(zip(sketches, sets)))
answer = [sorted(ensemble.query(sketch, len(items))) for sketch, items in zip(sketches, sets)]
""",
    "lean": """
from PACKAGE import LeanMinHash, MinHash
from PACKAGE.b_bit_minhash import bBitMinHash
from PACKAGE.hashfunc import sha1_hash32
import pickle
full = MinHash(num_perm=16, hashfunc=sha1_hash32)
full.update(b"a")
lean = LeanMinHash(full)
buffer = bytearray(lean.bytesize("<"))
lean.serialize(buffer, "<")
answer = bytes(buffer), lean in {lean}, pickle.loads(pickle.dumps(lean)) == lean
answer += bBitMinHash(full, 4).jaccard(bBitMinHash(full, 4)), bBitMinHash(full, 4).bytesize()
""",
    "weighted": """
import numpy as np
from PACKAGE import WeightedMinHashGenerator, WeightedMinHashLSH
v1 = np.array([1, 3, 4, 5, 6, 7, 8, 9, 10, 4])
v2 = v1 + np.array([0, 0, 0, 0, 1, 0, 0, 0, 0, 0])
generator = WeightedMinHashGenerator(len(v1), sample_size=128, seed=12)
lsh = WeightedMinHashLSH(threshold=0.5, num_perm=128)
lsh.insert("v2", generator.minhash(v2))
answer = lsh.query(generator.minhash(v1)), generator.minhash(v1).jaccard(generator.minhash(v2)) > 0.85
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_datasketch_programs(name):
    found = []
    for package in ("lookalike.compat.datasketch", "datasketch"):
        if package == "datasketch":
            pytest.importorskip("datasketch")
        variables = {}
        exec(PROGRAMS[name].replace("PACKAGE", package), variables)
        found.append(variables["answer"])
    assert found[0] == found[1]


SIMHASH = """
import re
from PACKAGE import Simhash, SimhashIndex
def features(text):
    text = re.sub(r"[^\\\\w]+", "", text.lower())
    return [text[i : i + 3] for i in range(max(len(text) - 2, 1))]
data = {1: "How are you? I Am fine. blar blar Thanks.", 2: "How are you i am fine. blar blar than", 3: "Simhash test."}
index = SimhashIndex([(str(k), Simhash(features(v))) for k, v in data.items()], k=3)
query = Simhash(features("How are you i am fine. blar blar thank"))
answer = sorted(index.get_near_dups(query)), "%x" % query.value, Simhash("aa").distance(Simhash("bb"))
index.add("4", query)
answer += sorted(index.get_near_dups(query)), Simhash("a") == Simhash("a")
"""


def test_a_simhash_program():
    pytest.importorskip("simhash")
    found = []
    for package in ("lookalike.compat.simhash", "simhash"):
        variables = {}
        exec(SIMHASH.replace("PACKAGE", package), variables)
        found.append(variables["answer"])
    assert found[0] == found[1]


def test_the_page_for_users():
    page = pathlib.Path(__file__).parents[3] / "docs" / "python" / "from-datasketch.md"
    programs = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) >= 3
    for program in programs:
        exec(program, {})


@pytest.mark.parametrize(
    "module",
    ["minhash", "lsh", "lshforest", "lshensemble", "weighted_minhash", "b_bit_minhash", "lean_minhash"],
)
def test_signatures_are_those_of_datasketch(module):
    import inspect

    theirs = pytest.importorskip(f"datasketch.{module}")
    ours = importlib.import_module(f"lookalike.compat.datasketch.{module}")
    classes = [c for n, c in vars(theirs).items() if inspect.isclass(c) and c.__module__ == theirs.__name__]
    assert classes
    for theirs_class in classes:
        ours_class = getattr(ours, theirs_class.__name__)
        for name, function in vars(theirs_class).items():
            if name.startswith("_") and name != "__init__":
                continue
            function = getattr(theirs_class, name)
            mine = getattr(ours_class, name)
            if not callable(function):
                continue
            expected = [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]
            found = [(p.name, p.kind, p.default) for p in inspect.signature(mine).parameters.values()]
            assert found == expected, f"{theirs_class.__name__}.{name}"


# What programs in public use although it is private, or was not meant to be looked at.
PROGRAMS_INSIDE = {
    "values without a constructor": """
from PACKAGE import LeanMinHash
lean = object.__new__(LeanMinHash)
lean._initialize_slots(1, [1, 2, 3])
answer = lean.scheme, lean.seed, lean.hashvalues.tolist(), str(lean.hashvalues.dtype), lean == lean.copy()
""",
    "constants": """
from PACKAGE.minhash import MinHash, _hash_range, _max_hash, _mersenne_prime, hashvalue_byte_size
from PACKAGE.lsh import _optimal_param
import PACKAGE as package
answer = int(_mersenne_prime), int(_max_hash), str(_max_hash.dtype), _hash_range, hashvalue_byte_size
answer += tuple(_optimal_param(0.8, 128, 0.5, 0.5)), package.__version__.split(".")[0]
""",
    "tables of a forest": """
import numpy as np
from PACKAGE import MinHash, MinHashLSHForest
forest = MinHashLSHForest(num_perm=32, l=4)
sketches = MinHash.bulk([[b"%d" % j for j in range(i, i + 5)] for i in range(9)], num_perm=32)
for i, sketch in enumerate(sketches[:8]):
    forest.add(i, sketch)
forest.index()
forest.add(8, sketches[8])
answer = [{k: sorted(v) for k, v in table.items()} for table in forest.hashtables]
answer = answer, forest.sorted_hashtables, dict(forest.keys), forest.hashranges
answer += forest._H(sketches[0].hashvalues[:8]), [len(H) for table in forest.hashtables for H in table]
""",
    "buckets by their bands": """
from PACKAGE import MinHash, MinHashLSH
answer = []
for scheme in ("affine32", "affine64", "legacy"):
    for hashfunc in (None, lambda data: data[::-1]):
        lsh = MinHashLSH(num_perm=32, params=(8, 4), hashfunc=hashfunc)
        sketches = MinHash.bulk([[b"%d" % j for j in range(i, i + 20)] for i in range(9)], num_perm=32, scheme=scheme)
        for i, sketch in enumerate(sketches[:8]):
            lsh.insert(i, sketch)
        found = set()
        for (start, end), table in zip(lsh.hashranges, lsh.hashtables):
            for keys in table.getmany(*[lsh._H(sketch.hashvalues[start:end]) for sketch in sketches]):
                found |= {(i, len(keys)) for i in keys}
            assert not table.get(b"not there")
        answer.append(sorted(found))
""",
    "keywords and calls by the class": """
from PACKAGE import MinHash, LeanMinHash
class Mine(MinHash):
    def update(self, b):
        super().update(b.upper())
    def jaccard(self, other):
        return 1 - super().jaccard(other)
a, b = Mine(num_perm=16), MinHash(num_perm=16)
a.update(b=b"x")
a.update(b"y")
MinHash.update(b, b"X")
before = b.hashvalues
b.update(b=b"Z")
answer = a.jaccard(b), b.jaccard(other=a), MinHash.jaccard(a, LeanMinHash(b)), before.tolist(), list(b.hashvalues)
for wrong in (lambda: b.update(), lambda: b.update(1), lambda: b.update("text"), lambda: b.jaccard(), lambda: b.jaccard(5)):
    try:
        wrong()
    except (TypeError, AttributeError, ValueError):
        answer += ("refused",)
""",
}


@pytest.mark.parametrize("name", PROGRAMS_INSIDE)
def test_programs_that_look_inside(name):
    pytest.importorskip("datasketch")
    found = []
    for package in ("lookalike.compat.datasketch", "datasketch"):
        variables = {}
        exec(PROGRAMS_INSIDE[name].replace("PACKAGE", package), variables)
        found.append(variables["answer"])
    assert found[0] == found[1]


ABSENT = ["HNSW", "MinHashLSHBloom"]
ABSENT_MODULES = ["experimental", "experimental.aio.lsh", "hnsw", "lsh_bloom", "storage"]


@pytest.mark.parametrize("name", ABSENT)
def test_absent_names_say_so(name):
    with pytest.raises(ImportError, match=f"lookalike.compat.datasketch has no {name}: .* "):
        exec(f"from lookalike.compat.datasketch import {name}")


@pytest.mark.parametrize("name", ABSENT_MODULES)
def test_absent_modules_say_so(name):
    first = name.partition(".")[0]
    for _ in range(2):
        with pytest.raises(ImportError, match=f"lookalike.compat.datasketch has no {first}: .* ") as caught:
            importlib.import_module(f"lookalike.compat.datasketch.{name}")
        assert not isinstance(caught.value, ModuleNotFoundError)
    with pytest.raises(ImportError, match=f"has no {first}"):
        exec(f"from lookalike.compat.datasketch import {first}")


def test_every_module_of_datasketch_is_there_or_explained():
    import pkgutil

    datasketch = pytest.importorskip("datasketch")
    for module in pkgutil.iter_modules(datasketch.__path__):
        try:
            importlib.import_module(f"lookalike.compat.datasketch.{module.name}")
        except ImportError as error:
            assert f"has no {module.name}: " in str(error)
    for name in datasketch.__all__:
        if name not in ABSENT:
            assert hasattr(importlib.import_module("lookalike.compat.datasketch"), name)
