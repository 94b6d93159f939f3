"""What the tests on Spark share."""

from __future__ import annotations

import os
import pathlib
import random
from typing import Any, Dict, List

from conftest import corpus

FULL = bool(os.environ.get("LOOKALIKE_SPARK_FULL"))
"""Whether tests are run that are like others, or that start clusters of their own."""
SCHEMA = "id string, text string, place bigint, score double, domain string, origin string"


def rows(documents: int, seed: int = 1) -> List[Dict[str, Any]]:
    """Documents with ids in any order, scores, domains and origins; some are odd."""
    rng = random.Random(seed)
    texts = corpus(documents, seed)
    texts += ["", " ", "one two", "one two", "nul \0 in it", "nul \0 in it", "日本語のテキストです", "日本語のテキストです"]
    texts += [f"{texts[0]} {word}" for word in ("and", "then", "some")]
    names = [f"doc-{rng.randrange(10**9)}-{at}" for at in range(len(texts))]
    return [
        {
            "id": name,
            "text": text,
            "place": at,
            "score": rng.choice([None, 0.5, 1.0, 2.0]),
            "domain": rng.choice(["a", "b", None]),
            "origin": rng.choice(["part-1", "part-2", "part-3"]),
        }
        for at, (name, text) in enumerate(zip(names, texts))
    ]


def comparable(report: Dict[str, Any]) -> Dict[str, Any]:
    """A report without what differs between runs, and between tables in memory and elsewhere."""
    plan = {name: value for name, value in report["plan"].items() if name != "input_bytes"}
    return {**report, "plan": plan, "run": None}


def removed_of(result: Any) -> List[Any]:
    """Removed documents as tuples, by id."""
    shown = result.removed.select("id", "kept_id", "kind", "similarity", "distance", "reason")
    return sorted(tuple(row) for row in shown.collect())


def lose(monkeypatch: Any, method: str, folder: str) -> None:
    """What one task writes into folders of this name goes to a folder of the same name on another host."""
    from pyspark.sql.readwriter import DataFrameWriter

    made = getattr(DataFrameWriter, method)

    def write(self: Any, path: str, *rest: Any, **more: Any) -> None:
        made(self, path, *rest, **more)
        if pathlib.Path(path).name.startswith(folder):
            sorted(pathlib.Path(path).glob("part-*"))[0].unlink()

    monkeypatch.setattr(DataFrameWriter, method, write)
