"""What holds for all building blocks: documentation, types, threads, memory, interrupts, the same answers twice."""

from __future__ import annotations

import _thread
import doctest
import gc
import inspect
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest

import lookalike
from lookalike import LSH, HammingIndex, MinHash, SCurve, Shingler, SimHash, _native, similarity
from lookalike.errors import SettingError

CLASSES = [
    lookalike.BBitMinHash,
    HammingIndex,
    lookalike.HyperLogLog,
    LSH,
    MinHash,
    SCurve,
    Shingler,
    lookalike.Signature,
    lookalike.Signatures,
    SimHash,
    lookalike.WeightedMinHash,
]
FUNCTIONS = [getattr(similarity, name) for name in similarity.__all__]
TEXTS = [f"text number {n} of the many texts that are compared here, about {n % 7} things" for n in range(500)]


@pytest.mark.parametrize("documented", [*CLASSES, *FUNCTIONS, similarity], ids=lambda value: value.__name__)
def test_documented_examples(documented: type) -> None:
    examples = doctest.DocTestParser().get_doctest(documented.__doc__ or "", {}, documented.__name__, None, 0)
    assert examples.examples, "there is an example"
    runner = doctest.DocTestRunner(verbose=False)
    said: list[str] = []
    runner.run(examples, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize("documented", CLASSES, ids=lambda value: value.__name__)
def test_everything_is_documented(documented: type) -> None:
    assert documented.__module__ == "lookalike"
    for name, member in vars(documented).items():
        if not name.startswith("_"):
            assert inspect.getdoc(member), f"{documented.__name__}.{name}"
            if callable(getattr(documented, name)):
                inspect.signature(getattr(documented, name))


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python 3.9 does not show signatures of native classes")
def test_signatures_show_their_defaults() -> None:
    assert str(inspect.signature(MinHash)) == "(num_hashes=128, seed=1, family='fast-sketch', shingler=None)"
    assert str(inspect.signature(LSH)) == "(threshold=0.8, num_hashes=128, *, recall=0.99, bands=None, rows=None)"


def test_the_stubs_have_what_is_there_and_no_more() -> None:
    stubs = (Path(lookalike.__file__).parent / "_native.pyi").read_text()
    for documented in CLASSES:
        body = stubs.split(f"class {documented.__name__}:")[1].split("@final")[0].split("\ndef ")[0]
        written = {line.split("def ")[1].split("(")[0] for line in body.splitlines() if "    def " in line}
        there = {name for name in vars(documented) if not name.startswith("_")}
        assert {name for name in written if not name.startswith("_")} == there
    for function in FUNCTIONS:
        assert f"\ndef {function.__name__}(" in stubs


def test_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = Path(__file__).parent.parent / "typing_blocks.py"
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)]
    checked = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def work() -> dict[str, object]:
    """A bit of everything, as plain values."""
    hasher, index = MinHash(64), LSH(0.5, 64)
    batch = hasher.sketch_texts(TEXTS)
    index.insert_many(range(len(TEXTS)), batch)
    fingerprints = SimHash().fingerprints(TEXTS)
    return {
        "slots": batch.slots.tobytes(),
        "pairs": index.similar_pairs(),
        "fingerprints": fingerprints.tobytes(),
        "near": HammingIndex(fingerprints, 3).pairs(),
        "sets": [shingles.tobytes() for shingles in Shingler("characters:4").sets(TEXTS)],
        "weighted": lookalike.WeightedMinHash(32).sketch({text: 1.5 for text in TEXTS}).to_bytes(),
    }


def test_the_same_answers_in_another_process() -> None:
    program = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_everything as t; print(repr(t.work()))"
    outputs = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1 and outputs.pop().strip() == repr(work())


