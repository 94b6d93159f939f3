//! The longer parts of the help texts: what each command does, and examples.

pub(crate) const OVERVIEW: &str = "\
Examples:
  lookalike dedup crawl/*.jsonl.zst -o clean/                  remove near-duplicates
  lookalike dedup new/*.jsonl --against old/*.jsonl -o fresh/  keep only what is new
  lookalike pairs corpus.jsonl --threshold 0.5                 list all similar pairs
  lookalike clusters corpus.jsonl                              list groups of similar documents
  lookalike query corpus.jsonl --text-file page.txt            find what is similar to a text
  lookalike sketch corpus.jsonl -o corpus.sketch               hash once, run often
  lookalike compare a.txt b.txt                                show what two texts share
  lookalike inspect clean/ --id doc-17                         show why a document was removed
  lookalike report clean/                                      write a run's report as a page
  lookalike plan --threshold 0.8 --documents 1000000           show what bands and rows do
  lookalike index check seen/ new.jsonl --add                  ask what was seen before, and remember it
  lookalike serve seen/                                        the same over HTTP, with a page

The inputs can be JSON Lines, CSV, TSV, Parquet and plain text files, uncompressed or compressed with gzip, zstd, bzip2 or \
xz. A plain text file is one document. Inputs are read in the order of the arguments; the files of a folder or a glob are read \
in the order of their paths. This input order decides which of two equally good documents is kept.";

pub(crate) const DEDUP_ABOUT: &str = "\
Removes near-duplicates.

A document is removed only if its similarity to a kept document is at least the threshold. removed.jsonl lists each removed \
document with the kept document that it duplicates and their exact similarity. (With --verify estimate or none the similarity is not checked; with --clusters components it can be below the threshold.) The \
kept records are written unchanged to files in the target folder that have the names, formats and compression of the inputs. \
report.json is written last. It says what was done, and estimates the share of the duplicates that was found.

If a run was stopped, the same command continues it. The kept records and the list of removed documents are byte for byte the same for any number of threads and \
any memory limit.";

pub(crate) const DEDUP: &str = "\
Examples:
  Use the defaults: shingles of five words, threshold 0.8, keep the first document:
    lookalike dedup crawl/*.jsonl.zst -o clean/

  A folder of text files, with a lower threshold; keep the longest text:
    lookalike dedup books/ -o clean/ --threshold 0.7 --keep longest

  Parquet with other column names, in little memory:
    lookalike dedup a.parquet --text-field body --id-field doc.id -o clean/ --memory 2GiB

  Keep only what is new compared with an older corpus:
    lookalike dedup new/*.jsonl --against old/*.jsonl -o fresh/

  Keep every record, and add fields that say what it duplicates:
    lookalike dedup crawl/ -o marked/ --annotate

  Read and write through a pipe:
    zcat crawl.jsonl.gz | lookalike dedup - -o - > clean.jsonl

  Report what would be removed, without writing files:
    lookalike dedup crawl/ --dry-run --json";

pub(crate) const PAIRS_ABOUT: &str = "\
Lists all pairs of similar documents with their exact similarity, in input order. Each line has the two ids and the \
similarity, separated by tabs. With SimHash, the Hamming distance follows. With --json, each line is a JSON object.";

pub(crate) const PAIRS: &str = "\
Examples:
  lookalike pairs corpus.jsonl --threshold 0.5
  lookalike pairs corpus.jsonl --id-field url --json > pairs.jsonl
  lookalike pairs corpus.jsonl --method simhash --distance 3 --verify none
  lookalike pairs dblp.csv --against acm.csv --against-only --one-to-one --kind records";

pub(crate) const CLUSTERS_ABOUT: &str = "\
Lists the groups of similar documents. The first document of each group is the one that `lookalike dedup` would keep. The \
indented lines below it are the documents that would be removed, with their similarity to the first. With --json, each line is \
an object with `kept` and `members`.";

pub(crate) const CLUSTERS: &str = "\
Examples:
  lookalike clusters corpus.jsonl
  lookalike clusters corpus.jsonl --keep max:stars --id-field name
  lookalike clusters corpus.jsonl --clusters components --json
  lookalike clusters customers.csv --kind records";

pub(crate) const QUERY_ABOUT: &str = "\
Finds the documents that are most similar to a text. Each line has the similarity and the id, separated by a tab; the most \
similar document comes first. Every document is compared exactly.";

pub(crate) const QUERY: &str = "\
Examples:
  lookalike query corpus.jsonl --text-file page.txt --top 10
  lookalike query corpus.jsonl --text 'We the people of the United States' --shingles words:2
  cat page.txt | lookalike query corpus.jsonl --text-file - --threshold 0.5 --json";

pub(crate) const SKETCH_ABOUT: &str = "\
Hashes a corpus into one file that the other commands take as their input. The settings that determine the sketch (fields, \
shingles, normalisation, hashes, seed) are stored in the file. Threshold, bands, keep order and others can differ from run to \
run. The sources must stay where they are and must not change: records are copied from them, and pairs are checked with their \
texts unless the file stores the shingles.";

pub(crate) const SKETCH: &str = "\
Examples:
  lookalike sketch corpus.jsonl -o corpus.sketch
  lookalike dedup corpus.sketch -o clean/ --threshold 0.9
  lookalike pairs corpus.sketch --threshold 0.7

  A larger file; checking pairs does not read the sources:
    lookalike sketch corpus.jsonl -o corpus.sketch --store shingles";

pub(crate) const PRESETS_ABOUT: &str = "\
Lists the settings of other tools as presets, with the share of the pairs at the threshold that their bands and rows find. A \
preset only changes settings: every removal is still checked (see --verify). Flags override a preset.";

pub(crate) const PRESETS: &str = "\
Examples:
  lookalike presets
  lookalike dedup crawl/*.jsonl -o clean/ --preset fineweb
  lookalike dedup crawl/*.jsonl -o clean/ --preset fineweb --recall 0.99   plan other bands";

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
Compares two texts. The output has the exact Jaccard similarity, how much of each text is in the other, what each kind of \
sketch estimates and how far off the estimate is, and the chance that the plan finds the pair. Then follow the passages that \
the texts share: maximal runs of common shingles, with their positions in both texts. Passages that come in a different order \
are marked as moved.

On a terminal, the two texts are shown side by side with the shared passages in colour. Files that are not text are compared \
as bytes.";

pub(crate) const COMPARE: &str = "\
Examples:
  lookalike compare essay.txt source.txt
  lookalike compare essay.txt source.txt --html essay.html
  lookalike compare --corpus crawl.jsonl --id-field url -- URL URL
  lookalike compare a.py b.py --shingles words:2 --json";

pub(crate) const PLAN_ABOUT: &str = "\
Shows what bands and rows do. A curve shows the chance of finding a pair, by its similarity. A table compares the plan with \
alternatives, by the area under the curve for wrong candidates and the area above it for missed pairs. The last lines say how \
much memory and disk a corpus of this size takes.

With --sample, similarities are measured in a sample of a corpus. This tells how many candidates to expect, and how long \
shingles should be so that unrelated documents share few of them.";

pub(crate) const PLAN: &str = "\
Examples:
  lookalike plan
  lookalike plan --threshold 0.5 --recall 0.95 --documents 1000000000
  lookalike plan --bands 14x8 --threshold 0.75 --svg curve.svg
  lookalike plan --sample crawl.jsonl
  lookalike plan --measure containment
  lookalike plan --simhash --distance 3";

pub(crate) const INSPECT_ABOUT: &str = "\
Looks into a finished run: its largest clusters, the pairs nearest to the threshold on both sides, and an example of each \
similarity. --id shows what happened to a document, and why. --threshold shows what would change at another threshold; it uses \
the sketches of the run and hashes nothing again.";

pub(crate) const INSPECT: &str = "\
Examples:
  lookalike inspect clean/
  lookalike inspect clean/ --id crawl.jsonl:1234
  lookalike inspect clean/ --threshold 0.9

Exit codes:
  0  the run was shown
  2  RUN is not a folder, no document has the id, or another flag is wrong
  4  RUN has no finished run, files of the run are damaged, or sources have changed that --threshold needs";

pub(crate) const REPORT_ABOUT: &str = "\
Writes the report of a finished run as one HTML file that needs no other files. It has counts, the plan and its curve, the \
similarities that were found and what was probably missed, clusters, times, settings, and examples with the shared passages \
marked.";

pub(crate) const REPORT: &str = "\
Examples:
  lookalike report clean/
  lookalike report clean/ -o page.html
  lookalike report clean/ -o - | gzip > page.html.gz
  lookalike report clean/ --json                     also print the report as JSON
  lookalike dedup crawl.jsonl -o clean/ --report";

pub(crate) const INDEX_ABOUT: &str = "\
Keeps documents in an index, and answers which of them look like a new one.

An index is a folder. Its configuration is fixed when it is created; `stats` shows it. Each change that a command \
acknowledges is on the disk, whatever happens next. One process at a time can open an index; to ask and add from many, \
use the service.";

pub(crate) const INDEX: &str = "\
Examples:
  Create an index that stores texts, and fill it:
    lookalike index create seen/ --threshold 0.8 --store text
    lookalike index add seen/ crawl/*.jsonl.zst --id-field url

  Ask who looks like a text:
    lookalike index query seen/ --text-file page.txt --top 10

  Say of each new record whether it was seen before, and add the new ones:
    lookalike index check seen/ new.jsonl --id-field url --add";

pub(crate) const INDEX_CREATE: &str = "\
Examples:
  Signatures only, about 790 bytes per document; similarities are estimated:
    lookalike index create seen/

  With texts, so that similarities are exact and shared passages can be shown:
    lookalike index create seen/ --store text

  Documents that are forgotten after 90 days:
    lookalike index create mails/ --store shingles --ttl 90d

  Another index that can be merged with it:
    lookalike index create more-mails/ --like mails/";

pub(crate) const INDEX_ADD_ABOUT: &str = "\
Adds documents. If there is no index in the folder, one is created, with the settings that are given here or their defaults.

An id can be used once. Without --id-field, the id of a document is SOURCE:LINE. If the command is stopped, the same command \
continues it. Nothing is compared: to add only what is new, use `check --add`.

Sketches that were made before are added without reading a text: sketch files, Parquet files of sketches, and saved indexes in memory \
(LSH of Python, LKLI). They must have been made with the settings of the index; an index that is created here gets those that they name.";

pub(crate) const LABEL_ABOUT: &str = "\
Asks about pairs of records: do both describe the same thing? The two records are shown side by side with what differs between \
square brackets. Answer y (yes), n (no), u (cannot be told) or q (stop). The next question is always about the pair whose answer is least \
certain after the answers so far. Each answer is written at once, so that the command can be stopped, and goes on where it was.

The labels refine the weights of the fields and shift all probabilities, and precision and recall are estimated from them, each with \
its standard error. With --labels the file is used by pairs, clusters, dedup and compare. Give the same inputs and settings of records \
as there, or the folder of a finished run of dedup, whose tables and settings are taken then. \
Here --kind is records without being given, and the default of --threshold is a probability of 0.5, as with --kind records everywhere.";

pub(crate) const LABEL: &str = "\
Examples:
  lookalike label customers.csv -o labels.tsv
  lookalike label clean/ -o labels.tsv                         of a run of dedup --kind records
  lookalike label dblp.csv --against acm.csv --against-only --one-to-one -o labels.tsv
  lookalike pairs customers.csv --kind records --labels labels.tsv";

pub(crate) const EVALUATE_ABOUT: &str = "\
Says how good an answer is. Precision is the share of the found pairs that is true, recall the share of the true pairs that was \
found, and F1 their harmonic mean. If the answer has similarities, the threshold with the highest F1 is shown. Of clusters, all \
pairs within a cluster count as found; B-cubed, in which every document counts the same, is shown beside.

Files are tables separated by tabs or commas, or JSON Lines: pairs with the columns id_a and id_b (or two columns without \
names), groups with the columns id and group (or cluster), the output of `lookalike pairs`, and that of `lookalike \
clusters --json`. A column `similarity` is used if it is there.";

pub(crate) const EVALUATE: &str = "\
Examples:
  lookalike evaluate clean/ --truth truth.tsv
  lookalike pairs corpus.jsonl --id-field id --threshold 0.3 > found.tsv
  lookalike evaluate found.tsv --truth truth.tsv
  lookalike evaluate found.tsv --truth truth.tsv --missed > missed.tsv";

pub(crate) const INDEX_ADD: &str = "\
Examples:
  lookalike index add seen/ crawl/*.jsonl.zst --id-field url
  lookalike index add seen/ crawl.jsonl --id-field url --meta lang,author.name
  lookalike index add seen/ changed.jsonl --id-field url --update
  lookalike index add seen/ today.jsonl --id-field url --ttl 30d
  lookalike index add seen/ corpus.sketch";

pub(crate) const INDEX_QUERY_ABOUT: &str = "\
Lists the documents that look like a text, like another document or like a signature, the most similar first. Each line has the similarity, the \
id, and when the document was added. A similarity that signatures estimate is followed by its standard error.";

pub(crate) const INDEX_QUERY: &str = "\
Examples:
  lookalike index query seen/ --text-file page.txt --top 10
  lookalike index query seen/ --id doc-17 --threshold 0.5 --json
  lookalike index query seen/ --signature page.signature
  cat page.txt | lookalike index query seen/ --text-file -";

pub(crate) const INDEX_CHECK_ABOUT: &str = "\
Says of each record whether it is new. Each line begins with `new` and the id of the record, or with `seen`, the id, the \
similarity and the id of the oldest document that is similar enough.

With --add, the records that are new are added in the same step, so that later records are compared with them too. A corpus \
that is checked with --add into an empty index that stores shingles or texts keeps what `lookalike dedup` keeps, except for pairs that the bands of the \
index miss.

The answers of a batch are written when it is on the disk. If the command is stopped, records without an answer may have been added all the same; \
they are then `seen`, as copies of themselves.";

pub(crate) const INDEX_CHECK: &str = "\
Examples:
  lookalike index check seen/ new.jsonl --id-field url
  lookalike index check seen/ new.jsonl --id-field url --add --json > answers.jsonl";

pub(crate) const INDEX_PASSAGES: &str = "\
Example:
  lookalike index passages seen/ --id doc-17 --text-file page.txt";

pub(crate) const INDEX_REMOVE: &str = "\
Examples:
  lookalike index remove seen/ --id doc-17 --id doc-18
  lookalike index remove seen/ --ids gone.txt
  lookalike index remove seen/ --where lang=en";

#[cfg(feature = "server")]
pub(crate) const SERVE_ABOUT: &str = "\
Answers questions about indexes over HTTP: which documents look like a text, whether a text was seen before. Open the address in a \
browser for a page on which people can ask, or /docs for all requests.

A write is answered when it is on the disk. Ctrl-C or SIGTERM stops the service: it takes no new requests, finishes those that it has, \
and closes the indexes. It speaks plain HTTP; put a proxy in front of it for TLS.";

#[cfg(feature = "server")]
pub(crate) const SERVE: &str = "\
Examples:
  lookalike serve seen/ mails/

  Clients may create collections, and need tokens:
    lookalike serve --root collections/ --listen 0.0.0.0:7171 --write-tokens tokens.txt

  Ask:
    curl -s localhost:7171/v1/collections/seen/check -d '{\"id\": \"a\", \"text\": \"...\", \"add\": true}'";
