"""lookalike.compat against the packages it stands in for: the same calls, the same answers, CPU time and
memory.

    python python/benchmarks/compat.py [--keys 100000] [--repeat 5] [--quick]

It needs Linux, datasketch and simhash. Times are CPU time, the least of some repetitions in turns; every line
says first whether the answers are the same, and the program fails if they are not.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import random
import resource
import subprocess
import sys
import time
from typing import Any, Callable

import numpy as np

OURS, THEIRS = "lookalike.compat.datasketch", "datasketch"


def best(repeat: int, *runs: Callable[[], Any]) -> list[float]:
    """The least CPU seconds of each, measured in turns."""
    least = [float("inf")] * len(runs)
    for _ in range(repeat):
        for i, run in enumerate(runs):
            start = time.process_time()
            run()
            least[i] = min(least[i], time.process_time() - start)
    return least


def report(what: str, same: bool, unit: str, count: int, ours: float, theirs: float) -> bool:
    scale = {"ns": 1e9, "us": 1e6}[unit] / count
    print(
        f"{what:44} {'same answers' if same else 'DIFFERENT':13} "
        f"{ours * scale:9.1f} {unit} against {theirs * scale:9.1f} {unit}: {theirs / ours:6.1f} times"
    )
    return same


def documents(count: int, size: int) -> list[list[bytes]]:
    draw = random.Random(1)
    return [[b"%x" % draw.getrandbits(60) for _ in range(size)] for _ in range(count)]


def sketching(repeat: int) -> bool:
    same = True
    ours, theirs = importlib.import_module(OURS), importlib.import_module(THEIRS)
    for scheme in ("affine32", "affine64", "legacy"):
        for count, size in ((2000, 50), (200, 500)):
            data = documents(count, size)
            made = [[m.hashvalues for m in lib.MinHash.bulk(data, scheme=scheme)] for lib in (ours, theirs)]
            equal = bool(np.array_equal(made[0], made[1]))
            times = best(
                repeat,
                lambda: ours.MinHash.bulk(data, scheme=scheme),
                lambda: theirs.MinHash.bulk(data, scheme=scheme),
            )
            same &= report(f"bulk, {size} bytes per set, {scheme}", equal, "ns", count * size, *times)

            def batches(lib: Any) -> list[Any]:
                sketches = [lib.MinHash(scheme=scheme) for _ in data]
                for sketch, items in zip(sketches, data):
                    sketch.update_batch(items)
                return [sketch.hashvalues for sketch in sketches]

            equal = bool(np.array_equal(batches(ours), batches(theirs)))
            times = best(repeat, lambda: batches(ours), lambda: batches(theirs))
            same &= report(f"update_batch, {size} bytes per set, {scheme}", equal, "ns", count * size, *times)
    return same


def one_at_a_time(repeat: int) -> bool:
    """The loop that most programs have: `update` for each element, then `jaccard` for each pair."""
    same = True
    ours, theirs = importlib.import_module(OURS), importlib.import_module(THEIRS)
    for scheme in ("affine32", "affine64", "legacy"):
        data = documents(40, 50)

        def updated(lib: Any) -> list[Any]:
            sketches = [lib.MinHash(scheme=scheme) for _ in data]
            for sketch, items in zip(sketches, data):
                for item in items:
                    sketch.update(item)
            return sketches

        made = [updated(ours), updated(theirs)]
        equal = bool(np.array_equal(*([m.hashvalues for m in sketches] for sketches in made)))
        empty = [[lib.MinHash(scheme=scheme) for _ in data] for lib in (ours, theirs)]

        def update(sketches: list[Any]) -> None:
            for sketch, items in zip(sketches, data):
                for item in items:
                    sketch.update(item)

        times = best(repeat, lambda: update(empty[0]), lambda: update(empty[1]))
        same &= report(f"update, one at a time, {scheme}", equal, "ns", 40 * 50, *times)

        def pairs(sketches: list[Any]) -> list[float]:
            return [a.jaccard(b) for a in sketches for b in sketches]

        times = best(repeat, lambda: pairs(made[0]), lambda: pairs(made[1]))
        same &= report(f"jaccard, one at a time, {scheme}", pairs(made[0]) == pairs(made[1]), "ns", 40 * 40, *times)
    return same


def signatures(count: int) -> Any:
    """Random ones, of which every tenth is a near-duplicate of the one before."""
    values = np.random.RandomState(1).randint(0, 2**32, (count, 128), dtype=np.uint32)
    values[9::10, :115] = values[8::10, :115][: len(values[9::10])]
    return values


def sketches(lib: Any, values: Any) -> list[Any]:
    permutations = lib.MinHash().permutations
    return [lib.MinHash(hashvalues=row, permutations=permutations, scheme="affine32") for row in values]


def indexing(keys: int, repeat: int) -> bool:
    same = True
    libraries = [importlib.import_module(OURS), importlib.import_module(THEIRS)]
    values = signatures(keys)
    of = [sketches(lib, values) for lib in libraries]
    for threshold in (0.5, 0.8, 0.9):
        built: list[Any] = [None, None]

        def build(i: int) -> None:
            built[i] = lsh = libraries[i].MinHashLSH(threshold=threshold, num_perm=128)
            for key, sketch in enumerate(of[i]):
                lsh.insert(key, sketch)

        times = best(min(repeat, 2), lambda: build(0), lambda: build(1))
        asked = range(0, keys, max(keys // 20000, 1))
        found = [[sorted(lsh.query(sketches[i])) for i in asked] for lsh, sketches in zip(built, of)]
        bands = [(lsh.b, lsh.r) for lsh in built]
        equal = found[0] == found[1] and bands[0] == bands[1]
        same &= report(
            f"MinHashLSH.insert, {bands[0][0]} x {bands[0][1]}, {keys} keys", equal, "us", keys, *times
        )
        times = best(
            repeat,
            lambda: [built[0].query(of[0][i]) for i in asked],
            lambda: [built[1].query(of[1][i]) for i in asked],
        )
        same &= report(f"MinHashLSH.query, {bands[0][0]} x {bands[0][1]}", equal, "us", len(asked), *times)
    return same


def resident() -> int:
    """The resident bytes of this process."""
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def memory_of(library: str, threshold: float, keys: int) -> None:
    """Prints the growth of resident memory while an index is filled."""
    lib = importlib.import_module(library)
    lsh = lib.MinHashLSH(threshold=threshold, num_perm=128)
    permutations = lib.MinHash().permutations
    values = signatures(keys)
    before = resident()
    for key, row in enumerate(values):
        lsh.insert(f"key-{key}", lib.MinHash(hashvalues=row, permutations=permutations, scheme="affine32"))
    print(json.dumps((resident() - before) / keys))


def memory(keys: int) -> None:
    for threshold in (0.5, 0.8, 0.9):
        per_key = []
        for library in (OURS, THEIRS):
            command = [sys.executable, __file__, "--memory-of", library, str(threshold), str(keys)]
            per_key.append(
                json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            )
        share = per_key[0] / per_key[1]
        print(
            f"MinHashLSH({threshold}), resident bytes per key {'':15} "
            f"{per_key[0]:9.0f} against {per_key[1]:9.0f}: {share:6.2f} of it"
        )


def fingerprints(repeat: int) -> bool:
    ours, theirs = importlib.import_module("lookalike.compat.simhash"), importlib.import_module("simhash")
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9))) for _ in range(500)]
    texts = [" ".join(draw.choices(words, k=200)) for _ in range(50)]
    equal = [ours.Simhash(text).value for text in texts] == [theirs.Simhash(text).value for text in texts]
    times = best(repeat, lambda: [ours.Simhash(t) for t in texts], lambda: [theirs.Simhash(t) for t in texts])
    return report("Simhash of a text of 200 words", equal, "us", len(texts), *times)


def main() -> None:
    if sys.argv[1:2] == ["--memory-of"]:
        memory_of(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keys", type=int, default=100_000, help="keys of an index")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of a measurement")
    parser.add_argument("--quick", action="store_true", help="only what is called one at a time")
    arguments = parser.parse_args()
    same = one_at_a_time(arguments.repeat)
    if arguments.quick:
        sys.exit(None if same else "the answers differ")
    same &= sketching(arguments.repeat)
    same &= fingerprints(arguments.repeat)
    same &= indexing(arguments.keys, arguments.repeat)
    memory(arguments.keys)
    if not same:
        sys.exit("the answers differ")


if __name__ == "__main__":
    main()
