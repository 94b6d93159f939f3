"""Whatever documents come in -> paths or an Arrow table; and kept rows -> the same kind of thing again.

Nothing is imported here: whoever hands over a frame has its library loaded already.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, Callable, List, Optional, Tuple, Union

import numpy as np

from . import _native
from .errors import NotFoundError, SettingError

Mask = Any
"""A NumPy array of bool, one for each row."""

_WHAT = (
    "a path, a list of strings, a pandas, Polars or PyArrow table or column, a Hugging Face dataset, or an object with "
    "__arrow_c_stream__"
)


class Documents:
    """Documents on their way in."""

    def __init__(
        self,
        native: Union[_native.ArrowTable, List[str]],
        take: Optional[Callable[[Mask], Any]] = None,
        fixed_column: bool = False,
    ) -> None:
        self.native = native
        """What Rust is given: a table, or paths."""
        self._take = take
        self.fixed_column = fixed_column
        """Whether there is only one column, whose name nobody chose."""

    @property
    def in_memory(self) -> bool:
        return isinstance(self.native, _native.ArrowTable)

    def __len__(self) -> int:
        return len(self.native)

    def take(self, mask: Mask) -> Any:
        """The rows where `mask` is true, as the kind of thing that came in."""
        assert self._take is not None, "paths have no rows to take"
        return self._take(mask)


def documents(source: Any, columns: Tuple[str, ...]) -> Documents:
    """The documents in `source`; of a table the `columns`."""
    if isinstance(source, (str, os.PathLike)):
        return Documents([_path(source)])
    if isinstance(source, (list, tuple)):
        return _of_sequence(source)
    if isinstance(source, np.ndarray):
        return _of_strings(_checked(source, source.ndim).tolist(), lambda mask: source[mask])
    library = type(source).__module__.partition(".")[0]
    known = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_pyarrow, "datasets": _of_datasets}
    if library in known:
        return known[library](source, columns)
    return _of_arrow(source)


def _path(path: Any) -> str:
    written = os.fsdecode(path)
    is_pattern = any(wildcard in written for wildcard in "*?[")
    if not is_pattern and "://" not in written and not os.path.exists(written):
        raise NotFoundError(errno.ENOENT, "there is no such file or folder", written)
    return written


def _of_sequence(source: Any) -> Documents:
    if source and all(isinstance(item, os.PathLike) for item in source):
        return Documents([_path(path) for path in source])
    kind = type(source)
    return _of_strings(list(source), lambda mask: kind(text for text, kept in zip(source, mask) if kept))


def _of_strings(texts: List[Any], take: Callable[[Mask], Any]) -> Documents:
    return Documents(_native.ArrowTable.from_strings(texts), take, fixed_column=True)


def _checked(source: Any, dimensions: int) -> Any:
    if dimensions != 1:
        raise TypeError(f"an array of {dimensions} dimensions is no list of texts; it must have one")
    return source


def _of_arrow(source: Any) -> Documents:
    """Anything that speaks Arrow."""
    if not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(f"{type(source).__name__} holds no documents that can be read; give {_WHAT}")
    table = _native.ArrowTable.from_stream(source)
    rebuild = getattr(type(source), "from_arrow", None)
    take = table.filter if rebuild is None else (lambda mask: rebuild(table.filter(mask)))
    return Documents(table, take)


def _select(source: Any, columns: Tuple[str, ...], present: Any) -> List[str]:
    """The columns that are asked for; an error that lists those there are if one is not there."""
    names = [name for name in present if isinstance(name, str)]
    for column in columns:
        # A dot leads into a struct.
        if column not in names and column.partition(".")[0] not in names:
            listed = ", ".join(repr(name) for name in names)
            raise SettingError(f"there is no column {column!r}; the columns are: {listed}")
    wanted = {column if column in names else column.partition(".")[0] for column in columns}
    return [name for name in names if name in wanted]


def _of_pandas(source: Any, columns: Tuple[str, ...]) -> Documents:
    if type(source).__name__ in ("Series", "Index"):
        nothing = source.isna()
        texts = [None if missing else text for text, missing in zip(source, nothing)]
        return _of_strings(texts, lambda mask: source[mask])
    names = _select(source, columns, source.columns)
    frame = source[names].reset_index(drop=True)
    try:
        table = _native.ArrowTable.from_stream(frame)
    except (AttributeError, ImportError):
        # pandas needs PyArrow to speak Arrow; without it a text goes by itself.
        if len(names) != 1:
            raise TypeError("install pyarrow to use more than the text of a pandas DataFrame") from None
        inner = _of_pandas(source[names[0]], columns)
        return Documents(inner.native, lambda mask: source[mask], fixed_column=True)
    except Exception as error:
        if type(error).__module__.partition(".")[0] != "pyarrow":
            raise
        raise TypeError(f"a column holds values that are not all of one type: {error}") from error
    return Documents(table, lambda mask: source[mask])


def _of_polars(source: Any, columns: Tuple[str, ...]) -> Documents:
    polars = sys.modules["polars"]
    kind = type(source).__name__
    if kind == "LazyFrame":
        collected = source.collect()
        inner = _of_polars(collected, columns)
        return Documents(inner.native, lambda mask: inner.take(mask).lazy())
    if kind == "Series":
        table = _native.ArrowTable.from_stream(source.to_frame("text"))
        return Documents(table, lambda mask: source.filter(polars.Series(mask)), fixed_column=True)
    table = _native.ArrowTable.from_stream(source.select(_select(source, columns, source.columns)))
    return Documents(table, lambda mask: source.filter(polars.Series(mask)))


def _of_pyarrow(source: Any, columns: Tuple[str, ...]) -> Documents:
    pyarrow = sys.modules["pyarrow"]
    if isinstance(source, (pyarrow.Array, pyarrow.ChunkedArray)):
        table = _native.ArrowTable.from_stream(pyarrow.table({"text": source}))
        return Documents(table, lambda mask: source.filter(pyarrow.array(mask)), fixed_column=True)
    if isinstance(source, pyarrow.RecordBatchReader):
        whole = source.read_all()
        inner = _of_pyarrow(whole, columns)
        return Documents(inner.native, lambda mask: inner.take(mask).to_reader())
    if isinstance(source, (pyarrow.Table, pyarrow.RecordBatch)):
        table = _native.ArrowTable.from_stream(source.select(_select(source, columns, source.schema.names)))
        return Documents(table, lambda mask: _filtered(source, mask))
    if hasattr(source, "to_table") and hasattr(source, "schema"):
        names = _select(source, columns, source.schema.names)
        table = _native.ArrowTable.from_stream(source.to_table(columns=names))

        def kept(mask: Mask) -> Any:
            import pyarrow.dataset

            return pyarrow.dataset.dataset(_filtered(source.to_table(), mask))

        return Documents(table, kept)
    return _of_arrow(source)


def _filtered(source: Any, mask: Mask) -> Any:
    """The rows of a PyArrow table or batch where `mask` is true."""
    pyarrow = sys.modules["pyarrow"]
    try:
        return source.filter(pyarrow.array(mask))
    except pyarrow.ArrowNotImplementedError:
        # PyArrow cannot take rows of every type, such as views of strings.
        kept = pyarrow.table(_native.ArrowTable.from_stream(source).filter(mask))
        return kept if isinstance(source, pyarrow.Table) else kept.combine_chunks().to_batches()[0]


def _of_datasets(source: Any, columns: Tuple[str, ...]) -> Documents:
    kind = type(source).__name__
    if kind in ("DatasetDict", "IterableDatasetDict"):
        splits = ", ".join(repr(name) for name in source)
        raise TypeError(f"a {kind} has several splits ({splits}); give one of them")
    if kind == "IterableDataset":
        raise TypeError("an IterableDataset is read only once, and duplicates take two passes; give a Dataset")
    names = _select(source, columns, source.column_names)
    rows = source.select_columns(names).with_format("arrow")[:]
    table = _native.ArrowTable.from_stream(rows)
    return Documents(table, lambda mask: source.select(np.flatnonzero(mask)))
