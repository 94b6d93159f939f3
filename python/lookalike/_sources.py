"""Inputs of any type -> paths or an Arrow table; and kept rows -> the type of the input.

Nothing is imported here: if the caller passes a frame, its library is already loaded.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from .errors import NotFoundError, SettingError

Mask = Any
"""A NumPy array of bool, one for each row."""

_WHAT = (
    "a path, a list of strings, a pandas, Polars or PyArrow table or column, a Hugging Face dataset, or an object with "
    "__arrow_c_stream__"
)


class Columns:
    """The columns that a job needs."""

    def __init__(
        self,
        text: str,
        id: Optional[str],
        others: Sequence[str],
        *,
        against: bool = False,
        kind: str = "text",
        bits: Any = None,
    ) -> None:
        self.text = text
        self.id = id
        self.others = tuple(others)
        self.kind = kind
        """What a document is: "text", or another kind, whose values are passed on as strings."""
        self.bits = bits
        """The bits of a fingerprint that is a whole number, if they were said."""
        self.against = against
        """True for the documents of `against`, which need only the text."""

    @classmethod
    def of_records(cls, id: Optional[str], *, against: bool) -> "Columns":
        """All columns, of which those with the id may be missing in the records of `against`."""
        return cls("", id, (), against=against, kind="records")

    @property
    def optional(self) -> Tuple[str, ...]:
        """The columns that may be missing."""
        named = tuple(name for name in (self.id, *self.others) if name is not None)
        return named if self.against else ()

    @property
    def wanted(self) -> Tuple[str, ...]:
        """All columns, each once."""
        named = (self.text or None, self.id, *self.others)
        return tuple(dict.fromkeys(name for name in named if name is not None))


class Documents:
    """The documents of an input."""

    def __init__(
        self,
        native: Union[_native.ArrowTable, List[str]],
        take: Optional[Callable[[Mask], Any]] = None,
        ids: Optional[Callable[[], Sequence[Any]]] = None,
        fixed_column: bool = False,
    ) -> None:
        self.native = native
        """The value that is passed to Rust: a table, or paths."""
        self._take = take
        self.ids = ids
        """Returns the original ids of all rows, if a column of ids was named."""
        self.fixed_column = fixed_column
        """True if there is only one column, without a name of its own."""

    @property
    def in_memory(self) -> bool:
        return isinstance(self.native, _native.ArrowTable)

    def __len__(self) -> int:
        return len(self.native)

    def take(self, mask: Mask) -> Any:
        """The rows where `mask` is true, in the type of the input."""
        assert self._take is not None, "paths have no rows to take"
        return self._take(mask)


def named(rows: Sequence[int], given: Documents) -> List[Any]:
    """The ids of rows, if a column of ids was named. A row without an id is identified by its number."""
    if given.ids is None:
        return list(rows)
    ids = given.ids()
    return [row if is_missing(ids[row]) else ids[row] for row in rows]


def is_missing(value: Any) -> bool:
    """True if there is no value: None, NaN, or the `NA` and `NaT` of pandas."""
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def documents(source: Any, columns: Columns) -> Documents:
    """The documents in `source`. From a table only the needed columns are taken."""
    found = _documents(source, columns)
    if isinstance(found.native, _native.ArrowTable):
        names = found.native.column_names
        missing = [
            name for name in columns.optional if name not in names and name.partition(".")[0] not in names
        ]
        if missing:
            found.native = found.native.with_nulls(list(dict.fromkeys(missing)))
    return found


def _documents(source: Any, columns: Columns) -> Documents:
    if isinstance(source, (str, bytes, os.PathLike)):
        return Documents([_path(source)])
    if isinstance(source, (list, tuple)):
        return _of_sequence(source, columns)
    if isinstance(source, np.ndarray):
        if columns.kind == "fingerprints" and source.ndim == 2 and source.dtype == np.uint8:
            return _of_strings([row.tobytes() for row in source], lambda mask: source[mask], columns)
        if columns.kind == "vectors" and source.ndim == 2:
            return _of_strings(source.tolist(), lambda mask: source[mask], columns)
        if source.ndim != 1:
            raise TypeError(f"an array of {source.ndim} dimensions is not a list of texts; it must have one")
        return _of_strings(source.tolist(), lambda mask: source[mask], columns)
    for library, read in (
        ("pandas", _of_pandas),
        ("polars", _of_polars),
        ("pyarrow", _of_pyarrow),
        ("datasets", _of_datasets),
    ):
        module = sys.modules.get(library)
        if module is not None:
            found = read(source, columns, module)
            if found is not None:
                return found
    return _of_arrow(source)


def _path(path: Any) -> str:
    written = os.fsdecode(path)
    try:
        written.encode()
    except UnicodeEncodeError:
        raise SettingError(f"the path {written!r} is not valid UTF-8; rename it") from None
    is_pattern = any(wildcard in written for wildcard in "*?[")
    if not is_pattern and "://" not in written and not os.path.exists(written):
        raise NotFoundError(errno.ENOENT, "there is no such file or folder", written)
    return written


def _of_sequence(source: Any, columns: Columns) -> Documents:
    if source and all(isinstance(item, os.PathLike) for item in source):
        return Documents([_path(path) for path in source])
    kind = list if isinstance(source, list) else tuple
    if type(source) in (list, tuple):
        kind = type(source)
    if columns.kind == "records":
        return _of_dicts(source, lambda mask: kind(row for row, kept in zip(source, mask) if kept), columns)
    return _of_strings(
        list(source), lambda mask: kind(text for text, kept in zip(source, mask) if kept), columns
    )


def _of_dicts(rows: Sequence[Any], take: Callable[[Mask], Any], columns: Columns) -> Documents:
    """Dictionaries, one for each record. A field that a record does not have is missing."""
    names: Dict[str, None] = {}
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"a record is a dictionary, but item {at} is of type {type(row).__name__}; give {_WHAT}")
        for name in row:
            if not isinstance(name, str):
                raise TypeError(f"a field is named by a str, not by {type(name).__name__}")
            names[name] = None
    wanted = _select(columns, names)
    table = _native.ArrowTable.from_columns(wanted, [[said(row.get(name)) for row in rows] for name in wanted])
    ids = _ids(columns, wanted, lambda name: [row.get(name) for row in rows])
    return Documents(table, take, ids)


def said(value: Any) -> Optional[str]:
    """A value of a record as text; None if it is missing. The values of a list are joined with commas."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        # What is not valid text cannot be compared: the characters are replaced.
        return value.encode("utf-8", "replace").decode() if _has_surrogate(value) else value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, np.generic):
        return said(value.item())
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, Mapping):
        return " ".join(part for part in map(said, value.values()) if part)
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        values = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return ", ".join(part for part in map(said, values) if part)
    return str(value)


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


