"""Records: which rows of a table, or of two, describe the same person, product or paper."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._ending import orderly_end
from ._options import RESOURCES, number, resolve, unknown
from ._sources import Columns, Documents, documents, is_missing, named
from .errors import SettingError
from .results import Cluster, Clusters, Key, _Rows, _shown_row

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Unpack

__all__ = [
    "RecordClusters",
    "RecordDeduplication",
    "RecordModel",
    "RecordOptions",
    "RecordPair",
    "RecordPairs",
    "RecordRemoved",
    "RecordRemovedRows",
    "link",
]


class RecordOptions(TypedDict, total=False):
    """The keyword arguments of `link`, and with `kind="records"` of `dedup`, `pairs` and `clusters`.

    fields: the fields that are compared: a str as on the command line, "name:name,born:date,title=name,city", or a list of such
        parts. Each is a name; a type follows a colon, and the name that the field has in another table follows "=". Without it,
        all fields that every table has are compared, and their types are found by looking
    block: compare only records that agree in all fields of a rule: "surname+postcode", or a list of rules of which one must agree
    model: a `RecordModel` of another run, or the path of its file. Its fields, weights and bands are used, and nothing is learnt
    labels: pairs that a person has judged, which refine the weights and are decided as they say: the path of a file that
        `lookalike label` has written, or a list of (a, b, match), where match is True, False or None (undecided) and the records are
        named as in results. With two tables, `a` is of the first one (of `against` with `dedup`) and `b` of the other one
    threshold: the least probability of a match (default 0.5, or that of the model)
    recall: the share of the matches that the chosen bands should find (default 0.99)
    one_to_one, one_to_many: how many partners a record may have in the other table; see `link`
    keep: "first" (default), "fullest" (the most values), "max:COLUMN" or "min:COLUMN"
    clusters: "stars" (default) or "components"
    id: the column with the id, by which results name records (default: rows are named by number, records of files by a field
        `id`, `rec_id` or `record_id` without repeated values, or by `source:line`). It is not compared
    format: for files, "jsonl", "csv", "tsv" or "parquet", if names and contents do not tell
    on_bad_record: "fail" (default), "skip" or "keep": what to do with a record that cannot be read
    memory, threads, temp_dir: as in `Options`
    """

    fields: Union[str, Sequence[str], None]
    block: Union[str, Sequence[str], None]
    model: Union["RecordModel", str, "os.PathLike[str]", None]
    labels: Union[str, "os.PathLike[str]", Sequence[Tuple[Key, Key, Optional[bool]]], None]
    threshold: float
    recall: float
    one_to_one: bool
    one_to_many: bool
    keep: str
    clusters: "Literal['stars', 'components']"
    id: Optional[str]
    format: Optional[str]
    on_bad_record: "Literal['fail', 'skip', 'keep']"
    memory: Union[int, str, None]
    threads: Optional[int]
    temp_dir: Union[str, "os.PathLike[str]", None]


_NAMES = tuple(RecordOptions.__annotations__)
_SHARED = ("recall", "keep", "clusters", "id", "on_bad_record", *(name for name in RESOURCES if name != "preset"))
"""The options that have the same meaning for texts."""


class RecordModel:
    """What was learnt about records: fields, weights, frequencies of values, bands and the threshold.

    Results have it as `model`. With it, another run uses the same weights, and learns nothing. The file is the `model.json` of the
    command line.

    >>> import lookalike, pathlib, tempfile
    >>> rows = [{"name": name + " " + other, "born": 19400101 + 10307 * at}
    ...         for at, (name, other) in enumerate((a, b) for a in ("anna", "berta", "carla", "dora", "emma", "frida", "greta", "ida")
    ...                                            for b in ("berg", "holm", "lund", "dahl", "strand", "vik"))]
    >>> found = lookalike.pairs(rows + [dict(row, name=row["name"] + "e") for row in rows[::3]], kind="records")
    >>> found.model
    <RecordModel of name (name), born (...): ... threshold 0.5>
    """

    def __init__(self, written: str) -> None:
        self._written = written
        self._fields, self._threshold, self._bands = _native.record_model(written)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "RecordModel":
        """The model in a file."""
        return cls(pathlib.Path(os.fspath(path)).read_text(encoding="utf-8"))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model to a file. A file that is there is replaced when the new one is whole."""
        target = pathlib.Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            # A device or a pipe stays what it is.
            target.write_text(self._written, encoding="utf-8")
            return
        aside = target.with_name(f"{target.name}.{os.getpid()}.lookalike-unfinished")
        try:
            aside.write_text(self._written, encoding="utf-8")
            os.replace(aside, target)
        except BaseException:
            with contextlib.suppress(OSError):
                aside.unlink()
            raise

    @property
    def fields(self) -> Dict[str, str]:
        """The types of the fields, by name."""
        return dict(self._fields)

    @property
    def threshold(self) -> float:
        """The least probability of a match."""
        return self._threshold

    @property
    def bands(self) -> List[str]:
        """What records must agree in to be compared, in words: all of a line."""
        return list(self._bands)

    def to_dict(self) -> Dict[str, Any]:
        """All that it holds, as in its file."""
        content: Dict[str, Any] = json.loads(self._written)
        return content

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordModel) and self._written == other._written

    def __hash__(self) -> int:
        return hash(self._written)

    def __reduce__(self) -> Any:
        return RecordModel, (self._written,)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name} ({kind})" for name, kind in self._fields)
        return f"<RecordModel of {fields}: {len(self._bands)} bands, threshold {self._threshold}>"


