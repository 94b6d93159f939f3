"""MinHashLSH and AsyncMinHashLSH in a folder: answers, durability, threads, processes, interrupts, memory."""

from __future__ import annotations

import asyncio
import copy
import gc
import hashlib
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import threading

import pytest

import lookalike
from lookalike.compat.datasketch import AsyncMinHashLSH, MinHash, MinHashLSH, StoredMinHashLSH, aio
from lookalike.errors import DamagedError, InUseError, SettingError, TargetError


def sketches(count, num_perm=16, seed=1, **kwargs):
    """Sketches of sets in families of four, in which sets share most elements."""
    draw = random.Random(seed)
    sets = []
    for number in range(count):
        if number % 4 == 0:
            base = [draw.randbytes(8) for _ in range(20)]
        sets.append(base + [draw.randbytes(8) for _ in range(draw.randint(0, 8))])
    return MinHash.bulk(sets, num_perm=num_perm, **kwargs)


SKETCHES = sketches(60)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "index"


def opened(folder, **more):
    arguments = {"threshold": 0.5, "num_perm": 16, **more}
    return MinHashLSH(**arguments, storage_config={"type": "lookalike", "path": folder})


def test_answers_are_those_of_memory(folder):
    memory = MinHashLSH(threshold=0.5, num_perm=16)
    with opened(folder) as stored:
        assert isinstance(stored, MinHashLSH) and type(stored) is StoredMinHashLSH
        assert (stored.b, stored.r, stored.h, stored.hashranges) == (memory.b, memory.r, memory.h, memory.hashranges)
        assert stored.is_empty() and memory.is_empty() and stored.query(SKETCHES[0]) == []
        for lsh in (memory, stored):
            for number, sketch in enumerate(SKETCHES):
                lsh.insert(f"key {number}", sketch)
            for number in range(0, 60, 7):
                lsh.remove(f"key {number}")
            lsh.insert("again", SKETCHES[0])
        for place in range(2):
            for sketch in sketches(60) + sketches(20, seed=9):
                assert set(stored.query(sketch)) == set(memory.query(sketch))
                for b in range(1, memory.b + 1):
                    assert stored._query_b(sketch, b) == memory._query_b(sketch, b)
                for lsh in (stored, memory):
                    lsh.add_to_query_buffer(sketch)
                    lsh.add_to_query_buffer(SKETCHES[1])
                assert set(stored.collect_query_buffer()) == set(memory.collect_query_buffer())
            assert not stored.is_empty() and "again" in stored and "key 7" not in stored
            assert stored.get_counts() == memory.get_counts()
            assert stored.get_subset_counts("again", "key 1") == memory.get_subset_counts("again", "key 1")
            assert set(stored.keys) == set(memory.keys) and len(stored.keys) == len(memory.keys)
            assert stored.keys.get("again") == memory.keys.get("again") and stored.keys.get("none") == []
            for ours, theirs in zip(stored.hashtables, memory.hashtables):
                assert ours.itemcounts() == theirs.itemcounts() and len(ours) == len(theirs)
                assert all(ours[name] == theirs[name] for name in theirs)
            start, end = stored.hashranges[0]
            band = stored._H(SKETCHES[1].hashvalues[start:end])
            assert stored.hashtables[0].get(band) == memory.hashtables[0].get(band) != set()
            if place == 0:
                stored.close()
                stored = opened(folder)
        stored.close()


