"""The results of jobs."""

from __future__ import annotations

import html
import json
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    overload,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._options import RESOURCES, whole
from ._plots import new_axes
from .pages import Page

__all__ = [
    "Alternative",
    "Cluster",
    "Clusters",
    "Comparison",
    "Deduplication",
    "Match",
    "OwnItem",
    "Pair",
    "Pairs",
    "Passage",
    "Plan",
    "Removed",
    "RemovedRows",
    "Sample",
    "SharedItem",
    "SketchEstimate",
    "Tables",
    "ValueComparison",
]

Key = Any
"""A document. For documents in memory it is the row, counted from 0, or the id, if a column of ids was named. In
files it is the id or `source:line`."""

Row = TypeVar("Row")


class Removed(NamedTuple):
    """A document that was removed, and why."""

    document: Key
    """The removed document."""
    kept: Optional[Key]
    """The kept document that it duplicates; None for a bad record."""
    kind: str
    """"exact", "near" or "bad"."""
    similarity: Optional[float]
    """The exact similarity of the two documents; None if it was not verified."""
    against: bool = False
    """True if the kept document is one of `against`."""
    distance: Optional[int] = None
    """The Hamming distance of the two documents, with SimHash."""
    reason: Optional[str] = None
    """Why a record is bad, or that a pair was not verified."""

    def __repr__(self) -> str:
        return _shown_row(self)


class Pair(NamedTuple):
    """Two documents at least as similar as the threshold; `a` comes first in the input."""

    a: Key
    b: Key
    similarity: Optional[float]
    """The exact similarity; None with `verify="none"`."""
    distance: Optional[int] = None
    """The Hamming distance of the two documents, with SimHash."""

    def __repr__(self) -> str:
        return _shown_row(self)


class Match(NamedTuple):
    """A document that is similar to the text of a query."""

    document: Key
    similarity: float


class Cluster(NamedTuple):
    """A kept document and the documents that are similar to it."""

    kept: Key
    others: List[Key]
    similarities: List[Optional[float]]
    """The similarities of the others to the kept document."""

    @property
    def members(self) -> List[Key]:
        """All documents of the cluster, the kept one first."""
        return [self.kept, *self.others]


class Passage(NamedTuple):
    """A passage that is in both texts: `a_text[a[0]:a[1]]` and `b_text[b[0]:b[1]]`."""

    a: Tuple[int, int]
    b: Tuple[int, int]
    shingles: int
    moved: bool
    """Whether it stands elsewhere in the other text, or is repeated."""
    place: str = "in-order"
    """"in-order", "moved", "repeated-in-a" or "repeated-in-b"."""


class SketchEstimate(NamedTuple):
    """What a sketch makes of two texts, beside the exact value."""

    sketch: str
    """As in "MinHash, 128 hashes"."""
    measure: str
    """"Jaccard" or "cosine"."""
    estimate: float
    standard_error: float
    """As the theory has it."""
    exact: float


class Alternative(NamedTuple):
    """Bands and rows that a plan could have."""

    bands: int
    rows: int
    chosen: bool
    """Whether a run with these settings has them."""
    recall: float
    """The chance of finding a pair at the threshold."""
    half_at: float
    """The similarity at which half of the pairs are found."""
    false_positive_area: float
    """The area below the curve left of the threshold: pairs that are compared in vain."""
    false_negative_area: float
    """The area above the curve right of the threshold: pairs that are missed."""


class Tables(NamedTuple):
    """A way to cut fingerprints into blocks, with SimHash."""

    blocks: int
    tables: int
    equal_bits: int
    """Bits that must agree."""
    chosen: bool
    """Whether a run with these settings has them."""
    candidates_per_query: float
    """Candidates by chance."""
    bytes: int
    """Bytes of all tables."""


class Sample(NamedTuple):
    """What a sample of texts says about a plan."""

    documents: int
    """Documents that it was taken from."""
    sampled: int
    """Documents in it."""
    histogram: List[int]
    """Its pairs by exact similarity, in twentieths: `[0, 0.05)` first, exactly 1 last."""
    expected_candidates: float
    """Pairs that a run on the documents planned for would compare."""
    shared_by_k: Dict[int, float]
    """The share of a document's shingles that an unrelated one has too, by the length of shingles: the median."""
    suggested_shingles: Optional[str]
    """Shingles of the least length for which that share is below 0.01; none if there is no such length."""