class RecordPair(NamedTuple):
    """Two records that match."""

    a: Key
    """The record that comes first; with `link`, the one of the first table."""
    b: Key
    probability: float
    """The probability that both describe the same thing."""
    weight: float
    """The same as log odds: the sum of what the fields say, and of the prior."""
    weights: Dict[str, float]
    """What each field says, by name. If a rule decided instead of a model, they are 0."""

    @property
    def similarity(self) -> float:
        """The probability, by the name that it has for other kinds of documents."""
        return self.probability

    def __repr__(self) -> str:
        return _shown_row(self)


class RecordRemoved(NamedTuple):
    """A record that was removed, and why."""

    document: Key
    """The removed record."""
    kept: Optional[Key]
    """The kept record that it matches; None for a bad record."""
    kind: str
    """"match" or "bad"."""
    probability: Optional[float]
    """The probability that both describe the same thing; None if they are only connected by other matches."""
    weight: Optional[float] = None
    """The same as log odds."""
    weights: Optional[Dict[str, float]] = None
    """What each field says, by name."""
    against: bool = False
    """True if the kept record is one of `against`."""
    reason: Optional[str] = None
    """Why a record is bad, or that it is only connected with the kept one."""

    @property
    def similarity(self) -> Optional[float]:
        """The probability, by the name that it has for other kinds of documents."""
        return self.probability

    def __repr__(self) -> str:
        return _shown_row(self)


class RecordPairs(_Rows[RecordPair]):
    """Matching records, in input order: `RecordPair` one by one, or as a table."""

    _row_type = RecordPair
    _names = RecordPair._fields
    _documents = ("a", "b")

    def __init__(
        self, columns: Dict[str, List[Any]], summary: Dict[str, Any], model: Optional[RecordModel]
    ) -> None:
        super().__init__(columns)
        self.summary = summary
        """What the run says about itself, as in `report.json`."""
        self.model = model
        """What was learnt, or the model that was given; None if the table could not teach one, and a rule decided."""


class RecordRemovedRows(_Rows[RecordRemoved]):
    """The removed records, in input order: `RecordRemoved` one by one, or as a table."""

    _row_type = RecordRemoved
    _names = RecordRemoved._fields
    _documents = ("document", "kept")


class RecordClusters(Clusters):
    """Clusters of at least two records. The similarities are probabilities."""

    def __init__(self, clusters: List[Cluster], summary: Dict[str, Any], model: Optional[RecordModel]) -> None:
        super().__init__(clusters, summary)
        self.model = model
        """What was learnt, or the model that was given; None if the table could not teach one, and a rule decided."""


