"""The command: files in, files out.

    python -m lookalike.spark dedup 'in/*.parquet' -o out --master 'local[4]' --threshold 0.8
    python -m lookalike.spark script        # the file that spark-submit takes
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional

from .._options import FILES_ONLY, NAMES
from ..errors import LookalikeError, SettingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["main"]

_CALLED = {"text": "--text-field", "id": "--id-field"}
_LEFT_OUT = (*FILES_ONLY, "memory", "threads", "temp_dir")
_FILES = {"script": "__main__.py", "slurm": "slurm.sh"}
_LISTS = ("prefer",)
_TEXTS = ("text", "id", "within", "keep", "source", "prefer")
_INTERRUPTED = 130
"""The exit code after Ctrl-C, as that of a shell."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command; returns its exit code."""
    given = vars(_parser().parse_args(arguments))
    command = given.pop("command")
    if command in _FILES:
        print(os.path.join(os.path.dirname(os.path.abspath(__file__)), _FILES[command]))
        return 0
    try:
        _run(command, given)
    except (LookalikeError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted; the same command goes on from the last finished stage", file=sys.stderr)
        return _INTERRUPTED
    return 0


class _Command(NamedTuple):
    help: str
    output: Optional[str]
    """What the output is; None if there is none."""
    begins_from_sketches: bool
    has_against: bool


_COMMANDS = {
    "dedup": _Command("remove near-duplicates", "the folder for kept/, removed/ and report/", True, True),
    "pairs": _Command("list all pairs of similar documents", "the folder for the pairs, as JSON", True, False),
    "clusters": _Command("list all clusters of similar documents", "the folder for the clusters, as JSON", True, True),
    "sketch": _Command("hash the documents once, for later commands with --sketches", "the folder for the sketches", False, True),
    "plan": _Command("print what dedup would cost: rows, bytes, disk, CPU", None, False, False),
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lookalike.spark", description="lookalike on Apache Spark")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("script", help="print the path of the script that spark-submit takes")
    commands.add_parser("slurm", help="print the path of the script that starts Spark inside an allocation of Slurm")
    for name, command in _COMMANDS.items():
        _add_command(commands.add_parser(name, help=command.help), command)
    return parser


def _add_command(parser: argparse.ArgumentParser, command: _Command) -> None:
    parser.add_argument("inputs", nargs="+", help="files, folders or patterns, with addresses that Spark knows")
    if command.output is not None:
        parser.add_argument("-o", "--output", required=True, help=command.output)
    if command.begins_from_sketches:
        parser.add_argument("--checkpoint", help="the folder from which a killed job goes on (default: the output, and .checkpoint)")
        parser.add_argument("--sketches", help="the folder that the command sketch wrote for the same inputs")
        parser.add_argument("--order", action="append", help="the column that says which document comes first; repeat it for more")
    if command.has_against:
        parser.add_argument("--against", action="append", help="also remove what duplicates a document in these files")
        if command.begins_from_sketches:
            parser.add_argument("--against-only", action="store_true", help="compare documents only with those of --against")
    if command.output is None:
        parser.add_argument("--in-sets", type=float, help="the share of documents that share a key with another one (default: 0.3)")
        parser.add_argument("--machine-cores", type=int, help="the cores of the one machine to compare with (default: 16)")
    parser.add_argument("--master", help="where to run, as in local[4]; spark-submit says it otherwise")
    parser.add_argument("--input-format", choices=["parquet", "json"], help="if the names of the files do not tell")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    parser.add_argument("--ship", action="store_true", help="send the package to executors that do not have it")
    options = parser.add_argument_group("options of lookalike dedup, by the same names; see lookalike dedup --help")
    for name in NAMES:
        if name not in _LEFT_OUT:
            flag = _CALLED.get(name, "--" + name.replace("_", "-"))
            options.add_argument(flag, dest=name, action="append" if name in _LISTS else "store")


def _run(command: str, given: Dict[str, Any]) -> None:
    from . import files
    from .failures import translated
    from .shipping import ship

    given = {name: _value(name, value) if name in NAMES else value for name, value in given.items() if value is not None}
    inputs, master, conf, ships = given.pop("inputs"), given.pop("master", None), given.pop("conf"), given.pop("ship")
    functions: Dict[str, Callable[..., Any]] = {
        "dedup": files.dedup_files,
        "pairs": files.pairs_of_files,
        "clusters": files.clusters_of_files,
        "sketch": files.sketch_files,
        "plan": files.plan_of_files,
    }
    with translated():
        spark = _session(master, conf)
        try:
            if ships:
                ship(spark)
            found = functions[command](spark, inputs, **given)
        finally:
            spark.stop()
    if command == "plan":
        print(found)
        return
    print(_said(command, found, given["output"]), file=sys.stderr)


def _said(command: str, found: Any, output: str) -> str:
    """What a command says at its end."""
    if command == "dedup":
        counts = found["counts"]
        removed = f"{counts['exact']} exact copies and {counts['near']} near-duplicates removed"
        return f"{counts['documents']} documents: {removed}, {counts['kept']} kept in {output}"
    if command == "sketch":
        return f"{found.documents} documents are sketched in {output}; {found.in_sets} of them may have duplicates"
    return f"{found} {'pairs' if command == 'pairs' else 'members of clusters'} in {output}"


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
