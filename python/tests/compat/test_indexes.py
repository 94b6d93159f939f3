"""MinHashLSHForest, MinHashLSHEnsemble and WeightedMinHash of lookalike.compat.datasketch."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from lookalike.compat.datasketch import (
    LeanMinHash,
    MinHash,
    MinHashLSHEnsemble,
    MinHashLSHForest,
    WeightedMinHash,
    WeightedMinHashGenerator,
    WeightedMinHashLSH,
    WeightedMinHashLSHForest,
)
from lookalike.errors import SettingError


def families(count, seed=1, num_perm=128, **kwargs):
    draw = random.Random(seed)
    sets = []
    for i in range(count):
        if i % 10 == 0:
            base = [draw.randbytes(8) for _ in range(60)]
        sets.append(
            draw.sample(base, draw.randint(20, 60)) + [draw.randbytes(8) for _ in range(draw.randint(0, 20))]
        )
    return MinHash.bulk(sets, num_perm=num_perm, **kwargs)


# MinHashLSHForest


@pytest.mark.parametrize("scheme", ["affine32", "affine64", "legacy"])
@pytest.mark.parametrize("shape", [(128, 8), (100, 7), (16, 16)])
def test_forest_answers_equal_those_of_datasketch(scheme, shape):
    datasketch = pytest.importorskip("datasketch")
    num_perm, trees = shape
    made = families(120, num_perm=num_perm, scheme=scheme)
    pair = [lib(num_perm, trees) for lib in (MinHashLSHForest, datasketch.MinHashLSHForest)]
    assert (pair[0].k, pair[0].l, pair[0].hashranges) == (pair[1].k, pair[1].l, pair[1].hashranges)
    for forest in pair:
        for i, sketch in enumerate(made[:100]):
            forest.add(i, sketch)
        forest.index()
    for sketch in made:
        for k in (1, 3, 10, 1000):
            assert set(pair[0].query(sketch, k)) == set(pair[1].query(sketch, k))
    assert np.array_equal(pair[0].get_minhash_hashvalues(7), pair[1].get_minhash_hashvalues(7))
    assert pair[0].get_minhash_hashvalues(7).dtype == pair[1].get_minhash_hashvalues(7).dtype
    assert pair[0].keys[7] == pair[1].keys[7] and list(pair[0].keys) == list(pair[1].keys)


def test_forest():
    made = families(40)
    forest = MinHashLSHForest(num_perm=128, l=8)
    assert forest.is_empty() and forest.query(made[0], 3) == []
    for i, sketch in enumerate(made[:30]):
        forest.add(f"k{i}", sketch)
    assert forest.is_empty() and forest.query(made[0], 3) == [] and "k3" in forest
    forest.index()
    assert not forest.is_empty() and forest.query(made[3], 1) == ["k3"]
    forest.add("late", made[35])
    assert "late" in forest and "late" not in forest.query(made[35], 100)
    for loaded in (pickle.loads(pickle.dumps(forest)), forest):
        assert "late" not in loaded.query(made[35], 100) and loaded.query(made[3], 1) == ["k3"]
        assert np.array_equal(loaded.get_minhash_hashvalues("late"), made[35].hashvalues)
        loaded.index()
        assert loaded.query(made[35], 1) == ["late"]
        assert pickle.loads(pickle.dumps(loaded)).query(made[35], 1) == ["late"]
    assert len(forest.keys) == 31 and forest.keys.get("none") is None
    with pytest.raises(ValueError, match="already"):
        forest.add("late", made[0])
    with pytest.raises(ValueError, match="positive"):
        forest.query(made[0], 0)
    with pytest.raises(KeyError):
        forest.get_minhash_hashvalues("none")
    for call in (lambda m: forest.add("x", m), lambda m: forest.query(m, 1)):
        with pytest.raises(ValueError, match="range"):
            call(MinHash(num_perm=64))
        with pytest.raises(ValueError, match="scheme"):
            call(MinHash(scheme="legacy"))
    forest.add("long", LeanMinHash(MinHash(num_perm=256)))
    for wrong in (dict(num_perm=0), dict(l=0), dict(num_perm=4, l=5), dict(num_perm=10**6, l=1)):
        with pytest.raises(ValueError):
            MinHashLSHForest(**wrong)


# MinHashLSHEnsemble


def entries(count, seed=1):
    draw = random.Random(seed)
    universe = [b"%d" % i for i in range(3000)]
    for i in range(count):
        start, size = draw.randrange(2000), int(10 * 1.05 ** draw.randrange(90))
        yield f"e{i}", universe[start : start + size]


def entry_sketches(count):
    made = MinHash.bulk((items for _, items in entries(count)), num_perm=64)
    return {key: (sketch, len(items)) for (key, items), sketch in zip(entries(count), made)}


@pytest.mark.parametrize(
    "settings",
    [dict(num_part=100), dict(threshold=0.5, num_part=2, m=4), dict(num_part=1, weights=(0.2, 0.8))],
)
def test_ensemble_answers_equal_those_of_datasketch(settings):
    datasketch = pytest.importorskip("datasketch")
    arguments = dict(num_perm=64, **settings)
    pair = [lib(**arguments) for lib in (MinHashLSHEnsemble, datasketch.MinHashLSHEnsemble)]
    assert pair[0].params.tolist() == pair[1].params.tolist()
    data = entry_sketches(150)
    for ensemble in pair:
        ensemble.index([(key, sketch, size) for key, (sketch, size) in data.items()])
    assert [int(u) for u in pair[0].uppers if u is not None] == [
        int(u) for u in pair[1].uppers if u is not None
    ]
    assert [int(u) for u in pair[0].lowers if u is not None] == [
        int(u) for u in pair[1].lowers if u is not None
    ]
    for sketch, size in data.values():
        assert sorted(pair[0].query(sketch, size)) == sorted(pair[1].query(sketch, size))
    for size in (1, 10**9):
        assert sorted(pair[0].query(sketch, size)) == sorted(pair[1].query(sketch, size))


@pytest.mark.parametrize("num_part", [3, 4, 8, 16])
def test_partitions_have_no_more_false_positives_than_those_of_datasketch(num_part):
    datasketch = pytest.importorskip("datasketch")
    pair = [
        lib(num_perm=64, num_part=num_part) for lib in (MinHashLSHEnsemble, datasketch.MinHashLSHEnsemble)
    ]
    data = entry_sketches(150)
    sizes = sorted(size for _, size in data.values())
    expected = []
    for ensemble in pair:
        ensemble.index([(key, sketch, size) for key, (sketch, size) in data.items()])
        uppers = [u for u in ensemble.uppers if u is not None]
        assert len(uppers) == num_part and uppers[-1] == sizes[-1]
        over = [min(u for u in uppers if u >= size) for size in sizes]
        expected.append(sum((upper - size) / upper for upper, size in zip(over, sizes)))
    assert expected[0] <= expected[1] + 1e-9


def test_ensemble():
    ensemble = MinHashLSHEnsemble(0.8, 128, 4, 8, (0.5, 0.5))
    assert ensemble.is_empty() and "a" not in ensemble and list(ensemble.query(MinHash(), 5)) == []
    words = [b"%d" % i for i in range(1000)]
    sets = {"whole": words, "half": words[:500], "other": [b"x" + word for word in words]}
    made = dict(zip(sets, MinHash.bulk(sets.values())))
    for empty in ([], iter([])):
        with pytest.raises(ValueError, match="empty"):
            ensemble.index(empty)
    for size in (0, -1):
        with pytest.raises(ValueError, match="positive"):
            ensemble.index([("a", made["whole"], size)])
    given = [(key, made[key], len(items)) for key, items in sets.items()]
    ensemble.index(iter(given))
    assert "half" in ensemble and "none" not in ensemble and not ensemble.is_empty()
    query, most = MinHash.bulk([words[:400], words[:950]])
    assert "half" in set(ensemble.query(query, 400)) and "other" not in set(ensemble.query(query, 400))
    assert "whole" in set(ensemble.query(most, 950))
    with pytest.raises(ValueError, match="again"):
        ensemble.index(given)
    with pytest.raises(ValueError):
        list(ensemble.query(query, 0))
    with pytest.raises(ValueError, match="length"):
        list(ensemble.query(MinHash(num_perm=4), 10))
    loaded = pickle.loads(pickle.dumps(ensemble))
    assert set(loaded.query(query, 400)) == set(ensemble.query(query, 400))
    by_estimate = MinHashLSHEnsemble(num_part=2)
    by_estimate.index([(key, sketch, sketch.count()) for key, sketch in made.items()])
    assert "whole" in set(by_estimate.query(made["whole"], made["whole"].count()))
    for wrong in (
        dict(threshold=2),
        dict(num_perm=1),
        dict(num_part=0),
        dict(m=1),
        dict(m=200),
        dict(weights=(0.5, 0.4)),
        dict(weights=(2, -1)),
    ):
        with pytest.raises(ValueError):
            MinHashLSHEnsemble(**wrong)
    with pytest.raises(SettingError):
        MinHashLSHEnsemble(storage_config={"type": "redis"})


# WeightedMinHash


def test_weighted_estimates():
    draw = np.random.RandomState(1)
    generator = WeightedMinHashGenerator(50, sample_size=2000, seed=7)
    for _ in range(10):
        a, b = draw.uniform(0, 1, (2, 50)) * (draw.uniform(size=(2, 50)) < 0.7)
        expected = np.minimum(a, b).sum() / np.maximum(a, b).sum()
        estimate = generator.minhash(a).jaccard(generator.minhash(list(b)))
        assert abs(estimate - expected) < 5 * (expected * (1 - expected) / 2000) ** 0.5
    made = generator.minhash(a)
    assert made.hashvalues.shape == (2000, 2) and made.hashvalues.dtype == np.int64 and len(made) == 2000
    assert made == made.copy() and made.copy().hashvalues is not made.hashvalues
    assert pickle.loads(pickle.dumps(made)) == made
    assert made != generator.minhash(b) and made != "made"
    digest = made.digest()
    digest[0, 0] = -1
    assert made == generator.minhash(a)


def test_weighted_many():
    sparse = pytest.importorskip("scipy.sparse")
    draw = np.random.RandomState(1)
    rows = draw.uniform(0, 5, (30, 40)) * (draw.uniform(size=(30, 40)) < 0.2)
    rows[3] = 0
    generator = WeightedMinHashGenerator(40, 64)
    many = generator.minhash_many(rows)
    assert len(many) == 30 and many[3] is None
    assert all(many[i] == generator.minhash(rows[i]) for i in range(30) if i != 3)
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.lil_matrix):
        given = kind(rows)
        assert generator.minhash_many(given) == many
        assert np.array_equal(given.toarray(), rows)
    with pytest.raises(TypeError):
        generator.minhash_many([[1] * 40])
    with pytest.raises(ValueError):
        generator.minhash_many(np.ones(40))
    with pytest.raises(ValueError, match="40"):
        generator.minhash_many(np.ones((2, 41)))


def test_weighted_errors():
    generator = WeightedMinHashGenerator(3)
    assert (generator.dim, generator.sample_size, generator.seed) == (3, 128, 1)
    with pytest.raises(ValueError, match="zeros"):
        generator.minhash([0, 0, 0])
    with pytest.raises(ValueError, match="3"):
        generator.minhash([1, 2])
    with pytest.raises(TypeError):
        generator.minhash(x for x in [1, 2, 3])
    for wrong in ([-1, 0, 1], [float("nan"), 0, 1], [float("inf"), 0, 1], [[1], [2], [3]]):
        with pytest.raises(ValueError):
            generator.minhash(wrong)
    with pytest.raises(ValueError):
        generator.minhash(["a", "b", "c"])
    made = generator.minhash([1, 2, 3])
    for other in (
        WeightedMinHashGenerator(3, seed=2).minhash([1, 2, 3]),
        WeightedMinHashGenerator(3, 64).minhash([1, 2, 3]),
    ):
        with pytest.raises(ValueError):
            made.jaccard(other)
    for arguments in (dict(seed=-1), dict(seed=2**32), dict(sample_size=0), dict(sample_size=5000)):
        with pytest.raises(ValueError):
            WeightedMinHashGenerator(3, **arguments)


def test_weighted_in_indexes():
    draw = np.random.RandomState(1)
    generator = WeightedMinHashGenerator(100, 128)
    vectors = draw.uniform(0, 1, (20, 100))
    lsh, forest = WeightedMinHashLSH(threshold=0.6, num_perm=128), WeightedMinHashLSHForest(num_perm=128)
    for i, vector in enumerate(vectors):
        lsh.insert(i, generator.minhash(vector))
        forest.add(i, generator.minhash(vector))
    forest.index()
    for i, vector in enumerate(vectors):
        near = generator.minhash(vector * np.where(np.arange(100) < 10, 0.8, 1.0))
        assert i in lsh.query(near) and forest.query(near, 1) == [i]
    assert pickle.loads(pickle.dumps(forest)).query(generator.minhash(vectors[5]), 1) == [5]
    with pytest.raises(ValueError):
        forest.get_minhash_hashvalues(5)
    assert isinstance(generator.minhash(vectors[0]), WeightedMinHash)