def test_what_datasketch_does_with_keys(folder):
    """As in datasketch's own tests: an insertion twice, a removal of what is not there, other lengths and types."""
    with opened(folder) as lsh:
        lsh.insert("a", SKETCHES[0])
        lsh.insert("b", SKETCHES[4])
        for tables in lsh.hashtables:
            assert sum(tables.itemcounts().values()) == 2
        assert "a" in lsh and "b" in lsh and "c" not in lsh
        with pytest.raises(ValueError, match="already exists"):
            lsh.insert("a", SKETCHES[0])
        with pytest.raises(ValueError, match="does not exist"):
            lsh.remove("c")
        with pytest.raises(ValueError, match="length 16, got 18"):
            lsh.insert("d", MinHash(18))
        with pytest.raises(ValueError, match="length 16, got 18"):
            lsh.query(MinHash(18))
        with pytest.raises(ValueError, match="b must be less"):
            lsh._query_b(SKETCHES[0], 1000)
        with pytest.raises(TypeError):
            lsh.insert(["unhashable"], SKETCHES[0])
        with pytest.raises(ValueError, match="scheme"):
            lsh.insert("d", sketches(1, scheme="legacy")[0])
        # The same key twice, if nobody checks; then it is removed as a whole.
        lsh.insert("a", SKETCHES[8], check_duplication=False)
        assert lsh.query(SKETCHES[8]) == ["a"] == lsh.query(SKETCHES[0])
        assert len(lsh.keys.get("a")) == 2 * lsh.b and len(lsh.keys) == 2
        lsh.remove("a")
        assert "a" not in lsh and lsh.query(SKETCHES[8]) == [] and set(lsh.keys) == {"b"}
        lsh.remove("b")
        assert lsh.is_empty() and all(len(table) == 0 for table in lsh.hashtables)


KEYS = ["text", "Ünïcode", "\ud800", "", b"", b"bytes\xff", 0, -1, 2**200, (1, "a"), None, 1.5, frozenset({1})]


@pytest.mark.parametrize("prepickle", [None, True])
def test_keys_of_every_type_stay_what_they_are(folder, prepickle):
    with opened(folder, prepickle=prepickle) as lsh:
        for number, key in enumerate(KEYS):
            lsh.insert(key, SKETCHES[0])
    with opened(folder, prepickle=prepickle) as lsh:
        found = lsh.query(SKETCHES[0])
        assert found == KEYS and [type(key) for key in found] == [type(key) for key in KEYS]
        assert all(key in lsh for key in KEYS)
        if prepickle:
            assert {pickle.loads(key) for key in lsh.keys} == set(KEYS)
            assert all(lsh.keys.has_key(key) and len(lsh.keys[key]) == lsh.b for key in lsh.keys)
        else:
            assert set(lsh.keys) == set(KEYS)
        for key in KEYS:
            lsh.remove(key)
        assert lsh.is_empty()


def test_prepickle_false_needs_bytes(folder):
    with opened(folder, prepickle=False) as lsh:
        with pytest.raises(TypeError, match="requires bytes keys"):
            lsh.insert("a", SKETCHES[0])
        lsh.insert(b"a", SKETCHES[0])
        assert lsh.query(SKETCHES[0]) == [b"a"]


def test_a_hash_function_of_the_user(folder):
    hashed = lambda band: hashlib.md5(band).digest()  # noqa: E731
    with opened(folder, hashfunc=hashed) as lsh:
        lsh.insert("a", SKETCHES[0])
        assert lsh.query(SKETCHES[0]) == ["a"]
        start, end = lsh.hashranges[0]
        assert lsh.hashtables[0].get(lsh._H(SKETCHES[0].hashvalues[start:end])) == {"a"}
    with pytest.raises(SettingError, match="hashed by a function"):
        opened(folder)


