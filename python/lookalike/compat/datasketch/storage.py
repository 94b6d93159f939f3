"""datasketch has a module of this name, and lookalike does not: importing it says what to use instead."""

from lookalike.compat.datasketch._absent import absent

raise absent("storage")