def test_one_object_from_eight_threads() -> None:
    hasher, shingler, sim_hasher = MinHash(64), Shingler(), SimHash()
    batch = hasher.sketch_texts(TEXTS)
    index, curve = LSH(0.5, 64), SCurve(8, 8)
    index.insert_many(range(len(TEXTS)), batch)
    fingerprints = sim_hasher.fingerprints(TEXTS)
    hamming = HammingIndex(fingerprints, 3)

    def all_of_it(_: int) -> object:
        return (
            hasher.sketch_texts(TEXTS).slots.tobytes(),
            [index.query(signature) for signature in batch[:100]],
            sim_hasher.fingerprints(TEXTS).tobytes(),
            hamming.query_many(fingerprints),
            [array.tobytes() for array in shingler.sets(TEXTS)],
            curve.probability(numpy.linspace(0, 1, 50)).tobytes(),
            batch[3].bbit(4).jaccard(batch[4].bbit(4)),
        )

    expected = all_of_it(0)
    with ThreadPoolExecutor(8) as threads:
        assert all(answer == expected for answer in threads.map(all_of_it, range(24)))


def test_an_index_that_eight_threads_change() -> None:
    hasher = MinHash(32)
    batch = hasher.sketch_texts(TEXTS)
    index = LSH(0.5, 32)
    failures: list[BaseException] = []

    def change(thread: int) -> None:
        try:
            for n in range(200):
                index.insert((thread, n), batch[n])
                index.query(batch[n])
                if n % 2:
                    index.remove((thread, n))
                try:
                    index.insert("shared", batch[0])
                    index.remove("shared")
                except (KeyError, SettingError):
                    pass  # another thread was first
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=change, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and not any(thread.is_alive() for thread in threads)
    assert len(index) - ("shared" in index) == 800 == len(index.keys()) - ("shared" in index)
    assert {key for key in index.candidates(batch[0]) if key != "shared"} >= {(thread, 0) for thread in range(8)}


def test_other_threads_run_meanwhile() -> None:
    """The interpreter is let go: a thread that counts gets on while a long batch is hashed."""
    texts = ["many words make a long text, and this is one of them. " * 4000] * 200
    counted, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    MinHash().sketch_texts(texts)
    after = counted[0]
    stop.set()
    thread.join()
    assert after > before


def test_interrupts_are_heard() -> None:
    def endless() -> Iterator[str]:
        for n in range(10**9):
            if n == 5000:
                _thread.interrupt_main()
            yield "some text"

    with pytest.raises(KeyboardInterrupt):
        MinHash(16).sketch_texts(endless())


def resident() -> int:
    """Bytes in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def insert_and_remove() -> None:
    INDEX.insert("b", SIGNATURE)
    INDEX.remove("b")


def refused() -> None:
    try:
        HASHER.sketch([None])  # type: ignore[list-item]
    except TypeError:
        return
    raise AssertionError("None is no element")


HASHER = MinHash(128)
SIGNATURE = HASHER.sketch("one two three four five six seven")
INDEX = LSH(0.5)
INDEX.insert("a", SIGNATURE)
HAMMING = HammingIndex([1, 2, 3])
COUNT = lookalike.HyperLogLog(8)
CALLS: dict[str, Callable[[], object]] = {
    "sketch": lambda: HASHER.sketch("one two three four five six"),
    "sketch elements": lambda: HASHER.sketch(["a", b"b"]),
    "sketch_texts": lambda: HASHER.sketch_texts(["one", "two"])[0],
    "estimate": lambda: SIGNATURE.estimate(SIGNATURE),
    "slots": lambda: SIGNATURE.slots,
    "bytes": lambda: lookalike.Signature.from_bytes(SIGNATURE.to_bytes()),
    "query": lambda: INDEX.query(SIGNATURE),
    "insert and remove": lambda: insert_and_remove(),
    "fingerprint": lambda: SimHash().fingerprint({"a": 1.0}),
    "hamming": lambda: HAMMING.query(2),
    "hyperloglog": lambda: COUNT.update(["a", b"b", 3]) or COUNT.cardinality(),
    "shingler": lambda: Shingler().set("one two three"),
    "errors": lambda: refused(),
}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("name", CALLS)
def test_memory_is_flat(name: str) -> None:
    calls, call = 100_000, CALLS[name]
    for _ in range(calls // 20):
        call()
    before = resident()
    for _ in range(calls):
        call()
    # A leak of 40 bytes a call would show; a few pages more or less are the allocator's.
    assert resident() - before < 40 * calls


def test_nothing_is_left_out() -> None:
    for name in ("LSH", "MinHash", "Signature", "similarity", "Estimate"):
        assert hasattr(lookalike, name)
    assert all(getattr(_native, documented.__name__) is documented for documented in CLASSES)
