"""Splink: comparisons and blocking rules by hand, trained by expectation maximisation; matches from a probability of 0.5."""

import records_shared as shared
import splink.comparison_library as cl
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

name, folder, out = shared.arguments()
fields = shared.SETS[name]
tables = shared.tables(folder)
tables = [table.rename(columns={"id": "unique_id"}) for table in tables]
comparisons = [cl.JaroWinklerAtThresholds(field, [0.9, 0.7]).configure(term_frequency_adjustments=True) for field in fields["names"]]
comparisons += [cl.JaroWinklerAtThresholds(field, [0.9, 0.7]) for field in fields["words"]]
comparisons += [cl.LevenshteinAtThresholds(field, [1, 2]) for field in fields["dates"] + fields["ids"]]
comparisons += [cl.ExactMatch(field) for field in fields["codes"]]
rules = [block_on(*rule) for rule in shared.BLOCKS[name]]
settings = SettingsCreator(
    link_type="link_only" if len(tables) == 2 else "dedupe_only",
    comparisons=comparisons,
    blocking_rules_to_generate_predictions=rules,
)
database = DuckDBAPI()
registered = [database.register(table) for table in tables] if hasattr(database, "register") else tables
linker = Linker(registered if len(registered) > 1 else registered[0], settings, **({} if hasattr(database, "register") else {"db_api": database}))
certain = rules[:2]
linker.training.estimate_probability_two_random_records_match(certain, recall=0.7)
linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
for rule in rules[:2] + rules[-1:]:
    try:
        linker.training.estimate_parameters_using_expectation_maximisation(rule)
    except Exception as error:  # a rule may leave too few pairs to learn from
        print(error)
found = linker.inference.predict(threshold_match_probability=0.5).as_pandas_dataframe()
shared.write_pairs(out, set(zip(found["unique_id_l"], found["unique_id_r"])))
