"""gaoya: MinHashStringIndex with its own word n-grams; its query checks the estimated similarity.

Its interface sketches a text that is added twice: once to query and once to insert.
"""

import shared
import steps
from gaoya.minhash import MinHashStringIndex

index = MinHashStringIndex(
    hash_size=32,
    jaccard_threshold=shared.THRESHOLD,
    num_bands=16,
    band_size=shared.HASHES // 16,
    analyzer="word",
    lowercase=True,
    ngram_range=(shared.WORDS, shared.WORDS),
)
steps.measure(lambda text: (text, index.query(text)), index.insert_document)
