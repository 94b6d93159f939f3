"""`lookalike.Index`: answers, errors, threads, processes, frames."""

import datetime
import gc
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading

import pytest

import lookalike

POEM = "the quick brown fox jumps over the lazy dog and runs away"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "seen"


def open_index(folder, **more):
    return lookalike.Index(folder, **{"threshold": 0.7, "store": "text", **more})


def test_what_was_added_is_found_and_stays(folder):
    with open_index(folder) as index:
        assert index.add(POEM, id="one", metadata={"lang": "en"}) == 1
        assert index.add([POEM.upper(), POEM.replace("away", "home")], ids=["two", "three"]) == 2
        found = index.query(POEM)
        assert [(match.id, match.similarity) for match in found] == [("one", 1.0), ("two", 1.0), ("three", 7 / 9)]
        assert all(match.exact for match in found) and not found.truncated
        assert found.found_probability > 0.9
        assert found[0].metadata == {"lang": "en"}
        assert found[0].added.tzinfo is datetime.timezone.utc
    with lookalike.Index(folder, create=False) as index:
        assert len(index) == 3 and "two" in index and "four" not in index and 2 not in index
        assert index["one"].text == POEM
        assert index.get("nobody") is None
        with pytest.raises(lookalike.UnknownIdError, match="nobody"):
            index["nobody"]
        assert [document.id for document in index] == ["one", "two", "three"]
        assert [match.id for match in index.query(id="three")] == ["one", "two"]
        assert [match.id for match in index.query(POEM, where={"lang": "en"})] == ["one"]
        assert [match.id for match in index.query(POEM, top=1)] == ["one"]
        assert index.remove("one") == 1 and index.remove(["one", "two"]) == 1
        assert [match.id for match in index.query(POEM)] == ["three"]
        assert index.verify()["clean"]


def test_a_check_names_the_oldest_and_adds_what_is_new(folder):
    with open_index(folder) as index:
        assert index.check(POEM).new
        assert index.check(POEM, id="one", add=True).new
        seen = index.check(POEM.replace("away", "home"), id="two", add=True)
        assert not seen.new and seen.match.id == "one" and seen.match.similarity == pytest.approx(7 / 9)
        answers = index.check(["something else that nobody has seen", POEM], ids=["three", "four"], add=True)
        assert [(answer.id, answer.new) for answer in answers] == [("three", True), ("four", False)]
        assert index.check(POEM, id="five", add=True, on_match="replace").match.id == "one"
        assert "one" not in index and "five" in index
        with pytest.raises(lookalike.DuplicateIdError):
            index.check("another text altogether, of some length", id="three", add=True)


def test_a_corpus_checked_in_order_is_what_dedup_keeps(folder):
    words = [f"w{number}" for number in range(400)]
    texts = [" ".join(words[start : start + 60]) for start in range(0, 340, 20) for _ in range(2)]
    texts += [text + " more" for text in texts]
    kept, _ = lookalike.dedup(texts, recall=0.9999)
    with lookalike.Index(folder, store="shingles", recall=0.9999) as index:
        answers = index.check(texts, ids=[str(row) for row in range(len(texts))], add=True)
        assert [texts[int(answer.id)] for answer in answers if answer.new] == kept


def test_frames_and_files(folder, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"url": ["a", "b"], "text": [POEM, "we hold these truths to be self-evident"], "lang": ["en", "en"]})
    with open_index(folder) as index:
        assert index.add(frame, id="url") == 2
        with pytest.raises(lookalike.DuplicateIdError, match="the id a"):
            index.add(frame, id="url")
        assert index.add(frame, id="url", if_present="skip") == 0
        # The ids of a list are looked up once each.
        many = ["a", *(str(number) for number in range(20_000)), "7"]
        texts = [f"{POEM} {id}" for id in many]
        assert index.add(texts, ids=many, if_present="skip") == 20_000
        assert index.remove(many[1:-1]) == 20_000
        assert index.add(frame, id="url", if_present="update") == 2
        assert [answer.match.id for answer in index.check(frame, id="url")] == ["a", "b"]
        file = tmp_path / "more.jsonl"
        file.write_text('{"name": "c", "body": "a file of one record, which is in no frame"}\n')
        assert index.add(pathlib.Path(file), id="name", text="body") == 1
        with pytest.raises(TypeError, match="ids"):
            index.add(frame)
        with pytest.raises(lookalike.SettingError, match="'nothing'"):
            index.add(frame, id="nothing")
    with lookalike.Index(tmp_path / "by-lang") as index:
        index.add(frame, id="url", within="lang")
        assert [match.id for match in index.query(POEM, within="en")] == ["a"]
        assert index.query(POEM, within="de") == [] and index.query(POEM) == []


