"""The parts of datasketch that `lookalike.compat.datasketch` does not have, and what to use instead."""

from __future__ import annotations

_CARDINALITY = (
    "MinHash.count() estimates the number of elements of a set; for HyperLogLog keep datasketch for that part"
)
_NEIGHBOURS = "MinHashLSHForest finds the most similar sets; for HNSW keep datasketch for that part"
_AT_ONCE = "MinHashLSH answers from memory without waiting; call it from the event loop as it is"
_BLOOM = "MinHashLSH takes a fraction of the memory of datasketch's"

INSTEAD = {
    "AsyncMinHashLSH": _AT_ONCE,
    "HNSW": _NEIGHBOURS,
    "HyperLogLog": _CARDINALITY,
    "HyperLogLogPlusPlus": _CARDINALITY,
    "MinHashLSHBloom": _BLOOM,
    "aio": _AT_ONCE,
    "experimental": _AT_ONCE,
    "hnsw": _NEIGHBOURS,
    "hyperloglog": _CARDINALITY,
    "hyperloglog_const": _CARDINALITY,
    "lsh_bloom": _BLOOM,
    "lshensemble_partition": "MinHashLSHEnsemble makes its partitions itself",
    "storage": "indexes are kept in memory; pickle them to store them",
}


def absent(name: str) -> ImportError:
    """The error for a missing name, or for the missing module of that name."""
    return ImportError(f"lookalike.compat.datasketch has no {name}: {INSTEAD[name]}", name=name)
