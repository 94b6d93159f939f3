"""recordlinkage: its comparisons, and its classifier that learns by expectation maximisation."""

import warnings

import recordlinkage
import records_shared as shared

warnings.filterwarnings("ignore")
name, folder, out = shared.arguments()
fields = shared.SETS[name]
tables = [table.set_index("id") for table in shared.tables(folder)]
indexer = recordlinkage.Index()
for rule in shared.BLOCKS[name]:
    indexer.block(rule)
pairs = indexer.index(*tables)
compare = recordlinkage.Compare(n_jobs=1)
for field in fields["names"] + fields["words"]:
    compare.string(field, field, method="jarowinkler", threshold=0.85, label=field)
for field in fields["dates"] + fields["ids"] + fields["codes"]:
    compare.exact(field, field, label=field)
features = compare.compute(pairs, *tables)
found = recordlinkage.ECMClassifier(binarize=0.5).fit_predict(features)
shared.write_pairs(out, set(found))
