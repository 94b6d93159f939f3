"""Whole jobs on documents of any type of input."""

from __future__ import annotations

import functools
import io
import contextlib
import json
import os
import pathlib
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
    TypeVar,
    Union,
    overload,
)

import numpy as np

from . import _native
from ._ending import orderly_end
from ._options import FILES_ONLY, Options, resolve, whole
from ._sources import Columns, Documents, documents, is_missing, named, written
from .errors import DuplicateIdError, SettingError, TargetError
from .pages import Page
from .records import (
    RecordClusters,
    RecordDeduplication,
    RecordOptions,
    RecordPairs,
    clusters_of_records,
    dedup_of_records,
    pairs_of_records,
)
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
    ValueComparison,
)

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Unpack

    from .index import Index

__all__ = ["clusters", "compare", "dedup", "pairs", "plan", "query"]

Source = TypeVar("Source")
Progress = Union[bool, Callable[..., Any]]
"""True for a progress bar of tqdm, or a factory with the interface of `tqdm.tqdm`."""


@overload
def dedup(
    source: Sequence["os.PathLike[str]"],
    *,
    kind: "Literal['records']",
    output: Union[str, "os.PathLike[str]"],
    against: Any = None,
    against_only: bool = False,
    progress: Progress = False,
    **options: Unpack[RecordOptions],
) -> Tuple[pathlib.Path, RecordDeduplication]: ...


@overload
def dedup(
    source: Source,
    *,
    kind: "Literal['records']",
    output: Union[str, "os.PathLike[str]", None] = None,
    against: Any = None,
    against_only: bool = False,
    progress: Progress = False,
    **options: Unpack[RecordOptions],
) -> Tuple[Source, RecordDeduplication]: ...


@overload
def dedup(
    source: Sequence["os.PathLike[str]"],
    *,
    output: Union[str, "os.PathLike[str]"],
    against: Any = None,
    against_only: bool = False,
    add_to: Union["Index", str, "os.PathLike[str]", None] = None,
    progress: Progress = False,
    **options: Unpack[Options],
) -> Tuple[pathlib.Path, Deduplication]: ...


@overload
def dedup(
    source: Source,
    *,
    output: Union[str, "os.PathLike[str]", None] = None,
    against: Any = None,
    against_only: bool = False,
    add_to: Union["Index", str, "os.PathLike[str]", None] = None,
    progress: Progress = False,
    **options: Unpack[Options],
) -> Tuple[Source, Deduplication]: ...