def test_sessions_write_batches(folder):
    with opened(folder) as lsh:
        with lsh.insertion_session(buffer_size=10) as session:
            for number, sketch in enumerate(SKETCHES[:25]):
                session.insert(number, sketch)
            with pytest.raises(ValueError, match="already exists"):
                session.insert(24, SKETCHES[0])
            with pytest.raises(ValueError, match="already exists"):
                session.insert(0, SKETCHES[0])
            assert len(lsh.keys) == 20 and 24 not in lsh
            session.insert(24, SKETCHES[0], check_duplication=False)
        assert len(lsh.keys) == 25 and len(lsh.keys.get(24)) == 2 * lsh.b
        with lsh.deletion_session(buffer_size=3) as session:
            for number in range(4):
                session.remove(number)
            for gone in (0, 3, 99):
                with pytest.raises(ValueError, match="does not exist"):
                    session.remove(gone)
            assert len(lsh.keys) == 22
        assert len(lsh.keys) == 21
        # A session that ends with an error has written what it was given, as in datasketch.
        with pytest.raises(KeyError), lsh.insertion_session() as session:
            session.insert("kept", SKETCHES[0])
            raise KeyError
        assert "kept" in lsh
        session = lsh.insertion_session()
        session.insert("buffered", SKETCHES[1])
        lsh.remove("buffered")
        assert "buffered" not in lsh
        session.insert("last", SKETCHES[1])
    with opened(folder) as lsh:
        assert "last" in lsh and len(lsh.keys) == 23


def test_merging(folder, tmp_path):
    memory = MinHashLSH(threshold=0.5, num_perm=16)
    for number, sketch in enumerate(SKETCHES[:20]):
        memory.insert(number, sketch)
    with opened(folder) as stored, opened(tmp_path / "other") as other:
        stored.merge(memory)
        other.insert("more", SKETCHES[20])
        other.insert(3, SKETCHES[21])
        with pytest.raises(ValueError, match="overlapping"):
            stored.merge(other, check_overlap=True)
        assert "more" not in stored
        stored.merge(other)
        stored.merge(stored)
        memory.insert("more", SKETCHES[20])
        memory.insert(3, SKETCHES[21], check_duplication=False)
        assert all(set(stored.query(sketch)) == set(memory.query(sketch)) for sketch in SKETCHES)
        assert len(stored.keys) == 21 and len(stored.keys.get(3)) == 2 * stored.b
        for wrong in (MinHashLSH(threshold=0.5, num_perm=32), "text"):
            with pytest.raises(ValueError):
                stored.merge(wrong)
        with pytest.raises(ValueError):
            memory.merge(stored)
        with pytest.raises(ValueError, match="scheme"):
            legacy = MinHashLSH(threshold=0.5, num_perm=16)
            legacy.insert("a", sketches(1, scheme="legacy")[0])
            stored.merge(legacy)


def test_what_cannot_be_is_refused(folder, tmp_path):
    for kind in ("redis", "cassandra", "mongodb", "aiomongo", "nothing"):
        with pytest.raises(SettingError, match=f"{kind}.*lookalike"):
            MinHashLSH(storage_config={"type": kind})
    with pytest.raises(SettingError, match="path"):
        MinHashLSH(storage_config={"type": "lookalike"})
    with pytest.raises(SettingError, match="no 'redis'"):
        MinHashLSH(storage_config={"type": "lookalike", "path": folder, "redis": {}})
    for wrong in ({"threshold": 2}, {"num_perm": 1}, {"params": (20, 20)}, {"weights": (1, 1)}):
        with pytest.raises(ValueError):
            opened(folder, **wrong)
    assert not folder.exists()
    lsh = opened(folder)
    for refused in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickled or copied"):
            refused(lsh)
    with pytest.raises(InUseError):
        opened(folder)
    lsh.close()
    lsh.close()
    assert lsh.closed
    with pytest.raises(SettingError, match="closed"):
        lsh.query(SKETCHES[0])
    for other in ({"threshold": 0.7}, {"num_perm": 32}, {"prepickle": True}, {"params": (4, 4)}):
        with pytest.raises(SettingError, match="the index has"):
            opened(folder, **other)
    with pytest.raises(TargetError):
        opened(tmp_path)
    with lookalike.Index(tmp_path / "documents"):
        pass
    with pytest.raises(TargetError):
        opened(tmp_path / "documents")
    with pytest.raises(TargetError):
        lookalike.Index(folder)
    (folder / "keys.json").write_text("{}")
    with pytest.raises(DamagedError):
        opened(folder)

    class Own(MinHashLSH):
        pass

    with pytest.raises(SettingError, match="derive it from StoredMinHashLSH"):
        Own(storage_config={"type": "lookalike", "path": folder})


