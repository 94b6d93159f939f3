"""The job on Apache Spark against the command, on the same documents, in one warm session.

    python python/benchmarks/spark_jobs.py PATH/TO/lookalike FIXED.jsonl DOCUMENTS.jsonl [MORE.jsonl ...]

CPU seconds of the driver, the JVM and the Python workers; rows and bytes that are shuffled, from Spark's event log. Spark lets the system
forget workers that have ended, with their CPU time, so all processes are looked at ten times a second. The job on the first file is the fixed part. Both remove the same documents, or it fails. The formula of `lookalike.spark.plan` is printed beside what
was measured, and the script of today's kind (`spark_rival.py`) runs on the second file, with its wrong and missed removals.
"""

from __future__ import annotations

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Dict, List, Optional, Set, Tuple

import pyarrow
import pyarrow.json
import pyarrow.parquet
from pyspark.sql import SparkSession

from spark_rival import kept_for

from lookalike import spark as lookalike_spark
from lookalike.arrow import Stages

CORES = 2
os.environ["PYSPARK_PYTHON"] = sys.executable


LOOKS_PER_SECOND = 10


class Meter(threading.Thread):
    """Looks at all processes below this one again and again, and remembers the CPU time of each, also when it has ended."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        # By number and time of start, since numbers are used again: the group, and CPU seconds.
        self._known: Dict[Tuple[int, str], Tuple[str, float]] = {}
        self._lock = threading.Lock()
        self.start()

    def run(self) -> None:
        while True:
            self.look()
            time.sleep(1 / LOOKS_PER_SECOND)

    def look(self) -> None:
        tick = os.sysconf("SC_CLK_TCK")
        seen: Dict[int, Tuple[int, str, str, float]] = {}
        for folder in pathlib.Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
                except OSError:
                    continue
                fields = rest.split()
                seen[int(folder.name)] = (int(fields[1]), name, fields[19], (int(fields[11]) + int(fields[12])) / tick)
        with self._lock:
            for process, (parent, name, began, spent) in seen.items():
                while parent in seen and parent != os.getpid():
                    parent = seen[parent][0]
                if parent == os.getpid():
                    self._known[process, began] = ("JVM" if name == "java" else "workers", spent)

    def spent(self) -> Dict[str, float]:
        """CPU seconds by now: of this process, of the JVM, and of the Python workers."""
        self.look()
        used = resource.getrusage(resource.RUSAGE_SELF)
        found = {"driver": used.ru_utime + used.ru_stime, "JVM": 0.0, "workers": 0.0}
        with self._lock:
            for group, seconds in self._known.values():
                found[group] += seconds
        return found


METER = Meter()


def cpu() -> Dict[str, float]:
    return METER.spent()


def shuffled(log: pathlib.Path, seen: int) -> Tuple[int, int, int]:
    """Rows and bytes written for shuffles since the log had so many lines, and how many it has."""
    lines = [line for file in sorted(log.rglob("*")) if file.is_file() for line in file.read_text().splitlines()]
    rows = size = 0
    for line in lines[seen:]:
        if '"SparkListenerTaskEnd"' in line:
            metrics = json.loads(line).get("Task Metrics", {}).get("Shuffle Write Metrics", {})
            rows += metrics.get("Shuffle Records Written", 0)
            size += metrics.get("Shuffle Bytes Written", 0)
    return rows, size, len(lines)


def as_parquet(file: str, folder: pathlib.Path, name: Optional[str] = None) -> str:
    """The texts of a file with their line for an id, in files of a part each."""
    texts = [json.loads(line)["text"] for line in open(file, encoding="utf-8")]
    table = pyarrow.table({"id": pyarrow.array(range(1, len(texts) + 1), pyarrow.int64()), "text": texts})
    target = folder / (pathlib.Path(file).stem if name is None else name)
    target.mkdir()
    step = max(len(texts) // (4 * CORES), 1)
    for at in range(0, len(texts), step):
        pyarrow.parquet.write_table(table.slice(at, step), target / f"{at:012}.parquet")
    return str(target)


def plain(file: str, folder: pathlib.Path) -> str:
    """The file as it is, or without its compression, so that the command does not pay for that."""
    if not file.endswith(".zst"):
        return file
    target = folder / pathlib.Path(file).with_suffix("").name
    with pyarrow.input_stream(file, compression="zstd") as compressed, open(target, "wb") as out:
        shutil.copyfileobj(compressed, out)
    return str(target)


def main(program: str, *given: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = [plain(file, folder) for file in given]
        log = folder / "log"
        log.mkdir()
        builder = SparkSession.builder.master(f"local[{CORES}]").appName("benchmark")
        for setting, value in {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.driver.memory": "3g",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": log.as_uri(),
        }.items():
            builder = builder.config(setting, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        seen = 0
        fixed = 0.0
        # In a cold session the first job is mostly the JVM compiling itself.
        warm = spark.read.parquet(as_parquet(files[0], folder, "warm"))
        lookalike_spark.dedup(warm, id="id", checkpoint=str(folder / "warm-run")).kept.write.parquet(str(folder / "warm-kept"))
        _, _, seen = shuffled(log, seen)
        for at, file in enumerate(files):
            rows, fixed, seen = one(spark, program, file, folder, log, at, fixed, seen)
        spark.stop()


def one(
    spark: Any, program: str, file: str, folder: pathlib.Path, log: pathlib.Path, at: int, fixed: float, seen: int
) -> Tuple[int, float, int]:
    documents = as_parquet(file, folder)
    target = folder / f"one-{at}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "dedup", file, "-o", str(target), "--quiet"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    expected = sorted((row["line"], row["kept_line"], row["similarity"]) for row in removed_lines(target))
    start = cpu()
    result = lookalike_spark.dedup(spark.read.parquet(documents), id="id", checkpoint=str(folder / f"run-{at}"))
    result.kept.write.parquet(str(folder / f"kept-{at}"))
    result.removed.write.parquet(str(folder / f"removed-{at}"))
    spent = {name: value - start[name] for name, value in cpu().items()}
    found = pyarrow.parquet.read_table(folder / f"removed-{at}").select(["id", "kept_id", "similarity"]).to_pydict()
    assert sorted(zip(*found.values())) == expected, "Spark and the command decide differently"
    count = result.report["counts"]["documents"]
    rows, size, seen = shuffled(log, seen)
    total = sum(spent.values())
    parts = ", ".join(f"{name} {value:.1f}" for name, value in spent.items())
    print(f"{pathlib.Path(file).name}: {count} documents, {len(expected)} removed, the same ones")
    print(f"  lookalike dedup   {command:8.2f} CPU s")
    print(f"  on Spark          {total:8.2f} CPU s: {parts}")
    print(f"  ratio             {total / command:8.1f}" + (f", above the fixed part {(total - fixed) / command:.1f}" if at else ""))
    print(f"  shuffled          {rows / count:8.3f} rows and {size / count:.0f} bytes per document", flush=True)
    in_sets = members_of(spark, folder / f"run-{at}") / count
    plan = lookalike_spark.plan(spark.read.parquet(documents), id="id", in_sets=in_sets, show=False)
    planned = f"{plan.shuffled_rows / count:.3f} rows and {plan.shuffled_bytes / count:.0f} bytes, {plan.cpu_seconds:.1f} CPU s"
    print(f"  planned           {planned}; the command {plan.alone_cpu_seconds:.2f} CPU s; {in_sets:.1%} in sets", flush=True)
    _, _, seen = shuffled(log, seen)
    if at == 1:
        rival(spark, documents, folder, {row[0] for row in expected}, total)
        _, _, seen = shuffled(log, seen)
    return rows, fixed if at else total, seen


def members_of(spark: Any, place: pathlib.Path) -> int:
    """How many documents are in connected sets."""
    (rows,) = place.glob("sets-*")
    return int(spark.read.parquet(str(rows)).count())


def rival(spark: Any, documents: str, folder: pathlib.Path, ours: Set[int], our_cpu: float) -> None:
    """The script of today's kind on the same documents: its CPU, and which of its removals are wrong or missing."""
    start = cpu()
    frame = spark.read.parquet(documents)
    removed = kept_for(frame, str(folder / "rounds"))
    removed.write.parquet(str(folder / "rival"))
    frame.join(removed, "id", "left_anti").write.parquet(str(folder / "rival-kept"))
    spent = sum(cpu().values()) - sum(start.values())
    found = pyarrow.parquet.read_table(folder / "rival").to_pydict()
    texts = pyarrow.parquet.read_table(documents).to_pydict()
    text = dict(zip(texts["id"], texts["text"]))
    pairs = pyarrow.table(
        {
            "a": found["id"],
            "b": found["kept_id"],
            "a_text": [text[each] for each in found["id"]],
            "b_text": [text[each] for each in found["kept_id"]],
        }
    )
    verified = pyarrow.table(Stages(threshold=0.8).verify(pairs))
    wrong = verified["duplicate"].to_pylist().count(False)
    missed = len(ours - set(found["id"]))
    print(f"  today's script    {spent:8.2f} CPU s, {spent / our_cpu:.1f} times ours")
    print(f"    it removes {len(found['id'])}: {wrong} below the threshold; of ours it misses {missed}", flush=True)


def removed_lines(target: pathlib.Path) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in (target / "removed.jsonl").read_text().splitlines()]


if __name__ == "__main__":
    main(*sys.argv[1:])
