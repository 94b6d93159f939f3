"""A DataFrame -> the columns that the stages read, under names of their own.

A document is known by its number, `xxhash64` of its id, which Spark computes in every read. `_check` stands for all that is read
of a document, and says whether the inputs are those of the run that wrote a checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import SettingError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["TEXT", "Columns", "Documents", "columns", "documents", "quoted"]

TEXT = "_text"
"""The name of the column of texts in the stages. (`mapInArrow` refuses some names that a column of a user may have.)"""
_OWN = ("_number", "_component", "_id", "_lacks", "_check", "_source", "_against", TEXT)
"""The names of columns of the stages."""
_NO_ORDER = (T.ArrayType, T.MapType, T.StructType, T.BinaryType)
_TEXT = (T.StringType,)


def quoted(name: str) -> str:
    """The name of a column as Spark reads it in an expression, whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True)
class Columns:
    """Which columns of the DataFrame are what."""

    text: str
    id: str
    order: Tuple[str, ...]
    others: Tuple[str, ...]
    """Those that `within` and `keep` name."""
    source: Optional[str]


@dataclass
class Documents:
    """The documents of a run."""

    frame: "DataFrame"
    """`_number`, `_id`, `_check`, `_text`, `_order0` and so on, and what else decides."""
    columns: Columns
    id_type: Any
    orders: List[str] = field(default_factory=list)
    has_against: bool = False

    @property
    def names(self) -> Dict[str, str]:
        """What columns of the stages are called in the settings."""
        return {TEXT: self.columns.text, **{f"_other{at}": name for at, name in enumerate(self.columns.others)}}

    def for_keys(self) -> "DataFrame":
        """What the keys are made from."""
        return self.frame.drop("_id", *self.orders)

    def for_decisions(self) -> "DataFrame":
        """What decides."""
        return self.frame.drop("_check", "_lacks")


def columns(options: Dict[str, Any], order: Union[str, Sequence[str], None], source: Optional[str]) -> Columns:
    """Which columns the options name."""
    identity = options.get("id")
    if identity is None:
        raise SettingError('a DataFrame has no order and no row numbers: name the column of ids, as in id="url"')
    others = [options["within"]] if options.get("within") is not None else []
    keep = options.get("keep", "first")
    if isinstance(keep, str) and keep.partition(":")[0] in ("max", "min") and ":" in keep:
        others.append(keep.partition(":")[2])
    if options.get("prefer") and source is None:
        raise SettingError('prefer names sources: name the column that has them, as in source="origin"')
    # The text has a column already.
    others = [name for name in dict.fromkeys(others) if name != options.get("text", "text")]
    ordered = (identity,) if order is None else (order,) if isinstance(order, str) else tuple(order)
    named = Columns(options.get("text", "text"), identity, ordered, tuple(others), source)
    for name in (named.text, named.id, *named.order, *named.others, *([source] if source is not None else [])):
        if not isinstance(name, str):
            raise TypeError(f"a column is named by a str, not by {type(name).__name__}")
    return named


def documents(frame: "DataFrame", against: Optional["DataFrame"], named: Columns) -> Documents:
    """The documents of a DataFrame, and those of `against`, which are never removed."""
    _check_columns(frame, named, "the DataFrame")
    own = _selected(frame, named, against=False if against is not None else None)
    id_type = frame.schema[named.id].dataType
    orders = [f"_order{at}" for at in range(len(named.order))]
    if against is not None:
        _check_columns(against, named, "against")
        other = against.schema[named.id].dataType
        if other != id_type:
            raise SettingError(
                f"ids of the DataFrame are {id_type.simpleString()}, those of against {other.simpleString()}; cast one of them"
            )
        own = own.unionByName(_selected(against, named, against=True))
    return Documents(own, named, id_type, orders, against is not None)


def _check_columns(frame: "DataFrame", named: Columns, what: str) -> None:
    names = frame.columns
    wanted = [named.text, named.id, *named.order, *named.others]
    if named.source is not None:
        wanted.append(named.source)
    is_case_sensitive = str(frame.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"
    for name in wanted:
        if name in _OWN or name.startswith(("_order", "_other")):
            raise SettingError(f"the column {name!r} has a name that the stages use; rename it")
        found = names.count(name)
        if found == 0:
            raise SettingError(f"{what} has no column {name!r}; its columns are: {', '.join(map(repr, names))}")
        if found > 1:
            raise SettingError(f"{what} has {found} columns {name!r}; rename all but one")
        same = [other for other in names if other.lower() == name.lower()]
        if len(same) > 1 and not is_case_sensitive:
            raise SettingError(
                f"{what} has columns that Spark takes for one: {', '.join(map(repr, same))}; rename all but one, or set "
                "spark.sql.caseSensitive to true"
            )
    kind = frame.schema[named.text].dataType
    if not isinstance(kind, _TEXT):
        raise SettingError(f"the column {named.text!r} is {kind.simpleString()} and cannot be the text; cast it to string")
    for name in (named.id, *named.others):
        kind = frame.schema[name].dataType
        if not _has_hash(kind):
            raise SettingError(
                f"the column {name!r} is {kind.simpleString()}, of which Spark has no hash, as for every map; make a string of it (to_json)"
            )
    for name in named.order:
        kind = frame.schema[name].dataType
        if isinstance(kind, _NO_ORDER):
            raise SettingError(
                f"the column {name!r} is {kind.simpleString()}, which has no order here; name another with order="
            )


def _has_hash(kind: Any) -> bool:
    """Whether Spark hashes values of this type. It does not if there is a map in them."""
    if isinstance(kind, T.StructType):
        return all(_has_hash(field.dataType) for field in kind.fields)
    if isinstance(kind, T.ArrayType):
        return _has_hash(kind.elementType)
    return not isinstance(kind, T.MapType) and type(kind).__name__ != "VariantType"


def _selected(frame: "DataFrame", named: Columns, against: Optional[bool]) -> "DataFrame":
    def column(name: str) -> Any:
        return frame[quoted(name)]

    identity = column(named.id)
    # Rows of both sides may have the same id.
    of_side = [identity] if not against else [identity, F.lit("against")]
    text, others = column(named.text), [column(name) for name in named.others]
    orders = [column(name) for name in named.order]
    sources = [] if named.source is None else [column(named.source).cast("string")]
    lacks = identity.isNull()
    for order in orders:
        lacks = lacks | order.isNull()
    chosen = [
        F.xxhash64(*of_side).alias("_number"),
        identity.alias("_id"),
        lacks.alias("_lacks"),
        F.xxhash64(*of_side, text, *others, *orders, *sources).alias("_check"),
        text.alias(TEXT),
        *(other.alias(f"_other{at}") for at, other in enumerate(others)),
        *(order.alias(f"_order{at}") for at, order in enumerate(orders)),
    ]
    chosen.extend(source.alias("_source") for source in sources)
    if against is not None:
        chosen.append(F.lit(against).alias("_against"))
    return frame.select(*chosen)
