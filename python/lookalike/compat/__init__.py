"""The interfaces of other libraries, implemented with lookalike: change the import, keep the code.

- `lookalike.compat.datasketch`: MinHash, LeanMinHash, bBitMinHash, WeightedMinHash, MinHashLSH,
  MinHashLSHForest and MinHashLSHEnsemble of datasketch 2.
- `lookalike.compat.simhash`: Simhash and SimhashIndex of the package simhash.
"""
