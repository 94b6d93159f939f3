"""Plans with samples, comparisons and reports: the numbers and pages of the command."""

from __future__ import annotations

import json
import pathlib
import pickle
import subprocess
import sys
from typing import Any, Dict, List

import numpy as np
import pytest

import lookalike

DEMO = pathlib.Path(__file__).resolve().parents[3] / "demo" / "articles.jsonl"


def articles() -> List[Dict[str, Any]]:
    return [json.loads(line) for line in DEMO.read_text(encoding="utf-8").splitlines()]


def command(*arguments: Any) -> Any:
    """What the command answers, as JSON."""
    asked = [sys.executable, "-m", "lookalike", *map(str, arguments), "--json", "--quiet"]
    return json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)


def in_bytes(text: str, span: Any) -> List[int]:
    return [len(text[:end].encode()) for end in span]


SHARED = "Der schnelle braune Fuchs — naïve 🦊 und 狐 — springt über den faulen Hund"
PAIRS = [
    (f"🎈 eins zwei. {SHARED}. Dann nichts.", f"{SHARED}! Etwas anderes, ganz am Ende: {SHARED[:30]}"),
    (f"{SHARED}.\n\nSecond part of it stands here alone.", f"Second part of it stands here alone.\n\n{SHARED}."),
    ("nothing of this", "is in that one"),
    ("", ""),
]


@pytest.mark.parametrize("a, b", PAIRS)
@pytest.mark.parametrize(
    "options",
    [{"shingles": "words:3"}, {"measure": "containment", "shingles": "characters:5"}, {"method": "simhash", "distance": 9}],
)
def test_a_comparison_has_the_numbers_of_the_command(
    a: str, b: str, options: Dict[str, Any], tmp_path: pathlib.Path
) -> None:
    for name, text in (("a.txt", a), ("b.txt", b)):
        (tmp_path / name).write_bytes(text.encode())
    settings = tmp_path / "settings.toml"
    settings.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in options.items()))
    said = command("compare", tmp_path / "a.txt", tmp_path / "b.txt", "--config", settings)
    found = lookalike.compare(a, b, **options)
    assert (found.jaccard, found.containment_a, found.containment_b, found.shared) == (
        said["jaccard"],
        said["containment_of_a"],
        said["containment_of_b"],
        said["common_shingles"],
    )
    assert found.shingles == (said["a"]["shingles"], said["b"]["shingles"])
    assert [estimate._asdict() for estimate in found.estimates] == said["estimates"]
    assert said["plan"] == {"label": found.plan, "threshold": found.threshold, "probability": found.chance}
    passages = [
        {"a": in_bytes(a, each.a), "b": in_bytes(b, each.b), "shingles": each.shingles, "place": each.place}
        for each in found.passages
    ]
    assert passages == said["passages"]
    assert [each.moved for each in found.passages] == [each.place != "in-order" for each in found.passages]
    contained = max(found.containment_a, found.containment_b)
    assert found.similarity == (contained if "measure" in options else found.jaccard)


def test_a_page_replaces_pages_only(tmp_path: pathlib.Path) -> None:
    found = lookalike.compare(*PAIRS[0], shingles="words:3")
    assert found.html.startswith("<!DOCTYPE html>") and "naïve" in found.html and "SimHash" in found.html
    frame = found._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and "<style" not in frame
    path = tmp_path / "page.html"
    for _ in range(2):
        found.save(path)
    assert path.read_text(encoding="utf-8").endswith(found.html)
    other = tmp_path / "mine.html"
    other.write_text("<!DOCTYPE html>")
    with pytest.raises(lookalike.TargetError, match="not a page of lookalike; name another file"):
        found.save(str(other))
    assert other.read_text() == "<!DOCTYPE html>"
    with pytest.raises(lookalike.TargetError, match="is a folder"):
        found.save(tmp_path)
    with pytest.raises(FileNotFoundError):
        found.save(tmp_path / "no" / "page.html")


def test_bags_are_not_compared() -> None:
    with pytest.raises(lookalike.SettingError, match="sets of shingles, not bags; leave out elements"):
        lookalike.compare("a b", "a c", elements="bag")


def test_a_plan_with_a_sample_has_the_numbers_of_the_command() -> None:
    said = command("plan", "--documents", 5000, "--threshold", 0.7, "--threads", 2, "--sample", DEMO)
    texts = [article["text"] for article in articles()]
    for sample in (str(DEMO), [DEMO], texts, np.array(texts, dtype=object)):
        plan = lookalike.plan(5000, sample=sample, threshold=0.7, threads=2)
        assert plan.sample is not None
        measured = plan.sample._asdict()
        suggested = measured.pop("suggested_shingles")
        assert suggested == f"words:{said['sample'].pop('suggested_k', suggested[6:])}"
        measured["shared_by_k"] = [[k, shared] for k, shared in measured["shared_by_k"].items()]
        assert measured == said["sample"]
        alternatives = [other._asdict() for other in plan.alternatives]
        for other in alternatives:
            other["recall_at_threshold"] = other.pop("recall")
        assert alternatives == said["alternatives"]
        for name in ("disk_bytes", "disk_bytes_with_keys", "least_memory"):
            assert getattr(plan, name) == said[name]
    assert plan._repr_html_().count("<svg") == 2
    assert lookalike.plan().sample is None and lookalike.plan()._repr_html_().count("<svg") == 1


