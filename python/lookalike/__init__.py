"""Finds near-duplicates and similar documents, exactly and fast.

>>> import lookalike
>>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose; is a rose"]
>>> kept, result = lookalike.dedup(texts, shingles="words:3")
>>> kept
['a rose is a rose is a rose', 'to be or not to be']

Whole jobs take lists of strings, pandas, Polars and PyArrow, Hugging Face datasets, any object with an Arrow
interface, and files: `dedup`, `pairs`, `clusters`, `query`, `compare`, `plan`. `link` finds the records of two tables that
describe the same thing. `Options` lists their settings, and
`lookalike.errors` their errors. The building blocks are `Shingler`, `MinHash`, `Signature`, `BBitMinHash`,
`WeightedMinHash`, `SimHash`, `LSH`, `HammingIndex`, `SCurve` and `HyperLogLog`. `Index` keeps documents in a
folder.
"""

from __future__ import annotations

from . import arrow, compat, errors, similarity
from ._native import (
    LSH,
    ArrowTable,
    BBitMinHash,
    HammingIndex,
    HyperLogLog,
    MinHash,
    SCurve,
    Shingler,
    Signature,
    Signatures,
    SimHash,
    WeightedMinHash,
    __version__,
)
from ._options import Options, defaults, presets
from .errors import (
    BadRecordError,
    DamagedError,
    DuplicateIdError,
    FileError,
    IncompatibleError,
    InternalError,
    InUseError,
    LookalikeError,
    MemoryLimitError,
    NotFoundError,
    SettingError,
    TargetError,
    UnknownIdError,
)
from .estimates import AngleEstimate, Cardinality, Estimate
from .index import Answer, Checked, Index, IndexDocument, IndexMatch
from .jobs import clusters, compare, dedup, pairs, plan, query
from .pages import Page
from .records import (
    RecordClusters,
    RecordDeduplication,
    RecordModel,
    RecordOptions,
    RecordPair,
    RecordPairs,
    RecordRemoved,
    RecordRemovedRows,
    link,
)
from .results import (
    Alternative,
    Cluster,
    Clusters,
    Comparison,
    Deduplication,
    Match,
    OwnItem,
    Pair,
    Pairs,
    Passage,
    Plan,
    Removed,
    RemovedRows,
    Sample,
    SharedItem,
    SketchEstimate,
    Tables,
    ValueComparison,
)

__all__ = [
    "Alternative",
    "AngleEstimate",
    "Answer",
    "ArrowTable",
    "BBitMinHash",
    "BadRecordError",
    "Cardinality",
    "Checked",
    "Cluster",
    "Clusters",
    "Comparison",
    "DamagedError",
    "Deduplication",
    "DuplicateIdError",
    "Estimate",
    "FileError",
    "HammingIndex",
    "HyperLogLog",
    "InUseError",
    "IncompatibleError",
    "Index",
    "IndexDocument",
    "IndexMatch",
    "InternalError",
    "LSH",
    "LookalikeError",
    "Match",
    "MemoryLimitError",
    "MinHash",
    "NotFoundError",
    "Options",
    "OwnItem",
    "Page",
    "Pair",
    "Pairs",
    "Passage",
    "Plan",
    "RecordClusters",
    "RecordDeduplication",
    "RecordModel",
    "RecordOptions",
    "RecordPair",
    "RecordPairs",
    "RecordRemoved",
    "RecordRemovedRows",
    "Removed",
    "RemovedRows",
    "SCurve",
    "Sample",
    "SettingError",
    "SharedItem",
    "Shingler",
    "Signature",
    "Signatures",
    "SimHash",
    "SketchEstimate",
    "Tables",
    "TargetError",
    "UnknownIdError",
    "ValueComparison",
    "WeightedMinHash",
    "__version__",
    "arrow",
    "clusters",
    "compare",
    "compat",
    "dedup",
    "defaults",
    "errors",
    "link",
    "pairs",
    "plan",
    "presets",
    "query",
    "similarity",
]
