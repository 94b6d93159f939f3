"""Files come in the order, and by the names, of a run on one machine."""

from __future__ import annotations

import pytest

from lookalike.errors import SettingError
from lookalike.spark.sources import files_of


def named(arguments: "list[str]", addresses: "list[str]") -> "list[str]":
    return [file.name for file in files_of(arguments, addresses, home="/home/me")]


@pytest.mark.parametrize(
    ("arguments", "addresses", "names"),
    [
        # In the order of the arguments; in a folder, by name.
        (["b", "a/"], ["file:///home/me/a/2", "file:///home/me/b/1", "file:/home/me/a/1"], ["b/1", "a/1", "a/2"]),
        (["in"], ["file:///home/me/in/in/in", "file:///home/me/in/a-b/x", "file:///home/me/in/a/x"], ["in/a-b/x", "in/a/x", "in/in/in"]),
        (["./in", "../up/x"], ["file:///home/up/x", "file:///home/me/in/a%20b%25"], ["./in/a b%", "../up/x"]),
        (["/data/*.parquet"], ["file:///data/b.parquet", "file:///data/a.parquet"], ["/data/a.parquet", "/data/b.parquet"]),
        (["file:///data/x", "y"], ["file:///home/me/y", "file:///data/x"], ["/data/x", "y"]),
        (["*/part-{1,20}*", "c"], ["file:///home/me/b/part-20x", "file:///home/me/c"], ["b/part-20x", "c"]),
        (["."], ["file:///home/me/c"], ["./c"]),
        (["a/[!x]?"], ["file:///home/me/a/yz"], ["a/yz"]),
        (["a*"], ["file:///home/me/ab/deep/er"], ["ab/deep/er"]),
        # Other file systems know what a path is relative to.
        (["hdfs://nn/in", "hdfs:///old"], ["hdfs://nn/old/x", "hdfs://nn/in/b=1/x"], ["hdfs://nn/in/b=1/x", "hdfs:///old/x"]),
        (["in/b*", "in/a"], ["hdfs://nn/user/me/in/a", "hdfs://nn/user/me/in/b1/x"], ["in/b1/x", "in/a"]),
        (["/in"], ["hdfs://nn/in/x"], ["/in/x"]),
        # What Spark finds in some other way comes last.
        (["s3a://b/in"], ["s3a://c/in/x", "s3a://b/in/x"], ["s3a://b/in/x", "s3a://c/in/x"]),
    ],
)
def test_names_and_order(arguments: "list[str]", addresses: "list[str]", names: "list[str]") -> None:
    assert named(arguments, addresses) == names


def test_a_file_that_is_named_twice() -> None:
    with pytest.raises(SettingError, match="is named by 'a' and by 'a/x'; name each file once"):
        named(["a", "a/x"], ["file:///home/me/a/x"])
