"""`python -m lookalike`, and the command `lookalike` that the package installs."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of the process; returns its exit code."""
    # The command handles Ctrl-C itself. Otherwise Python would raise KeyboardInterrupt after the command has stopped
    # cleanly. If the signal is ignored, it continues to be ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.run_command(["lookalike", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
