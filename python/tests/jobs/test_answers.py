"""The answers are the exact ones."""

from __future__ import annotations

import itertools
from typing import Dict, List, Tuple

import numpy as np
import pytest
from conftest import exact_jaccard

import lookalike


@pytest.fixture(scope="module")
def truth(texts: List[str]) -> Dict[Tuple[int, int], float]:
    """All pairs at 0.5 or above, by the definition."""
    similar = {}
    for a, b in itertools.combinations(range(len(texts)), 2):
        similarity = exact_jaccard(texts[a], texts[b])
        if similarity >= 0.5:
            similar[a, b] = similarity
    return similar


def test_pairs_are_all_and_exact(texts: List[str], truth: Dict[Tuple[int, int], float]) -> None:
    found = lookalike.pairs(texts, threshold=0.5, recall=0.9999, hashes=512)
    assert {(pair.a, pair.b): pair.similarity for pair in found} == truth
    assert found.summary["verified_pairs"] > 0


def test_removals_follow_the_greedy_rule(texts: List[str], truth: Dict[Tuple[int, int], float]) -> None:
    kept: List[int] = []
    expected = {}
    for row in range(len(texts)):
        duplicate_of = next((other for other in kept if truth.get((other, row), 0) >= 0.6), None)
        if duplicate_of is None:
            kept.append(row)
        else:
            expected[row] = (duplicate_of, truth[duplicate_of, row])
    _, result = lookalike.dedup(texts, threshold=0.6, recall=0.9999, hashes=512)
    near = {row.document: (row.kept, row.similarity) for row in result.removed}
    assert {row: similarity for row, (_, similarity) in near.items()} == {
        row: similarity for row, (_, similarity) in expected.items()
    }
    # A copy names its original, or what removed that.
    assert all(texts[near[row][0]] == texts[expected[row][0]] for row in expected)
    assert result.recall is not None and result.recall > 0.99


def test_the_answer_does_not_depend_on_threads_or_memory(texts: List[str]) -> None:
    answers = [
        list(lookalike.dedup(texts, threads=threads, memory=memory)[1].removed)
        for threads in (1, 2, 5)
        for memory in ("128MiB", 1 << 30)
    ]
    assert all(answer == answers[0] for answer in answers) and answers[0]


def test_clusters_are_the_removals_by_kept_document(texts: List[str]) -> None:
    _, result = lookalike.dedup(texts)
    expected: Dict[object, List[object]] = {}
    for row in result.removed:
        expected.setdefault(row.kept, []).append(row.document)
    found = lookalike.clusters(texts)
    assert {cluster.kept: cluster.others for cluster in found} == expected
    assert [cluster.kept for cluster in found] == sorted(expected)  # type: ignore[type-var]
    assert all(len(cluster.similarities) == len(cluster.others) for cluster in found)


def test_query_compares_with_everything(texts: List[str]) -> None:
    wanted = texts[0]
    expected = sorted(
        ((exact_jaccard(wanted, text), -row) for row, text in enumerate(texts) if exact_jaccard(wanted, text) > 0),
        reverse=True,
    )
    found = lookalike.query(texts, wanted, top=5)
    assert [(match.similarity, -match.document) for match in found] == expected[:5]
    assert len(lookalike.query(texts, wanted, threshold=0.999)) >= 1
    assert lookalike.query(texts, "nothing of this is there", top=5) == []
    assert lookalike.query(texts, wanted, top=0) == []


def test_compare_gives_places_in_characters() -> None:
    shared = "the quick brown fox — naïve and 狐 — jumps over"
    a, b = f"🎈 one two {shared} the lazy dog", f"{shared} something else"
    found = lookalike.compare(a, b, shingles="words:3")
    assert 0 < found.jaccard < 1
    assert found.shared <= min(found.shingles)
    (passage,) = found.passages
    assert shared.rstrip(" over") in a[slice(*passage.a)]
    assert a[slice(*passage.a)] == b[slice(*passage.b)]
    assert "<iframe" in found._repr_html_() and "naïve" in found.html
    assert lookalike.compare("", "").jaccard == 1.0


def test_plan_is_the_one_of_the_run(texts: List[str]) -> None:
    plan = lookalike.plan(threshold=0.7, hashes=256)
    report = lookalike.dedup(texts, threshold=0.7, hashes=256)[1].summary
    assert (plan.bands, plan.rows) == (report["plan"]["bands"], report["plan"]["rows"])
    assert plan.probability(0.7) == pytest.approx(plan.recall)
    assert np.all(np.diff(plan.probability(np.linspace(0, 1, 50))) >= 0)
    assert plan.least_memory > 0 and "<svg" in plan._repr_html_()


