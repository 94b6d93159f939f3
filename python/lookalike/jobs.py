"""Whole jobs, on anything that holds documents."""

from __future__ import annotations

import io
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, TypeVar, Union

import numpy as np

from . import _native
from ._options import Options, resolve
from ._sources import Documents, documents
from .results import (
    Cluster,
    Clusters,
    Comparison,
    Deduplication,
    Key,
    Match,
    Pairs,
    Plan,
    RemovedRows,
    keys,
    numbers,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["clusters", "compare", "dedup", "pairs", "plan", "query"]

Source = TypeVar("Source")
Progress = Union[bool, Callable[..., Any]]
"""True for a bar by tqdm, or anything that is called and updated as `tqdm.tqdm` is."""


def dedup(
    source: Source,
    *,
    output: Union[str, "os.PathLike[str]", None] = None,
    against: Any = None,
    against_only: bool = False,
    progress: Progress = False,
    **options: Unpack[Options],
) -> Tuple[Source, Deduplication]:
    """Removes near-duplicates: the kept rows as the same kind of thing, and what was decided.

    Every removed document names the kept one that it duplicates, and their exact similarity is at least the
    threshold. The answer is the same for any number of threads and any memory limit.

    >>> import lookalike
    >>> texts = ["the quick brown fox jumps over the lazy dog", "something else entirely, as it happens",
    ...          "The quick brown fox jumps over the lazy dog!"]
    >>> kept, result = lookalike.dedup(texts, shingles="words:3")
    >>> kept
    ['the quick brown fox jumps over the lazy dog', 'something else entirely, as it happens']
    >>> result.removed[0]
    Removed(document=2, kept=0, kind='near', similarity=1.0, reason=None)

    Args:
        source: a list of strings; a pandas, Polars or PyArrow table or column; a PyArrow or Hugging Face dataset;
            anything with `__arrow_c_stream__`; or a path (or a list of `pathlib.Path`) of files, folders and globs.
        output: for paths, the folder that the kept records are written to; it is what comes back as kept. Without it
            nothing is written, and the source itself comes back.
        against: documents of any of these kinds that come first in keep order and are not removed.
        against_only: compare with those of `against` only.
        progress: true for a bar by tqdm, or a factory that is called as `tqdm.tqdm` is.
        **options: see `lookalike.Options`.
    """
    more = {"against-only": True} if against_only else {}
    given, native = _prepare("dedup", source, options, **more)
    other = None if against is None else _read(against, options).native
    if output is not None:
        if given.in_memory:
            raise TypeError("output is for paths; kept rows of what is in memory are returned")
        folder = os.fspath(output)
        report = json.loads(_native.dedup(given.native, other, folder, native, _bar(progress)))
        kept: Any = folder if isinstance(source, str) else pathlib.Path(folder)
        return kept, Deduplication(lambda: _removed_of(folder, report), report)
    columns, written = _native.decide(given.native, other, native, _bar(progress))
    report = json.loads(written)
    removed = _removed(columns)
    if not given.in_memory:
        return source, Deduplication(removed, report)
    mask = np.ones(len(given), dtype=bool)
    mask[columns["line"] - 1] = False
    return given.take(mask), Deduplication(removed, report, mask)


def pairs(source: Any, *, progress: Progress = False, **options: Unpack[Options]) -> Pairs:
    """All pairs at least as similar as the threshold, verified, in input order.

    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose; is a rose"]
    >>> list(lookalike.pairs(texts, shingles="words:3"))
    [Pair(a=0, b=2, similarity=1.0)]
    """
    given, native = _prepare("pairs", source, options)
    columns, report = _native.pairs(given.native, native, _bar(progress))
    table: Dict[str, List[Any]] = {"a": keys(columns, "a_"), "b": keys(columns, "b_"), "similarity": numbers(columns["similarity"])}
    return Pairs(table, json.loads(report))


def clusters(source: Any, *, progress: Progress = False, **options: Unpack[Options]) -> Clusters:
    """All clusters of at least two documents: a kept one, and those that are similar to it.

    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose; is a rose"]
    >>> lookalike.clusters(texts, shingles="words:3")[0].members
    [0, 2]
    """
    given, native = _prepare("clusters", source, options)
    columns, report = _native.clusters(given.native, native, _bar(progress))
    members, similar = keys(columns), numbers(columns["similarity"])
    found: List[Cluster] = []
    begin = 0
    for end in columns["end"].tolist():
        found.append(Cluster(members[begin], members[begin + 1 : end], similar[begin + 1 : end]))
        begin = end
    return Clusters(found, json.loads(report))


def query(
    source: Any, wanted: str, /, *, top: int = 10, progress: Progress = False, **options: Unpack[Options]
) -> List[Match]:
    """The `top` documents most similar to the text `wanted`, exactly, most similar first.

    Every document is compared, so nothing is missed; `threshold` (0 unless given) cuts the list short. To ask often,
    build an `LSH` once.

    >>> import lookalike
    >>> lookalike.query(["a rose is a rose", "to be or not to be"], "a rose is", shingles="words:2")
    [Match(document=0, similarity=0.6666666666666666)]
    """
    if not isinstance(wanted, str):
        raise TypeError(f"what is looked for must be a str, not {type(wanted).__name__}")
    if isinstance(top, bool) or not isinstance(top, int) or top < 0:
        raise TypeError(f"top must be a number of matches, not {top!r}")
    asked: Dict[str, Any] = {"threshold": 0.0, **options}
    given, native = _prepare("query", source, asked)
    columns = _native.query(given.native, wanted, top, native, _bar(progress))
    return [Match(key, similarity) for key, similarity in zip(keys(columns), columns["similarity"].tolist())]


def compare(a: str, b: str, **options: Unpack[Options]) -> Comparison:
    """How similar two texts are, exactly, and which passages they share.

    >>> import lookalike
    >>> found = lookalike.compare("the dog which chased the cat", "the dog that chased the cat", shingles="characters:5")
    >>> found.jaccard
    0.46875
    >>> [passage.b for passage in found.passages]
    [(0, 27)]
    """
    for text in (a, b):
        if not isinstance(text, str):
            raise TypeError(f"compare takes two texts, not {type(text).__name__}")
    native = resolve("compare", dict(options))
    return Comparison(a, b, _native.compare(a, b, native), native)


def plan(documents: int = 1_000_000, **options: Unpack[Options]) -> Plan:
    """What a run with these settings would find, and what so many documents would cost.

    >>> import lookalike
    >>> lookalike.plan(threshold=0.8)
    <21 bands of 6 rows: a pair at 0.8 is found with probability 0.9983>
    """
    if isinstance(documents, bool) or not isinstance(documents, int) or documents < 1:
        raise TypeError(f"documents must be a number of documents, not {documents!r}")
    native = resolve("plan", dict(options))
    return Plan(_native.plan(documents, native["threads"] or os.cpu_count() or 1, native), native)


def _columns(options: Any) -> Tuple[str, ...]:
    """The columns that a job looks at."""
    named = [options.get("text", "text"), options.get("id"), options.get("within")]
    keep = options.get("keep", "first")
    if isinstance(keep, str) and keep.partition(":")[0] in ("max", "min") and ":" in keep:
        named.append(keep.partition(":")[2])
    for name in named:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"a column is named by a str, not by {type(name).__name__}")
    return tuple(name for name in named if name)


