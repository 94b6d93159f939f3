"""Makes the pickles beside it, with an old datasketch.

    python3.11 -m venv old && old/bin/pip install "datasketch==1.6.5" "numpy<2"
    old/bin/python make.py datasketch-1.6.5.pickle

and the same with datasketch 1.5.9. The permutations in them are in Fortran order.
"""

import pickle
import sys

import numpy as np
from datasketch import MinHash, MinHashLSH, WeightedMinHashGenerator

made = MinHash(num_perm=8, seed=7)
for item in (b"one", b"two"):
    made.update(item)
assert made.permutations.flags.f_contiguous and not made.permutations.flags.c_contiguous
more = made.copy()
more.update(b"three")
generator = WeightedMinHashGenerator(4, 8, seed=3)
vectors = [[1, 0, 3, 0.5], [0, 2, 0, 0], [1, 1, 1, 1]]
lsh = MinHashLSH(threshold=0.5, num_perm=8)
lsh.insert("a", made)
stored = {
    "minhash": made,
    "after three": [int(value) for value in more.hashvalues],
    "generator": generator,
    "vectors": vectors,
    "weighted": [generator.minhash(np.array(vector)) for vector in vectors],
    "lsh": lsh,
}
with open(sys.argv[1], "wb") as file:
    pickle.dump(stored, file, protocol=4)
