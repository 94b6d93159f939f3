"""What goes into `lookalike.Index` besides texts, and what a run of `dedup` asks of it."""

import json
import pathlib
import subprocess
import sys

import pytest

import lookalike

WORDS = [f"w{number}" for number in range(2_000)]
TEXTS = [" ".join(WORDS[start : start + 80]) for start in range(0, 1_600, 100)]
NEAR = [text.replace(" w", " w", 1) + " more" for text in TEXTS]
OTHER = "nothing of this was ever seen by anybody who reads these lines in the order they have"


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    lines = [json.dumps({"id": f"d{row}", "text": text, "lang": "en", "n": {"row": row}}) for row, text in enumerate(TEXTS)]
    path.write_text("\n".join(lines) + "\n")
    return path


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "lookalike", *map(str, arguments)], capture_output=True, text=True, check=True)


def ids(index):
    return [document.id for document in index]


def test_sketch_files_parquet_and_lsh_have_the_signatures_of_texts(tmp_path, corpus):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    from lookalike.arrow import Stages

    with lookalike.Index(tmp_path / "texts") as index:
        assert index.add(corpus, id="id") == len(TEXTS)
        expected = [index.query(text) for text in NEAR]
    command("sketch", corpus, "--id-field", "id", "-o", tmp_path / "corpus.sketch")
    sketches = pyarrow.table(Stages().sketch(pyarrow.table({"id": range(len(TEXTS)), "text": TEXTS})))
    names = pyarrow.array([f"d{row}" for row in range(len(TEXTS))])
    parquet.write_table(sketches.set_column(sketches.schema.get_field_index("id"), "id", names), tmp_path / "sketches.parquet")
    lsh = lookalike.LSH(threshold=0.8)
    hasher = lookalike.MinHash()
    for row, text in enumerate(TEXTS):
        lsh.insert(f"d{row}", hasher.sketch(text))
    lsh.save(tmp_path / "saved.lsh")
    for source in (tmp_path / "corpus.sketch", tmp_path / "sketches.parquet", tmp_path / "saved.lsh", lsh):
        with lookalike.Index(tmp_path / f"of-{type(source).__name__}-{getattr(source, 'name', '')}") as index:
            assert index.add(source) == len(TEXTS), source
            found = [index.query(text) for text in NEAR]
            for own, other in zip(found, expected):
                assert [(m.id, m.similarity, m.standard_error) for m in own] == [
                    (m.id, m.similarity, m.standard_error) for m in other
                ]
            with pytest.raises(lookalike.DuplicateIdError):
                index.add(source)
            assert index.add(source, if_present="skip") == 0
    with lookalike.Index(tmp_path / "other", hashes=64) as index:
        for source in (tmp_path / "corpus.sketch", tmp_path / "sketches.parquet", tmp_path / "saved.lsh", lsh):
            with pytest.raises((lookalike.SettingError, lookalike.IncompatibleError), match="64|128"):
                index.add(source)
        assert len(index) == 0
    with lookalike.Index(tmp_path / "whole", store="text") as index:
        with pytest.raises(lookalike.SettingError, match="it has no texts"):
            index.add(tmp_path / "corpus.sketch")
        with pytest.raises(lookalike.SettingError, match="is not; add them with two calls"):
            index.add([tmp_path / "corpus.sketch", corpus])
        with pytest.raises(lookalike.SettingError, match="sketches only"):
            index.add(tmp_path / "corpus.sketch", metadata=["lang"])
        with pytest.raises(TypeError, match="nothing else"):
            index.add(lsh, id="a")


def test_signatures_are_asked_for_and_added(tmp_path):
    hasher = lookalike.MinHash()
    of = lambda text: hasher.sketch(text)  # noqa: E731
    with lookalike.Index(tmp_path / "seen") as index:
        index.add(TEXTS[0], id="text")
        assert index.add(of(TEXTS[1]), id="signature", metadata={"a": 1}) == 1
        assert index.add([of(TEXTS[2]), TEXTS[3]], ids=["two", "three"]) == 2
        assert [(match.id, match.metadata) for match in index.query(NEAR[1])] == [("signature", {"a": 1})]
        assert index.query(signature=of(NEAR[0])) == index.query(NEAR[0])
        assert not index.query(signature=of(NEAR[0]))[0].exact
        checked = index.check(of(NEAR[3]), id="again", add=True)
        assert not checked.new and checked.match.id == "three" and "again" not in index
        assert index.check(of(OTHER), id="other", add=True).new and "other" in index
        index.add(of(TEXTS[5]), id="there", within="x")
        assert [match.id for match in index.query(TEXTS[5], within="x")] == ["there"]
        assert index.query(signature=of(TEXTS[5])) == []
        assert [match.id for match in index.query(signature=of(TEXTS[5]), within="x")] == ["there"]
        for wrong in (
            lookalike.MinHash(64).sketch(TEXTS[0]),
            lookalike.MinHash(seed=7).sketch(TEXTS[0]),
            lookalike.MinHash(shingler="words:3").sketch(TEXTS[0]),
        ):
            with pytest.raises(lookalike.SettingError):
                index.query(signature=wrong)
            with pytest.raises(lookalike.SettingError):
                index.add(wrong, id="wrong")
        with pytest.raises(TypeError):
            index.query(TEXTS[0], signature=of(TEXTS[0]))
    with lookalike.Index(tmp_path / "whole", store="shingles") as index:
        with pytest.raises(lookalike.SettingError):
            index.add(of(TEXTS[0]), id="a")
        index.add(TEXTS[0], id="a")
        assert [match.exact for match in index.query(signature=of(NEAR[0]))] == [False]