def test_lost_batches_are_noticed(folder):
    with opened(folder) as lsh:
        lsh.insert("a", SKETCHES[0])
        lsh.insert("b", SKETCHES[4])
        lsh.insert("c", SKETCHES[8])
    # A store that has fewer batches than were acknowledged: the number of a later one is put beside it.
    (folder / "acknowledged").write_bytes(b"%020d %016x\n" % (1000, mix64(1000)))
    with opened(folder) as lsh:
        assert lsh.query(SKETCHES[8]) == ["c"]
        with pytest.raises(DamagedError, match="lost"):
            lsh.insert("d", SKETCHES[8])
    storage = {"type": "lookalike", "path": folder, "accept_loss": True}
    with MinHashLSH(threshold=0.5, num_perm=16, storage_config=storage) as lsh:
        lsh.insert("d", SKETCHES[8])
    with opened(folder) as lsh:
        assert set(lsh.query(SKETCHES[8])) == {"c", "d"}


def mix64(x: int) -> int:
    mask = 2**64 - 1
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
    x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
    return x ^ x >> 31


PROGRAM = """
import os, signal, sys
from lookalike.compat.datasketch import MinHash, MinHashLSH

def sketch(number):
    made = MinHash(num_perm=16)
    made.update_batch([b"%d" % number])
    return made

lsh = MinHashLSH(threshold=0.5, num_perm=16, storage_config={"type": "lookalike", "path": sys.argv[1]})
"""


def run(program, folder, **more):
    return subprocess.run([sys.executable, "-c", PROGRAM + program, str(folder)], capture_output=True, text=True, **more)


def sketch_of(number):
    made = MinHash(num_perm=16)
    made.update_batch([b"%d" % number])
    return made


def test_what_was_acknowledged_survives_a_kill(folder):
    killed = run(
        "for n in range(50):\n    lsh.insert(n, sketch(n))\n"
        "with lsh.insertion_session(buffer_size=20) as session:\n"
        "    for n in range(50, 95):\n        session.insert(n, sketch(n))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
        folder,
    )
    assert killed.returncode == -9, killed.stderr
    with opened(folder) as lsh:
        # The last five of the session were not written yet.
        assert set(lsh.keys) == set(range(90))
        assert all(number in lsh.query(sketch_of(number)) for number in range(90))


def test_a_second_process_is_refused_and_named(folder):
    with opened(folder) as lsh:
        lsh.insert("a", SKETCHES[0])
        refused = run("", folder)
        assert refused.returncode == 1
        assert "InUseError" in refused.stderr and f"in use by process {os.getpid()}" in refused.stderr
    after = run("print(lsh.is_empty())", folder, check=True)
    assert after.stdout == "False\n"


def test_threads_insert_query_and_remove(folder):
    failures = []
    with opened(folder) as lsh:

        def work(thread):
            try:
                for number in range(30):
                    lsh.insert((thread, number), SKETCHES[number])
                    assert (thread, number) in lsh.query(SKETCHES[number])
                    if number % 3 == 0:
                        lsh.remove((thread, number))
                    try:
                        lsh.insert("shared", SKETCHES[0])
                        lsh.remove("shared")
                    except ValueError:
                        pass  # another thread was first
                with lsh.insertion_session(buffer_size=7) as session:
                    for number in range(30, 60):
                        session.insert((thread, number), SKETCHES[number])
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert not failures and not any(thread.is_alive() for thread in threads)
        keys = set(lsh.keys) - {"shared"}
    assert keys == {(thread, n) for thread in range(6) for n in range(60) if n >= 30 or n % 3}