def dedup(
    source: Any,
    *,
    output: Union[str, "os.PathLike[str]", None] = None,
    against: Any = None,
    against_only: bool = False,
    add_to: Union["Index", str, "os.PathLike[str]", None] = None,
    progress: Progress = False,
    **options: Any,
) -> Tuple[Any, Any]:
    """Removes near-duplicates. Returns the kept rows, in the type of the input, and the decisions.

    Every removed document names the kept one that it duplicates, and their exact similarity is at least the threshold
    (the options `verify` and `clusters` can change this). The answer is the same for any number of threads and any
    memory limit.

    >>> import lookalike
    >>> texts = ["the quick brown fox jumps over the lazy dog", "something else entirely, as it happens",
    ...          "The quick brown fox jumps over the lazy dog!"]
    >>> kept, result = lookalike.dedup(texts, shingles="words:3")
    >>> kept
    ['the quick brown fox jumps over the lazy dog', 'something else entirely, as it happens']
    >>> result.removed[0]
    Removed(document=2, kept=0, kind='near', similarity=1.0)

    Args:
        source: a list of strings; a pandas, Polars or PyArrow table or column; a PyArrow or Hugging Face dataset;
            any object with `__arrow_c_stream__`; or a path (or a list of `pathlib.Path`) of files and folders, or a
            pattern.
        output: for paths, the folder for the kept records, which is also returned as the kept rows. Without it
            nothing is written, and the source itself is returned.
        against: documents of any of these kinds (with `output`, paths) that come first in keep order and are not
            removed. A table needs only the column with the text. Or an `Index`, or the path of one: then options that
            are not given are as in the index.
        against_only: compare documents only with those of `against`.
        add_to: an `Index`, or the path of one, to which kept documents are added: with `output` when all outputs are
            complete, and otherwise at the end. Documents in memory need a column of ids.
        progress: True for a progress bar of tqdm, or a factory with the interface of `tqdm.tqdm`. Of records there is none.
        **options: see `lookalike.Options`. With `kind="records"`, rows are compared field by field, the decisions are a
            `RecordDeduplication`, and the options are those of `lookalike.RecordOptions`.
    """
    if options.get("kind") == "records":
        if add_to is not None:
            raise TypeError("add_to is for texts, not for records")
        with orderly_end():
            return dedup_of_records(source, output, against, against_only, _of_records(options))
    more = {"against-only": True} if against_only else {}
    given, native = _prepare("dedup", source, options, **more)
    if add_to is not None and given.in_memory and (given.fixed_column or options.get("id") is None):
        raise TypeError("add_to needs the ids of documents: name their column with id")
    if add_to is not None and not given.in_memory and output is None:
        raise TypeError("with paths, add_to needs output")
    with _indexes(against, add_to) as (seen, taking):
        other = None if against is None or seen is not None else documents(against, _columns(options, against=True))
        compared = None if other is None else other.native
        if output is not None:
            if given.in_memory:
                raise TypeError("output is for paths only; for documents in memory the kept rows are returned")
            if other is not None and other.in_memory:
                # A finished folder is recognised by its sources, and documents in memory cannot be recognised.
                raise TypeError("with output, against must be paths too, or an index")
            folder, indexes = os.fsdecode(output), _natives(seen, taking)
            for index in (seen, taking):
                _check_apart(folder, index)
            with orderly_end():
                written = _native.dedup(given.native, compared, indexes, folder, native, _bar(progress))
            summary = json.loads(written)
            kept: Any = folder if isinstance(source, str) else pathlib.Path(folder)
            removed_later = functools.partial(_removed_of, folder, summary)
            return kept, Deduplication(removed_later, summary, functools.partial(_page_of_folder, folder, native))
        with orderly_end():
            found = _native.decide(given.native, compared, _natives(seen, taking), native, _bar(progress))
        columns, written, examples = found
        summary = json.loads(written)
        removed = _removed(columns, given, other, is_asked=seen is not None)
        page = functools.partial(_page_of_memory, _title(source, given), written, examples)
        if not given.in_memory:
            return source, Deduplication(removed, summary, page)
        mask = np.ones(len(given), dtype=bool)
        mask[columns["line"] - 1] = False
        kept = given.take(mask)
        if taking is not None:
            _check_ids([id for id, is_kept in zip(named(list(range(len(given))), given), mask) if is_kept], taking)
            bad: Dict[str, Any] = {"on_bad_record": options["on_bad_record"]} if "on_bad_record" in options else {}
            text, within = options.get("text") or "text", options.get("within")
            with orderly_end():
                taking.add(kept, id=options.get("id"), text=text, within=within, progress=progress, **bad)
        return kept, Deduplication(removed, summary, page, mask)


@contextlib.contextmanager
def _indexes(against: Any, add_to: Any) -> Iterator[Tuple[Optional["Index"], Optional["Index"]]]:
    """The index of `against`, None if it is something else, and that of `add_to`. Those given by paths are closed
    afterwards."""
    from .index import Index

    def is_path(given: Any) -> bool:
        return isinstance(given, (str, os.PathLike))

    if add_to is not None and not is_path(add_to) and not isinstance(add_to, Index):
        raise TypeError(f"add_to must be an Index or its path, not {type(add_to).__name__}")
    with contextlib.ExitStack() as opened:
        seen: Optional[Index] = against if isinstance(against, Index) else None
        if is_path(against) and _native.is_index(os.fspath(against)):
            if isinstance(add_to, Index) and os.path.realpath(against) == os.path.realpath(add_to._path):
                seen = add_to
            else:
                seen = opened.enter_context(Index(against, create=False))
        taking: Optional[Index] = add_to if isinstance(add_to, Index) else None
        if is_path(add_to):
            if seen is not None and os.path.realpath(add_to) == os.path.realpath(seen._path):
                taking = seen
            else:
                taking = opened.enter_context(Index(add_to, create=False))
        yield seen, taking


def _check_apart(folder: str, index: Optional["Index"]) -> None:
    """An error if the outputs and an index are in each other."""
    if index is None or "://" in folder:
        return
    out, own = (os.path.join(os.path.realpath(path), "") for path in (folder, index._path))
    if out.startswith(own) or own.startswith(out):
        raise TargetError(f"the output {folder} and the index {index._path} are in each other; choose another folder")


