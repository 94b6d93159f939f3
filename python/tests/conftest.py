"""What the tests share: a small corpus with known near-duplicates."""

from __future__ import annotations

import os
import random
import tempfile
from typing import List, Set

import pytest

# Hugging Face datasets are cached where they go away again, and nothing is asked of any server.
os.environ.setdefault("HF_HOME", tempfile.mkdtemp(prefix="lookalike-tests-"))
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def words(count: int, seed: int) -> List[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(count)]


def shingles(text: str, k: int = 5) -> Set[str]:
    """The definition, for texts of lower-case words between single spaces."""
    tokens = text.split()
    return {" ".join(tokens[at : at + k]) for at in range(max(len(tokens) - k + 1, 1))}


def exact_jaccard(a: str, b: str, k: int = 5) -> float:
    left, right = shingles(a, k), shingles(b, k)
    return len(left & right) / len(left | right)


def corpus(documents: int, seed: int = 1) -> List[str]:
    """Documents of which every third is an edited earlier one, and every tenth a copy."""
    rng = random.Random(seed)
    texts: List[str] = []
    for number in range(documents):
        if number % 10 == 9:
            texts.append(rng.choice(texts))
        elif number % 3 == 2:
            edited = rng.choice(texts).split()
            for _ in range(rng.randint(1, 6)):
                edited[rng.randrange(len(edited))] = f"edit{rng.randrange(10**6)}"
            texts.append(" ".join(edited))
        else:
            texts.append(" ".join(words(rng.randint(60, 120), rng.randrange(10**9))))
    return texts


@pytest.fixture(scope="session")
def texts() -> List[str]:
    return corpus(300)
