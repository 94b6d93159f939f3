"""datasketch: MinHash and MinHashLSH as in its documentation; with a port, its storage is Redis."""

import sys

import shared
import steps
from datasketch import MinHash, MinHashLSH

storage = None
if len(sys.argv) > 4:
    storage = {"type": "redis", "basename": b"steps", "redis": {"host": "127.0.0.1", "port": int(sys.argv[4])}}
index = MinHashLSH(threshold=shared.THRESHOLD, num_perm=shared.HASHES, storage_config=storage)


def ask(text):
    sketch = MinHash(num_perm=shared.HASHES)
    sketch.update_batch([shingle.encode() for shingle in shared.shingles(text)])
    return sketch, [int(key) for key in index.query(sketch)]


steps.measure(ask, lambda line, sketch: index.insert(str(line), sketch))
