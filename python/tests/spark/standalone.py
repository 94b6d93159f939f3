"""A cluster of real processes on this machine: Spark's own master and two workers."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time
from typing import Iterator, List, Optional

import pyspark

SPARK = pathlib.Path(pyspark.__file__).parent
ALONE = ("unshare", "--mount", "sh", "-c")
"""Runs a command with a file system of its own."""
SECONDS = 60
"""How long a process may take until it says that it runs."""


@contextlib.contextmanager
def cluster(folder: pathlib.Path, workers: int = 2, alone: Optional[pathlib.Path] = None) -> Iterator[str]:
    """The address of the master. All processes end with the block, executors among them. The first worker has a folder `alone` of its
    own, as another host would, which needs the rights for that."""
    started: List["subprocess.Popen[bytes]"] = []

    def start(name: str, *words: str, alone: Optional[pathlib.Path] = None) -> pathlib.Path:
        log = folder / f"{name}.log"
        command = [str(SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{words[0]}", "--host", "127.0.0.1", *words[1:]]
        if alone is not None:
            command = [*ALONE, f'mount -t tmpfs none "{alone}" && exec "$@"', "sh", *command]
        environment = {**os.environ, "SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(folder / name)}
        with log.open("wb") as said:
            # In a session of its own, so that its executors can be ended with it.
            started.append(subprocess.Popen(command, stdout=said, stderr=said, env=environment, start_new_session=True))
        return log

    try:
        log = start("master", "master.Master", "--port", "0", "--webui-port", "0")
        address = _said(log, r"Starting Spark master at (spark://[^\s]+)")
        for number in range(workers):
            log = start(f"worker-{number}", "worker.Worker", "--webui-port", "0", "--cores", "1", "--memory", "900m", address, alone=None if number else alone)
            _said(log, r"(Successfully registered with master)")
        yield address
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _said(log: pathlib.Path, pattern: str) -> str:
    """What a process wrote to its log, as soon as it has."""
    for _ in range(SECONDS * 10):
        found = re.search(pattern, log.read_text(errors="replace"))
        if found is not None:
            return found.group(1)
        time.sleep(0.1)
    raise AssertionError(f"{log.name} does not say {pattern}: {log.read_text(errors='replace')[-2000:]}")
