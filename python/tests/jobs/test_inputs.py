"""Whatever comes in goes out again, with the kept rows."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pytest

import lookalike

datasets = pytest.importorskip("datasets")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
import pyarrow.dataset  # noqa: E402


class Stream:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


class Rebuilt(Stream):
    """The same, that can be made of Arrow."""

    @classmethod
    def from_arrow(cls, source: Any) -> Rebuilt:
        return cls(pa.table(source))


def arrow(texts: List[str]) -> Any:
    return pa.table({"number": list(range(len(texts))), "text": texts})


TABLES: Dict[str, Tuple[Callable[[List[str]], Any], Callable[[Any], List[int]]]] = {
    "pandas": (
        lambda texts: pd.DataFrame({"number": range(len(texts)), "text": texts}, index=[f"i{n}" for n in range(len(texts))]),
        lambda kept: [int(label[1:]) for label in kept.index],
    ),
    "pandas with objects": (
        lambda texts: pd.DataFrame({"number": range(len(texts)), "text": pd.Series(texts, dtype=object)}),
        lambda kept: kept["number"].tolist(),
    ),
    "pandas categories": (
        lambda texts: pd.DataFrame({"number": range(len(texts)), "text": pd.Categorical(texts)}),
        lambda kept: kept["number"].tolist(),
    ),
    "polars": (
        lambda texts: pl.DataFrame({"number": range(len(texts)), "text": texts}),
        lambda kept: kept["number"].to_list(),
    ),
    "polars lazy": (
        lambda texts: pl.LazyFrame({"number": range(len(texts)), "text": texts}),
        lambda kept: kept.collect()["number"].to_list(),
    ),
    "pyarrow table": (arrow, lambda kept: kept["number"].to_pylist()),
    "pyarrow batch": (
        lambda texts: arrow(texts).to_batches()[0],
        lambda kept: kept.column("number").to_pylist(),
    ),
    "pyarrow reader": (
        lambda texts: arrow(texts).to_reader(max_chunksize=7),
        lambda kept: kept.read_all()["number"].to_pylist(),
    ),
    "pyarrow dataset": (
        lambda texts: pyarrow.dataset.dataset(arrow(texts)),
        lambda kept: kept.to_table()["number"].to_pylist(),
    ),
    "pyarrow dictionary": (
        lambda texts: arrow(texts).set_column(1, "text", pa.array(texts).dictionary_encode()),
        lambda kept: kept["number"].to_pylist(),
    ),
    "pyarrow views": (
        lambda texts: arrow(texts).set_column(1, "text", pa.array(texts, pa.string_view())),
        lambda kept: kept["number"].to_pylist(),
    ),
    "hugging face": (
        lambda texts: datasets.Dataset.from_dict({"number": list(range(len(texts))), "text": texts}),
        lambda kept: kept["number"][:],
    ),
    "rebuilt from arrow": (lambda texts: Rebuilt(arrow(texts)), lambda kept: kept.table["number"].to_pylist()),
}

COLUMNS: Dict[str, Tuple[Callable[[List[str]], Any], Callable[[Any], List[str]]]] = {
    "list": (list, list),
    "tuple": (tuple, list),
    "numpy": (lambda texts: np.array(texts, dtype=object), lambda kept: kept.tolist()),
    "numpy strings": (np.array, lambda kept: kept.tolist()),
    "pandas series": (pd.Series, lambda kept: kept.tolist()),
    "polars series": (pl.Series, lambda kept: kept.to_list()),
    "pyarrow array": (pa.array, lambda kept: kept.to_pylist()),
    "pyarrow chunks": (lambda texts: pa.chunked_array([texts[:50], [], texts[50:]]), lambda kept: kept.to_pylist()),
}


@pytest.fixture(scope="module")
def kept_rows(texts: List[str]) -> List[int]:
    _, result = lookalike.dedup(texts)
    rows = np.flatnonzero(result.mask).tolist()
    assert 200 < len(rows) < 260
    return rows


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_comes_back_as_what_it_was(kind: str, texts: List[str], kept_rows: List[int]) -> None:
    make, numbers = TABLES[kind]
    source = make(texts)
    kept, result = lookalike.dedup(source)
    assert isinstance(kept, type(source)) or kind == "pyarrow dataset"
    assert numbers(kept) == kept_rows
    assert np.flatnonzero(result.mask).tolist() == kept_rows


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_comes_back_as_what_it_was(kind: str, texts: List[str], kept_rows: List[int]) -> None:
    make, listed = COLUMNS[kind]
    source = make(texts)
    kept, _ = lookalike.dedup(source)
    assert type(kept) is type(source) or kind == "pyarrow chunks"
    assert listed(kept) == [texts[row] for row in kept_rows]


def test_what_only_speaks_arrow_comes_back_as_an_arrow_table(texts: List[str], kept_rows: List[int]) -> None:
    kept, _ = lookalike.dedup(Stream(arrow(texts)))
    assert isinstance(kept, lookalike.ArrowTable)
    assert (len(kept), kept.column_names) == (len(kept_rows), ["number", "text"])
    assert pa.table(kept)["number"].to_pylist() == kept_rows
    assert pl.DataFrame(kept)["number"].to_list() == kept_rows


def test_pieces_of_other_tables_are_read_where_they_are(texts: List[str]) -> None:
    expected = [text for text in lookalike.dedup(texts[20:90])[0]]
    assert lookalike.dedup(arrow(texts).slice(20, 70))[0]["text"].to_pylist() == expected
    assert lookalike.dedup(pl.DataFrame({"text": texts})[20:90])[0]["text"].to_list() == expected
    chosen = datasets.Dataset.from_dict({"text": texts}).select(range(20, 90))
    assert lookalike.dedup(chosen)[0]["text"][:] == expected


def test_another_column_and_one_inside_a_struct(texts: List[str], kept_rows: List[int]) -> None:
    frame = pl.DataFrame({"body": texts})
    assert lookalike.dedup(frame, text="body")[0]["body"].to_list() == [texts[row] for row in kept_rows]
    nested = pa.table({"page": pa.array([{"text": text} for text in texts])})
    assert lookalike.dedup(nested, text="page.text")[0].num_rows == len(kept_rows)


def test_ids_order_and_groups_are_columns_too() -> None:
    text = "one two three four five six seven eight"
    frame = pd.DataFrame({"text": [text] * 4, "id": ["a", "b", "c", "d"], "stars": [1, 5, 3, 2], "lang": ["x", "x", "y", "y"]})
    kept, result = lookalike.dedup(frame, id="id", keep="max:stars")
    assert kept["id"].tolist() == ["b"]
    assert [(row.document, row.kept) for row in result.removed] == [("a", "b"), ("c", "b"), ("d", "b")]
    kept, result = lookalike.dedup(frame, within="lang", keep="max:stars")
    assert kept["id"].tolist() == ["b", "c"]
    assert [(row.document, row.kept) for row in result.removed] == [(0, 1), (3, 2)]


def test_paths_are_read_and_the_rest_is_texts(tmp_path: pathlib.Path, texts: List[str]) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one two three")
    assert lookalike.dedup([str(file), str(file)])[0] == [str(file)]
    assert lookalike.dedup([file])[1].documents == 1
    assert lookalike.dedup(str(tmp_path))[1].documents == 1


@pytest.mark.parametrize("empty", [[], (), np.array([], dtype=object), pa.table({"text": pa.array([], pa.string())}), pl.DataFrame({"text": []}, schema={"text": pl.String}), pd.DataFrame({"text": pd.Series([], dtype=object)})])
def test_nothing_stays_nothing(empty: Any) -> None:
    kept, result = lookalike.dedup(empty)
    assert len(kept) == 0 and result.documents == 0 and len(result.removed) == 0


def test_zero_copy_in(texts: List[str]) -> None:
    """The table is not copied: the memory that Arrow accounts for stays the same."""
    table = arrow(texts * 200)
    before = pa.total_allocated_bytes()
    native = lookalike.ArrowTable.from_stream(table)
    assert pa.total_allocated_bytes() - before < table.nbytes / 10
    assert len(native) == table.num_rows
