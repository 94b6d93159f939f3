"""dedupe: taught with 30 labels, which are answered from the truth; matches from a probability of 0.5."""

import random

import dedupe
import numpy
import records_shared as shared
from dedupe import variables

LABELS = 30

name, folder, out = shared.arguments()
fields = shared.SETS[name]
random.seed(1)
numpy.random.seed(1)
tables = [table.set_index("id").to_dict("index") for table in shared.tables(folder)]
known = [variables.String(field, has_missing=True) for field in fields["names"] + fields["dates"] + fields["ids"]]
known += [variables.Text(field, has_missing=True) for field in fields["words"]]
known += [variables.Exact(field, has_missing=True) for field in fields["codes"]]
is_linked = len(tables) == 2
truth = {frozenset(line.split("\t")[:2]) for line in (folder / "truth.tsv").read_text().splitlines()[1:]}
by_record = {tuple(sorted((k, v) for k, v in record.items() if v)): id for table in tables for id, record in table.items()}
deduper = (dedupe.RecordLink if is_linked else dedupe.Dedupe)(known, num_cores=0, in_memory=True)
deduper.prepare_training(*tables)
for _ in range(LABELS):
    for pair in deduper.uncertain_pairs():
        ids = frozenset(by_record[tuple(sorted((k, v) for k, v in record.items() if v))] for record in pair)
        answer = "match" if ids in truth else "distinct"
        deduper.mark_pairs({"match": [pair] if answer == "match" else [], "distinct": [pair] if answer == "distinct" else []})
deduper.train(recall=0.99, index_predicates=True)
found = set()
if is_linked:
    for (a, b), _ in deduper.join(*tables, threshold=0.5, constraint="one-to-one"):
        found.add((a, b))
else:
    for ids, _ in deduper.partition(tables[0], threshold=0.5):
        found.update((a, b) for at, a in enumerate(ids) for b in ids[at + 1 :])
shared.write_pairs(out, found)
