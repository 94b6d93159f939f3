"""The parts of datasketch that `lookalike.compat.datasketch` does not have, and what to use instead."""

from __future__ import annotations

_NEIGHBOURS = "MinHashLSHForest finds the most similar sets; for HNSW keep datasketch for that part"
_AT_ONCE = "import AsyncMinHashLSH from lookalike.compat.datasketch.aio"
_BLOOM = "MinHashLSH takes a fraction of the memory of datasketch's"

INSTEAD = {
    "HNSW": _NEIGHBOURS,
    "MinHashLSHBloom": _BLOOM,
    "experimental": _AT_ONCE,
    "hnsw": _NEIGHBOURS,
    "lsh_bloom": _BLOOM,
    "lshensemble_partition": "MinHashLSHEnsemble makes its partitions itself",
    "storage": 'indexes are kept in memory, or in a folder with storage_config={"type": "lookalike", "path": ...}',
}


def absent(name: str) -> ImportError:
    """The error for a missing name, or for the missing module of that name."""
    return ImportError(f"lookalike.compat.datasketch has no {name}: {INSTEAD[name]}", name=name)
