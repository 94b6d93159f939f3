"""text-dedup: its min-hash command, one process, bands chosen by itself.

It reports the cluster of each document, which claims that all pairs in a cluster are duplicates.
"""

import os
import tempfile
from collections import defaultdict

import shared
from text_dedup import minhash

documents, out = shared.arguments()
with tempfile.TemporaryDirectory() as folder:
    options = {
        "path": "json",
        "data_files": documents,
        "split": "train",
        "cache_dir": os.path.join(folder, "cache"),
        "output": os.path.join(folder, "output"),
        "column": "text",
        "ngram": shared.WORDS,
        "num_perm": shared.HASHES,
        "threshold": shared.THRESHOLD,
        "min_length": 1,
        "num_proc": 1,
    }
    command = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    minhash.main(command, standalone_mode=False)
groups = defaultdict(list)
for number in list(minhash.uf.parent):
    groups[minhash.uf.find(number)].append(number)
shared.write_pairs(out, shared.pairs_of_groups(groups.values()))
