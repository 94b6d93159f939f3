"""The stages of `dedup` with DuckDB as the engine: it joins and groups, and the stages do the rest.

    removed = removed_documents(documents, threshold=0.8)

`documents` is an Arrow table with an `id` (64-bit integers, unique, in input order) and a `text`. The answer has the rows of
`lookalike.dedup`: id, kept, kind, similarity.
"""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
from lookalike.arrow import Stages, copies, edges, key_blocks, large_star, small_star


def removed_documents(documents: pa.Table, **options: Any) -> pa.Table:
    """The documents that `dedup` removes, by id."""
    stages = Stages(**options)
    engine = duckdb.connect()
    engine.register("documents", documents)
    engine.register("sketches", pa.table(stages.sketch(documents)))
    engine.register("copies", pa.table(copies(_ask(engine, "from sketches order by content_hash"))))
    blocks = pa.table(key_blocks(_ask(engine, "from sketches where id not in (select id from copies)"), blocks=16))
    engine.register("members", _members(engine, pa.table(edges(blocks))))
    near = pa.table(
        stages.decide(
            _ask(
                engine,
                "select sketches.*, text, component from members join sketches using (id) join documents using (id)",
            )
        )
    )
    engine.register("near", near)
    repeated = _ask(
        engine,
        "select copies.*, kept, kind, similarity, distance, reason from copies left join near on copies.original = near.id",
    )
    engine.register("repeated", pa.table(stages.removed_copies(repeated)))
    return _ask(engine, "from near union all from repeated order by id")


def _members(engine: Any, found: pa.Table) -> pa.Table:
    """The connected set of each document that has an edge, by the smallest id in it."""
    while True:
        engine.register("found", found)
        both = _ask(engine, "from found union all select b as a, a as b from found")
        engine.register("after", pa.table(small_star(pa.table(large_star(both)))))
        after = _ask(engine, "select distinct a, b from after order by a, b")
        if after.equals(found):
            return _ask(engine, "select a as id, b as component from found union select b, b from found")
        found = after


def _ask(engine: Any, question: str) -> pa.Table:
    return engine.sql(question).to_arrow_table()
