"""gaoya: MinHashStringIndex with its own word n-grams; its query checks the estimated similarity.

Its interface sketches each text twice: once to query and once to insert.
"""

import shared
from gaoya.minhash import MinHashStringIndex

documents, out = shared.arguments()
index = MinHashStringIndex(
    hash_size=32,
    jaccard_threshold=shared.THRESHOLD,
    num_bands=16,
    band_size=shared.HASHES // 16,
    analyzer="word",
    lowercase=True,
    ngram_range=(shared.WORDS, shared.WORDS),
)
pairs = set()
for number, text in enumerate(shared.texts(documents)):
    pairs.update((earlier, number) for earlier in index.query(text))
    index.insert_document(number, text)
shared.write_pairs(out, pairs)
