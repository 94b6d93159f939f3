"""The settings of a job: their names, and their conversion for Rust. The defaults are defined once, in Rust."""

from __future__ import annotations

import difflib
import json
import math
import operator
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, TypedDict, Union

import numpy as np

from . import _native
from .errors import SettingError

if TYPE_CHECKING:
    from typing import Literal


class Options(TypedDict, total=False):
    """The keyword arguments of `dedup`, `pairs`, `clusters`, `query`, `compare` and `plan`.

    The kind of documents
        kind: "text" (default) or "sets": lists of strings and numbers, or with measure="weighted-jaccard" dictionaries of weights;
            or "fingerprints": strings of hexadecimal digits or base64, bytes, or whole numbers of `bits` bits (64 if not given), compared
            within `distance`;
            or "vectors": rows of an array, or lists of numbers, by measure="cosine" (their default), or within `distance` by
            measure="euclidean"
        set_of, weight: if every row is one item of a set: the column that names the set, and the one with the weight
        weight_step: with measure="weighted-jaccard", round weights to multiples of this, as 0.1 (default: whole numbers)
        bits: the bits of fingerprints, 16 to 512 (default: as many as the first has)
        split: with sets, what separates the items of a set that is a string

        Rows of a table as records with fields have options of their own: see `RecordOptions`

    The text and its shingles
        text: the column or field with the text, or with the sets (default "text")
        id: the column or field with the id (default: none; rows are then named by number, records of files by `source:line`)
        shingles: "words:5" (default), "characters:9", "stop-words:3", or of a language that is stemmed "stop-words-german:3"
        elements: "set" (default) or "bag"
        case, form, punctuation, whitespace: normalisation before shingling
        max_text: texts longer than this (bytes, or "16MiB") are compared by content hash only

    What a duplicate is
        threshold: the smallest similarity of duplicates (default 0.8)
        measure: "jaccard" (default), "containment"; for sets "weighted-jaccard"; for vectors "cosine" or "euclidean"
        recall: the wanted probability of finding a pair at the threshold (default 0.99)
        verify: "exact" (default), "estimate" or "none"
        within: compare only rows with equal values in this column
        within_days: "date:3": compare only rows whose dates in this column are at most so many days apart
        common: leave shingles that more than so many documents have out of the comparison; "auto" finds the number
        site_field: the column with the site; shingles that three or more documents of a site have are left out

    How it is found
        method: "minhash" (default) or "simhash"
        hashes, seed: the number of hashes of a signature, and the seed of the hash functions (default 128 and 1)
        bands: (bands, rows) or "21x6", instead of planning them from the recall; None to plan them even with a preset
        find: with vectors, "all" compares every two, "bands" finds near ones by random hyperplanes, "auto" (default) takes what is cheaper
        distance: the largest Hamming distance, of fingerprints and with SimHash (default 3)
        weights: a file of token weights, with SimHash
        preset: the settings of another tool; see `lookalike.presets()`

    Which document is kept
        keep: "first" (default), "longest", "max:COLUMN" or "min:COLUMN"
        clusters: "stars" (default) or "components"
        prefer: patterns for names of sources; documents of the first pattern are preferred

    Files only
        format: "jsonl", "csv", "tsv", "parquet" or "text", if names and contents do not tell
        annotate: write every record, with fields that tell its cluster and what it duplicates
        removed_format: "jsonl" (default) or "parquet"

    Resources, which never change the answer
        memory: the memory limit in bytes, or as in "2GiB" (default: half of the machine's memory)
        threads: the number of threads (default: all processors)
        temp_dir: the folder for temporary files

    on_bad_record: "fail" (default), "skip" or "keep": what to do with a record without a text
    """

    kind: "Literal['text', 'sets', 'fingerprints', 'vectors']"
    set_of: Optional[str]
    weight: Optional[str]
    weight_step: Optional[float]
    bits: Optional[int]
    split: Optional[str]
    text: str
    id: Optional[str]
    shingles: str
    elements: "Literal['set', 'bag']"
    case: "Literal['fold', 'keep']"
    form: "Literal['nfc', 'nfd', 'nfkc', 'nfkd', 'keep']"
    punctuation: "Literal['keep', 'drop']"
    whitespace: "Literal['collapse', 'remove', 'keep']"
    max_text: Union[int, str]
    threshold: float
    measure: "Literal['jaccard', 'containment', 'weighted-jaccard', 'cosine', 'euclidean']"
    recall: float
    verify: "Literal['exact', 'estimate', 'none']"
    within: Optional[str]
    within_days: Optional[str]
    common: Union[int, str, None]
    site_field: Optional[str]
    method: "Literal['minhash', 'simhash']"
    hashes: int
    seed: int
    bands: Union[str, Tuple[int, int], List[int], None]
    find: "Literal['auto', 'all', 'bands']"
    distance: float
    weights: Union[str, "os.PathLike[str]", None]
    preset: Optional[str]
    keep: str
    clusters: "Literal['stars', 'components']"
    prefer: Sequence[str]
    format: Optional[str]
    annotate: bool
    removed_format: "Literal['jsonl', 'parquet']"
    memory: Union[int, str, None]
    threads: Optional[int]
    temp_dir: Union[str, "os.PathLike[str]", None]
    on_bad_record: "Literal['fail', 'skip', 'keep']"


