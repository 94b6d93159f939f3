"""daft: its normalisation and min-hash expressions, 16 bands of 8 rows brought together by its own group-by."""

import daft
from daft import col
from daft.functions import chunk, list_agg, minhash, normalize

import shared

BANDS = 16
ROWS = shared.HASHES // BANDS

documents, out = shared.arguments()
daft.set_runner_native(num_threads=1)
texts = list(shared.texts(documents))
frame = daft.from_pydict({"number": list(range(len(texts))), "text": texts})
clean = normalize(col("text"), remove_punct=True, lowercase=True, white_space=True)
signatures = minhash(clean, num_hashes=shared.HASHES, ngram_size=shared.WORDS, seed=1)
frame = frame.select(col("number"), signatures.alias("signature"))
frame = frame.with_column("bands", chunk(col("signature"), ROWS))
frame = frame.with_column("band", daft.lit(list(range(BANDS))))
frame = frame.select("number", "bands", "band").explode("bands", "band")
buckets = frame.groupby("band", "bands").agg(list_agg(col("number")))
shared.write_pairs(out, shared.pairs_of_groups(buckets.to_pydict()["number"]))
