"""rensa: RMinHash and RMinHashLSH with 16 bands, candidates checked by their estimated similarity, as in its README."""

import shared
from rensa import RMinHash, RMinHashLSH

documents, out = shared.arguments()
index = RMinHashLSH(threshold=shared.THRESHOLD, num_perm=shared.HASHES, num_bands=16)
sketches = []
pairs = set()
for number, text in enumerate(shared.texts(documents)):
    sketch = RMinHash(num_perm=shared.HASHES, seed=42)
    sketch.update(list(shared.shingles(text)))
    for earlier in index.query(sketch):
        if sketch.jaccard(sketches[earlier]) >= shared.THRESHOLD:
            pairs.add((earlier, number))
    index.insert(number, sketch)
    sketches.append(sketch)
shared.write_pairs(out, pairs)