def test_an_index_that_is_like_another_can_be_merged_with_it(folder, tmp_path):
    with open_index(folder, store="shingles") as index:
        index.add(POEM, id="one")
        with lookalike.Index(tmp_path / "stranger", threshold=0.7, store="shingles") as stranger:
            with pytest.raises(lookalike.LookalikeError, match="key"):
                index.merge(stranger)
            stranger_path = tmp_path / "stranger"
        # The other one may be open, and may be named by its path.
        for like, name in ((index, "by-object"), (folder, "by-path")):
            with lookalike.Index(tmp_path / name, like=like) as sibling:
                assert sibling.stats()["config"] == index.stats()["config"]
                sibling.add("a text that only the sibling has, of some length", id=name)
            # One that is there must be like it already.
            with lookalike.Index(tmp_path / name, like=like) as sibling:
                assert index.merge(sibling) == 1
        assert [document.id for document in index] == ["one", "by-object", "by-path"]
        with pytest.raises(lookalike.LookalikeError, match="key"):
            lookalike.Index(stranger_path, like=index)
        for wrong in ({"threshold": 0.7}, {"store": "shingles"}, {"create": False}):
            with pytest.raises(TypeError, match="like"):
                lookalike.Index(tmp_path / "new", like=index, **wrong)
        with pytest.raises(lookalike.NotFoundError):
            lookalike.Index(tmp_path / "new", like=tmp_path / "nowhere")
        assert not (tmp_path / "new").exists()


def test_an_export_sees_one_state(folder):
    with open_index(folder) as index:
        many = [f"{POEM} {number}" for number in range(2_500)]
        index.add(many, ids=[str(number) for number in range(2_500)])
        exported = index.export()
        seen = [next(exported)]
        index.remove([str(number) for number in range(1, 2_500)])
        index.add("a text that came later, of some length", id="later")
        seen += exported
        assert [(document.id, document.text) for document in seen] == [(str(at), text) for at, text in enumerate(many)]
        assert [document.id for document in index] == ["0", "later"]
        # What is left of a listing does not keep the index open.
        left = iter(index)
        next(left)
        unread = iter(index)
    assert [document.id for document in left] == ["later"]
    with pytest.raises(lookalike.SettingError, match="closed"):
        next(unread)
    with lookalike.Index(folder, create=False) as index:
        assert len(index) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_must_not_use_it(folder):
    with open_index(folder) as index:
        index.add(POEM, id="one")
        listing = iter(index)
        next(listing)
        child = os.fork()
        if child == 0:
            refused = 0
            for call in (
                lambda: index.add(POEM, id="two"),
                lambda: index.query(POEM),
                lambda: list(index),
                lambda: lookalike.Index(folder),
            ):
                try:
                    call()
                except lookalike.InUseError:
                    refused += 1
            # Closing and forgetting it must not touch the files.
            index.close()
            del listing, index
            gc.collect()
            os._exit(refused)
        _, status = os.waitpid(child, 0)
        assert os.WEXITSTATUS(status) == 4
        assert index.add("a text that came after the fork, of some length", id="two") == 1
        assert [document.id for document in index] == ["one", "two"]
    with lookalike.Index(folder, create=False) as index:
        assert len(index) == 2 and index.verify()["clean"]


def test_documents_go_when_their_time_is_over(folder):
    with open_index(folder, ttl=datetime.timedelta(days=1)) as index:
        index.add(POEM, id="one")
        assert index["one"].expires - index["one"].added == datetime.timedelta(days=1)
        index.add("a text that is here for a moment only", id="two", ttl=0.001)
        while "two" in index:
            pass
        assert index.expire() == 1
        assert len(index) == 1


def test_what_cannot_be_is_refused(folder, tmp_path):
    with open_index(folder) as index:
        index.add(POEM, id="one")
        with pytest.raises(lookalike.InUseError, match="in use by process"):
            lookalike.Index(folder)
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(index)
        for wrong, error in (
            (lambda: index.query(), TypeError),
            (lambda: index.query(POEM, top=0), lookalike.SettingError),
            (lambda: index.query(POEM, threshold=7), lookalike.SettingError),
            (lambda: index.query(id="nobody"), lookalike.UnknownIdError),
            (lambda: index.add(POEM), TypeError),
            (lambda: index.add(POEM, id=""), lookalike.SettingError),
            (lambda: index.add(POEM, id="x" * 1025), lookalike.SettingError),
            (lambda: index.add(POEM, id="y", if_present="perhaps"), lookalike.SettingError),
            (lambda: index.add(POEM, id="y", metadata=[1]), TypeError),
            (lambda: index.add([POEM], ids=["y", "z"]), lookalike.SettingError),
            (lambda: index.check(POEM, id="y", add=True, on_match="perhaps"), lookalike.SettingError),
            (lambda: index.remove(), TypeError),
            (lambda: index.remove(where={}), lookalike.SettingError),
        ):
            with pytest.raises(error):
                wrong()
        assert [document.id for document in index] == ["one"]
    with pytest.raises(lookalike.SettingError, match="closed"):
        index.query(POEM)
    index.close()
    with pytest.raises(lookalike.SettingError, match="threshold 0.7, not 0.5"):
        lookalike.Index(folder, threshold=0.5)
    with pytest.raises(lookalike.SettingError, match="store text, not shingles"):
        lookalike.Index(folder, store="shingles")
    with pytest.raises(lookalike.NotFoundError):
        lookalike.Index(tmp_path / "nowhere", create=False)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("x")
    with pytest.raises(lookalike.TargetError):
        lookalike.Index(tmp_path / "other")
    with pytest.raises(lookalike.SettingError, match="containment"):
        lookalike.Index(tmp_path / "new", measure="containment")
    with pytest.raises(TypeError, match="keep"):
        lookalike.Index(tmp_path / "new", keep="longest")
    assert not (tmp_path / "new").exists()


