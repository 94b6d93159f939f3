"""The stages of `dedup` with Ray Data as the engine: the costly stages are `map_batches` and `map_groups`.

    removed = removed_documents(documents, threshold=0.8)

`documents` is a dataset with an `id` (64-bit integers, unique, in input order) and a `text`. The answer has the rows of
`lookalike.dedup`: id, kept, kind, similarity. Edges, which only documents with a shared key have, are put together here.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from lookalike.arrow import Stages, copies, edges, key_blocks, large_star, small_star


def removed_documents(documents: Any, **options: Any) -> pa.Table:
    """The documents that `dedup` removes, by id. `documents` is a Ray dataset; it is read twice."""
    # All workers must have the same key, so the stages are made once and sent to them.
    stages = Stages(**options)
    sketches = documents.map_batches(_of_stage(stages.sketch), batch_format="pyarrow").materialize()
    repeated = _table(sketches.groupby("content_hash").map_groups(_of_stage(copies), batch_format="pyarrow"))
    copied = repeated["id"] if repeated.num_rows else pa.array([], pa.int64())
    blocks = sketches.map_batches(lambda batch: _blocks_without(batch, copied), batch_format="pyarrow")
    found = _table(blocks.groupby("block").map_groups(_of_stage(edges), batch_format="pyarrow"))
    component = _components(found) if found.num_rows else {}
    members = _with_component(documents, component)
    near = _table(members.groupby("component").map_groups(lambda batch: _decided(stages, batch), batch_format="pyarrow"))
    if not repeated.num_rows:
        return near
    joined = repeated.join(near, "original", "id", "left outer") if near.num_rows else _without_decisions(repeated)
    copies_removed = pa.table(stages.removed_copies(joined))
    return pa.concat_tables([near, copies_removed]) if near.num_rows else copies_removed


def _blocks_without(sketches: pa.Table, copied: Any) -> pa.Table:
    firsts = sketches.filter(pc.invert(pc.is_in(sketches["id"], value_set=copied)))
    return pa.table(key_blocks(firsts, blocks=16))


def _decided(stages: Stages, documents: pa.Table) -> pa.Table:
    """What is removed of a connected set. Its documents are sketched again, so that only their texts are moved."""
    sketches = pa.table(stages.sketch(documents.select(["id", "text"])))
    for name in ("text", "component"):
        sketches = sketches.append_column(name, documents[name])
    return pa.table(stages.decide(sketches))


def _of_stage(stage: Any) -> Any:
    return lambda batch: pa.table(stage(batch))


def _table(dataset: Any) -> pa.Table:
    """All rows of a dataset that is small by now."""
    import ray

    tables = [table for table in ray.get(dataset.to_arrow_refs()) if table.num_rows]
    return pa.concat_tables(tables) if tables else pa.table({})


def _with_component(dataset: Any, component: "dict[int, int]") -> Any:
    def add(batch: pa.Table) -> pa.Table:
        ids = batch["id"].to_pylist()
        kept = batch.filter(pa.array([each in component for each in ids], pa.bool_()))
        return kept.append_column("component", pa.array([component[each] for each in ids if each in component], pa.int64()))

    return dataset.map_batches(add, batch_format="pyarrow")


def _components(found: pa.Table) -> "dict[int, int]":
    """The connected set of each document that has an edge, by the smallest id in it."""
    known = None
    while known != (now := set(zip(found["a"].to_pylist(), found["b"].to_pylist()))):
        known = now
        both = pa.concat_tables([found, found.rename_columns(["b", "a"]).select(["a", "b"])])
        found = pa.table(small_star(pa.table(large_star(both))))
    return {**{b: b for _, b in now}, **dict(now)}


def _without_decisions(repeated: pa.Table) -> pa.Table:
    count = repeated.num_rows
    kinds = {"kept": pa.int64(), "kind": pa.string(), "similarity": pa.float64(), "distance": pa.int64(), "reason": pa.string()}
    for name, kind in kinds.items():
        repeated = repeated.append_column(name, pa.nulls(count, kind))
    return repeated