class RecordDeduplication:
    """What a dedup of records decided."""

    def __init__(
        self,
        removed: RecordRemovedRows,
        summary: Dict[str, Any],
        model: Optional[RecordModel],
        mask: Optional[NDArray[np.bool_]] = None,
    ) -> None:
        self.removed = removed
        """Every removed record with the kept record that it matches, in input order."""
        self.summary = summary
        """What the run says about itself, as in `report.json`."""
        self.model = model
        """What was learnt, or the model that was given; None if the table could not teach one, and a rule decided."""
        self.mask = mask
        """For records in memory: an array of bool, true for kept rows."""

    @property
    def documents(self) -> int:
        """How many records there were."""
        return int(self.summary["records"])

    @property
    def recall(self) -> Optional[float]:
        """The share of the matches that was found, by the run's own estimate; none where nothing is estimated."""
        recall = self.summary["recall"]
        return None if recall is None else float(recall[0])

    def __repr__(self) -> str:
        recall = "" if self.recall is None else f", recall {self.recall:.4f}"
        return f"<{self.documents} records: {self.summary['kept']} kept, {len(self.removed)} removed{recall}>"

    def _repr_html_(self) -> str:
        return f"<p>{repr(self)[1:-1]}</p>{self.removed._repr_html_()}"


def link(a: Any, b: Any, /, **options: Unpack[RecordOptions]) -> RecordPairs:
    """The records of two tables that describe the same thing: `a` of each pair is of the first table, `b` of the second.

    Records of one table are not compared with each other. With `one_to_one=True` a record has at most one partner, the best; with
    `one_to_many=True` this holds for the records of `b` only. Both tables are of any kind that `dedup` takes, or lists of
    dictionaries.

    >>> import lookalike
    >>> shop = [{"name": "blue widget 500", "price": "9.90"}, {"name": "green gadget", "price": "4.00"}]
    >>> other = [{"title": "green gadget", "price": "4.00"}, {"title": "yellow bucket", "price": "7.50"}]
    >>> lookalike.link(shop, other, fields="name=title,price", one_to_one=True)
    RecordPairs([RecordPair(a=1, b=0, probability=0.99..., weight=4.6, weights={'name': 0.0, 'price': 0.0})])
    """
    asked = _Asked("link", dict(options), against_only=True)
    first, second = asked.read(a, against=True), asked.read(b)
    asked.label(second, first)
    with orderly_end():
        columns, report, model = _native.records_found(second.native, first.native, asked.native, asked.records)
    return _pairs_of(columns, report, model, second, first)


def pairs_of_records(source: Any, options: Dict[str, Any]) -> RecordPairs:
    """`lookalike.pairs` with `kind="records"`."""
    given, (columns, report, model) = _found("pairs", source, None, options)
    return _pairs_of(columns, report, model, given, None)


def clusters_of_records(source: Any, options: Dict[str, Any]) -> RecordClusters:
    """`lookalike.clusters` with `kind="records"`."""
    given, (columns, report, model) = _found("clusters", source, None, options)
    members, probability = _keys(columns, "member", given, None), columns["probability"].tolist()
    similar = [None if match < 0 else probability[match] for match in columns["member_match"].tolist()]
    found: List[Cluster] = []
    begin = 0
    for size in columns["sizes"].tolist():
        end = begin + size
        found.append(Cluster(members[begin], members[begin + 1 : end], similar[begin + 1 : end]))
        begin = end
    return RecordClusters(found, json.loads(report), _model(model))


def dedup_of_records(
    source: Any,
    output: Union[str, "os.PathLike[str]", None],
    against: Any,
    against_only: bool,
    options: Dict[str, Any],
) -> Tuple[Any, RecordDeduplication]:
    """`lookalike.dedup` with `kind="records"`."""
    if output is None:
        given, (columns, report, model) = _found("dedup", source, against, options, against_only)
        other = columns.pop("other", None)
        removed = _removed_of(columns, given, other)
        if not given.in_memory:
            return source, RecordDeduplication(removed, json.loads(report), _model(model))
        mask = np.ones(len(given), dtype=bool)
        mask[columns["removed_line"] - 1] = False
        mask[columns["bad_line"] - 1] = False
        return given.take(mask), RecordDeduplication(removed, json.loads(report), _model(model), mask)
    asked = _Asked("dedup", options, against_only=against_only)
    given = asked.read(source)
    compared = None if against is None else asked.read(against, against=True)
    if given.in_memory:
        raise TypeError("output is for paths only; for records in memory the kept rows are returned")
    if compared is not None and compared.in_memory:
        raise TypeError("with output, against must be paths too")
    folder = os.fsdecode(output)
    asked.label(given, compared)
    other = None if compared is None else compared.native
    report, model, own = _native.records_written(given.native, other, folder, asked.native, asked.records)
    rows = [json.loads(line) for line in _native.read_output(folder, "removed.jsonl").splitlines()]
    columns = {name: [row.get(key) for row in rows] for name, key in _REMOVED.items()}
    columns["against"] = [row["kept_source"] is not None and row["kept_source"] not in own for row in rows]
    kept: Any = folder if isinstance(source, str) else pathlib.Path(folder)
    return kept, RecordDeduplication(RecordRemovedRows(columns), json.loads(report), _model(model))


