"""Vectors: rows of arrays, and lists of numbers."""

from __future__ import annotations

from typing import Any, List, Tuple

import lookalike
import numpy as np
import pytest


def rows() -> "np.ndarray[Any, Any]":
    random = np.random.default_rng(3)
    vectors = random.normal(size=(60, 12))
    # A third of them are near another one.
    vectors[40:] = 3.0 * vectors[:20] + random.normal(size=(20, 12)) * random.uniform(0.1, 1.5, size=(20, 1))
    return vectors.astype(np.float32)


def plain(vectors: "np.ndarray[Any, Any]", threshold: float) -> List[Tuple[int, int]]:
    """All pairs, by definition."""
    unit = vectors.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    near = np.triu(unit @ unit.T >= threshold, 1)
    return sorted((int(a), int(b)) for a, b in np.argwhere(near))


@pytest.mark.parametrize("layout", ["C", "F", "list", "float64"])
def test_pairs_are_all_pairs(layout: str) -> None:
    vectors = rows()
    given: Any = {"list": vectors.tolist(), "float64": vectors.astype(np.float64)}.get(layout)
    given = np.array(vectors, order=layout) if given is None else given  # type: ignore[call-overload]
    found = lookalike.pairs(given, kind="vectors", threshold=0.9)
    expected = plain(vectors, 0.9)
    assert len(expected) > 5 and sorted((pair.a, pair.b) for pair in found) == expected


def test_distances() -> None:
    vectors = rows()
    found = lookalike.pairs(vectors, kind="vectors", measure="euclidean", distance=4.5)
    apart = np.linalg.norm(vectors[:, None].astype(np.float64) - vectors[None], axis=2)
    expected = sorted((int(a), int(b)) for a, b in np.argwhere(np.triu(apart <= 4.5, 1)))
    assert 0 < len(expected) < 1000 and sorted((pair.a, pair.b) for pair in found) == expected
    with pytest.raises(lookalike.SettingError, match="at least 0"):
        lookalike.pairs(vectors, kind="vectors", measure="euclidean", distance=-1)


def test_dedup_gives_an_array() -> None:
    vectors = rows()
    kept, result = lookalike.dedup(vectors, kind="vectors", threshold=0.9)
    assert kept.shape == (60 - len(result.removed), 12) and kept.dtype == np.float32
    assert plain(kept, 0.9) == []


def test_a_row_that_is_no_vector_is_named() -> None:
    vectors = rows()
    vectors[5, 2] = np.nan
    with pytest.raises(lookalike.LookalikeError, match="coordinate 3"):
        lookalike.pairs(vectors, kind="vectors")
