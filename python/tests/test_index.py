"""`lookalike.Index`: answers, errors, threads, processes, frames."""

import datetime
import gc
import pathlib
import pickle
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