_REMOVED = {
    "document": "id",
    "kept": "kept_id",
    "kind": "kind",
    "probability": "probability",
    "weight": "weight",
    "weights": "weights",
    "reason": "reason",
}
"""The columns of removed records, and what `removed.jsonl` calls them."""


class _Asked:
    """The options of a run on records, checked, in the form for Rust."""

    def __init__(self, function: str, options: Dict[str, Any], against_only: bool) -> None:
        for name in options:
            if name not in _NAMES:
                raise TypeError(unknown(function, name, _NAMES, 'with kind="records", '))
        one_to_one, one_to_many = _flag(options, "one_to_one"), _flag(options, "one_to_many")
        if (one_to_one or one_to_many) and not against_only:
            flag = "one_to_one" if one_to_one else "one_to_many"
            raise SettingError(f"{flag} needs two tables: lookalike.link(a, b, {flag}=True)")
        self.fields = _fields(options.get("fields"))
        self.id: Optional[str] = options.get("id")
        self.keep = options.get("keep", "first")
        threshold = options.get("threshold")
        model = options.get("model")
        if isinstance(model, (str, os.PathLike)):
            model = RecordModel.load(model)
        if model is not None and not isinstance(model, RecordModel):
            raise TypeError(f"model must be a RecordModel or the path of one, not {type(model).__name__}")
        self.native = resolve(function, {name: options[name] for name in _SHARED if name in options}, kind="records")
        self.records: Dict[str, Any] = {
            "fields": None if self.fields is None else ",".join(self.fields),
            "block": _rules(options.get("block")),
            "one_to_one": one_to_one,
            "one_to_many": one_to_many,
            "against_only": against_only,
            "model": None if model is None else model._written,
            "threshold": None if threshold is None else number("threshold", threshold),
            "labels": None,
        }
        self._labels = options.get("labels")

    def label(self, given: Documents, other: Optional[Documents]) -> None:
        """Reads the labels, whose records are in these tables."""
        if self._labels is not None:
            self.records["labels"] = _labels(self._labels, given, other)

    def read(self, source: Any, against: bool = False) -> Documents:
        """The records of a source. All columns of a table are read: which ones are compared is decided when all are known."""
        return documents(source, Columns.of_records(self.id, against=against))


def _found(
    function: str, source: Any, against: Any, options: Dict[str, Any], against_only: bool = False
) -> Tuple[Documents, Any]:
    asked = _Asked(function, options, against_only=against_only)
    if against_only and against is None:
        raise SettingError("against_only needs against")
    given = asked.read(source)
    other = None if against is None else asked.read(against, against=True)
    asked.label(given, other)
    compared = None if other is None else other.native
    columns, report, model = _native.records_found(given.native, compared, asked.native, asked.records)
    if other is not None:
        columns["other"] = other
    return given, (columns, report, model)


def _model(written: Optional[str]) -> Optional[RecordModel]:
    return None if written is None else RecordModel(written)


def _flag(options: Dict[str, Any], name: str) -> bool:
    value = options.get(name, False)
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be true or false, not {type(value).__name__}")
    return bool(value)


def _strings(name: str, value: Any) -> List[str]:
    """A str, or a list of them."""
    parts = [value] if isinstance(value, str) else list(value)
    for part in parts:
        if not isinstance(part, str):
            raise TypeError(f"{name} must be a str or a list of them, not a list of {type(part).__name__}")
    return parts


def _fields(value: Any) -> Optional[List[str]]:
    return None if value is None else _strings("fields", value)


def _rules(value: Any) -> List[List[str]]:
    """Rules of fields that must agree."""
    rules = [] if value is None else _strings("block", value)
    return [[field.strip() for field in rule.split("+")] for rule in rules]


