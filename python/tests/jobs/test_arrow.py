"""The stages, put together by an engine, are a run on one machine."""

from __future__ import annotations

import pickle
from typing import List

import pytest

import lookalike
from lookalike.arrow import ArrowTable, Stages, candidate_pairs

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
    assert reasons.to_pylist() == [None, "the column `text` is null"]
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        Stages().sketch([1, 2])
    with pytest.raises(TypeError, match="treshold"):
        Stages(treshold=0.5)  # type: ignore[call-arg]
    with pytest.raises(lookalike.SettingError):
        candidate_pairs(pa.table({"ids": [1]}))
