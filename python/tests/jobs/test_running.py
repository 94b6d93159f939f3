"""Progress, interruption, threads, memory."""

from __future__ import annotations

import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, List

import pytest
from conftest import words

import lookalike


class Bar:
    """As tqdm, and remembers."""

    bars: List["Bar"] = []

    def __init__(self, *, total: Any, desc: str, unit: str, unit_scale: bool) -> None:
        self.total, self.desc, self.unit, self.done, self.closed = total, desc, unit, 0, False
        Bar.bars.append(self)

    def update(self, amount: int) -> None:
        assert not self.closed and threading.current_thread() is threading.main_thread()
        self.done += amount

    def close(self) -> None:
        self.closed = True


def test_progress_is_told_as_to_tqdm(texts: List[str]) -> None:
    Bar.bars = []
    lookalike.dedup(texts, progress=Bar)
    assert [bar.desc for bar in Bar.bars] == ["sketch", "exact-copies", "candidates", "verify"]
    assert all(bar.closed for bar in Bar.bars)
    first = Bar.bars[0]
    assert first.unit == "B" and first.done == first.total == sum(len(text.encode()) for text in texts)
    pytest.importorskip("tqdm")
    lookalike.dedup(texts, progress=True)


def test_an_exception_in_the_bar_ends_the_job(texts: List[str]) -> None:
    class Failing(Bar):
        def update(self, amount: int) -> None:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        lookalike.dedup(texts, progress=Failing)
    with pytest.raises(ZeroDivisionError):
        lookalike.dedup(texts, progress=lambda **_: 1 / 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_control_c_stops_a_long_job() -> None:
    vocabulary = words(40_000, 5)
    texts = [" ".join(vocabulary[at : at + 400]) for at in range(0, 39_000, 1)]
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() - start < 60:
            lookalike.dedup(texts, threshold=0.9)


def test_threads_call_at_once(texts: List[str]) -> None:
    expected = list(lookalike.dedup(texts)[1].removed)
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda n: list(lookalike.dedup(texts, threads=n % 3 + 1)[1].removed), range(24))
        assert all(answer == expected for answer in answers)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_can_work(texts: List[str]) -> None:
    expected = len(lookalike.dedup(texts)[1].removed)
    child = os.fork()
    if child == 0:
        os._exit(0 if len(lookalike.dedup(texts)[1].removed) == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.parametrize(
    ("calls", "call"),
    [
        (100_000, lambda texts: lookalike.ArrowTable.from_strings(texts[:2]).filter(MASK)),
        (100_000, lambda texts: lookalike.compare("one two three four", "one two three five", shingles="words:2")),
        (1_000, lambda texts: lookalike.dedup(texts[:20], threads=1)),
        (1_000, lambda texts: lookalike.query(texts[:20], "a b c", threads=1)),
        (20_000, lambda texts: _fails(texts)),
    ],
    ids=["tables", "compare", "dedup", "query", "errors"],
)
def test_memory_stays_flat(calls: int, call: Any, texts: List[str]) -> None:
    for _ in range(calls // 10):
        call(texts)
    gc.collect()
    before = resident()
    for _ in range(calls):
        call(texts)
    gc.collect()
    assert resident() - before < 8 << 20


MASK = __import__("numpy").array([True, False])


def _fails(texts: List[str]) -> None:
    try:
        lookalike.ArrowTable.from_strings([1])
    except TypeError:
        pass


TERMINATED = """
import signal, sys
import lookalike

texts = [" ".join(str(i * 7919 + j) for j in range(60)) for i in range(150_000)]
print("ready", flush=True)
lookalike.dedup(texts, temp_dir=sys.argv[1], memory="256MiB")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_sigterm_leaves_nothing_behind(tmp_path: pathlib.Path) -> None:
    with subprocess.Popen([sys.executable, "-c", TERMINATED, str(tmp_path)], stdout=subprocess.PIPE) as process:
        while not list(tmp_path.iterdir()):
            assert process.poll() is None, "it has ended before it was asked to"
            time.sleep(0.001)
        process.terminate()
    assert process.returncode == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_handlers_of_the_program_stay() -> None:
    calls = []

    def own(number: int, frame: object) -> None:
        calls.append(number)

    texts = [f"{i} two three four five six" for i in range(1000)]
    before = signal.signal(signal.SIGTERM, own)
    try:

        def progress(**_: object) -> StillBar:
            assert signal.getsignal(signal.SIGTERM) is own
            signal.raise_signal(signal.SIGTERM)
            return StillBar()

        lookalike.dedup(texts, progress=progress)
        assert calls and set(calls) == {signal.SIGTERM}
        assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, before)
    lookalike.dedup(texts)
    assert signal.getsignal(signal.SIGTERM) == before


def test_jobs_in_other_threads_set_no_handlers() -> None:
    failures = []

    def job() -> None:
        try:
            lookalike.dedup(["a b c d e f"] * 3)
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=job)
    thread.start()
    thread.join()
    assert failures == []


class StillBar:
    def update(self, amount: int) -> None: ...

    def close(self) -> None: ...