class _Tabular:
    """A result with columns, for other libraries."""

    _documents: Tuple[str, ...] = ()
    """The columns that name documents."""

    def to_dict(self) -> Dict[str, List[Any]]:
        """The columns, by name."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """A Polars DataFrame."""
        import polars

        return polars.DataFrame(self.to_arrow())

    def to_arrow(self) -> Any:
        """A PyArrow table."""
        import pyarrow

        types = {"similarity": pyarrow.float64(), "distance": pyarrow.int64(), "reason": pyarrow.string()}
        types.update({"kind": pyarrow.string(), "against": pyarrow.bool_(), "cluster": pyarrow.int64()})
        columns = self.to_dict()
        for name in self._documents:
            kinds = {type(value) for value in columns[name]} - {type(None)}
            if len(kinds) > 1:
                # Row numbers and names are mixed: convert all of them to names.
                columns[name] = [None if value is None else str(value) for value in columns[name]]
            if not kinds:
                types[name] = pyarrow.int64()
        arrays = {name: pyarrow.array(column, types.get(name)) for name, column in columns.items()}
        return pyarrow.table(arrays)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


class _Rows(_Tabular, Sequence[Row]):
    """Rows that can be read one by one, or passed to another library."""

    _row_type: Callable[..., Row]
    _names: Tuple[str, ...] = ()

    def __init__(self, columns: Dict[str, List[Any]]) -> None:
        self._columns = columns

    def _row(self, at: int) -> Row:
        make: Callable[..., Row] = type(self)._row_type
        return make(*(self._columns[name][at] for name in self._names))

    def __len__(self) -> int:
        return len(self._columns[self._names[0]])

    @overload
    def __getitem__(self, at: int) -> Row: ...

    @overload
    def __getitem__(self, at: slice) -> List[Row]: ...

    def __getitem__(self, at: Union[int, slice]) -> Union[Row, List[Row]]:
        if isinstance(at, slice):
            return [self._row(row) for row in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(f"row {at} of {len(self)}")
        return self._row(at % len(self))

    def __iter__(self) -> Iterator[Row]:
        return (self._row(at) for at in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rows) and self._columns == other._columns

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(row) for row in self[:3])
        more = f", ... {len(self) - 3} more" if len(self) > 3 else ""
        return f"{type(self).__name__}([{shown}{more}])"

    def to_dict(self) -> Dict[str, List[Any]]:
        """The columns, by name."""
        return {name: list(self._columns[name]) for name in self._names}

    def _repr_html_(self) -> str:
        usual = getattr(type(self)._row_type, "_field_defaults", {})
        # Columns that contain only default values are not shown.
        told = [
            name
            for name in self._names
            if name not in usual or any(value != usual[name] for value in self._columns[name])
        ]
        rows = [[self._columns[name][at] for name in told] for at in range(min(len(self), 10))]
        return _html_table(told, rows, len(self))


class RemovedRows(_Rows[Removed]):
    """The removed documents, in input order: `Removed` one by one, or as a table."""

    _row_type = Removed
    _names = Removed._fields
    _documents = ("document", "kept")


class Pairs(_Rows[Pair]):
    """Verified pairs, in input order: `Pair` one by one, or as a table."""

    _row_type = Pair
    _names = Pair._fields
    _documents = ("a", "b")

    def __init__(self, columns: Dict[str, List[Any]], summary: Dict[str, Any]) -> None:
        super().__init__(columns)
        self.summary = summary
        """What the run says about itself, as in `report.json`."""


class Clusters(_Tabular, Sequence[Cluster]):
    """Clusters of at least two documents, in input order of the kept documents: `Cluster` one by one, or as a table
    with a row for each member."""

    _documents = ("document",)

    def __init__(self, clusters: List[Cluster], summary: Dict[str, Any]) -> None:
        self._clusters = clusters
        self.summary = summary
        """What the run says about itself, as in `report.json`."""

    def __len__(self) -> int:
        return len(self._clusters)

    @overload
    def __getitem__(self, at: int) -> Cluster: ...

    @overload
    def __getitem__(self, at: slice) -> List[Cluster]: ...

    def __getitem__(self, at: Union[int, slice]) -> Union[Cluster, List[Cluster]]:
        return self._clusters[at]

    def to_dict(self) -> Dict[str, List[Any]]:
        """The members of all clusters: the number of the cluster, the document, its similarity to the kept document."""
        rows: List[Tuple[int, Key, Optional[float]]] = []
        for number, cluster in enumerate(self):
            rows.append((number, cluster.kept, 1.0))
            rows.extend((number, *member) for member in zip(cluster.others, cluster.similarities))
        numbers, documents, similarities = zip(*rows) if rows else ((), (), ())
        return {"cluster": list(numbers), "document": list(documents), "similarity": list(similarities)}

    def __repr__(self) -> str:
        documents = sum(len(cluster.others) + 1 for cluster in self)
        return f"<{len(self)} clusters of {documents} documents>"

    def _repr_html_(self) -> str:
        rows = [(cluster.kept, ", ".join(map(str, cluster.others[:10]))) for cluster in self[:10]]
        return _html_table(("kept", "others"), rows, len(self))


class Deduplication:
    """What a dedup decided: `removed`, the `summary`, and the page of `report()`.

    In a notebook it is displayed with the similarities of the removed documents.
    """

    def __init__(
        self,
        removed: Union[RemovedRows, Callable[[], RemovedRows]],
        summary: Dict[str, Any],
        page: Callable[[], Page],
        mask: Optional[NDArray[np.bool_]] = None,
    ) -> None:
        self._removed = removed
        self._page = page
        self.summary = summary
        """What the run says about itself, as in `report.json`."""
        self.mask = mask
        """For documents in memory: an array of bool, true for kept rows."""

    @property
    def removed(self) -> RemovedRows:
        """Every removed document with the kept document that it duplicates, in input order.

        If the run wrote to a folder, they are read from there at the first access.
        """
        if not isinstance(self._removed, RemovedRows):
            self._removed = self._removed()
        return self._removed

    @property
    def documents(self) -> int:
        """How many documents there were."""
        return int(self.summary["counts"]["documents"])

    @property
    def recall(self) -> Optional[float]:
        """The share of the duplicates that was found, by the run's own estimate; none where nothing is estimated. If an index
        was asked, at most the chance that it finds a document at the threshold."""
        recall, index = self.summary["recall"], self.summary.get("against_index")
        chance = 1.0 if index is None else float(index["recall_at_threshold"])
        return None if recall is None else min(float(recall["estimate"]), chance)

    def report(self) -> Page:
        """The run as a page: the plan, similarities, clusters, and examples with their texts side by side.

        Of a run into a folder it is the page of `lookalike report`, made from the folder and the sources as they are now.
        Of what was handed over in memory it has the same but the nearest misses, which only a folder keeps. Of files without
        `output` it has no texts either; `note` of the page says so.

        >>> import lookalike
        >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose; is a rose"]
        >>> kept, result = lookalike.dedup(texts, shingles="words:3")
        >>> "A rose is a rose; is a rose" in result.report().html
        True
        """
        return self._page()

    def __repr__(self) -> str:
        counts = self.summary["counts"]
        recall = "" if self.recall is None else f", recall {self.recall:.4f}"
        return (
            f"<{counts['documents']} documents: {counts['kept']} kept, {counts['exact']} exact copies and "
            f"{counts['near']} near-duplicates removed{recall}>"
        )

    def _repr_html_(self) -> str:
        threshold = float(self.summary["settings"]["threshold"])
        figure = _native.histogram_svg(self.summary["histogram"], threshold)
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{figure}{self.removed._repr_html_()}"

    def plot(self, ax: Any = None) -> Any:
        """A histogram of the similarities of removed near-duplicates, with the probability of being found.

        It needs matplotlib.
        """
        ax = new_axes() if ax is None else ax
        found = self.summary["histogram"]
        edges = np.linspace(0.0, 1.05, len(found) + 1)
        ax.bar(edges[:-1], found, width=0.05, align="edge", label="removed near-duplicates")
        ax.set_xlabel("similarity to the kept document")
        ax.set_ylabel("documents")
        chance = ax.twinx()
        at = np.linspace(0.0, 1.0, 201)
        options = {**dict.fromkeys(RESOURCES), "settings": json.dumps(self.summary["settings"])}
        chance.plot(at, _native.chances(options, at.tolist()), color="C1")
        chance.set_ylabel("chance of being found")
        chance.set_ylim(0, 1.02)
        ax.axvline(self.summary["settings"]["threshold"], color="grey", linestyle="--")
        return ax


class Comparison(Page):
    """How similar two texts are, exactly, what sketches make of it, and what the texts share.

    In a notebook it shows both texts side by side; `html` is that page, and `save` writes it.
    """

    def __init__(self, a: str, b: str, found: Dict[str, Any], options: Dict[str, Any]) -> None:
        super().__init__("")
        self._texts = (a, b)
        self._options = options
        self.similarity: float = found["similarity"]
        """What the threshold is for, exactly: `jaccard`, or with containment the part of the smaller one that is in the
        other."""
        self.jaccard: float = found["jaccard"]
        """The number of shared shingles divided by the number of shingles in either text."""
        self.containment_a: float = found["containment_a"]
        """The share of A that is in B."""
        self.containment_b: float = found["containment_b"]
        """The share of B that is in A."""
        self.shingles: Tuple[int, int] = (found["shingles_a"], found["shingles_b"])
        """The numbers of different shingles of A and of B."""
        self.shared: int = found["shared"]
        """Different shingles that are in both."""
        self.threshold: float = found["threshold"]
        """The similarity from which the two are duplicates."""
        self.chance: float = found["chance"]
        """The chance that a run with these settings compares the two."""
        self.plan: str = found["plan"]
        """What such a run finds pairs by: "21 bands of 6 rows"."""
        self.estimates: List[SketchEstimate] = [SketchEstimate(*estimate) for estimate in found["estimates"]]
        """What sketches make of the pair."""
        self.passages: List[Passage] = [Passage(*passage) for passage in found["passages"]]
        """The shared passages, in characters of the texts as they are."""

    def __repr__(self) -> str:
        return f"<jaccard {self.jaccard:.4f}, {self.shared} shared shingles in {len(self.passages)} passages>"

    @property
    def html(self) -> str:
        """Both texts side by side as one page, from `<!DOCTYPE html>` on."""
        if not self._html:
            self._html = _native.compare_page(*self._texts, self._options)
        return self._html


class SharedItem(NamedTuple):
    """An item that two sets share."""

    item: Union[str, int, float]
    weight_a: float
    """Its weight in A; 1 without weights."""
    weight_b: float


class OwnItem(NamedTuple):
    """An item that only one of two sets has."""

    item: Union[str, int, float]
    weight: float
    """Its weight; 1 without weights."""


class ValueComparison:
    """How similar two sets, fingerprints or vectors are, exactly, and what sets share."""

    def __init__(self, found: Dict[str, Any]) -> None:
        self.similarity: float = found["similarity"]
        """What a run lists; of fingerprints, the share of equal bits."""
        self.distance: Optional[float] = found["distance"]
        """The number of bits in which fingerprints differ, or the Euclidean distance of vectors."""
        self.bits: Optional[int] = found["bits"]
        """The bits of fingerprints."""
        self.cosine: Optional[float] = found.get("cosine")
        """The cosine of vectors."""
        self.degrees: Optional[float] = found.get("degrees")
        """The angle between vectors."""
        self.shared: List[SharedItem] = [
            SharedItem(item["item"], item["weight_a"], item["weight_b"]) for item in found["shared"]
        ]
        """The items that both sets have."""
        self.only_a: List[OwnItem] = [OwnItem(item["item"], item["weight"]) for item in found["only_a"]]
        """The items that only A has."""
        self.only_b: List[OwnItem] = [OwnItem(item["item"], item["weight"]) for item in found["only_b"]]
        """The items that only B has."""
        self.duplicate: bool = found["duplicate"]
        """True if the settings make the two duplicates."""
        self.chance: float = found["plan"]["probability"]
        """The chance that a run with these settings compares the two."""
        self.plan: str = found["plan"]["label"]
        """What such a run finds pairs by: "21 bands of 6 rows"."""

    def __repr__(self) -> str:
        verdict = "a duplicate" if self.duplicate else "no duplicate"
        return f"<similarity {self.similarity:.4f}, {verdict}>"


class Plan:
    """What a run with the given settings would find and cost."""

    def __init__(self, found: Dict[str, Any], options: Dict[str, Any]) -> None:
        self._options = options
        self.bands: int = found["bands"]
        """The number of bands; with SimHash, of tables."""
        self.rows: int = found["rows"]
        """The number of rows in a band; 0 with SimHash."""
        self.recall: float = found["recall"]
        """The probability of finding a pair at the threshold; with containment, of a document of `shingles` shingles."""
        self.short_up_to: int = found["short_up_to"]
        """Documents of at most this many distinct shingles are short: no similar pair of them is missed. 0 if all
        documents are found in the same way."""
        self.shingles: Optional[int] = found["shingles"]
        """The size of the document that `recall` and `curve` are for; None if the size does not matter."""
        self.recall_by_shingles: Dict[int, float] = found["by_shingles"]
        """With containment, the probability at the threshold by the number of shingles of the contained document.
        Short documents are found less often. Empty if the size does not matter."""
        self.threshold: float = found["threshold"]
        self.hashes: int = found["hashes"]
        self.least_memory: int = found["least_memory"]
        """The smallest memory, in bytes, for this many documents."""
        self.disk_bytes: int = found["disk_bytes"]
        """Bytes on disk while it runs, about."""
        self.disk_bytes_with_keys: int = found["disk_bytes_with_keys"]
        """The same if memory is short, without what is spilled to verify."""
        self.curve: NDArray[np.float64] = np.array(found["curve"])
        """The probabilities of finding a pair, at evenly spaced similarities from 0 to 1. With SimHash, the
        probabilities that the fingerprints are within the distance, at cosine similarities of the documents."""
        self._drawn_threshold: Optional[float] = found["drawn_threshold"]
        self._label: str = found["label"]
        explained = json.loads(found["explained"])
        self.alternatives: List[Alternative] = [_alternative(each) for each in explained["alternatives"]]
        """Bands and rows, the chosen ones and others; empty unless pairs are found by bands."""
        self.tables: List[Tables] = [Tables(**each) for each in explained["tables"]]
        """The ways to cut fingerprints into blocks, with SimHash."""
        self.sample: Optional[Sample] = _sample(explained)
        """What the sample says; none unless one was given."""

    @overload
    def probability(self, similarity: float, shingles: Optional[int] = None) -> float: ...

    @overload
    def probability(self, similarity: ArrayLike, shingles: Optional[int] = None) -> NDArray[np.float64]: ...

    def probability(
        self, similarity: ArrayLike, shingles: Optional[int] = None
    ) -> Union[float, NDArray[np.float64]]:
        """The probability of finding a pair of this similarity (limited to 0 to 1); for an array, of each value.

        With containment, the probability for a document of this many `shingles` (default: those of the plan).
        With SimHash, the probability that the fingerprints are within the distance, by cosine similarity.

        >>> import lookalike
        >>> plan = lookalike.plan(measure="containment")
        >>> round(plan.probability(0.8), 2), round(plan.probability(0.8, shingles=10), 2)
        (0.99, 0.66)
        """
        asked = np.clip(np.asarray(similarity, dtype=np.float64), 0.0, 1.0)
        size = () if shingles is None else (whole("shingles", shingles),)
        chance = np.array(_native.chances(self._options, asked.ravel().tolist(), *size)).reshape(asked.shape)
        return float(chance) if chance.ndim == 0 else chance

    def __repr__(self) -> str:
        if self.shingles is None:
            return f"<{self._label}: a pair at {self.threshold} is found with probability {self.recall:.4f}>"
        few = min(self.recall_by_shingles, key=lambda size: abs(size - 10))
        return (
            f"<{self._label}: at {self.threshold} a document of {self.shingles} shingles is found with probability "
            f"{self.recall:.4f}, one of {few} with {self.recall_by_shingles[few]:.4f}>"
        )

    def _repr_html_(self) -> str:
        curve = _native.curve_svg(self._label, self.curve.tolist(), self._drawn_threshold)
        if self.sample is None:
            return curve
        expected = f"{self.sample.expected_candidates:,.0f} expected candidates"
        figure = _native.histogram_svg(self.sample.histogram, self.threshold)
        return f"{curve}<p>Pairs of {self.sample.sampled} sampled documents by similarity; {expected}</p>{figure}"

    def plot(self, ax: Any = None) -> Any:
        """The S-curve; needs matplotlib."""
        ax = new_axes() if ax is None else ax
        ax.plot(np.linspace(0.0, 1.0, len(self.curve)), self.curve, label=self._label)
        if self._drawn_threshold is not None:
            ax.axvline(self._drawn_threshold, color="grey", linestyle="--")
        ax.set_xlabel("similarity")
        ax.set_ylabel("chance of being found")
        ax.set_ylim(0, 1.02)
        ax.legend()
        return ax


def _alternative(written: Dict[str, Any]) -> Alternative:
    return Alternative(recall=written.pop("recall_at_threshold"), **written)


def _sample(explained: Dict[str, Any]) -> Optional[Sample]:
    written = explained["sample"]
    if written is None:
        return None
    return Sample(
        written["documents"],
        written["sampled"],
        written["histogram"],
        written["expected_candidates"],
        dict(written["shared_by_k"]),
        explained["suggested_shingles"],
    )


def _shown_row(row: Any) -> str:
    """The text of a named tuple, without fields that have their default."""
    usual = row._field_defaults
    told = {name: value for name, value in zip(row._fields, row) if name not in usual or value != usual[name]}
    return f"{type(row).__name__}({', '.join(f'{name}={value!r}' for name, value in told.items())})"


def _html_table(names: Sequence[str], rows: Sequence[Sequence[Any]], total: int) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_shown(value))}</td>" for value in row) + "</tr>" for row in rows
    )
    more = f"<p>and {total - len(rows)} more</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
