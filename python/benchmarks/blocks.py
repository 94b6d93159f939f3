"""Texts to signatures, shingling included: lookalike against datasketch and rensa, in one run.

    python python/benchmarks/blocks.py TEXTS.jsonl[.zst|.gz] [--documents 20000] [--rounds 3] [--at-least 20]

Each line of the file is an object with a field `text`. Shingles are 5 words, signatures have 128 hashes. What the
others lack, cutting a text into shingles, is written for them in plain Python, as their users do. The time is CPU time
of one thread, the least of several rounds. Beside it stands how far the estimates are from the exact Jaccard
similarity, over pairs of neighbouring documents and of documents with some of their words removed; the run fails if an
estimate is off by more than its theory allows. The ratio grows with the length of the texts: a signature costs
something however few shingles there are.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Callable

import pyarrow

from lookalike import MinHash, Shingler

HASHES = 128
WORDS = 5


def list_of_shingles(text: str) -> list[str]:
    """Five words each, in lower case: what users of the other packages write."""
    words = text.lower().split()
    if len(words) < WORDS:
        return [" ".join(words)] if words else []
    return [" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1)]


def shingles_of(text: str) -> set[str]:
    return set(list_of_shingles(text))


def by_lookalike(texts: list[str]) -> Callable[[int, int], float]:
    signatures = MinHash(num_hashes=HASHES, shingler=f"words:{WORDS}").sketch_texts(texts)
    return lambda i, j: signatures[i].jaccard(signatures[j])


def by_datasketch(texts: list[str]) -> Callable[[int, int], float]:
    import datasketch  # type: ignore[import-untyped]

    sets = ([shingle.encode() for shingle in list_of_shingles(text)] for text in texts)
    sketches = datasketch.MinHash.bulk(sets, num_perm=HASHES)
    return lambda i, j: float(sketches[i].jaccard(sketches[j]))


def by_rensa(texts: list[str]) -> Callable[[int, int], float]:
    import rensa  # type: ignore[import-untyped]

    # The fastest of its ways; it does not mind repeats, so the shingles need not be a set.
    matrix = rensa.RMinHash.digest_matrix_from_token_sets([list_of_shingles(text) for text in texts], HASHES, 1)
    rows: list[list[int]] = []

    def similarity(i: int, j: int) -> float:
        if not rows:
            rows.extend(matrix.to_rows())
        return sum(a == b for a, b in zip(rows[i], rows[j])) / HASHES

    return similarity


CONTESTANTS: dict[str, Callable[[list[str]], Callable[[int, int], float]]] = {
    "lookalike": by_lookalike,
    "datasketch": by_datasketch,
    "rensa": by_rensa,
}


def read_texts(path: str, most: int) -> list[str]:
    with pyarrow.input_stream(path, compression="detect") as stream:
        lines = stream.read().splitlines()
    return [json.loads(line)["text"] for line in lines[:most]]


def with_edits(texts: list[str], count: int) -> list[str]:
    """The first texts again, each with words left out: pairs of all similarities."""
    choose = random.Random(1)
    edited = []
    for number, text in enumerate(texts[:count]):
        share = (number % 10) / 100
        edited.append(" ".join(word for word in text.split() if choose.random() >= share))
    return edited


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("texts")
    arguments.add_argument("--documents", type=int, default=20_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--at-least", type=float, default=0.0, help="fail below this ratio")
    chosen = arguments.parse_args()

    texts = read_texts(chosen.texts, chosen.documents)
    edits = min(1000, len(texts))
    everything = texts + with_edits(texts, edits)
    pairs = [(i, len(texts) + i) for i in range(edits)] + [(i, i + 1) for i in range(edits - 1)]
    size = sum(len(text.encode()) for text in everything)
    print(f"{len(everything)} texts, {size / 1e6:.1f} MB, {WORDS}-word shingles, {HASHES} hashes")

    plain = [shingles_of(text) for text in everything]
    shingler = Shingler(f"words:{WORDS}")
    exact_plain = [len(plain[i] & plain[j]) / max(1, len(plain[i] | plain[j])) for i, j in pairs]
    exact_own = [shingler.jaccard(everything[i], everything[j]) for i, j in pairs]

    seconds: dict[str, float] = {}
    wrong = False
    for name, sketch in CONTESTANTS.items():
        best = math.inf
        for _ in range(chosen.rounds):
            start = time.process_time()
            try:
                similarity = sketch(everything)
            except ImportError:
                print(f"{name:>11}: not installed")
                break
            best = min(best, time.process_time() - start)
        else:
            seconds[name] = best
            exact = exact_own if name == "lookalike" else exact_plain
            errors = [similarity(i, j) - truth for (i, j), truth in zip(pairs, exact)]
            deviation = math.sqrt(sum(error * error for error in errors) / len(errors))
            expected = math.sqrt(sum(truth * (1 - truth) / HASHES for truth in exact) / len(exact))
            wrong |= name == "lookalike" and deviation > 1.2 * expected
            print(
                f"{name:>11}: {best:8.3f} s CPU, {1e6 * best / len(everything):8.2f} us a text, {size / best / 1e6:7.1f} MB/s; "
                f"estimates off by {deviation:.4f} (theory: {expected:.4f})"
            )
    others = {name: taken for name, taken in seconds.items() if name != "lookalike"}
    if wrong:
        print("the estimates are worse than they may be")
        return 1
    if others:
        fastest = min(others, key=lambda name: others[name])
        ratio = others[fastest] / seconds["lookalike"]
        print(f"lookalike takes 1/{ratio:.1f} of the CPU time of {fastest}, the fastest of the others")
        return 0 if ratio >= chosen.at_least else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
