"""Arrays of any layout mean what NumPy says they mean, wherever one comes in."""

from __future__ import annotations

import numpy as np
import pytest

import lookalike
import lookalike.compat.datasketch as compat
from lookalike import _native

SCHEMES = {"affine32": np.uint32, "affine64": np.uint64, "legacy": np.uint64}


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, dtype=np.uint8)
    moved = memory[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    assert not moved.flags.aligned
    return moved


def read_only(array):
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def with_gaps(array):
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


LAYOUTS = {
    "c": np.ascontiguousarray,
    "fortran": np.asfortranarray,
    "reversed": lambda array: np.ascontiguousarray(array[..., ::-1])[..., ::-1],
    "gaps": with_gaps,
    "transposed": lambda array: np.ascontiguousarray(array.T).T,
    "unaligned": unaligned,
    "read-only": read_only,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_permutations_and_hash_values(scheme, layout):
    expected = compat.MinHash(num_perm=16, scheme=scheme)
    expected.update(b"one")
    expected.update_batch([b"two", b"three"])
    expected._update_hashes([5, 6])
    start = compat.MinHash(num_perm=16, scheme=scheme)
    lay = LAYOUTS[layout]
    given = compat.MinHash(
        num_perm=16, scheme=scheme, permutations=lay(start.permutations), hashvalues=lay(start.hashvalues)
    )
    replaced = compat.MinHash(num_perm=16, scheme=scheme)
    replaced.permutations = lay(start.permutations)
    for sketch in (given, replaced):
        for step in (
            lambda: sketch.update(b"one"),
            lambda: sketch.update_batch([b"two", b"three"]),
            lambda: sketch._update_hashes([5, 6]),
        ):
            sketch.hashvalues = lay(sketch.hashvalues)
            step()
        assert np.array_equal(sketch.hashvalues, expected.hashvalues)
        sketch.hashvalues = lay(sketch.hashvalues)
        assert sketch.jaccard(expected) == expected.jaccard(sketch) == 1.0
    bulk = compat.MinHash.bulk([[b"one", b"two"]], num_perm=16, scheme=scheme, permutations=lay(start.permutations))
    assert bulk == compat.MinHash.bulk([[b"one", b"two"]], num_perm=16, scheme=scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_other_kinds_of_numbers(scheme):
    expected = compat.MinHash(num_perm=16, scheme=scheme)
    dtype = np.dtype(SCHEMES[scheme])
    for other in (dtype.newbyteorder(">"), np.dtype(object)):
        sketch = compat.MinHash(num_perm=16, scheme=scheme)
        sketch.permutations = sketch.permutations.astype(other)
        for item in (b"one", b"two"):
            sketch.hashvalues = sketch.hashvalues.astype(other)
            sketch.update(item)
        expected = compat.MinHash(num_perm=16, scheme=scheme)
        expected.update_batch([b"one", b"two"])
        assert np.array_equal(sketch.hashvalues, expected.hashvalues), other
        sketch.hashvalues = sketch.hashvalues.astype(other)
        assert sketch.jaccard(expected) == 1.0
    with pytest.raises(ValueError, match="out of range"):
        sketch.permutations = -np.ones((2, 16), dtype=np.int64)
        sketch.update(b"one") if scheme != "legacy" else compat.MinHash(
            scheme="affine32", permutations=sketch.permutations
        )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["uint32", "uint64", ">u4", ">u8", "int64", "object"])
def test_hash_values_in_indexes(layout, dtype):
    values = np.random.RandomState(1).randint(0, 2**31, 16).astype(np.uint32)
    # Bytes out of place are no references to objects.
    laid = values.astype(dtype) if (layout, dtype) == ("unaligned", "object") else LAYOUTS[layout](values.astype(dtype))
    usual, other = compat.MinHash(num_perm=16), compat.MinHash(num_perm=16)
    usual.hashvalues, other.hashvalues = values, laid
    lsh = compat.MinHashLSH(threshold=0.5, num_perm=16)
    lsh.insert("a", usual)
    assert lsh.query(other) == ["a"]
    forest = compat.MinHashLSHForest(num_perm=16, l=4)
    forest.add("a", other)
    forest.index()
    assert forest.query(usual, 1) == ["a"]
    assert other.jaccard(usual) == 1.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_weighted(layout):
    generator = compat.WeightedMinHashGenerator(6, 16)
    vectors = np.random.RandomState(1).uniform(0.1, 1, (3, 6))
    laid = LAYOUTS[layout](vectors)
    expected = [generator.minhash(vector) for vector in vectors]
    assert generator.minhash_many(laid) == expected
    assert [generator.minhash(vector) for vector in laid] == expected
    lsh = compat.MinHashLSH(threshold=0.5, num_perm=16)
    lsh.insert("a", expected[0])
    assert lsh.query(compat.WeightedMinHash(1, LAYOUTS[layout](expected[0].hashvalues))) == ["a"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_building_blocks(layout):
    lay = LAYOUTS[layout]
    hashes = np.random.RandomState(1).randint(0, 2**63, 50, dtype=np.uint64)
    hasher = lookalike.MinHash()
    expected = hasher.sketch(hashes.tolist())
    assert hasher.sketch(lay(hashes)) == expected
    assert lookalike.Signature.from_slots(lay(expected.slots)) == expected
    table = hasher.sketch_many([hashes, hashes[:20]])
    assert lookalike.Signatures.from_slots(lay(table.slots)) == table
    assert lookalike.SimHash().fingerprint(lay(hashes)) == lookalike.SimHash().fingerprint(hashes.tolist())
    assert lookalike.HammingIndex(lay(hashes), 0).pairs() == lookalike.HammingIndex(hashes.tolist(), 0).pairs()
    assert lookalike.HammingIndex(lay(hashes), 0).query(int(hashes[7])) == [(7, 0)]
    weights = np.linspace(0.1, 1, 50)
    assert lookalike.WeightedMinHash().sketch((lay(hashes), lay(weights))) == lookalike.WeightedMinHash().sketch(
        dict(zip(hashes.tolist(), weights.tolist()))
    )
    assert lookalike.similarity.cosine(lay(weights), weights) == pytest.approx(1.0)
    assert lookalike.similarity.jaccard(lay(hashes), hashes.tolist()) == 1.0
    curve = lookalike.SCurve(21, 6)
    similarities = np.linspace(0, 1, 12).reshape(3, 4)
    found = curve.probability(lay(similarities))
    assert found.shape == (3, 4) and found[1, 2] == curve.probability(float(similarities[1, 2]))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_masks(layout):
    table = _native.ArrowTable.from_strings(["a", "b", "c"])
    mask = LAYOUTS[layout](np.array([True, False, True])) if layout != "unaligned" else np.array([True, False, True])
    assert len(table.filter(mask)) == 2
    assert len(table.filter(np.array([2, 0, 255], dtype=np.uint8).view(bool))) == 2
    with pytest.raises(TypeError, match="mask"):
        table.filter(np.array([1, 0, 1]))


def test_what_is_refused():
    for wrong in (np.zeros(3, dtype=">u8"), np.zeros(3, dtype=np.int64), np.zeros((2, 2), dtype=np.uint64)):
        with pytest.raises(TypeError, match="uint64"):
            lookalike.MinHash().sketch(wrong)
    for wrong in (np.zeros((2, 2)), np.zeros((2, 2), dtype=">u8"), np.zeros(4, dtype=np.uint64)):
        with pytest.raises(TypeError, match="uint64"):
            lookalike.Signatures.from_slots(wrong)
    with pytest.raises(TypeError, match="array of uint32 with 2 dimensions"):
        _native.compat_update_bytes(
            "affine32", False, np.zeros(4, dtype=np.uint32), np.zeros(2, dtype=np.uint32), [b"a"]
        )
    with pytest.raises(ValueError, match="two rows"):
        _native.compat_update_bytes(
            "affine32", False, np.zeros((3, 2), dtype=np.uint32), np.zeros(2, dtype=np.uint32), [b"a"]
        )
