"""What a job can be asked to do: names, and what Rust is told. The defaults are in Rust, in one place."""

from __future__ import annotations

import difflib
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, TypedDict, Union

from . import _native
from .errors import SettingError

if TYPE_CHECKING:
    from typing import Literal


class Options(TypedDict, total=False):
    """The keyword arguments of `dedup`, `pairs`, `clusters`, `query`, `compare` and `plan`.

    The text and its shingles
        text: the column or field with the text (default "text")
        id: the column or field with the id (default: none; rows are called by number, records by `source:line`)
        shingles: "words:5" (default), "characters:9", "stop-words:3"
        elements: "set" (default) or "bag"
        case, form, punctuation, whitespace: normalisation before shingling
        max_text: longer texts (bytes, or "16MiB") are compared by content hash only

    What a duplicate is
        threshold: the least similarity (default 0.8)
        measure: "jaccard" (default) or "containment"
        recall: the wanted chance of finding a pair at the threshold (default 0.99)
        verify: "exact" (default), "estimate" or "none"
        within: compare only rows with equal values of this column

    How it is found
        method: "minhash" (default) or "simhash"
        hashes, seed: the signature (default 128 and 1)
        bands: (bands, rows) or "21x6", in place of those planned from the recall
        distance: the largest Hamming distance, with SimHash (default 3)
        weights: a file of token weights, with SimHash
        preset: settings that another tool runs with; see `lookalike.presets()`

    Who stays
        keep: "first" (default), "longest", "max:COLUMN" or "min:COLUMN"
        clusters: "stars" (default) or "components"
        prefer: globs over source names, the first one first

    Files only
        format: "jsonl", "csv", "tsv", "parquet" or "text", if names and contents do not say
        annotate: write every record, with fields that say what it is
        removed_format: "jsonl" (default) or "parquet"

    Resources, which never change the answer
        memory: bytes, or "2GiB"; half of the machine's unless given
        threads: all processors unless given
        temp_dir: where to spill

    on_bad_record: "fail" (default), "skip" or "keep": what happens to a record without a text
    """

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
    measure: "Literal['jaccard', 'containment']"
    recall: float
    verify: "Literal['exact', 'estimate', 'none']"
    within: Optional[str]
    method: "Literal['minhash', 'simhash']"
    hashes: int
    seed: int
    bands: Union[str, Tuple[int, int], None]
    distance: int
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
_NORMALIZE = ("case", "form", "punctuation", "whitespace")
RESOURCES = ("format", "memory", "preset", "temp_dir", "threads")
_CALLED = {"text": "text-field", "id": "id-field"}


def resolve(function: str, options: Dict[str, Any], **more: Any) -> Dict[str, Any]:
    """The options as Rust takes them; an unknown one is a `TypeError` that suggests the nearest."""
    settings: Dict[str, Any] = dict(more)
    resources: Dict[str, Any] = dict.fromkeys(RESOURCES)
    for name, value in options.items():
        if name not in NAMES:
            raise TypeError(_unknown(function, name))
        if name in RESOURCES:
            resources[name] = _resource(name, value)
        elif name in _NORMALIZE:
            settings.setdefault("normalize", {})[name] = _plain(name, value)
        elif not (value is None and name in ("bands", "id", "weights", "within")):
            settings[_CALLED.get(name, name.replace("_", "-"))] = _plain(name, value)
    return {"settings": json.dumps(settings), **resources}


def _unknown(function: str, name: str) -> str:
    near = difflib.get_close_matches(name, NAMES, 1)
    advice = f"; did you mean {near[0]!r}?" if near else ""
    return f"{function}() got an unexpected keyword argument {name!r}{advice}"


def _resource(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "threads":
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"threads must be an int, not {type(value).__name__}")
        if value < 1:
            raise SettingError(f"threads = {value} is not allowed: at least 1")
        return value
    if name == "temp_dir":
        return os.fspath(value)
    if name == "memory" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return value


def _plain(name: str, value: Any) -> Any:
    """A value that JSON can hold."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if name == "bands" and isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise SettingError("bands must be (bands, rows), as in (21, 6)")
        return f"{int(value[0])}x{int(value[1])}"
    if name == "max_text" and isinstance(value, str):
        return _native.parse_size(value)
    if name == "prefer":
        if isinstance(value, str):
            raise TypeError("prefer must be a list of patterns, not a str")
        return [str(pattern) for pattern in value]
    if hasattr(value, "item") and not isinstance(value, (list, tuple, dict)):
        value = value.item()  # a NumPy scalar
    if isinstance(value, float) and value != value:
        raise SettingError(f"{name} is not a number")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{name} must be a str or a number, not {type(value).__name__}")


def defaults() -> Dict[str, Any]:
    """The settings of a job that is asked for nothing, by name.

    >>> import lookalike
    >>> lookalike.defaults()["threshold"]
    0.8
    """
    settings: Dict[str, Any] = json.loads(_native.default_settings())
    settings.update(settings.pop("normalize"))
    named = {called: name for name, called in _CALLED.items()}
    return {named.get(name, name.replace("-", "_")): value for name, value in sorted(settings.items())}


def presets() -> List[str]:
    """The names of the presets: settings that other tools run with.

    >>> import lookalike
    >>> "fineweb" in lookalike.presets()
    True
    """
    return list(_native.preset_names())
