"""Uses of the building blocks that mypy checks; it is not run."""

from __future__ import annotations

import numpy
from numpy.typing import NDArray

from lookalike import (
    LSH,
    BBitMinHash,
    Estimate,
    HammingIndex,
    HyperLogLog,
    MinHash,
    SCurve,
    Shingler,
    Signature,
    Signatures,
    SimHash,
    WeightedMinHash,
    similarity,
)


def use() -> None:
    shingler: Shingler = Shingler("words:3", case="keep")
    hashes: NDArray[numpy.uint64] = shingler.set("text")
    hasher = MinHash(64, shingler=shingler)
    signature: Signature = hasher.sketch(hashes)
    hasher.sketch(["a", b"b", 3])
    hasher.sketch({"a", "b"})
    batch: Signatures = hasher.sketch_texts(["a", "b"])
    first: Signature = batch[0]
    rest: Signatures = batch[1:]
    estimate: Estimate = signature.estimate(first)
    similarity_of: float = estimate.similarity
    short: BBitMinHash = (signature | first).bbit(2)
    index = LSH(0.5, 64)
    index.insert_many(range(len(rest)), rest)
    index.insert(("any", 1), signature)
    for key, score in index.query(signature):
        print(key, score + similarity_of)
    probabilities: NDArray[numpy.float64] = index.curve.probability(numpy.linspace(0, 1))
    one: float = SCurve(20, 5).probability(0.5)
    fingerprint: int = SimHash().fingerprint({"a": 1.0})
    near: list[list[tuple[object, int]]] = HammingIndex([fingerprint]).query_many([1, 2])
    weighted: Signature = WeightedMinHash().sketch({"a": 1.0})
    exact: float = similarity.jaccard({"a"}, ["b"])
    count = HyperLogLog(12)
    count.update(["a", b"b", 3])
    different: float = (count | count.copy()).cardinality().size
    kept: BBitMinHash = index.get("a")
    print(short, probabilities, one, near, weighted, exact, different, kept, index.nbytes)
