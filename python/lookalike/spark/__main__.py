"""`python -m lookalike.spark`, and the script that `spark-submit` runs."""

from __future__ import annotations

import os
import sys

if __package__ in (None, ""):
    # As a script, Python looks for modules in this folder first, whose names are for the stages only.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or os.curdir) != here]

from lookalike.spark.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