def test_a_plan_of_fingerprints_has_tables() -> None:
    said = command("plan", "--method", "simhash", "--distance", 4)
    plan = lookalike.plan(method="simhash", distance=4)
    assert [tables._asdict() for tables in plan.tables] == said["tables"]
    assert plan.alternatives == [] and lookalike.plan().tables == []


def test_a_plan_has_the_curve_that_the_command_draws() -> None:
    for arguments, options in [
        ([], {}),
        (["--measure", "containment"], {"measure": "containment"}),
        (["--method", "simhash", "--distance", 4], {"method": "simhash", "distance": 4}),
    ]:
        said = command("plan", *arguments)
        plan = lookalike.plan(**options)
        assert [chance for _, chance in said["curve"]] == pytest.approx(plan.curve[::2].tolist())
        assert plan.probability(0.9) == pytest.approx(plan.curve[180])
    assert plan.curve[100] < 0.01 and plan.curve[200] == 1.0


def test_samples_that_say_nothing() -> None:
    with pytest.raises(lookalike.SettingError, match="not by the tables of SimHash; leave out sample"):
        lookalike.plan(sample=["a", "b"], method="simhash")
    with pytest.raises(lookalike.SettingError, match="not by the sampled shingles of containment"):
        lookalike.plan(sample=["a", "b"], measure="containment")
    with pytest.raises(lookalike.SettingError, match="at least two documents"):
        lookalike.plan(sample=["one"])
    with pytest.raises(TypeError, match="holds no documents"):
        lookalike.plan(sample=5)
    with pytest.raises(lookalike.BadRecordError):
        lookalike.plan(sample=["one", None])
    with pytest.raises(TypeError, match="text names a column"):
        lookalike.plan(sample=["one", "two"], text="body")


def test_the_report_of_a_folder_is_that_of_the_command(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, result = lookalike.dedup(str(DEMO), output="clean", id="id")
    page = result.report()
    subprocess.run([sys.executable, "-m", "lookalike", "report", "clean", "-o", "page.html", "--quiet"], check=True)
    written = pathlib.Path("page.html").read_text(encoding="utf-8")
    assert written.endswith(page.html) and page.note is None
    assert "Nearest misses" in page.html
    (tmp_path / "clean" / "report.json").unlink()
    with pytest.raises(lookalike.TargetError, match="not finished"):
        result.report()


def examples(page: lookalike.Page) -> str:
    """What a page shows of clusters and pairs, from the first example to the end of those above the threshold."""
    begin = page.html.index('<section id="examples"')
    following = '<section id="nearest-misses"' if "Nearest misses" in page.html else '<section id="configuration"'
    return page.html[begin : page.html.index(following)]


def test_the_report_of_rows_shows_what_that_of_a_folder_shows(tmp_path: pathlib.Path) -> None:
    frame = pytest.importorskip("pandas").DataFrame(articles())
    kept, result = lookalike.dedup(frame, id="id")
    frame["text"] = "changed"
    page = result.report()
    assert page.note is None and "DataFrame of 202 documents" in page.html
    of_folder = lookalike.dedup(str(DEMO), output=tmp_path / "clean", id="id")[1].report()
    for number in range(202):
        # The places differ: rows are counted from 0, lines from 1.
        of_folder._html = of_folder._html.replace(f"{DEMO}, line {number + 1}<", f"row {number}<")
    assert examples(page) == examples(of_folder)
    assert "Nearest misses" not in page.html
    again = pickle.loads(pickle.dumps(result)).report()
    assert again.html == page.html


def test_rows_without_ids_and_of_against_are_shown_by_number(texts: List[str]) -> None:
    old, new = texts[:100], texts[100:]
    _, result = lookalike.dedup(new, against=old)
    page = result.report()
    least = min((row for row in result.removed if row.kind == "near"), key=lambda row: (row.similarity, row.document))
    assert f">row {least.document}<" in page.html
    assert ">row 0 of against<" in page.html or any(f">row {row} of against<" in page.html for row in range(100))
    assert "table:" not in page.html and "against:" not in page.html


def test_the_report_of_files_without_a_folder_has_no_texts(tmp_path: pathlib.Path) -> None:
    _, result = lookalike.dedup(str(DEMO), id="id")
    page = result.report()
    assert page.note is not None and "pass output=" in page.note and "pass output=" in repr(page)
    assert result.removed[0].document in page.html and "working memory (WM) capacity" not in page.html
    texts = [article["text"] for article in articles()]
    page = lookalike.dedup(texts[150:], against=str(DEMO))[1].report()
    assert page.note is not None and "pass output=" not in page.note
    assert any(text[:40] in page.html for text in texts[150:])


def test_nothing_removed_is_a_report_too() -> None:
    page = lookalike.dedup(["one text of a few words", "another one, and longer than that"])[1].report()
    assert page.html.startswith("<!DOCTYPE html>") and "No document was removed" in page.html


def test_texts_reach_no_report_as_anything_but_text() -> None:
    evil = "<script>alert(1)</script> " + " ".join(map(str, range(40)))
    frame = pytest.importorskip("pandas").DataFrame({"text": [evil, evil + " more"], "id": ["<b>1", "<b>2"]})
    page = lookalike.dedup(frame, id="id")[1].report()
    assert "script&gt;alert(1)&lt;/script&gt;" in page.html and "<script>alert" not in page.html
    assert "&lt;b&gt;1" in page.html and "<b>1<" not in page.html and "<b>2" not in page.html