def _labels(labels: Any, given: Documents, other: Optional[Documents]) -> Tuple[str, str]:
    """Labels as the name of a file and what is in it: lines of two names and y, n or u."""
    if isinstance(labels, (str, os.PathLike)):
        path = os.fspath(labels)
        return path, pathlib.Path(path).read_text(encoding="utf-8")
    name_b = _namer(given, "table")
    name_a = name_b if other is None else _namer(other, "against")
    lines: List[str] = []
    for label in labels:
        if not isinstance(label, (list, tuple)) or len(label) != 3:
            raise TypeError(f"labels must be the path of a file or a list of (a, b, match), and {label!r} is none of them")
        a, b, match = label
        if match is not None and not isinstance(match, (bool, np.bool_)):
            raise TypeError(f"the third part of a label must be True, False or None, not {match!r}")
        answer = "u" if match is None else "y" if match else "n"
        lines.append(f"{name_a(a)}\t{name_b(b)}\t{answer}")
    return "labels", "\n".join(lines)


def _namer(holder: Documents, table: str) -> Callable[[Key], str]:
    """How a record of a table is called in a file of labels, by its name in results."""
    ids = holder.ids() if holder.in_memory and holder.ids is not None else None
    rows: Dict[Key, int] = {} if ids is None else {id: row for row, id in enumerate(ids) if not is_missing(id)}

    def name(key: Key) -> str:
        if not holder.in_memory or (isinstance(key, str) and key not in rows):
            return str(key)
        row = rows.get(key, key)
        if isinstance(row, (int, np.integer)) and 0 <= row < len(holder):
            if ids is None or key in rows or is_missing(ids[row]):
                return f"{table}:{row + 1}"
        raise SettingError(f"labels: there is no record {key!r}")

    return name


def _keys(columns: Dict[str, Any], name: str, given: Documents, other: Optional[Documents]) -> List[Key]:
    """The records of some columns, as they are identified in their source."""
    rows, ids = (columns[f"{name}_line"] - 1).tolist(), columns[f"{name}_id"]
    against = columns[f"{name}_against"].tolist()
    known = {is_other: None if it is None or it.ids is None else it.ids() for is_other, it in ((False, given), (True, other))}
    keys: List[Key] = []
    for row, id, is_other in zip(rows, ids, against):
        holder = other if is_other else given
        own = known[is_other]
        if holder is None or not holder.in_memory:
            keys.append(id)
        else:
            keys.append(row if own is None or is_missing(own[row]) else own[row])
    return keys


def _weights_of(columns: Dict[str, Any]) -> List[Dict[str, float]]:
    """What the fields of each match say."""
    fields = columns["fields"]
    rows = columns["weights"].reshape(len(columns["weight"]), len(fields)).tolist()
    return [dict(zip(fields, row)) for row in rows]


def _pairs_of(
    columns: Dict[str, Any], report: str, model: Optional[str], given: Documents, other: Optional[Documents]
) -> RecordPairs:
    table = {
        "a": _keys(columns, "a", given, other),
        "b": _keys(columns, "b", given, other),
        "probability": columns["probability"].tolist(),
        "weight": columns["weight"].tolist(),
        "weights": _weights_of(columns),
    }
    return RecordPairs(table, json.loads(report), _model(model))


def _removed_of(columns: Dict[str, Any], given: Documents, other: Optional[Documents]) -> RecordRemovedRows:
    weights, matches = _weights_of(columns), columns["removed_match"].tolist()
    probability, weight = columns["probability"].tolist(), columns["weight"].tolist()
    rows: List[Tuple[int, RecordRemoved]] = []
    both = zip(_keys(columns, "removed", given, other), _keys(columns, "kept", given, other))
    for at, ((document, kept), match) in enumerate(zip(both, matches)):
        against = bool(columns["kept_against"][at])
        if match < 0:
            reason = "connected with the kept record by other matches"
            row = RecordRemoved(document, kept, "match", None, against=against, reason=reason)
        else:
            row = RecordRemoved(document, kept, "match", probability[match], weight[match], weights[match], against)
        rows.append((int(columns["removed_line"][at]), row))
    lines = columns["bad_line"].tolist()
    bad = named([line - 1 for line in lines], given) if given.in_memory else columns["bad_id"]
    for line, key, reason in zip(lines, bad, columns["bad_reason"]):
        rows.append((line, RecordRemoved(key, None, "bad", None, reason=reason)))
    if given.in_memory:
        rows.sort(key=lambda row: row[0])
    table: Dict[str, List[Any]] = {name: [] for name in RecordRemoved._fields}
    for _, row in rows:
        for name, value in zip(RecordRemoved._fields, row):
            table[name].append(value)
    return RecordRemovedRows(table)
