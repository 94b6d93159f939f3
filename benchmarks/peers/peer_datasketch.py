"""datasketch: MinHash and MinHashLSH as in its documentation, bands chosen by the library."""

import shared
from datasketch import MinHash, MinHashLSH

documents, out = shared.arguments()
index = MinHashLSH(threshold=shared.THRESHOLD, num_perm=shared.HASHES)
pairs = set()
for number, text in enumerate(shared.texts(documents)):
    sketch = MinHash(num_perm=shared.HASHES)
    sketch.update_batch([shingle.encode() for shingle in shared.shingles(text)])
    pairs.update((earlier, number) for earlier in index.query(sketch))
    index.insert(number, sketch)
shared.write_pairs(out, pairs)
