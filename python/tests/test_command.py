"""`python -m lookalike`, and the command that the package installs."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import lookalike

COMMAND = [sys.executable, "-m", "lookalike"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)


def test_the_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"lookalike {lookalike.__version__}")


def test_answers_go_to_standard_output(tmp_path: pathlib.Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"text": "a rose is a rose is a rose"}\n' * 2)
    done = run("pairs", str(corpus), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[0])["similarity"] == 1.0
    done = run("dedup", str(corpus), "-o", str(tmp_path / "out"))
    assert done.returncode == 0 and (tmp_path / "out").is_dir()


def test_exit_codes_are_those_of_the_command(tmp_path: pathlib.Path) -> None:
    assert run("--no-such-flag").returncode == 2
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": 5}\n')
    done = run("pairs", str(bad))
    assert done.returncode == 3 and "bad.jsonl" in done.stderr


def test_the_installed_command() -> None:
    script = pathlib.Path(sys.executable).parent / "lookalike"
    if not script.exists():
        pytest.skip("the package was not installed")
    done = subprocess.run([script, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, f"lookalike {lookalike.__version__}")


def test_a_reader_that_has_seen_enough(tmp_path: pathlib.Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"text": "a rose is a rose is a rose"}\n' * 600)
    with subprocess.Popen([*COMMAND, "pairs", str(corpus), "--json", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c(tmp_path: pathlib.Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    with open(corpus, "w") as file:
        for i in range(300_000):
            file.write(json.dumps({"text": " ".join(str(i * 7919 + j) for j in range(60))}) + "\n")
    with subprocess.Popen([*COMMAND, "dedup", str(corpus), "-o", str(tmp_path / "out")], stderr=subprocess.PIPE) as process:
        # The work folder is made after the signal is listened for.
        while not (tmp_path / "out" / "_lookalike" / "run.json").exists():
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert process.returncode == 130, said
    assert "Traceback" not in said