def test_against_is_kept_and_not_returned(texts: List[str]) -> None:
    old, new = texts[:100], texts[100:]
    kept, result = lookalike.dedup(new, against=old)
    assert set(kept) <= set(new)
    assert {row.against for row in result.removed} == {True, False}
    for row in result.removed:
        source = (old if row.against else new)[row.kept]
        assert exact_jaccard(source, new[row.document]) == pytest.approx(row.similarity)
    _, only = lookalike.dedup(new, against=old, against_only=True)
    assert all(row.against for row in only.removed) and len(only.removed) > 0


@pytest.mark.parametrize(
    "options",
    [
        {"method": "simhash", "distance": 6, "threshold": 0.6},
        {"elements": "bag"},
        {"measure": "containment"},
        {"shingles": "characters:9"},
        {"verify": "estimate"},
        {"verify": "none"},
        {"clusters": "components"},
        {"preset": "fineweb"},
        {"bands": (20, 5)},
        {"bands": "20x5"},
        {"case": "keep", "form": "nfkc", "punctuation": "drop", "whitespace": "remove"},
        {"max_text": "1KiB"},
    ],
)
def test_every_way_of_looking_finds_copies(options: Dict[str, object], texts: List[str]) -> None:
    kept, result = lookalike.dedup(texts, **options)  # type: ignore[arg-type]
    assert len(kept) + len(result.removed) == len(texts)
    assert len(set(kept)) == len(kept)


def test_results_show_themselves(texts: List[str]) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    _, result = lookalike.dedup(texts)
    assert "near-duplicates removed" in repr(result)
    page = result._repr_html_()
    assert "<svg" in page and "<table" in page
    assert result.plot() is not None
    assert lookalike.plan().plot() is not None
    removed = result.removed
    assert len(removed.to_pandas()) == removed.to_polars().height == removed.to_arrow().num_rows == len(removed)
    assert removed[-1] == list(removed)[-1] and removed[:2] == list(removed)[:2]
    assert list(removed.to_dict()) == list(lookalike.Removed._fields)
    with pytest.raises(IndexError):
        removed[len(removed)]
    assert "more" in repr(removed)
    pairs = lookalike.pairs(texts)
    assert pairs.to_pandas().columns.tolist() == ["a", "b", "similarity", "distance"]
    assert "<table" in pairs._repr_html_()
    clusters = lookalike.clusters(texts)
    assert "clusters of" in repr(clusters) and "<table" in clusters._repr_html_()
    assert len(clusters.to_pandas()) == sum(len(cluster.members) for cluster in clusters)


def test_texts_cannot_reach_a_page_as_anything_but_text() -> None:
    evil = "<script>alert(1)</script> one two three four five six"
    frame = pytest.importorskip("pandas").DataFrame({"text": [evil, evil], "id": ["<b>1", "<b>2"]})
    _, result = lookalike.dedup(frame, id="id")
    assert "<b>" not in result._repr_html_()
    assert "<script>alert" not in lookalike.compare(evil, evil).html


def test_defaults_and_presets_are_known() -> None:
    defaults = lookalike.defaults()
    assert (defaults["threshold"], defaults["shingles"], defaults["text"]) == (0.8, "words:5", "text")
    assert set(defaults) <= set(lookalike.Options.__annotations__)
    frame = pytest.importorskip("pandas").DataFrame({"text": ["a b", "a b"]})
    assert len(lookalike.dedup(frame, **defaults)[0]) == 1
    assert "fineweb" in lookalike.presets()


def test_a_plan_of_containment_says_what_is_true_for_short_documents() -> None:
    plan = lookalike.plan(measure="containment", threshold=0.8)
    assert plan.shingles == 44 and plan.recall_by_shingles[44] == plan.recall == plan.probability(0.8)
    for shingles, chance in plan.recall_by_shingles.items():
        assert chance == pytest.approx(1 - (7 / 8) ** (0.8 * shingles))
        assert plan.probability(0.8, shingles=shingles) == chance
    assert plan.recall_by_shingles[10] < 0.7 < 0.99 < plan.recall
    assert plan.curve[160] == pytest.approx(plan.recall)
    assert repr(plan) == (
        "<one of 8 shingles: at 0.8 a document of 44 shingles is found with probability 0.9909, one of 10 with 0.6564>"
    )
    with pytest.raises(lookalike.SettingError, match="shingles"):
        plan.probability(0.8, shingles=-1)
    usual = lookalike.plan()
    assert usual.shingles is None and usual.recall_by_shingles == {}
    assert usual.short_up_to == 99 and plan.short_up_to == 0
    assert lookalike.plan(verify="estimate").short_up_to == 0
    assert usual.probability(0.8, shingles=1) == usual.probability(0.8)


def test_the_chance_of_a_contained_text() -> None:
    long = " ".join(str(i) for i in range(200))
    found = lookalike.compare(" ".join(long.split()[:24]), long, measure="containment")
    assert found.shingles[0] == 20 and found.containment_a == 1.0
    assert found.chance == pytest.approx(1 - (7 / 8) ** 20)
