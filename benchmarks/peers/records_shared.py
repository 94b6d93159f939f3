"""Code that the peers for records share: reading tables, writing pairs.

A peer is a program `records_PEER.py SET FOLDER PAIRS.tsv`. FOLDER has `a.csv`, of two tables also `b.csv` (each with a column `id`),
and `truth.tsv`, which only a peer that is taught with labels may read. It writes the pairs of ids that it takes for matches at the
threshold that it proposes itself.
"""

import sys
from pathlib import Path

import pandas

#: The fields of each set by what they hold, as somebody who writes rules would know them.
PERSONS = {
    "names": ["given_name", "surname"],
    "words": ["address_1", "address_2", "suburb"],
    "codes": ["street_number", "postcode", "state"],
    "dates": ["date_of_birth"],
    "ids": ["soc_sec_id"],
}
PAPERS = {"names": [], "words": ["title", "authors", "venue"], "codes": ["year"], "dates": [], "ids": []}
RESTAURANTS = {"names": ["name"], "words": ["addr", "city", "type"], "codes": [], "dates": [], "ids": ["phone"]}
SETS = {"febrl1": PERSONS, "febrl3": PERSONS, "persons": PERSONS, "dblp-acm": PAPERS, "restaurants": RESTAURANTS}

#: Rules of blocking: two records are compared if they agree in the fields of one rule. Those of persons are the rules of
#: Splink's tutorials for this data; the others are what comes to mind.
BLOCKS = {
    "persons": [
        ["soc_sec_id"],
        ["given_name", "surname"],
        ["date_of_birth"],
        ["surname", "postcode"],
        ["given_name", "suburb"],
        ["address_1", "postcode"],
        ["address_1", "street_number"],
    ],
    "dblp-acm": [["title"], ["authors"], ["first_words"], ["last_words"], ["first_author", "year"]],
    "restaurants": [["phone"], ["name"], ["addr"], ["first_words"], ["last_words"], ["street_number", "city"]],
}
BLOCKS["febrl1"] = BLOCKS["febrl3"] = BLOCKS["persons"]


def arguments():
    name, folder, out = sys.argv[1:4]
    return name, Path(folder), out


def table(path):
    """A table of strings, without capital letters; what is missing is None. Parts of fields that rules need are added."""
    read = pandas.read_csv(path, dtype=str, keep_default_na=False)
    for column in read.columns.drop("id"):
        read[column] = read[column].str.strip().str.lower()
    for title in {"title", "name"} & set(read.columns):
        words = read[title].str.replace(r"[^\w\s]", " ", regex=True).str.split()
        read["first_words"] = words.str[:3].str.join(" ")
        read["last_words"] = words.str[-3:].str.join(" ")
    if "authors" in read.columns:
        read["first_author"] = read["authors"].str.split(",").str[0].str.split().str[-1].fillna("")
    if "addr" in read.columns:
        read["street_number"] = read["addr"].str.extract(r"^(\d+)", expand=False).fillna("")
    return read.astype(object).where(read != "", None)


def tables(folder):
    """One table, or two."""
    both = [table(folder / "a.csv")]
    if (folder / "b.csv").exists():
        both.append(table(folder / "b.csv"))
    return both


def write_pairs(path, pairs):
    with open(path, "w", encoding="utf-8") as out:
        for a, b in sorted(pairs):
            out.write(f"{a}\t{b}\n")