_USUAL_BITS = 64
"""The bits of a whole number, unless something else is said."""
_MOST_BITS = 512
"""The most bits of a fingerprint."""


def written(kind: str, value: Any, bits: Any = None) -> Any:
    """A document as a string that Rust reads: the JSON of a set or a vector, the hexadecimal digits of a fingerprint, which has
    `bits` if it is a whole number. None stays None."""
    if value is None or kind == "text":
        return value
    if isinstance(value, np.ndarray):
        value = value.tobytes() if kind == "fingerprints" and value.dtype == np.uint8 else value.tolist()
    if kind == "fingerprints":
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value).hex()
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            return _digits(int(value), bits)
        return value
    if isinstance(value, (set, frozenset)):
        # The order of a set differs from run to run; items of one set may be of types that have no order.
        value = sorted(value, key=lambda item: (str(type(item)), repr(item)))
    if isinstance(value, dict) or (hasattr(value, "__iter__") and not isinstance(value, (str, bytes))):
        return json.dumps(value if isinstance(value, dict) else list(value), default=_plain)
    return value


def _digits(number: int, bits: Any) -> str:
    """The hexadecimal digits of a whole number of so many bits. With bits that were said, a larger one has more digits, and so
    is a bad record, as in a file."""
    # More than the most bits are refused where settings are checked.
    width = min(int(bits), _MOST_BITS) if isinstance(bits, (int, np.integer)) else _USUAL_BITS
    if number < 0:
        # The same bits, as a number with a sign.
        if width != _USUAL_BITS or number < -(2 ** (_USUAL_BITS - 1)):
            raise SettingError(f"the fingerprint {number} is negative, which only numbers of {_USUAL_BITS} bits can be")
        number += 2**_USUAL_BITS
    if bits is None and number.bit_length() > width:
        raise SettingError(
            f"the fingerprint {number} has more than {width} bits; say how many fingerprints have, as bits=256, or give bytes"
        )
    needed = max(width, number.bit_length())
    return f"{number:0{2 * -(-needed // 8)}x}"