def test_copies_answer_alike(folder, tmp_path):
    with open_index(folder) as index:
        index.add([POEM, POEM.replace("away", "home")], ids=["one", "two"])
        index.backup(tmp_path / "copy")
        index.compact()
        with lookalike.Index(tmp_path / "copy") as copy:
            assert copy.query(POEM) == index.query(POEM)
            copy.add("something that only the copy has, for now", id="three")
            with pytest.raises(lookalike.DuplicateIdError):
                index.merge(copy)
            assert index.merge(copy, if_present="skip") == 1
    assert lookalike.Index(folder).stats()["documents"] == 3
    gc.collect()


def test_many_threads_and_one_is_new(folder):
    with open_index(folder) as index:
        answers = []

        def check(number):
            answers.append(index.check(POEM, id=str(number), add=True))

        threads = [threading.Thread(target=check, args=(number,)) for number in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(answer.new for answer in answers) == 1
        assert len(index) == 1


def test_what_was_acknowledged_survives_a_kill(folder):
    code = (
        "import lookalike, os, signal\n"
        f"index = lookalike.Index({str(folder)!r}, store='text')\n"
        f"index.add({POEM!r}, id='one')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    with lookalike.Index(folder) as index:
        assert index["one"].text == POEM and index.verify()["clean"]


def run(program, *arguments):
    return subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True)


def test_a_second_process_is_refused_and_the_first_is_named(folder):
    program = "import lookalike, sys\nwith lookalike.Index(sys.argv[1]) as index: print(len(index))"
    with open_index(folder) as index:
        index.add(POEM, id="one")
        refused = run(program, folder)
        assert refused.returncode == 1 and refused.stdout == ""
        assert f"InUseError: the index at {folder} is in use by process {os.getpid()}" in refused.stderr
        assert "one" in index
    assert run(program, folder).stdout == "1\n"


INTERRUPTED = """
import sys
import lookalike

with lookalike.Index(sys.argv[1], store="text") as index:
    for number in range(10**9):
        texts = [f"{number} {n} one of three texts that come together" for n in range(3)]
        index.add(texts, ids=[f"{number}-{n}" for n in range(3)])
        print(number, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_leaves_what_was_acknowledged(folder):
    """Ctrl-C while documents are added: the program ends with KeyboardInterrupt, and batches are whole."""
    command = [sys.executable, "-c", INTERRUPTED, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        last = max(int(process.stdout.readline()) for _ in range(5))
        process.send_signal(signal.SIGINT)
        last = max([last, *(int(line) for line in process.stdout)])
        assert "KeyboardInterrupt" in process.stderr.read()
    with lookalike.Index(folder, create=False) as index:
        ids = {document.id for document in index}
        assert len(ids) % 3 == 0 and index.verify()["clean"]
        assert {f"{number}-{n}" for number in range(last + 1) for n in range(3)} <= ids


def test_an_interrupt_ends_a_long_load(folder):
    """Ctrl-C while a table is added: the loop over its blocks hears it, and what is there is whole."""
    program = (
        "import _thread, lookalike, sys, threading\n"
        "texts = [f'{n} is one of many texts that are added from one table' for n in range(400_000)]\n"
        "import pyarrow\n"
        "table = pyarrow.table({'text': texts, 'id': [str(n) for n in range(len(texts))]})\n"
        "with lookalike.Index(sys.argv[1]) as index:\n"
        "    threading.Timer(0.5, _thread.interrupt_main).start()\n"
        "    index.add(table, id='id')\n"
    )
    ended = run(program, folder)
    assert "KeyboardInterrupt" in ended.stderr, ended.stderr
    with lookalike.Index(folder, create=False) as index:
        assert len(index) < 400_000 and index.verify()["clean"]


def resident():
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


def fails(index):
    with pytest.raises(lookalike.UnknownIdError):
        index["nobody"]


CALLS = {
    "query": lambda index: index.query(POEM, top=3),
    "check": lambda index: index.check(POEM),
    "get": lambda index: index["one"],
    "errors": fails,
}


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("name", CALLS)
def test_memory_is_flat_over_100_000_calls(folder, name):
    calls, call = 100_000, CALLS[name]
    with open_index(folder) as index:
        index.add(POEM, id="one", metadata={"lang": "en"})
        for _ in range(calls // 20):
            call(index)
        before = resident()
        for _ in range(calls):
            call(index)
        # A leak of 40 bytes a call would show; a few pages more or less are the allocator's.
        assert resident() - before < 40 * calls