def test_columns_become_metadata(tmp_path, corpus):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["a", "b"], "text": TEXTS[:2], "lang": ["en", None], "score": [0.5, 2.0]})
    with lookalike.Index(tmp_path / "seen") as index:
        index.add(frame, id="id", metadata=["lang", "score"])
        assert [document.metadata for document in index] == [{"lang": "en", "score": 0.5}, {"score": 2.0}]
        assert [match.id for match in index.query(TEXTS[0], where={"lang": "en"})] == ["a"]
        index.add(corpus, id="id", metadata=["lang", "n.row"])
        assert index["d3"].metadata == {"lang": "en", "n.row": 3}
        answers = index.check(
            pandas.DataFrame({"id": ["c"], "text": [OTHER], "lang": ["de"]}), id="id", add=True, metadata=["lang"]
        )
        assert answers[0].new and index["c"].metadata == {"lang": "de"}
        with pytest.raises(TypeError, match="list of the names"):
            index.add(frame, id="id", metadata={"lang": "en"})
        with pytest.raises(lookalike.SettingError, match="nothing"):
            index.add(frame, id="id", metadata=["nothing"])


def test_a_run_asks_an_index_and_adds_to_it(tmp_path):
    pandas = pytest.importorskip("pandas")
    with lookalike.Index(tmp_path / "seen", store="shingles", threshold=0.7) as index:
        index.add(TEXTS[:4], ids=[f"old{row}" for row in range(4)])
        kept, result = lookalike.dedup([NEAR[1], OTHER, NEAR[9], TEXTS[9]], against=index)
        assert kept == [OTHER, NEAR[9]]
        assert [(row.document, row.kept, row.kind, row.against) for row in result.removed] == [
            (0, "old1", "near", True),
            (3, 2, "near", False),
        ]
        assert all(0.7 <= row.similarity < 1 for row in result.removed)
        assert result.summary["settings"]["threshold"] == 0.7
        assert "<html" in result.report().html

        frame = pandas.DataFrame({"key": ["x", "y", "z"], "body": [TEXTS[2], TEXTS[8], NEAR[8]]})
        kept, result = lookalike.dedup(frame, text="body", id="key", against=index, add_to=index)
        assert list(kept["key"]) == ["y"] and "y" in index and len(index) == 5
        assert [(row.document, row.kept, row.against) for row in result.removed] == [("x", "old2", True), ("z", "y", False)]
        with pytest.raises(lookalike.SettingError, match="shingles"):
            lookalike.dedup([OTHER], against=index, shingles="words:3")
        with pytest.raises(lookalike.SettingError, match="components"):
            lookalike.dedup([OTHER], against=index, clusters="components")
        with pytest.raises(TypeError, match="ids"):
            lookalike.dedup([OTHER], add_to=index)
        with pytest.raises(lookalike.DuplicateIdError, match="y"):
            lookalike.dedup(pandas.DataFrame({"id": ["y"], "text": [OTHER]}), id="id", add_to=index)
    with lookalike.Index(tmp_path / "light") as index:
        with pytest.raises(lookalike.SettingError, match="shingles"):
            lookalike.dedup([OTHER], against=index)
        assert lookalike.dedup([OTHER], against=index, verify="estimate")[0] == [OTHER]


def test_a_run_with_output_adds_what_it_keeps_once(tmp_path, corpus):
    seen, out = tmp_path / "seen", tmp_path / "out"
    with lookalike.Index(seen, store="shingles") as index:
        index.add(TEXTS[0], id="old")
    for _ in range(2):
        folder, result = lookalike.dedup(corpus, id="id", against=seen, add_to=seen, output=out)
        assert folder == out and [(row.document, row.kept, row.against) for row in result.removed] == [("d0", "old", True)]
    with lookalike.Index(seen, create=False) as index:
        assert ids(index) == ["old", *(f"d{row}" for row in range(1, len(TEXTS)))]
        # An index that is open is asked as it is; the same run is known again by it.
        with pytest.raises(lookalike.TargetError):
            lookalike.dedup(corpus, id="id", against=index, output=out)
    with pytest.raises(TypeError, match="output"):
        lookalike.dedup(corpus, id="id", add_to=seen)
    with pytest.raises(TypeError, match="Index"):
        lookalike.dedup(corpus, id="id", add_to=7, output=tmp_path / "more")
    with pytest.raises(lookalike.NotFoundError):
        lookalike.dedup(corpus, id="id", add_to=tmp_path / "nowhere", output=tmp_path / "more")
    with pytest.raises(lookalike.SettingError, match="is an index"):
        lookalike.pairs(pathlib.Path(seen))


def test_passages_copies_and_repairs(tmp_path):
    with lookalike.Index(tmp_path / "seen", store="text", shingles="words:3") as index:
        index.add(TEXTS[:3], ids=["a", "b", "c"])
        shared = index.passages("b", "before it " + TEXTS[1] + " and after it")
        assert shared.passages and 0.8 < shared.jaccard < 1
        assert [document.text for document in index.export()] == TEXTS[:3]
        assert [document.text for document in index] == [None] * 3
        with pytest.raises(lookalike.UnknownIdError):
            index.passages("nobody", "x")
        index.backup(tmp_path / "backup")
    with lookalike.Index.restore(tmp_path / "backup", tmp_path / "again") as index:
        assert ids(index) == ["a", "b", "c"]
    assert lookalike.Index.repair(tmp_path / "seen") == {"documents": 3, "lost_documents": 0, "lost_batches": 0}
    with lookalike.Index(tmp_path / "light") as index:
        index.add(TEXTS[0], id="a")
        with pytest.raises(lookalike.SettingError, match="store"):
            index.passages("a", "x")
        with pytest.raises(lookalike.InUseError):
            lookalike.Index.repair(tmp_path / "light")