def _check_ids(ids: List[Key], index: "Index") -> None:
    """An error if documents with these ids cannot be added. Nothing was added then."""
    if len(set(map(str, ids))) < len(ids):
        seen: Set[str] = set()
        repeated = next(str(id) for id in ids if str(id) in seen or seen.add(str(id)))  # type: ignore[func-returns-value]
        raise DuplicateIdError(f"two kept documents have the id {repeated}; nothing was added")
    present = next((str(id) for id in ids if str(id) in index), None)
    if present is not None:
        raise DuplicateIdError(f"the index has a document with the id {present} already; nothing was added")


def _natives(against: Optional["Index"], add_to: Optional["Index"]) -> Dict[str, Any]:
    return {
        "against": None if against is None else against._native,
        "add_to": None if add_to is None else add_to._native,
    }


def _of_records(options: Dict[str, Any]) -> Dict[str, Any]:
    """The options of records, without the kind."""
    return {name: value for name, value in options.items() if name != "kind"}


@overload
def pairs(
    source: Any, *, kind: "Literal['records']", progress: Progress = False, **options: Unpack[RecordOptions]
) -> RecordPairs: ...


@overload
def pairs(source: Any, *, progress: Progress = False, **options: Unpack[Options]) -> Pairs: ...


def pairs(source: Any, *, progress: Progress = False, **options: Any) -> Any:
    """All pairs at least as similar as the threshold, verified, in input order.

    With `kind="records"`, rows are compared field by field, and the options are those of `RecordOptions`. The result is then
    `RecordPairs`: which records describe the same thing, with the probability and what each field says. `link` does this for
    two tables.

    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose; is a rose"]
    >>> list(lookalike.pairs(texts, shingles="words:3"))
    [Pair(a=0, b=2, similarity=1.0)]
    """
    if options.get("kind") == "records":
        with orderly_end():
            return pairs_of_records(source, _of_records(options))
    given, native = _prepare("pairs", source, options)
    with orderly_end():
        columns, report = _native.pairs(given.native, native, _bar(progress))
    table = {
        "a": _keys(columns, given, "a_"),
        "b": _keys(columns, given, "b_"),
        "similarity": _numbers(columns["similarity"]),
        "distance": _distances(columns["distance"]),
    }
    return Pairs(table, json.loads(report))


@overload
def clusters(
    source: Any, *, kind: "Literal['records']", progress: Progress = False, **options: Unpack[RecordOptions]
) -> RecordClusters: ...


@overload
def clusters(source: Any, *, progress: Progress = False, **options: Unpack[Options]) -> Clusters: ...


def clusters(source: Any, *, progress: Progress = False, **options: Any) -> Any:
    """All clusters of at least two documents: a kept document, and the documents that are similar to it.

    With `kind="records"`, rows are compared field by field; see `pairs`. The result is then `RecordClusters`.

    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose; is a rose"]
    >>> lookalike.clusters(texts, shingles="words:3")[0].members
    [0, 2]
    """
    if options.get("kind") == "records":
        with orderly_end():
            return clusters_of_records(source, _of_records(options))
    given, native = _prepare("clusters", source, options)
    with orderly_end():
        columns, report = _native.clusters(given.native, native, _bar(progress))
    members, similar = _keys(columns, given), _numbers(columns["similarity"])
    found: List[Cluster] = []
    begin = 0
    for end in columns["end"].tolist():
        found.append(Cluster(members[begin], members[begin + 1 : end], similar[begin + 1 : end]))
        begin = end
    return Clusters(found, json.loads(report))


def query(
    source: Any, wanted: Any, /, *, top: int = 10, progress: Progress = False, **options: Unpack[Options]
) -> List[Match]:
    """The `top` documents most similar to the text `wanted`, exactly, most similar first. With another `kind`, `wanted` is a
    document of that kind.

    Every document is compared, so nothing is missed. Documents below `threshold` (default 0) are left out. For many
    queries, build an `LSH` once.

    >>> import lookalike
    >>> lookalike.query(["a rose is a rose", "to be or not to be"], "a rose is", shingles="words:2")
    [Match(document=0, similarity=0.6666666666666666)]
    """
    if options.get("kind", "text") != "text":
        wanted = _as_json(wanted, options)
    if not isinstance(wanted, str):
        raise TypeError(f"the text of a query must be a str, not {type(wanted).__name__}")
    top = whole("top", top)
    asked: Dict[str, Any] = {"threshold": 0.0, **options}
    given, native = _prepare("query", source, asked)
    with orderly_end():
        columns = _native.query(given.native, _text("the text of the query", wanted), top, native, _bar(progress))
    return [Match(key, similarity) for key, similarity in zip(_keys(columns, given), columns["similarity"].tolist())]


