from __future__ import annotations

import pickle
import sys

import numpy
import pytest

from lookalike import LSH, SCurve, similarity
from lookalike.errors import IncompatibleError, SettingError


def test_curve() -> None:
    curve = SCurve(20, 5)
    assert abs(curve.probability(0.8) - 0.9996) < 1e-4 and abs(curve.probability(0.3) - 0.0474) < 1e-4
    similarities = numpy.linspace(0, 1, 12).reshape(3, 4)
    assert curve.probability(similarities).shape == (3, 4)
    assert numpy.allclose(curve.probability(similarities), 1 - (1 - similarities**5) ** 20)
    assert curve.probability([0.5]).tolist() == [curve.probability(0.5)]
    assert curve.probability(1) == 1.0 and curve.probability(numpy.float64(0)) == 0.0
    assert abs(curve.similarity_at(curve.probability(0.6)) - 0.6) < 1e-9
    assert abs(curve.threshold - (1 / 20) ** (1 / 5)) < 1e-12
    x, y = curve.points(11)
    assert x.tolist() == [n / 10 for n in range(11)] and numpy.array_equal(y, curve.probability(x))
    grid = numpy.linspace(0, 1, 100_001)
    below = float(numpy.mean(curve.probability(grid[grid < 0.5])) * 0.5)
    assert abs(curve.false_positive_area(0.5) - below) < 1e-4
    assert abs(curve.false_negative_area(0.5) - (0.5 - float(numpy.mean(curve.probability(grid[grid >= 0.5]))) * 0.5)) < 1e-4


def test_plans_of_the_library() -> None:
    assert SCurve.for_recall(128, 0.8, 0.99) == SCurve(21, 6) == LSH().curve
    assert SCurve.by_areas(128, 0.8) == SCurve(9, 13)
    assert SCurve.by_notes_rule(128, 0.8) == SCurve(8, 16)


def test_curve_value() -> None:
    curve = SCurve(16, 8)
    assert repr(curve) == "SCurve(bands=16, rows=8)" and pickle.loads(pickle.dumps(curve)) == curve
    assert hash(curve) == hash(SCurve(16, 8)) and curve != SCurve(8, 16)
    assert (curve.bands, curve.rows, curve.num_hashes) == (16, 8, 128)
    html = curve._repr_html_()
    assert html.startswith("<svg") and "16 x 8" in html


def test_senseless_curves() -> None:
    for bands, rows in ((0, 1), (1, 0), (4097, 1), (2**40, 2**40), (-1, 2)):
        with pytest.raises(SettingError):
            SCurve(bands, rows)
    curve = SCurve(4, 4)
    for wrong in (float("nan"), -0.1, 1.1):
        for ask in (curve.similarity_at, curve.false_positive_area, curve.false_negative_area):
            with pytest.raises(SettingError):
                ask(wrong)
    assert numpy.isnan(curve.probability(float("nan")))
    for value in (None, "x", object()):
        with pytest.raises((TypeError, ValueError)):
            curve.probability(value)  # type: ignore[call-overload]
    for count in (0, 1, 2**40):
        with pytest.raises(SettingError):
            curve.points(count)
    with pytest.raises(SettingError):
        SCurve.for_recall(16, 0.1, 0.99)
    with pytest.raises(SettingError):
        SCurve.by_areas(128, 0.8, -1.0)


def test_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = SCurve(16, 8).plot()
    assert len(axes.lines) == 1 and SCurve(8, 16).plot(axes) is axes and len(axes.lines) == 2
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install lookalike\[plot\]"):
        SCurve(16, 8).plot()


def test_sets() -> None:
    a, b = ["a", "b", "c", "c"], {"b", "c", "d", "e"}
    assert similarity.jaccard(a, b) == 2 / 5 and similarity.containment(a, b) == 2 / 3
    assert similarity.overlap_coefficient(a, b) == 2 / 3 and similarity.dice(a, b) == 4 / 7
    assert similarity.jaccard(numpy.array([1, 2], dtype=numpy.uint64), [2, 3]) == 1 / 3
    assert similarity.jaccard([], []) == 1.0 and similarity.containment([], a) == 1.0 and similarity.jaccard([], a) == 0.0
    for wrong in ("text", b"bytes", None, 5, [None], numpy.array([1.5])):
        for measure in (similarity.jaccard, similarity.containment, similarity.dice, similarity.overlap_coefficient):
            with pytest.raises(TypeError):
                measure(wrong, a)  # type: ignore[arg-type]


def test_weights_vectors_and_strings() -> None:
    assert similarity.weighted_jaccard({"a": 0.5, "b": 2.0}, {"b": 1.0, "c": 0.5}) == 1 / 3
    assert similarity.weighted_jaccard({}, {}) == 1.0
    assert similarity.weighted_jaccard(([2, 1], [2.0, 0.5]), ([3, 2], [0.5, 1.0])) == 1 / 3
    for weight in (float("nan"), -1.0, float("inf")):
        with pytest.raises(SettingError):
            similarity.weighted_jaccard({"a": weight}, {})
    with pytest.raises(SettingError):
        similarity.weighted_jaccard((["a", "a"], [1.0, 1.0]), {})
    assert abs(similarity.cosine([1, 2], numpy.array([2.0, 1.0])) - 0.8) < 1e-12
    with pytest.raises(IncompatibleError):
        similarity.cosine([1.0], [1.0, 2.0])
    with pytest.raises(SettingError):
        similarity.cosine([float("nan")], [1.0])
    assert similarity.edit_distance("kitten", "sitting") == 3
    with pytest.raises(TypeError):
        similarity.edit_distance("a", None)  # type: ignore[arg-type]
    with pytest.raises(SettingError):
        similarity.edit_distance("\ud800", "a")