def _plain(value: Any) -> Any:
    """A NumPy scalar as a number of Python."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"an item of a set is a str or a number, not {type(value).__name__}")


def _of_strings(texts: List[Any], take: Callable[[Mask], Any], columns: Columns) -> Documents:
    if columns.kind != "text":
        texts = [written(columns.kind, value, columns.bits) for value in texts]
    table = _native.ArrowTable.from_strings(texts, columns.text if columns.against else "text")
    return Documents(table, take, fixed_column=True)


def _of_arrow(source: Any) -> Documents:
    """Any object with an Arrow interface."""
    table = arrow_table(source)
    if table is None:
        raise TypeError(f"{type(source).__name__} holds no documents that can be read; give {_WHAT}")
    rebuild = type(source).__dict__.get("from_arrow")
    if isinstance(rebuild, (classmethod, staticmethod)):
        make: Any = type(source)
        return Documents(table, lambda mask: make.from_arrow(table.filter(mask)))
    return Documents(table, table.filter)


def arrow_table(source: Any) -> Optional[_native.ArrowTable]:
    """The table of an object with the Arrow PyCapsule interface; None if it does not have this interface."""
    if isinstance(source, _native.ArrowTable):
        return source
    if hasattr(source, "__arrow_c_stream__"):
        return _native.ArrowTable.from_stream(source)
    if hasattr(source, "__arrow_c_array__"):
        return _native.ArrowTable.from_array(source)
    return None


def _select(columns: Columns, present: Any) -> List[str]:
    """The needed columns. If one is missing, an error that lists the existing columns."""
    present = list(present)
    names = [name for name in present if isinstance(name, str)]
    wanted = []
    if columns.kind == "records":
        # Such a column would be left out of the comparison silently.
        other = next((name for name in present if not isinstance(name, str)), None)
        if other is not None:
            raise TypeError(f"a field is named by a str, but the column {other!r} by {type(other).__name__}; rename it")
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise SettingError(f"there are {names.count(repeated)} columns {repeated!r}; rename all but one")
        wanted.extend(names)
    for column in columns.wanted:
        # A dot leads into a struct.
        name = column if column in names else column.partition(".")[0]
        if name not in names:
            if column in columns.optional:
                continue
            listed = ", ".join(repr(name) for name in present)
            where = "against: " if columns.against else ""
            raise SettingError(f"{where}there is no column {column!r}; the columns are: {listed}")
        if names.count(name) > 1:
            raise SettingError(f"there are {names.count(name)} columns {name!r}; rename all but one")
        wanted.append(name)
    return [name for name in names if name in wanted]


def _ids(columns: Columns, present: Sequence[str], listed: Callable[[str], Any]) -> Optional[Callable[[], Any]]:
    name = columns.id
    return (lambda: listed(name)) if name is not None and name in present else None


def _of_pandas(source: Any, columns: Columns, pandas: Any) -> Optional[Documents]:
    if isinstance(source, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        # A list is not missing, whatever is in it.
        texts = [None if missing else text for text, missing in zip(source, pandas.isna(source))]
        return _of_strings(texts, lambda mask: source[mask], columns)
    if not isinstance(source, pandas.DataFrame):
        return None
    names = _select(columns, source.columns)
    # The types are kept: pandas would convert objects to strings, and fail for a lone surrogate.
    frame = pandas.DataFrame({name: pandas.Series(source[name].array, dtype=source[name].dtype) for name in names})
    if columns.kind == "records":
        return _records_of_pandas(source, frame, columns, pandas)
    if columns.kind != "text" and columns.text in names and frame[columns.text].dtype == object:
        frame[columns.text] = [written(columns.kind, value, columns.bits) for value in frame[columns.text]]
    try:
        try:
            table = _native.ArrowTable.from_stream(frame)
        except UnicodeEncodeError:
            table = _native.ArrowTable.from_stream(_as_bytes(frame, columns, pandas))
    except (AttributeError, ImportError):
        # pandas needs PyArrow for its Arrow interface; without it only a column of texts can be passed.
        if len(names) != 1:
            raise TypeError("install pyarrow to use more than the text of a pandas DataFrame") from None
        texts = [None if missing else text for text, missing in zip(source[names[0]], source[names[0]].isna())]
        return Documents(_native.ArrowTable.from_strings(texts, names[0]), lambda mask: source[mask])
    except Exception as error:
        if type(error).__module__.partition(".")[0] != "pyarrow":
            raise
        raise TypeError(f"a column holds values that are not all of one type: {error}") from error
    return Documents(table, lambda mask: source[mask], _ids(columns, names, lambda name: source[name].tolist()))


def _records_of_pandas(source: Any, frame: Any, columns: Columns, pandas: Any) -> Documents:
    """A frame of records. Whole numbers that are stored as floats, because some are missing, are whole numbers again."""
    for name in frame.columns:
        if pandas.api.types.is_float_dtype(frame[name].dtype):
            known = frame[name].dropna()
            if len(known) and ((known % 1 == 0) & (known.abs() < 2**53)).all():
                frame[name] = frame[name].astype("Int64")
    try:
        table = _native.ArrowTable.from_stream(frame)
    except Exception as error:
        # Without PyArrow pandas has no Arrow interface, and PyArrow takes no column with values of several types.
        is_arrow = type(error).__module__.partition(".")[0] == "pyarrow"
        if not is_arrow and not isinstance(error, (AttributeError, ImportError, UnicodeEncodeError)):
            raise
        names = [str(name) for name in frame.columns]
        table = _native.ArrowTable.from_columns(names, [[said(value) for value in frame[name]] for name in names])
    ids = _ids(columns, list(frame.columns), lambda name: source[name].tolist())
    return Documents(table, lambda mask: source[mask], ids)


def _as_bytes(frame: Any, columns: Columns, pandas: Any) -> Any:
    """The frame with strings as bytes. A string with a lone surrogate is not UTF-8, and becomes a bad record.

    Ids are only displayed, from the source itself, so invalid characters in them are escaped.
    """
    made = {}
    for name in frame.columns:
        errors = "backslashreplace" if name == columns.id else "surrogatepass"
        values = frame[name].tolist()
        if any(isinstance(value, str) for value in values):
            values = [value.encode("utf-8", errors) if isinstance(value, str) else value for value in values]
            if name == columns.id:
                values = [value.decode() if isinstance(value, bytes) else value for value in values]
            made[name] = pandas.Series(values, dtype=object)
        else:
            made[name] = frame[name]
    return pandas.DataFrame(made)


def _of_polars(source: Any, columns: Columns, polars: Any) -> Optional[Documents]:
    if isinstance(source, polars.LazyFrame):
        inner = _of_polars(source.collect(), columns, polars)
        assert inner is not None
        return Documents(inner.native, lambda mask: inner.take(mask).lazy(), inner.ids)
    if isinstance(source, polars.Series):
        frame, named = source.to_frame(columns.text if columns.against else "text"), False
    elif isinstance(source, polars.DataFrame):
        frame, named = source.select(_select(columns, source.columns)), True
    else:
        return None
    # A column of the type null must have no buffers, but Polars exports some.
    nothing = [name for name in frame.columns if frame.schema[name] == polars.Null]
    table = _native.ArrowTable.from_stream(frame.with_columns(polars.col(nothing).cast(polars.String)))
    ids = _ids(columns, frame.columns, lambda name: source[name].to_list()) if named else None
    return Documents(table, lambda mask: source.filter(polars.Series(mask)), ids, fixed_column=not named)


def _of_pyarrow(source: Any, columns: Columns, pyarrow: Any) -> Optional[Documents]:
    if isinstance(source, pyarrow.StructArray):
        return _of_pyarrow(pyarrow.RecordBatch.from_struct_array(source), columns, pyarrow)
    if isinstance(source, (pyarrow.Array, pyarrow.ChunkedArray)):
        one = pyarrow.table({columns.text if columns.against else "text": source})
        table = _native.ArrowTable.from_stream(one)

        def kept_values(mask: Mask) -> Any:
            column = _filtered(one, mask, pyarrow).column(0)
            return column if isinstance(source, pyarrow.ChunkedArray) else column.combine_chunks()

        return Documents(table, kept_values, fixed_column=True)
    if isinstance(source, pyarrow.RecordBatchReader):
        inner = _of_pyarrow(source.read_all(), columns, pyarrow)
        assert inner is not None
        return Documents(inner.native, lambda mask: inner.take(mask).to_reader(), inner.ids)
    if isinstance(source, (pyarrow.Table, pyarrow.RecordBatch)):
        names = _select(columns, source.schema.names)
        table = _native.ArrowTable.from_stream(source.select(names))
        ids = _ids(columns, names, lambda name: source.column(name).to_pylist())
        return Documents(table, lambda mask: _filtered(source, mask, pyarrow), ids)
    dataset = sys.modules.get("pyarrow.dataset")
    if dataset is None or not isinstance(source, (dataset.Dataset, dataset.Scanner)):
        return None
    if isinstance(source, dataset.Scanner):
        return _of_pyarrow(source.to_table(), columns, pyarrow)
    read = source.to_table(columns=_select(columns, source.schema.names))
    ids = _ids(columns, read.schema.names, lambda name: read.column(name).to_pylist())
    return Documents(
        _native.ArrowTable.from_stream(read),
        lambda mask: dataset.dataset(_filtered(source.to_table(), mask, pyarrow)),
        ids,
    )


def _filtered(source: Any, mask: Mask, pyarrow: Any) -> Any:
    """The rows of a PyArrow table or batch where `mask` is true."""
    try:
        return source.filter(pyarrow.array(mask))
    except pyarrow.ArrowNotImplementedError:
        # PyArrow cannot filter rows of every type, such as string views.
        kept = pyarrow.table(_native.ArrowTable.from_stream(source).filter(mask))
        if isinstance(source, pyarrow.Table):
            return kept
        batches = kept.combine_chunks().to_batches()
        return batches[0] if batches else source.slice(0, 0)


def _of_datasets(source: Any, columns: Columns, datasets: Any) -> Optional[Documents]:
    if isinstance(source, (datasets.DatasetDict, datasets.IterableDatasetDict)):
        splits = ", ".join(repr(name) for name in source)
        raise TypeError(f"a {type(source).__name__} has several splits ({splits}); give one of them")
    if isinstance(source, datasets.IterableDataset):
        raise TypeError("an IterableDataset is read only once, but duplicates need two passes; give a Dataset")
    if not isinstance(source, datasets.Dataset):
        # A column of a dataset is a sequence of its values.
        if type(source).__module__.partition(".")[0] == "datasets" and type(source).__name__ == "Column":
            return _of_sequence(list(source), columns)
        return None
    names = _select(columns, source.column_names)
    rows = source.select_columns(names).with_format("arrow")[:]
    ids = _ids(columns, names, lambda name: rows.column(name).to_pylist())
    table = _native.ArrowTable.from_stream(rows)
    return Documents(table, lambda mask: source.select(np.flatnonzero(mask)), ids)
