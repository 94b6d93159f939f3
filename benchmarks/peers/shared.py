"""Code that the peers share: reading documents, 5-grams of words, writing pairs.

A peer is a program `peer.py DOCUMENTS.jsonl PAIRS.tsv`. It writes the pairs that it takes for duplicates at 0.8, as
two line numbers from 0 with a tab between them, each pair once.
"""

import json
import re
import sys
from itertools import combinations

THRESHOLD = 0.8
HASHES = 128
WORDS = 5

_word = re.compile(r"\w+")


def arguments():
    return sys.argv[1], sys.argv[2]


def texts(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def shingles(text):
    """The set of word 5-grams; a shorter text is one shingle."""
    words = _word.findall(text.lower())
    if len(words) < WORDS:
        return {" ".join(words)} if words else set()
    return {" ".join(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)}


def pairs_of_groups(groups):
    """All pairs of members of one group: a peer that answers with clusters or buckets claims all of them."""
    return {pair for group in groups for pair in combinations(sorted(set(group)), 2)}


def write_pairs(path, pairs):
    with open(path, "w", encoding="ascii") as out:
        for a, b in sorted(pairs):
            out.write(f"{a}\t{b}\n")