NAMES = tuple(Options.__annotations__)
RESOURCES = ("format", "memory", "preset", "temp_dir", "threads")
_NORMALIZE = ("case", "form", "punctuation", "whitespace")
_CALLED = {"text": "text-field", "id": "id-field"}
_WHOLE = ("bits", "hashes", "seed", "distance", "max_text", "threads")
_NUMBERS = ("threshold", "recall")
_NULLABLE = (
    *("bands", "bits", "common", "id", "set_of", "site_field", "split", "weight", "weight_step", "weights", "within"),
    "within_days",
)
FILES_ONLY = ("annotate", "format", "removed_format")
"""The options that only apply to reading and writing files."""


def resolve(function: str, options: Dict[str, Any], **more: Any) -> Dict[str, Any]:
    """The options in the form for Rust. An unknown option is a `TypeError` that suggests the most similar name."""
    settings: Dict[str, Any] = dict(more)
    resources: Dict[str, Any] = dict.fromkeys(RESOURCES)
    for name, value in options.items():
        if name not in NAMES:
            raise TypeError(unknown(function, name, NAMES))
        if value is None and name in (*RESOURCES, *_NULLABLE):
            if name in ("bands", "common"):
                settings[name] = None
            continue
        if name == "distance" and options.get("measure") == "euclidean":
            settings["radius"] = _length(value)
            continue
        value = _checked(name, value)
        if name in RESOURCES:
            resources[name] = value
        elif name in _NORMALIZE:
            settings.setdefault("normalize", {})[name] = value
        else:
            settings[_CALLED.get(name, name.replace("_", "-"))] = value
    # As on the command line: what vectors are compared by, unless something else is said.
    if settings.get("kind") == "vectors":
        settings.setdefault("measure", "cosine")
    # If a recall is given, the bands are planned from it, even with a preset.
    if "recall" in settings and resources["preset"] is not None:
        settings.setdefault("bands", None)
    return {"settings": json.dumps(settings), **resources}


def _length(value: Any, name: str = "distance") -> float:
    """A distance between vectors, or a step of weights."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not (math.isfinite(value) and value >= 0):
        raise SettingError(f"{name}={value} is not allowed; it is a number of at least 0")
    return float(value)


def unknown(function: str, name: str, names: Sequence[str], when: str = "") -> str:
    """What is said about an argument that is not one of `names`."""
    near = difflib.get_close_matches(name, names, 1)
    advice = f"; did you mean {near[0]!r}?" if near else ""
    return f"{when}{function}() got an unexpected keyword argument {name!r}{advice}"


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number from `least` to the largest number of 63 bits (64 for the seed)."""
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not bool")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    most = 2 ** (64 if name == "seed" else 63) - 1
    if not least <= number <= most:
        raise SettingError(f"{name} = {number} is not allowed: a whole number from {least} to {most}")
    return number


def _checked(name: str, value: Any) -> Any:
    """The value, checked for its type, in a form that JSON can represent."""
    if name in ("memory", "max_text") and isinstance(value, str):
        return value if name == "memory" else _native.parse_size(value)
    if name == "memory":
        return str(whole(name, value))
    if name in _WHOLE:
        return whole(name, value, least=1 if name in ("hashes", "threads", "max_text") else 0)
    if name == "weight_step":
        step = _length(value, name)
        if step == 0:
            raise SettingError("weight_step=0 is not allowed; it is a number above 0")
        return step
    if name in _NUMBERS:
        return number(name, value)
    if name in ("weights", "temp_dir"):
        return os.fsdecode(value)
    if name == "common" and not isinstance(value, str):
        return whole(name, value, least=1)
    if name == "bands":
        return value if isinstance(value, str) else _bands(value)
    if name == "prefer":
        if isinstance(value, str):
            raise TypeError("prefer must be a list of patterns, not a str")
        return [_text(name, pattern) for pattern in value]
    if name == "annotate":
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"annotate must be true or false, not {type(value).__name__}")
        return bool(value)
    return _text(name, value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return value


def number(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    try:
        number = float(value)
    except TypeError:
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None
    if not 0.0 <= number <= 1.0:
        raise SettingError(f"{name} = {number} is not allowed: it is a number from 0 to 1")
    return number


def _bands(value: Any) -> str:
    try:
        bands, rows = value
    except (TypeError, ValueError):
        raise SettingError("bands must be (bands, rows), as in (21, 6)") from None
    return f"{whole('bands', bands, 1)}x{whole('rows', rows, 1)}"


def defaults() -> Dict[str, Any]:
    """The default settings of a job, by name.

    >>> import lookalike
    >>> lookalike.defaults()["threshold"]
    0.8
    """
    settings: Dict[str, Any] = json.loads(_native.default_settings())
    settings.update(settings.pop("normalize"))
    # The first is for the command line only, for the second `dedup` has a separate argument, and the third is a distance.
    for other in ("store", "against-only", "radius"):
        del settings[other]
    named = {called: name for name, called in _CALLED.items()}
    return {named.get(name, name.replace("-", "_")): value for name, value in sorted(settings.items())}


def presets() -> List[str]:
    """The names of the presets, which are the settings of other tools.

    >>> import lookalike
    >>> "fineweb" in lookalike.presets()
    True
    """
    return list(_native.preset_names())