def _as_json(value: Any, options: Any) -> str:
    """A document of a kind other than text, as JSON."""
    kind = options["kind"]
    given = written(kind, value, options.get("bits"))
    return given if kind == "sets" and not isinstance(value, str) and isinstance(given, str) else json.dumps(given)


@overload
def compare(
    a: Any, b: Any, /, *, kind: "Literal['sets', 'fingerprints', 'vectors']", **options: Any
) -> ValueComparison: ...


@overload
def compare(a: str, b: str, /, **options: Unpack[Options]) -> Comparison: ...


def compare(a: Any, b: Any, /, **options: Any) -> Any:
    """How similar two texts are, exactly, what sketches make of it, and which passages they share.

    With another `kind`, the two are documents of that kind, and the result is a `ValueComparison`: what two sets share and what they
    do not, the distance of two fingerprints, or the cosine, angle and distance of two vectors.

    >>> import lookalike
    >>> found = lookalike.compare("the dog which chased the cat", "the dog that chased the cat", shingles="characters:5")
    >>> found.jaccard
    0.46875
    >>> [passage.b for passage in found.passages]
    [(0, 27)]
    >>> found.estimates[0].sketch, found.estimates[0].exact
    ('MinHash, 128 hashes', 0.46875)
    >>> lookalike.compare({"milk", "rolls"}, {"milk", "butter"}, kind="sets").shared
    [SharedItem(item='milk', weight_a=1, weight_b=1)]
    """
    for name in ("common", "site_field"):
        if options.get(name) is not None:
            raise SettingError(f"{name} follows from many documents, and compare takes two")
    if options.get("kind", "text") not in ("text", "records"):
        native = resolve("compare", dict(options))
        return ValueComparison(json.loads(_native.compare_values(_as_json(a, options), _as_json(b, options), native)))
    for text in (a, b):
        if not isinstance(text, str):
            raise TypeError(f"compare takes two texts, not {type(text).__name__}")
        _text("a text to compare", text)
    native = resolve("compare", dict(options))
    return Comparison(a, b, _native.compare(a, b, native), native)


def plan(
    documents: int = 1_000_000, *, sample: Any = None, progress: Progress = False, **options: Unpack[Options]
) -> Plan:
    """What a run with these settings would find, and what so many documents would cost.

    >>> import lookalike
    >>> lookalike.plan(threshold=0.8)
    <21 bands of 6 rows: a pair at 0.8 is found with probability 0.9983>
    >>> plan = lookalike.plan(1000, sample=["a rose is a rose", "to be or not to be", "a rose is a flower"], shingles="words:2")
    >>> plan.sample.histogram[0], plan.sample.suggested_shingles
    (2, 'words:5')

    Args:
        documents: how many there will be.
        sample: documents of any kind that `dedup` takes. The exact similarities of all pairs of up to 1,000 of them say
            how many candidates to expect, and how long shingles should be.
        progress: true for a bar by tqdm while the sample is read, or a factory that is called as `tqdm.tqdm` is.
        **options: see `lookalike.Options`.
    """
    if sample is None:
        native, texts = resolve("plan", dict(options)), None
    else:
        given, native = _prepare("plan", sample, options)
        texts = given.native
    count = whole("documents", documents, least=1)
    with orderly_end():
        found = _native.plan(count, native["threads"] or os.cpu_count() or 1, native, texts, _bar(progress))
    return Plan(found, native)


