"""A job that is asked to end removes its temporary files first."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import Any, Iterator


class _Terminated(BaseException):
    """SIGTERM arrived while a job was running."""


def _terminate(number: int, frame: Any) -> None:
    raise _Terminated


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """Lets SIGTERM stop the job in the block as Ctrl-C does, so that its temporary files are removed. Then the
    process ends as it would have without this.

    This applies only if SIGTERM would end the process at once: a handler of the program is kept, and only the main
    thread can set one.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    is_terminated = False
    try:
        yield
    except _Terminated:
        is_terminated = True
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if is_terminated:
        signal.raise_signal(signal.SIGTERM)
