"""`kind="records"` and `link`: the same answers as the command line, from every kind of table."""

from __future__ import annotations

import csv
import errno
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import pytest

import lookalike

GIVEN = "anna berta carla dora emma frieda greta hanna ida julia karin".split()
SURNAME = "berg holm lund dahl strand vik moen haugen lie bakke solberg eide foss".split()
Row = Dict[str, Optional[str]]


def customers() -> List[Row]:
    """Persons, of whom every third has a second record with a letter too many and no city. The ids say who is who."""
    rows: List[Row] = []
    for person in range(90):
        given, surname = GIVEN[person * 7 % 11], SURNAME[person * 5 % 13]
        born = str(19300101 + person * 7 // 10 * 10000 + person % 12 * 100 + person * 5 % 28)
        city = ["oslo", "bergen", "moss", "tromso"][person * 3 % 4]
        rows.append({"id": f"p{person}a", "given": given, "surname": surname, "born": born, "city": city})
        if person % 3 == 0:
            rows.append({"id": f"p{person}b", "given": given, "surname": surname + "e", "born": born, "city": None})
    return rows


def write(rows: List[Row], path: pathlib.Path) -> pathlib.Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def split() -> Tuple[List[Row], List[Row]]:
    rows = customers()
    return [row for row in rows if str(row["id"]).endswith("a")], [row for row in rows if str(row["id"]).endswith("b")]


def frames(rows: List[Row]) -> Dict[str, Any]:
    """The rows in every form."""
    found: Dict[str, Any] = {"list": rows, "tuple": tuple(rows)}
    try:
        import pyarrow

        found["pyarrow"] = pyarrow.Table.from_pylist(rows)
        import pandas

        found["pandas"] = pandas.DataFrame(rows)
    except ImportError:
        pass
    try:
        import polars

        found["polars"] = polars.DataFrame(rows)
        found["lazy"] = polars.LazyFrame(rows)
    except ImportError:
        pass
    return found


def command(*arguments: str) -> List[Any]:
    run = subprocess.run([sys.executable, "-m", "lookalike", *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_every_table_has_the_answer_of_the_command(tmp_path: pathlib.Path) -> None:
    rows = customers()
    path = write(rows, tmp_path / "customers.csv")
    wanted = command("pairs", str(path), "--kind", "records", "--json")
    assert 29 <= len(wanted) <= 31
    of_file = lookalike.pairs(path, kind="records")
    for pair, row in zip(of_file, wanted):
        assert (pair.a, pair.b, pair.weight, pair.weights) == (row["a"], row["b"], row["weight"], row["weights"])
        assert pair.probability == pair.similarity == row["probability"]
    assert len(of_file) == len(wanted)
    for name, table in frames(rows).items():
        named = lookalike.pairs(table, kind="records", id="id")
        assert list(named) == list(of_file), name
        # Without a named column of ids, rows are named by number; the column `id` is not compared either.
        numbered = lookalike.pairs(table, kind="records")
        assert [(rows[pair.a]["id"], rows[pair.b]["id"]) for pair in numbered] == [(pair.a, pair.b) for pair in named], name


def test_clusters_and_dedup_agree_with_pairs() -> None:
    rows = customers()
    pairs = lookalike.pairs(rows, kind="records", id="id")
    clusters = lookalike.clusters(rows, kind="records", id="id")
    assert {(cluster.kept, other) for cluster in clusters for other in cluster.others} == {(pair.a, pair.b) for pair in pairs}
    assert clusters.model == pairs.model
    for name, table in frames(rows).items():
        kept, result = lookalike.dedup(table, kind="records", id="id")
        assert type(kept) is type(table), name
        assert [(row.kept, row.document) for row in result.removed] == [(pair.a, pair.b) for pair in pairs], name
        assert [row.weights for row in result.removed] == [pair.weights for pair in pairs], name
        assert result.documents == 120 and result.mask is not None
        assert int(result.mask.sum()) == result.summary["kept"] == 120 - len(pairs)
        if name == "list":
            assert kept == [row for row, is_kept in zip(rows, result.mask) if is_kept]
            assert repr(result).startswith(f"<120 records: {120 - len(pairs)} kept, {len(pairs)} removed")
    keeps_more = lookalike.dedup(list(reversed(rows)), kind="records", id="id", keep="fullest")[1]
    assert all(str(row.document).endswith("b") for row in keeps_more.removed), "the one without a city is removed"


def test_two_tables_are_linked(tmp_path: pathlib.Path) -> None:
    first, second = split()
    other = [{("family" if name == "surname" else name): value for name, value in row.items()} for row in second]
    options: Dict[str, Any] = {"fields": ["given:name", "surname=family", "born:date", "city"], "id": "id"}
    found = lookalike.link(first, other, one_to_one=True, **options)
    assert len(found) >= 28 and all(str(pair.a)[:-1] == str(pair.b)[:-1] for pair in found)
    assert all(str(pair.a).endswith("a") and str(pair.b).endswith("b") for pair in found)
    a, b = write(first, tmp_path / "a.csv"), write(other, tmp_path / "b.csv")
    wanted = command(
        "pairs", str(b), "--against", str(a), "--against-only", "--one-to-one", "--kind", "records", "--json",
        "--fields", ",".join(options["fields"]), "--id-field", "id",
    )  # fmt: skip
    assert [(pair.a, pair.b, pair.weight) for pair in found] == [(row["a"], row["b"], row["weight"]) for row in wanted]
    assert list(lookalike.link(a, b, one_to_one=True, **options)) == list(found)
    for name, table in frames(first).items():
        assert list(lookalike.link(table, other, one_to_one=True, **options)) == list(found), name
    kept, result = lookalike.dedup(other, kind="records", against=first, against_only=True, **options)
    assert all(row.against for row in result.removed) and len(kept) == len(other) - len(result.removed)


def test_a_model_is_used_again(tmp_path: pathlib.Path) -> None:
    rows = customers()
    found = lookalike.pairs(rows, kind="records", id="id")
    model = found.model
    assert model is not None and model.fields["born"] == "date" and model.threshold == 0.5 and model.bands
    assert "born (date)" in repr(model) and model.to_dict()["format"] == "lookalike-records-model"
    model.save(tmp_path / "model.json")
    loaded = lookalike.RecordModel.load(tmp_path / "model.json")
    assert loaded == model == pickle.loads(pickle.dumps(model)) and hash(loaded) == hash(model)
    for given in (loaded, str(tmp_path / "model.json"), tmp_path / "model.json"):
        again = lookalike.pairs(rows, kind="records", id="id", model=given)
        assert list(again) == list(found) and again.model == model
    stricter = lookalike.pairs(rows, kind="records", id="id", model=model, threshold=0.999)
    assert len(stricter) <= len(found) and all(pair.probability >= 0.999 for pair in stricter)
    # The command reads and writes the same file.
    path = write(rows, tmp_path / "customers.csv")
    of_command = command("pairs", str(path), "--kind", "records", "--json", "--model", str(tmp_path / "model.json"))
    assert [row["weights"] for row in of_command] == [pair.weights for pair in found]


def test_a_model_that_cannot_be_written_leaves_the_old_one(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = lookalike.pairs(customers(), kind="records", id="id").model
    assert model is not None
    path = tmp_path / "model.json"
    path.write_text("the old one")
    (tmp_path / "link").symlink_to(path)

    def full(self: pathlib.Path, text: str, encoding: str) -> None:
        self.write_bytes(text.encode(encoding)[:10])
        raise OSError(errno.ENOSPC, "no space left")

    with monkeypatch.context() as broken:
        broken.setattr(pathlib.Path, "write_text", full)
        with pytest.raises(OSError, match="no space left"):
            model.save(path)
    assert path.read_text() == "the old one" and len(list(tmp_path.iterdir())) == 2
    model.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and lookalike.RecordModel.load(path) == model
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_sigterm_ends_link_as_it_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """While Rust works, SIGTERM is an exception, so that temporary files are removed."""
    from lookalike import _native

    first, second = split()
    found, seen = _native.records_found, []

    def watched(*given: Any) -> Any:
        seen.append(signal.getsignal(signal.SIGTERM))
        return found(*given)

    monkeypatch.setattr(_native, "records_found", watched)
    before = signal.getsignal(signal.SIGTERM)
    lookalike.link(first, second, id="id")
    lookalike.pairs(first, kind="records", id="id")
    assert before == signal.SIG_DFL == signal.getsignal(signal.SIGTERM)
    assert callable(seen[0]) and seen[0] == seen[1]


def test_results_are_tables() -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    found = lookalike.pairs(customers(), kind="records", id="id")
    frame = found.to_pandas()
    assert list(frame.columns) == ["a", "b", "probability", "weight", "weights"] and len(frame) == len(found)
    table = found.to_arrow()
    assert table.column("weights").to_pylist()[0] == found[0].weights
    assert "<table>" in found._repr_html_()
    assert isinstance(lookalike.dedup(customers(), kind="records")[1].removed.to_pandas(), pandas.DataFrame)


def test_a_folder_is_written_and_found_again(tmp_path: pathlib.Path) -> None:
    path = write(customers(), tmp_path / "customers.csv")
    for _ in range(2):
        kept, result = lookalike.dedup([path], kind="records", output=tmp_path / "out")
        assert kept == tmp_path / "out" and (kept / "customers.csv").exists()
        assert result.model == lookalike.RecordModel.load(kept / "model.json")
        assert len(result.removed) == result.summary["removed"] and result.removed[0].weights
        assert result.removed[0].kind == "match" and not result.removed[0].against
    with pytest.raises(lookalike.TargetError, match="another run"):
        lookalike.dedup([path], kind="records", output=tmp_path / "out", threshold=0.9)
    assert lookalike.dedup(str(path), kind="records", output=str(tmp_path / "two"))[0] == str(tmp_path / "two")


def test_numbers_of_pandas_with_missing_values_are_whole_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    rows = customers()
    frame = pandas.DataFrame(rows)
    frame["born"] = frame["born"].astype(int)
    same = list(lookalike.pairs(frame, kind="records", id="id"))
    assert same == list(lookalike.pairs(rows, kind="records", id="id"))
    first, second = frame[frame["id"].str.endswith("a")], frame[frame["id"].str.endswith("b")].copy()
    wanted = [(pair.a, pair.b) for pair in lookalike.link(first, second.iloc[1:], id="id")]
    second["born"] = second["born"].astype(float)
    second.iloc[0, second.columns.get_loc("born")] = np.nan
    found = [(pair.a, pair.b) for pair in lookalike.link(first, second, id="id")]
    assert set(wanted) <= set(found)
    mixed = frame.astype({"born": object})
    mixed.loc[0, "born"] = "19300101"
    assert list(lookalike.pairs(mixed, kind="records", id="id")) == same


@pytest.mark.parametrize("dtype", ["Int64", "string", "object", "float64", "datetime64[ns]"])
def test_rows_without_an_id_are_named_by_number(dtype: str) -> None:
    pandas = pytest.importorskip("pandas")
    rows = customers()
    frame = pandas.DataFrame(rows)
    frame["id"] = pandas.Series([1000 + at for at in range(len(frame))]).astype(dtype)
    frame.loc[frame.index % 2 == 1, "id"] = None if dtype == "object" else pandas.NA if dtype in ("Int64", "string") else np.nan
    assert frame["id"].isna().sum() == len(frame) // 2
    ids = frame["id"].tolist()

    def name(at: int) -> Any:
        return at if at % 2 == 1 else ids[at]

    numbers = frame.drop(columns="id")
    wanted = [(name(pair.a), name(pair.b)) for pair in lookalike.pairs(numbers, kind="records")]
    assert len(wanted) >= 25
    assert [(pair.a, pair.b) for pair in lookalike.pairs(frame, kind="records", id="id")] == wanted
    groups = [(name(one.kept), list(map(name, one.members))) for one in lookalike.clusters(numbers, kind="records")]
    assert [(one.kept, one.members) for one in lookalike.clusters(frame, kind="records", id="id")] == groups
    removed = lookalike.dedup(numbers, kind="records")[1].removed
    named = lookalike.dedup(frame, kind="records", id="id")[1].removed
    assert [(row.document, row.kept) for row in named] == [(name(row.document), name(row.kept)) for row in removed]
    one = lookalike.link(frame, frame, id="id", one_to_one=True)
    assert {pair.a for pair in one} & set(range(1, len(frame), 2))


def test_a_bad_record_without_an_id_is_named_by_number() -> None:
    """Tables in memory have no bad records now, so Rust's answer is made up."""
    pandas = pytest.importorskip("pandas")
    from lookalike import records
    from lookalike._sources import Columns, documents

    frame = pandas.DataFrame({"id": pandas.array([10, None, 12], "Int64"), "name": ["a", "b", "c"]})
    given = documents(frame, Columns.of_records("id", against=False))
    numbers: Any = np.array([], dtype=np.int64)
    columns: Dict[str, Any] = {name: numbers for name in ("probability", "weight", "weights", "removed_match")}
    for name in ("removed", "kept"):
        columns.update({f"{name}_line": numbers, f"{name}_id": [], f"{name}_against": numbers.astype(bool)})
    columns.update(fields=["name"], bad_line=np.array([3, 2]), bad_id=["t:3", "t:2"], bad_reason=["one", "two"])
    removed = records._removed_of(columns, given, None)
    assert [(row.document, row.kind, row.reason) for row in removed] == [(1, "bad", "two"), (12, "bad", "one")]


def test_columns_that_are_not_named_by_a_str_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(customers())
    for column, said in [(7, "column 7 by int"), (("a", "b"), "by tuple")]:
        wrong = frame.rename(columns={"born": column}) if column == 7 else frame.set_axis([column, *frame.columns[1:]], axis=1)
        for call in (
            lambda: lookalike.pairs(wrong, kind="records"),
            lambda: lookalike.dedup(frame, kind="records", against=wrong),
            lambda: lookalike.link(frame, wrong),
        ):
            with pytest.raises(TypeError, match=said):
                call()


def test_lists_numbers_and_nothing_in_dictionaries() -> None:
    rows = [{"authors": ["a. berg", "c. holm"], "year": 1999}, {"authors": ("a. berg", "c. holm"), "year": 1999.0, "note": None}]
    found = lookalike.pairs(rows, kind="records")
    assert [(pair.a, pair.b) for pair in found] == [(0, 1)] and found.model is None
    assert found[0].probability > 0.9 and found.summary["learnt"] is False


def test_what_makes_no_sense_is_refused(tmp_path: pathlib.Path) -> None:
    rows = customers()
    first, second = split()
    records: Any = "records"
    for wrong, error, said in [
        (lambda: lookalike.pairs(rows, kind=records, one_to_one=True), lookalike.SettingError, "needs two tables"),
        (lambda: lookalike.link(first, second, one_to_one=True, one_to_many=True), lookalike.SettingError, "contradict"),
        (lambda: lookalike.pairs(rows, kind=records, shingles="words:3"), TypeError, "shingles"),
        (lambda: lookalike.pairs(rows, kind=records, field="a"), TypeError, "did you mean 'fields'"),
        (lambda: lookalike.pairs(rows, kind=records, fields="town"), lookalike.SettingError, "no source has the field `town`"),
        (lambda: lookalike.pairs(rows, kind=records, fields="given:colour"), lookalike.SettingError, "not a type of fields"),
        (lambda: lookalike.pairs(rows, kind=records, fields=[1]), TypeError, "fields must be a str"),
        (lambda: lookalike.pairs(rows, kind=records, block="town"), lookalike.SettingError, "there is no field town"),
        (lambda: lookalike.pairs(rows, kind=records, threshold=0.0), lookalike.SettingError, "threshold"),
        (lambda: lookalike.pairs(rows, kind=records, threshold=2), lookalike.SettingError, "threshold"),
        (lambda: lookalike.pairs(rows, kind=records, recall=0), lookalike.SettingError, "recall"),
        (lambda: lookalike.pairs(rows, kind=records, id="key"), lookalike.SettingError, "no column 'key'"),
        (lambda: lookalike.dedup(rows, kind=records, keep="longest"), lookalike.SettingError, "longest"),
        (lambda: lookalike.dedup(rows, kind=records, output=tmp_path), TypeError, "paths only"),
        (lambda: lookalike.dedup(rows, kind=records, against_only=True), lookalike.SettingError, "needs against"),
        (lambda: lookalike.pairs(["text"], kind=records), TypeError, "a record is a dictionary"),
        (lambda: lookalike.pairs(rows, kind=records, model=3), TypeError, "RecordModel"),
        (lambda: lookalike.pairs(rows, kind=records, labels=[(0, 999, True)]), lookalike.SettingError, "no record 999"),
        (lambda: lookalike.pairs(rows, kind=records, labels=[("x", 1, True)]), lookalike.SettingError, "no record `x`"),
        (lambda: lookalike.pairs(rows, kind=records, labels=[(0, 1, "y")]), TypeError, "True, False or None"),
        (lambda: lookalike.pairs(rows, kind=records, labels=[(0, 1)]), TypeError, "a list of"),
        (lambda: lookalike.RecordModel("{}"), lookalike.DamagedError, "is not a model of records"),
        (lambda: lookalike.link([{"a": "x"}], [{"b": "y"}]), lookalike.SettingError, "no field in common"),
        (lambda: lookalike.pairs(rows, fields="given"), TypeError, "fields"),
    ]:
        with pytest.raises(error, match=said):
            wrong()


def test_rules_of_ones_own_and_threads() -> None:
    rows = customers()
    found = lookalike.pairs(rows, kind="records", id="id", block=["born", "given+surname"])
    assert found.model is not None and len(found.model.bands) == 2 and len(found) >= 28
    for threads in (1, 2, 7):
        again = lookalike.pairs(rows, kind="records", id="id", block=["born", "given+surname"], threads=threads)
        assert list(again) == list(found)
        summary = {name: value for name, value in again.summary.items() if name != "run"}
        assert summary == {name: value for name, value in found.summary.items() if name != "run"}


def test_labels_decide_their_pairs_and_refine_the_weights(tmp_path: pathlib.Path) -> None:
    rows = customers()
    records: Any = "records"
    found = lookalike.pairs(rows, kind=records, id="id")
    first = found[0]
    labels = [(first.a, first.b, False), ("p1a", "p2a", True), ("p4a", "p5a", None)]
    labelled = lookalike.pairs(rows, kind=records, id="id", labels=labels)
    pairs = {(pair.a, pair.b) for pair in labelled}
    assert (first.a, first.b) not in pairs and ("p1a", "p2a") in pairs and ("p4a", "p5a") not in pairs
    assert labelled.model is not None and found.model is not None
    assert labelled.model.to_dict() != found.model.to_dict()
    # A file of the command line says the same, and so do numbers of rows.
    file = tmp_path / "labels.tsv"
    file.write_text(f"a\tb\tlabel\n{first.a}\t{first.b}\tn\np1a\tp2a\ty\np4a\tp5a\tu\n")
    table = write(rows, tmp_path / "customers.csv")
    for again in (
        lookalike.pairs(str(table), kind=records, labels=file),
        lookalike.pairs(str(table), kind=records, labels=labels),
    ):
        assert [(pair.a, pair.b, pair.weight) for pair in again] == [(pair.a, pair.b, pair.weight) for pair in labelled]
    place = {row["id"]: at for at, row in enumerate(rows)}
    numbered = [(place[a], place[b], match) for a, b, match in labels]
    without = [{name: value for name, value in row.items() if name != "id"} for row in rows]
    by_row = lookalike.pairs(without, kind=records, labels=numbered)
    assert {(rows[pair.a]["id"], rows[pair.b]["id"]) for pair in by_row} == pairs
    kept, result = lookalike.dedup(rows, kind=records, id="id", labels=labels)
    assert first.b in {row["id"] for row in kept} and "p2a" not in {row["id"] for row in kept}
    clusters = lookalike.clusters(rows, kind=records, id="id", labels=labels)
    assert ["p1a", "p2a"] in [sorted(cluster.members) for cluster in clusters]
    # Of two tables, the first record is of the first one.
    one, other = split()
    linked = lookalike.link(one, other, id="id", labels=[("p0a", "p0b", False), ("p1a", "p0b", True)])
    ends = {(pair.a, pair.b) for pair in linked}
    assert ("p0a", "p0b") not in ends and ("p1a", "p0b") in ends
