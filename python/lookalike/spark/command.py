"""The command: files in, files out.

    python -m lookalike.spark dedup 'in/*.parquet' -o out --master 'local[4]' --threshold 0.8
    python -m lookalike.spark script        # the file that spark-submit takes
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from .._options import FILES_ONLY, NAMES
from ..errors import LookalikeError, SettingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["main"]

_CALLED = {"text": "--text-field", "id": "--id-field"}
_LEFT_OUT = (*FILES_ONLY, "memory", "threads", "temp_dir")
_LISTS = ("prefer",)
_TEXTS = ("text", "id", "within", "keep", "source", "prefer")


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command; returns its exit code."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    if given.pop("command") == "script":
        print(os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py"))
        return 0
    try:
        _dedup(given)
    except (LookalikeError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lookalike.spark", description="lookalike on Apache Spark")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("script", help="print the path of the script that spark-submit takes")
    dedup = commands.add_parser("dedup", help="remove near-duplicates")
    dedup.add_argument("inputs", nargs="+", help="files, folders or patterns, with addresses that Spark knows")
    dedup.add_argument("-o", "--output", required=True, help="the folder for kept/, removed/ and report/")
    dedup.add_argument("--checkpoint", help="the folder from which a killed job goes on (default: the output, and .checkpoint)")
    dedup.add_argument("--master", help="where to run, as in local[4]; spark-submit says it otherwise")
    dedup.add_argument("--input-format", choices=["parquet", "json"], help="if the names of the files do not tell")
    dedup.add_argument("--against", action="append", help="also remove what duplicates a document in these files")
    dedup.add_argument("--against-only", action="store_true", help="compare documents only with those of --against")
    dedup.add_argument("--order", action="append", help="the column that says which document comes first; repeat it for more")
    dedup.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    options = dedup.add_argument_group("options of lookalike dedup, by the same names; see lookalike dedup --help")
    for name in NAMES:
        if name not in _LEFT_OUT:
            flag = _CALLED.get(name, "--" + name.replace("_", "-"))
            options.add_argument(flag, dest=name, action="append" if name in _LISTS else "store")
    return parser


def _dedup(given: Dict[str, Any]) -> None:
    from .files import dedup_files

    options = {name: _value(name, given[name]) for name in NAMES if given.get(name) is not None}
    spark = _session(given["master"], given["conf"])
    try:
        report = dedup_files(
            spark,
            given["inputs"],
            output=given["output"],
            checkpoint=given["checkpoint"],
            input_format=given["input_format"],
            against=given["against"],
            against_only=given["against_only"],
            order=given["order"],
            **options,
        )
    finally:
        spark.stop()
    counts = report["counts"]
    removed = f"{counts['exact']} exact copies and {counts['near']} near-duplicates removed"
    print(f"{counts['documents']} documents: {removed}, {counts['kept']} kept in {given['output']}", file=sys.stderr)


def _session(master: Optional[str], conf: List[str]) -> "SparkSession":
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("lookalike")
    if master is not None:
        builder = builder.master(master)
    for setting in conf:
        name, equals, value = setting.partition("=")
        if not equals:
            raise SettingError(f"--conf {setting} is not allowed: it is NAME=VALUE")
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _value(name: str, written: Any) -> Any:
    """A number if it is one."""
    if name in _TEXTS:
        return written
    try:
        return json.loads(written)
    except ValueError:
        return written