def _text(name: str, text: str) -> str:
    """The text itself; an error if it is not valid Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SettingError(f"{name} is not valid text: lone surrogate at character {error.start}") from None
    return text


def _columns(options: Any, against: bool = False) -> Columns:
    """The columns that a job needs."""
    others = [options[name] for name in ("within", "site_field") if options.get(name) is not None]
    near = options.get("within_days")
    if isinstance(near, str) and ":" in near:
        others.append(near.rpartition(":")[0])
    keep = options.get("keep", "first")
    if isinstance(keep, str) and keep.partition(":")[0] in ("max", "min") and ":" in keep:
        others.append(keep.partition(":")[2])
    text, id = options.get("text", "text"), options.get("id")
    for name in (text, id, *others):
        if name is not None and not isinstance(name, str):
            raise TypeError(f"a column is named by a str, not by {type(name).__name__}; rename it")
    others.extend(options[name] for name in ("set_of", "weight") if options.get(name) is not None)
    kind = options.get("kind", "text")
    kind = kind if isinstance(kind, str) else "text"
    return Columns(text, id, others, against=against, kind=kind, bits=options.get("bits"))


def _prepare(function: str, source: Any, options: Any, **more: Any) -> Tuple[Documents, Dict[str, Any]]:
    native = resolve(function, dict(options), **more)
    given = documents(source, _columns(options))
    if given.in_memory:
        for name in FILES_ONLY:
            if options.get(name) not in (None, False, "jsonl"):
                raise TypeError(f"{name} is for files only, but a {type(source).__name__} is in memory")
    if given.fixed_column:
        for name in ("text", "id", "within", "within_days", "site_field"):
            if options.get(name) is not None:
                raise TypeError(f"{name} names a column, but a {type(source).__name__} has no columns")
    return given, native


def _bar(progress: Progress) -> Optional[Callable[..., Any]]:
    """The factory of progress bars, or None."""
    if progress is False or progress is None:
        return None
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs tqdm: pip install tqdm, or pass your own factory") from error
        return tqdm  # type: ignore[no-any-return]
    if not callable(progress):
        raise TypeError(f"progress must be true, false or callable, not {type(progress).__name__}")
    return progress


def _numbers(column: Any) -> List[Optional[float]]:
    """Numbers, with None instead of NaN."""
    return [None if value != value else value for value in column.tolist()]


def _distances(column: Any) -> List[Optional[int]]:
    return [None if value < 0 else value for value in column.tolist()]


def _keys(columns: Dict[str, Any], given: Documents, prefix: str = "") -> List[Key]:
    """The documents of some columns, as they are identified in their source."""
    if not given.in_memory:
        return list(columns[prefix + "id"])
    return named((columns[prefix + "line"] - 1).tolist(), given)


def _removed(
    columns: Dict[str, Any], given: Documents, other: Optional[Documents], is_asked: bool
) -> RemovedRows:
    kind, sources = columns["kind"], columns["kept_source"]
    lines = (columns["kept_line"] - 1).tolist()
    # The name of the source tells which of two tables, or of a table and files or an index, a row belongs to.
    own = set(columns["own_sources"]) if is_asked or other is not None else set(sources) - {None}
    against = [source is not None and source not in own for source in sources]
    kept: List[Optional[Key]] = []
    ids = {
        id(documents): documents.ids() if documents.ids is not None else None
        for documents in (given, other)
        if documents is not None
    }
    for at, is_against in enumerate(against):
        holder = other if is_against and other is not None else given
        if kind[at] == "bad":
            kept.append(None)
        elif not holder.in_memory or (is_asked and is_against):
            kept.append(columns["kept_id"][at])
        else:
            known = ids[id(holder)]
            row = lines[at]
            kept.append(row if known is None or is_missing(known[row]) else known[row])
    return RemovedRows(
        {
            "document": _keys(columns, given),
            "kept": kept,
            "kind": kind,
            "similarity": _numbers(columns["similarity"]),
            "against": against,
            "distance": _distances(columns["distance"]),
            "reason": columns["reason"],
        }
    )


def _removed_of(folder: str, report: Dict[str, Any]) -> RemovedRows:
    """The list of removed documents, from the folder of a run."""
    if report["settings"]["removed-format"] == "parquet":
        try:
            import pyarrow.parquet
        except ImportError as error:
            raise ImportError("removed.parquet is read with PyArrow: pip install pyarrow") from error
        written = io.BytesIO(_native.read_output(folder, "removed.parquet"))
        rows = pyarrow.parquet.read_table(written).to_pylist()
    else:
        rows = [json.loads(line) for line in _native.read_output(folder, "removed.jsonl").splitlines()]
    own = {source["name"] for source in report["sources"] if not source["against"]}
    columns = {name: [row.get(key) for row in rows] for name, key in _REMOVED.items()}
    kept = [row.get("kept_source") for row in rows]
    columns["against"] = [source is not None and source not in own for source in kept]
    return RemovedRows(columns)


def _title(source: Any, given: Documents) -> str:
    """What the page of a run without a folder is called."""
    if isinstance(given.native, list):
        return ", ".join(given.native)
    return f"{type(source).__name__} of {len(given)} documents"


def _page_of_folder(folder: str, native: Dict[str, Any]) -> Page:
    if "://" in folder:
        raise TargetError(f"a report is made from a folder on this machine; copy {folder} to one and run `lookalike report`")
    return Page(*_native.page_of_folder(folder, native))


def _page_of_memory(title: str, summary: str, examples: str) -> Page:
    return Page(*_native.page_of_memory(title, summary, examples))


_REMOVED = {
    "document": "id",
    "kept": "kept_id",
    "kind": "kind",
    "similarity": "similarity",
    "distance": "distance",
    "reason": "reason",
}
