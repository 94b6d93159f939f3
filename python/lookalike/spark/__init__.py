"""The same job on a cluster, with Apache Spark as the engine.

    from lookalike import spark as lookalike_spark
    result = lookalike_spark.dedup(df, text="text", id="id", threshold=0.8, checkpoint="hdfs://cluster/dedup/run-1")
    result.kept, result.removed, result.report

The answer is that of `lookalike.dedup` on the same documents, document for document, for any number of partitions and
executors. Each stage is a file of this package and a folder of the checkpoint:

    documents -> keys -> edges -> sets -> decide, or pairs

`docs/spark.md` is the page for people with a cluster.
"""

from __future__ import annotations

try:
    import pyspark as _pyspark
except ImportError as error:
    raise ImportError('lookalike.spark needs PySpark: pip install "lookalike[spark]"') from error

from .check import check
from .jobs import clusters, dedup, pairs, sketch
from .planning import Plan, plan
from .result import Deduplication
from .shipping import ship
from .sketches import Sketches

__all__ = ["Deduplication", "Plan", "Sketches", "check", "clusters", "dedup", "pairs", "plan", "ship", "sketch"]
