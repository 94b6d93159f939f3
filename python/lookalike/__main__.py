"""`python -m lookalike`, and the command `lookalike` that the package installs."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of the process; returns its exit code."""
    return _native.run_command(["lookalike", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
