"""The stages, put together by an engine, are a run on one machine."""

from __future__ import annotations

import pickle
from typing import Any, List

import pytest

import lookalike
from lookalike.arrow import ArrowTable, Stages, candidate_pairs, copies, edges, key_blocks, large_star, small_star

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")


def pairs_by_polars(texts: List[str], stages: Stages) -> List[lookalike.Pair]:
    documents = pl.DataFrame({"id": range(len(texts)), "text": texts})
    sketches = pl.DataFrame(stages.sketch(documents))
    grouped = sketches.explode("keys").group_by("keys").agg(ids="id").filter(pl.col("ids").list.len() > 1)
    pairs = pl.DataFrame(candidate_pairs(grouped)).unique()
    signatures = sketches.select("id", "signature")
    joined = pairs.join(signatures.rename({"id": "a", "signature": "a_signature"}), on="a").join(
        signatures.rename({"id": "b", "signature": "b_signature"}), on="b"
    )
    compared = pl.DataFrame(stages.signature_similarity(joined)).filter("compared")
    texts_of = documents.with_columns(pl.col("id").cast(pl.Int64))
    joined = compared.select("a", "b").join(texts_of.rename({"id": "a", "text": "a_text"}), on="a").join(
        texts_of.rename({"id": "b", "text": "b_text"}), on="b"
    )
    verified = pl.DataFrame(stages.verify(joined)).filter("duplicate").sort("a", "b")
    return [lookalike.Pair(*row) for row in verified.select("a", "b", "similarity").iter_rows()]


def test_polars_finds_the_pairs_of_a_run(texts: List[str]) -> None:
    expected = list(lookalike.pairs(texts, threshold=0.6))
    assert pairs_by_polars(texts, Stages(threshold=0.6)) == expected
    assert pairs_by_polars(texts, pickle.loads(pickle.dumps(Stages(threshold=0.6)))) == expected
    assert len(expected) > 30


def components(found: pl.DataFrame) -> pl.DataFrame:
    """Rounds in which the rows of each document are in a table of their own."""
    while True:
        both = pl.concat([found, found.select(a="b", b="a")])
        larger = pl.concat(pl.DataFrame(large_star(star)) for _, star in both.group_by("a"))
        after = pl.concat(pl.DataFrame(small_star(star)) for _, star in larger.group_by("a")).unique().sort("a", "b")
        if after.equals(found):
            break
        found = after
    return pl.concat([found.select(id="a", component="b"), found.select(id="b", component="b").unique()])


def removed_by_polars(documents: pl.DataFrame, stages: Stages, prepared: bool) -> List[Any]:
    workers = [stages, pickle.loads(pickle.dumps(stages))]
    sketches = pl.concat(pl.DataFrame(workers[at % 2].sketch(part)) for at, part in enumerate(documents.iter_slices(70)))
    repeated = pl.concat(pl.DataFrame(copies(part)) for _, part in sketches.group_by("content_hash"))
    firsts = sketches.join(repeated, on="id", how="anti")
    blocks = pl.concat(pl.DataFrame(key_blocks(part, 5)) for part in firsts.iter_slices(50))
    found = pl.concat(pl.DataFrame(edges(part)) for _, part in blocks.group_by("block"))
    compared = documents.select("id", "text")
    if prepared:
        compared = pl.concat(pl.DataFrame(workers[0].prepare(part)) for part in compared.iter_slices(90))
    members = components(found).join(firsts, on="id").join(compared, on="id")
    near = pl.concat(pl.DataFrame(workers[1].decide(part)) for _, part in members.group_by("component"))
    joined = repeated.join(near, left_on="original", right_on="id", how="left")
    of_copies = pl.DataFrame(workers[0].removed_copies(joined))
    rows = pl.concat([near, of_copies, pl.DataFrame(stages.bad_records(sketches))]).sort("id")
    return list(rows.select("id", "kept", "kind", "similarity", "reason").iter_rows())


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": 0.6},
        {"threshold": 0.5, "keep": "longest", "clusters": "components", "elements": "bag"},
        {"measure": "containment", "within": "language"},
        {"method": "simhash", "distance": 8, "keep": "max:score"},
    ],
)
def test_polars_removes_what_dedup_removes(texts: List[str], options: Any) -> None:
    languages = [["en", "de", None][at % 3] for at in range(len(texts))]
    given = [*texts[:-2], None, texts[-1]]
    columns = {"text": given, "language": languages, "score": [at * 7 % 10 for at in range(len(texts))]}
    documents = pl.DataFrame(columns).with_columns(id=pl.int_range(pl.len(), dtype=pl.Int64))
    _, result = lookalike.dedup(documents, on_bad_record="skip", **options)
    expected = [(row.document, row.kept, row.kind, row.similarity, row.reason) for row in result.removed]
    stages = Stages(on_bad_record="skip", **options)
    assert removed_by_polars(documents, stages, prepared=False) == expected
    assert removed_by_polars(documents, stages, prepared=True) == expected
    assert {row[2] for row in expected} == {"near", "exact", "bad"}


def test_what_one_worker_prepares_another_compares_if_it_has_the_key(texts: List[str]) -> None:
    documents = pa.table({"id": list(range(len(texts))), "text": texts})
    pairs = pa.table({"a": [0, 1, 2], "b": [2, 3, 3]})
    stages = Stages()
    prepared = pickle.loads(pickle.dumps(stages)).prepare(documents)
    by_sets, by_texts = stages.verify_pairs(prepared, pairs), stages.verify_pairs(documents, pairs)
    assert pa.table(by_sets).equals(pa.table(by_texts))
    with pytest.raises(lookalike.SettingError, match="another key"):
        Stages().verify_pairs(prepared, pairs)
    with pytest.raises(lookalike.SettingError, match="64 hexadecimal"):
        Stages(key="secret")
    with pytest.raises(lookalike.SettingError, match="blocks"):
        key_blocks(stages.sketch(documents), 0)


def test_batches_stay_batches_and_empty_tables_have_columns(texts: List[str]) -> None:
    table = pa.table({"id": list(range(len(texts))), "text": texts})
    whole = pa.table(Stages().sketch(table))
    pieces = pa.table(Stages().sketch(pa.Table.from_batches(table.to_batches(max_chunksize=7))))
    assert whole.equals(pieces)
    assert pa.table(Stages().sketch(table.slice(0, 0))).schema == whole.schema
    assert pa.table(candidate_pairs(pa.table({"ids": pa.array([], pa.list_(pa.int64()))}))).column_names == ["a", "b"]
    assert isinstance(Stages().sketch(ArrowTable.from_stream(table)), ArrowTable)


def test_what_is_no_such_table_is_refused() -> None:
    ids = pa.array([1, 2])
    with pytest.raises(lookalike.SettingError, match="`text`"):
        Stages().sketch(pa.table({"id": ids}))
    with pytest.raises(lookalike.SettingError, match="integers"):
        Stages().sketch(pa.table({"id": ["a"], "text": ["a"]}))
    with pytest.raises(lookalike.BadRecordError, match="the id 2"):
        Stages().sketch(pa.table({"id": ids, "text": ["a", None]}))
    reasons = pa.table(Stages(on_bad_record="skip").sketch(pa.table({"id": ids, "text": ["a", None]})))["reason"]
    assert reasons.to_pylist() == [None, "the field `text` is null"]
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        Stages().sketch([1, 2])
    with pytest.raises(TypeError, match="treshold"):
        Stages(treshold=0.5)  # type: ignore[call-arg]
    with pytest.raises(lookalike.SettingError):
        candidate_pairs(pa.table({"ids": [1]}))