def _read(source: Any, options: Any) -> Documents:
    given = documents(source, _columns(options))
    named = [name for name in ("text", "id", "within") if options.get(name) is not None]
    if given.fixed_column and named and not hasattr(source, "columns"):
        raise TypeError(f"{named[0]} names a column, and a {type(source).__name__} has none")
    return given


def _prepare(function: str, source: Any, options: Any, **more: Any) -> Tuple[Documents, Dict[str, Any]]:
    native = resolve(function, dict(options), **more)
    given = _read(source, options)
    if given.fixed_column and "text" in options:
        native = resolve(function, {**options, "text": "text"}, **more)
    return given, native


def _bar(progress: Progress) -> Optional[Callable[..., Any]]:
    """The factory of progress bars, if any."""
    if progress is False or progress is None:
        return None
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs tqdm: pip install tqdm, or pass a factory of your own") from error
        return tqdm  # type: ignore[no-any-return]
    if not callable(progress):
        raise TypeError(f"progress must be true, false or callable, not {type(progress).__name__}")
    return progress


def _removed(columns: Dict[str, Any]) -> RemovedRows:
    kept: List[Optional[Key]] = list(columns["kept_id"]) if "kept_id" in columns else (columns["kept_line"] - 1).tolist()
    for at, kind in enumerate(columns["kind"]):
        if kind == "bad":
            kept[at] = None
        elif "kept_id" not in columns and columns["kept_source"][at] == "against":
            kept[at] = f"against:{columns['kept_line'][at]}"
    return RemovedRows(
        {
            "document": keys(columns),
            "kept": kept,
            "kind": columns["kind"],
            "similarity": numbers(columns["similarity"]),
            "reason": columns["reason"],
        }
    )


def _removed_of(folder: str, report: Dict[str, Any]) -> RemovedRows:
    """The list of what was removed, from the folder of a run."""
    names = {"document": "id", "kept": "kept_id", "kind": "kind", "similarity": "similarity", "reason": "reason"}
    if report["settings"]["removed-format"] == "parquet":
        try:
            import pyarrow.parquet
        except ImportError as error:
            raise ImportError("removed.parquet is read with PyArrow: pip install pyarrow") from error
        written = io.BytesIO(_native.read_output(folder, "removed.parquet"))
        rows = pyarrow.parquet.read_table(written).to_pylist()
    else:
        rows = [json.loads(line) for line in _native.read_output(folder, "removed.jsonl").splitlines()]
    return RemovedRows({name: [row.get(key) for row in rows] for name, key in names.items()})
