"""Sketches that are kept: the stages up to the connected sets, which later jobs on the same documents start from.

They are a checkpoint that has only these stages. What they depend on cannot be chosen anew: the settings that make keys, the threshold
among them, and the columns that are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple, Union

from .. import _native
from ..errors import SettingError, TargetError
from .checkpoint import VERSION, Checkpoint, differences
from .documents import Columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Sketches", "kept_sketches"]

_FREE = ("annotate", "clusters", "prefer", "removed-format")
"""Settings on which no key and no count of a sketch depends."""


class Sketches:
    """The sketches of a DataFrame, in a folder. Give them to `dedup`, `pairs` or `clusters` of the same DataFrame."""

    def __init__(self, path: str, documents: int, in_sets: int) -> None:
        self.path = path
        """The address of the folder."""
        self.documents = documents
        """How many documents were sketched."""
        self.in_sets = in_sets
        """How many of them share a key with another one; only these are compared."""

    def __repr__(self) -> str:
        return f"<sketches of {self.documents} documents in {self.path}; {self.in_sets} may have duplicates>"


def kept_sketches(
    spark: "SparkSession", given: Union[str, Sketches], settings: Dict[str, Any], columns: Dict[str, Any], named: Columns
) -> Tuple[Checkpoint, Columns]:
    """The checkpoint of sketches, and the columns that were read for them. An error if they are not those of such a job."""
    if not isinstance(given, (str, Sketches)):
        raise TypeError(f"sketches must be what sketch() returned, or the address of their folder, not {type(given).__name__}")
    met = Checkpoint(spark, given if isinstance(given, str) else given.path)
    found = met.identity()
    if found is None or found.get("job") != "sketch":
        raise TargetError(f"there are no sketches in {met.path}; make them with lookalike.spark.sketch(df, checkpoint={met.path!r}, ...)")
    if met.record("sets") is None:
        raise TargetError(f"the sketches in {met.path} are not finished; run the same sketch() again")
    other = differences(
        {name: found.get(name) for name in ("format", "lookalike")}, {"format": VERSION, "lookalike": _native.__version__}
    )
    if other:
        raise TargetError(f"the sketches in {met.path} are of another version: {'; '.join(other)}. Make them again")
    made, wanted = dict(found["settings"]), dict(settings)
    keep = wanted.pop("keep")
    if keep not in ("first", made["keep"]) and not (keep == "longest" and made["keep"] == "first"):
        raise SettingError(f"the sketches in {met.path} have no values for keep={keep!r}; make them with this keep, or leave them out")
    for name in ("keep", *_FREE):
        made.pop(name, None)
        wanted.pop(name, None)
    fixed = {name: value for name, value in columns.items() if name not in ("order", "others")}
    other = differences(
        {"settings": made, "columns": {name: found["columns"].get(name) for name in fixed}},
        {"settings": wanted, "columns": fixed},
    )
    if other:
        raise SettingError(f"the sketches in {met.path} are of another job: {'; '.join(other)}. Leave that out, or make other sketches")
    read = found["columns"]
    return met, Columns(named.text, named.id, tuple(read["order"]), tuple(read["others"]), read["source"])