def test_interrupts_leave_whole_batches(folder):
    """Ctrl-C during writes: the program ends, and the index opens with what was acknowledged."""
    program = (
        "print('ready', flush=True)\n"
        "n = 0\n"
        "while True:\n"
        "    lsh._stored.insert([(b'i%d' % (3 * n + k), lsh._band_keys(sketch(3 * n + k), lsh.b)) for k in range(3)], False, None)\n"
        "    n += 1\n"
        "    print(n, flush=True)\n"
    )
    command = [sys.executable, "-c", PROGRAM + program, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        lines = iter(process.stdout.readline, "")
        assert next(lines) == "ready\n"
        for _ in range(5):
            acknowledged = int(next(lines))
        process.send_signal(signal.SIGINT)
        acknowledged = max([acknowledged, *(int(line) for line in lines)])
        assert "KeyboardInterrupt" in process.stderr.read()
    with opened(folder) as lsh:
        count = len(lsh.keys)
        assert count >= 3 * acknowledged and count % 3 == 0
        assert set(lsh.keys) == set(range(count))


def resident() -> int:
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_memory_is_flat_over_100_000_queries(folder):
    with opened(folder) as lsh:
        with lsh.insertion_session() as session:
            for number, sketch in enumerate(SKETCHES):
                session.insert(number, sketch)

        def call(number):
            lsh.query(SKETCHES[number % 60])
            assert number % 60 in lsh and "none" not in lsh
            if number % 10 == 0:
                with pytest.raises(ValueError):
                    lsh.insert(number, MinHash(2))

        queries = 100_000
        for number in range(queries // 20):
            call(number)
        before = resident()
        for number in range(queries):
            call(number)
        # A leak of 40 bytes a call would show; a few pages more or less are the allocator's.
        assert resident() - before < 40 * queries


def test_async(folder):
    async def work():
        config = {"type": "lookalike", "path": folder}
        arguments = {"threshold": 0.5, "num_perm": 16, "storage_config": config}
        async with AsyncMinHashLSH(**arguments) as lsh:
            assert await lsh.is_empty() and lsh.batch_size == 10000
            await asyncio.gather(*(lsh.insert(number, sketch) for number, sketch in enumerate(SKETCHES[:20])))
            async with lsh.insertion_session(batch_size=7) as session:
                await asyncio.gather(*(session.insert(n, SKETCHES[n]) for n in range(20, 60)))
            assert lsh.batch_size == 7
            memory = MinHashLSH(threshold=0.5, num_perm=16)
            for number, sketch in enumerate(SKETCHES):
                memory.insert(number, sketch)
            answers = await asyncio.gather(*(lsh.query(sketch) for sketch in SKETCHES))
            assert [set(answer) for answer in answers] == [set(memory.query(sketch)) for sketch in SKETCHES]
            assert await lsh.get_counts() == memory.get_counts()
            assert await lsh.get_subset_counts(1, 2) == memory.get_subset_counts(1, 2)
            assert await lsh._query_b(SKETCHES[0], 1) == memory._query_b(SKETCHES[0], 1)
            with pytest.raises(ValueError, match="already exists"):
                await lsh.insert(1, SKETCHES[1])
            async with lsh.delete_session(batch_size=3) as session:
                for number in range(10):
                    await session.remove(number)
            await lsh.remove(10)
            with pytest.raises(ValueError, match="does not exist"):
                await lsh.remove(10)
            assert not await lsh.has_key(10) and await lsh.has_key(11)
            again = pickle.loads(pickle.dumps(lsh))
            with pytest.raises(InUseError):
                await again
        with pytest.raises(AttributeError, match="not initialized"):
            await lsh.query(SKETCHES[0])
        again = await again
        assert await again.has_key(11)
        await again.close()
        await again.close()

    asyncio.run(work())
    with pytest.raises(SettingError, match="lookalike"):
        AsyncMinHashLSH()
    with pytest.raises(SettingError, match="aiomongo"):
        AsyncMinHashLSH(storage_config={"type": "aiomongo"})
    with pytest.raises(ValueError):
        AsyncMinHashLSH(threshold=2, storage_config={"type": "lookalike", "path": folder})
    assert aio.AsyncMinHashLSH is AsyncMinHashLSH
