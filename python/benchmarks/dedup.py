"""`lookalike.dedup` on a PyArrow table against the command line on the same text.

    python python/benchmarks/dedup.py DOCUMENTS.jsonl[.zst|.gz] PATH/TO/lookalike

Both remove the same documents, or it fails. CPU seconds of the whole process, the least of several runs.
"""

from __future__ import annotations

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import pyarrow as pa

import lookalike

RUNS = 5


def cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def main(documents: str, program: str) -> None:
    with pa.input_stream(documents, compression="detect") as stream:
        texts = [json.loads(line)["text"] for line in stream.read().splitlines()]
    table = pa.table({"text": texts})
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "in.jsonl"
        with open(file, "w", encoding="utf-8") as out:
            for text in texts:
                out.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
        python, command, of_list = [], [], []
        for run in range(RUNS):
            start = cpu(resource.RUSAGE_SELF)
            kept, result = lookalike.dedup(table)
            python.append(cpu(resource.RUSAGE_SELF) - start)
            start = cpu(resource.RUSAGE_SELF)
            lookalike.dedup(texts)
            of_list.append(cpu(resource.RUSAGE_SELF) - start)
            target = pathlib.Path(folder) / f"out-{run}"
            start = cpu(resource.RUSAGE_CHILDREN)
            subprocess.run([program, "dedup", str(file), "-o", str(target), "--quiet"], check=True)
            command.append(cpu(resource.RUSAGE_CHILDREN) - start)
            removed = [json.loads(line)["line"] for line in (target / "removed.jsonl").read_text().splitlines()]
            assert removed == [row.document + 1 for row in result.removed], "the two decide differently"
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{len(texts)} documents, {size:.1f} MB, {len(removed)} removed, the same ones")
    print(f"lookalike.dedup(table)   {min(python):.3f} CPU s")
    print(f"lookalike.dedup(list)    {min(of_list):.3f} CPU s")
    print(f"lookalike dedup          {min(command):.3f} CPU s, reading and writing files")
    print(f"table / command          {min(python) / min(command):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
