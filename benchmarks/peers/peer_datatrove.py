"""datatrove: the min-hash pipeline of FineWeb (signatures, buckets, clusters) as one task, 14 buckets of 8 hashes.

It reports the cluster of each document, which claims that all pairs in a cluster are duplicates.
"""

import os
import struct
import tempfile
from collections import defaultdict

import shared
from datatrove.data import Document
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig

documents, out = shared.arguments()
config = MinhashConfig(n_grams=shared.WORDS, num_buckets=14, hashes_per_bucket=8)
groups = defaultdict(list)
with tempfile.TemporaryDirectory() as folder:
    signatures, buckets, clusters = (os.path.join(folder, name) for name in ("signatures", "buckets", "clusters"))
    texts = enumerate(shared.texts(documents))
    read = (Document(text=text, id=str(number)) for number, text in texts)
    MinhashDedupSignature(output_folder=signatures, config=config).run(read)
    for bucket in range(config.num_buckets):
        step = MinhashDedupBuckets(input_folder=signatures, output_folder=buckets, config=config)
        step.run(rank=bucket, world_size=config.num_buckets)
    MinhashDedupCluster(input_folder=buckets, output_folder=clusters, config=config, save_cluster_id=True).run()
    with open(os.path.join(clusters, "000000.clusters"), "rb") as file:
        for number, cluster in struct.iter_unpack("<II", file.read()):
            groups[cluster].append(number)
shared.write_pairs(out, shared.pairs_of_groups(groups.values()))
