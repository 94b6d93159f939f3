//! The longer parts of the help texts: what a command does, and commands that work.

pub(crate) const OVERVIEW: &str = "\
Examples:
  lookalike dedup crawl/*.jsonl.zst -o clean/                  without near-duplicates
  lookalike dedup new/*.jsonl --against old/*.jsonl -o fresh/  what is new
  lookalike pairs corpus.jsonl --threshold 0.5                 all similar pairs
  lookalike clusters corpus.jsonl                              groups of similar documents
  lookalike query corpus.jsonl --text-file page.txt            who looks like this
  lookalike sketch corpus.jsonl -o corpus.sketch               hash once, run often
  lookalike compare a.txt b.txt                                what two texts share
  lookalike inspect clean/ --id doc-17                         why is this one gone?
  lookalike report clean/                                      the run as a page
  lookalike plan --threshold 0.8 --documents 1000000           what bands and rows do

Sources are JSON Lines, CSV, TSV, Parquet and plain text files (a file is a document), plain or compressed with gzip, \
zstd, bzip2 or xz. They are read in the order of the arguments, those of a folder or a glob by path, and that order decides ties.";

pub(crate) const DEDUP_ABOUT: &str = "\
Removes near-duplicates.

Unless told otherwise (--verify, --clusters), every removed document is similar, by at least the threshold, to a document \
that is kept and that removed.jsonl names with the exact similarity. The kept records go to files of the same names, formats and compression below the target, each \
unchanged. report.json, written last, says what was done, and what share of the duplicates was found.

A run that was stopped goes on with the same command. The outputs are the same bytes for any number of threads and any \
memory limit.";

pub(crate) const DEDUP: &str = "\
Examples:
  Words in fives, similarity 0.8, the first document stays:
    lookalike dedup crawl/*.jsonl.zst -o clean/

  A folder of text files, looser, the longest text stays:
    lookalike dedup books/ -o clean/ --threshold 0.7 --keep longest

  Parquet with its own column names, in little memory:
    lookalike dedup a.parquet --text-field body --id-field doc.id -o clean/ --memory 2GiB

  What is new, compared with an older corpus:
    lookalike dedup new/*.jsonl --against old/*.jsonl -o fresh/

  Every record stays, with fields that say what it duplicates:
    lookalike dedup crawl/ -o marked/ --annotate

  In a pipe:
    zcat crawl.jsonl.gz | lookalike dedup - -o - > clean.jsonl

  What would go, without writing:
    lookalike dedup crawl/ --dry-run --json";

pub(crate) const PAIRS_ABOUT: &str = "\
Lists all pairs of similar documents with their exact similarity, in input order: the two ids and the similarity, separated \
by tabs, or a JSON object per line with --json. With SimHash the Hamming distance comes last.";

pub(crate) const PAIRS: &str = "\
Examples:
  lookalike pairs corpus.jsonl --threshold 0.5
  lookalike pairs corpus.jsonl --id-field url --json > pairs.jsonl
  lookalike pairs corpus.jsonl --method simhash --distance 3 --verify none";

pub(crate) const CLUSTERS_ABOUT: &str = "\
Lists the groups of similar documents. The first of each group is the one that `lookalike dedup` would keep; below it stands \
what would go, with its similarity to the first. With --json: an object per line, with `kept` and `members`.";

pub(crate) const CLUSTERS: &str = "\
Examples:
  lookalike clusters corpus.jsonl
  lookalike clusters corpus.jsonl --keep max:stars --id-field name
  lookalike clusters corpus.jsonl --clusters components --json";

pub(crate) const QUERY_ABOUT: &str = "\
Finds the documents that look most like a text: similarity and id, separated by a tab, the most similar first. Every \
document is compared exactly.";

pub(crate) const QUERY: &str = "\
Examples:
  lookalike query corpus.jsonl --text-file page.txt --top 10
  lookalike query corpus.jsonl --text 'We the people of the United States' --shingles words:2
  cat page.txt | lookalike query corpus.jsonl --text-file - --threshold 0.5 --json";

pub(crate) const SKETCH_ABOUT: &str = "\
Hashes a corpus into one file that the other commands take as their input. What the sketch fixes (text, shingles, \
normalisation, hashes, seed) is then taken from it; threshold, bands, keep order and so on can differ from run to run. The \
sources must stay where they are, unchanged: records are copied from them, and verifying reads them unless the file \
stores the shingles.";

pub(crate) const SKETCH: &str = "\
Examples:
  lookalike sketch corpus.jsonl -o corpus.sketch
  lookalike dedup corpus.sketch -o clean/ --threshold 0.9
  lookalike pairs corpus.sketch --threshold 0.7

  Larger, but verifying does not read the sources:
    lookalike sketch corpus.jsonl -o corpus.sketch --store shingles";

pub(crate) const PRESETS_ABOUT: &str = "\
Lists what other tools run with, as settings of this one, and the share of the pairs at the threshold that such bands and \
rows find. A preset changes settings only: every removal is still verified (see --verify), and flags go before it.";

pub(crate) const PRESETS: &str = "\
Examples:
  lookalike presets
  lookalike dedup crawl/*.jsonl -o clean/ --preset fineweb
  lookalike dedup crawl/*.jsonl -o clean/ --preset fineweb --recall 0.99   other bands, the rest as it is";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  lookalike completions bash > ~/.local/share/bash-completion/completions/lookalike
  lookalike completions zsh > ~/.zfunc/_lookalike
  lookalike completions fish > ~/.config/fish/completions/lookalike.fish";

pub(crate) const MAN: &str = "\
Examples:
  lookalike man > lookalike.1
  lookalike man ~/.local/share/man/man1";

pub(crate) const COMPARE_ABOUT: &str = "\
Compares two texts: the exact Jaccard similarity and how much of each is in the other, what each kind of sketch estimates \
and how far off it is, the chance that the plan finds the pair, and the passages they share: maximal runs of common \
shingles, aligned, each with its place in both texts. Passages that stand in another order are marked as moved.

On a terminal the two texts stand side by side with the passages in colour. Files that are not text are compared as \
bytes.";

pub(crate) const COMPARE: &str = "\
Examples:
  lookalike compare essay.txt source.txt
  lookalike compare essay.txt source.txt --html essay.html
  lookalike compare --corpus crawl.jsonl --id-field url -- URL URL
  lookalike compare a.py b.py --shingles words:2 --json";

pub(crate) const PLAN_ABOUT: &str = "\
Says what bands and rows do: the chance of finding a pair by its similarity as a curve, the alternatives in a table with \
the areas of wrong candidates and missed pairs, and the memory and disk that a corpus of that size takes.

With --sample, similarities are measured on a sample of a corpus: how many candidates to expect, and how long shingles \
should be so that unrelated documents share few.";

pub(crate) const PLAN: &str = "\
Examples:
  lookalike plan
  lookalike plan --threshold 0.5 --recall 0.95 --documents 1000000000
  lookalike plan --bands 14x8 --threshold 0.75 --svg curve.svg
  lookalike plan --sample crawl.jsonl
  lookalike plan --simhash --distance 3";

pub(crate) const INSPECT_ABOUT: &str = "\
Looks into a finished run: its largest clusters, the pairs nearest to the threshold on both sides, samples by similarity; \
with --id what became of a document, and why; with --threshold what would change at another one, from the run's sketches, \
without hashing anything again.";

pub(crate) const INSPECT: &str = "\
Examples:
  lookalike inspect clean/
  lookalike inspect clean/ --id crawl.jsonl:1234
  lookalike inspect clean/ --threshold 0.9";

pub(crate) const REPORT_ABOUT: &str = "\
Writes the report of a finished run as one page that needs nothing else: counts, the plan and its curve, the similarities \
found and what was probably missed, clusters, times, settings, and examples with the shared passages marked.";

pub(crate) const REPORT: &str = "\
Examples:
  lookalike report clean/
  lookalike report clean/ -o page.html
  lookalike dedup crawl.jsonl -o clean/ --report";
