"""An index that stays: documents in a folder, and which of them look like a new one."""

from __future__ import annotations

import datetime
import json
import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from . import _native
from ._options import NAMES, RESOURCES, resolve, whole
from ._sources import Columns, documents
from .errors import SettingError, UnknownIdError

if TYPE_CHECKING:
    from typing import Literal

    from .jobs import Progress
    from .results import Comparison

    IfPresent = Literal["fail", "skip", "update"]
    OnMatch = Literal["skip", "touch", "replace", "add"]

_SETTINGS = (
    "bands",
    "case",
    "distance",
    "elements",
    "form",
    "hashes",
    "max_text",
    "measure",
    "method",
    "preset",
    "punctuation",
    "recall",
    "seed",
    "shingles",
    "threshold",
    "whitespace",
)
_READING = ("format", "memory", "on_bad_record", "temp_dir", "threads")
_PAGE = 1_000


class IndexMatch(NamedTuple):
    """A document of an index that is similar to what was asked about."""

    id: str
    similarity: float
    exact: bool
    """True if the similarity is exact, False if signatures estimate it."""
    standard_error: Optional[float]
    """The standard error of an estimated similarity."""
    distance: Optional[int]
    """The Hamming distance of the fingerprints, with SimHash."""
    added: datetime.datetime
    metadata: Optional[Dict[str, Any]]


class Answer(List[IndexMatch]):
    """The documents that are similar, most similar first, older first among equals."""

    found_probability: float
    """The probability that a document whose similarity is exactly the asked threshold would have been found."""
    truncated: bool
    """True if there were more candidates than the index looks at. The oldest were looked at."""

    def __init__(self, matches: List[IndexMatch], found_probability: float, truncated: bool) -> None:
        super().__init__(matches)
        self.found_probability = found_probability
        self.truncated = truncated


class Checked(NamedTuple):
    """The answer to a check."""

    id: str
    new: bool
    """True if no document of the index is similar enough."""
    match: Optional[IndexMatch]
    """The oldest document that is similar enough."""
    found_probability: float
    truncated: bool
    error: Optional[Exception]
    """Why the document could not be checked or added. Only for many documents at once; for one, it is raised."""


class IndexDocument(NamedTuple):
    """A document of an index."""

    id: str
    number: int
    """Older documents have smaller numbers. A number is never used again."""
    added: datetime.datetime
    expires: Optional[datetime.datetime]
    shingles: int
    metadata: Optional[Dict[str, Any]]
    text: Optional[str]
    """Its text, if the index stores texts."""


class Index:
    """Documents in a folder, and which of them look like a new one.

    The folder is created if it does not exist. Its configuration is fixed then; a setting that contradicts it is a
    `SettingError`. One process at a time can open an index; in it, any number of threads. A process that is forked from it
    must not use it (`InUseError`). A change that a call has
    returned from is on the disk. Use it in a `with` block, or call `close()`.

    >>> import lookalike, tempfile, os
    >>> folder = os.path.join(tempfile.mkdtemp(), "seen")
    >>> with lookalike.Index(folder, threshold=0.7, shingles="words:2", store="text") as index:
    ...     index.check("a rose is a rose is a rose", id="stein", add=True).new
    ...     index.check("A rose is a rose is a rose!", id="again", add=True).match.id
    ...     [(match.id, match.similarity) for match in index.query("a rose is a rose")]
    True
    'stein'
    [('stein', 1.0)]

    Args:
        path: the folder.
        store: what is stored of each document besides its signature: "signatures" (nothing; similarities are
            estimated), "shingles" (similarities are exact) or "text" (and shared passages can be shown).
        ttl: how long a document stays, as a `timedelta` or in seconds (default: for ever).
        candidates: how many candidates a question looks at, the oldest first (default 10,000).
        like: the folder of another index, or that `Index`: the new one has its configuration and its secret key, so that the
            two can be merged whatever they store. No setting can be chosen then.
        create: False if the index must exist.
        **options: what makes a signature, and the threshold: see `lookalike.Options`.
    """

    def __init__(
        self,
        path: Union[str, "os.PathLike[str]"],
        *,
        store: Optional["Literal['signatures', 'shingles', 'text']"] = None,
        ttl: Union[datetime.timedelta, float, None] = None,
        candidates: Optional[int] = None,
        like: Union[str, "os.PathLike[str]", "Index", None] = None,
        create: bool = True,
        **options: Any,
    ) -> None:
        for name in options:
            if name in NAMES and name not in _SETTINGS:
                raise TypeError(f"Index() has no option {name!r}: it has no effect on an index")
        given = [name.replace("_", "-") for name in options]
        given += [name for name, value in (("store", store), ("ttl", ttl), ("candidates", candidates)) if value is not None]
        if any(name in options for name in ("case", "form", "punctuation", "whitespace")):
            given.append("normalize")
        if like is not None and (given or not create):
            wrong = given[0] if given else "create"
            raise TypeError(f"Index() takes either like or {wrong}: an index that is like another one has its settings")
        most = None if candidates is None else whole("candidates", candidates, 1)
        self._path = os.fspath(path)
        other = like._path if isinstance(like, Index) else None if like is None else os.fspath(like)
        creating = {
            "given": given,
            "store": store,
            "ttl": _millis("ttl", ttl),
            "candidates": most,
            "like": other,
            "create": create,
        }
        self._native = _native.NativeIndex(os.fspath(path), resolve("Index", options), creating)

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the index. Nothing else can be called afterwards. Closing twice does nothing."""
        self._native.close()

    def __repr__(self) -> str:
        return f"Index({self._path!r})"

    def __reduce__(self) -> Any:
        raise TypeError("an Index cannot be pickled: it is a folder; open it by its path")

    def __len__(self) -> int:
        return int(self.stats()["documents"])

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._native.contains(id)

    def __getitem__(self, id: str) -> IndexDocument:
        found = self.get(id)
        if found is None:
            raise UnknownIdError(f"no document has the id {id}")
        return found

    def __iter__(self) -> Iterator[IndexDocument]:
        """All documents as they are now, the oldest first, without their texts."""
        return self._pages(texts=False)

    def export(self) -> Iterator[IndexDocument]:
        """All documents as they are now, the oldest first, with their texts if these are stored."""
        return self._pages(texts=True)

    def _pages(self, texts: bool) -> Iterator[IndexDocument]:
        listing = self._native.begin_listing()
        try:
            while True:
                page = self._native.page(listing, _PAGE, texts)
                yield from map(_document, page)
                if len(page) < _PAGE:
                    return
        finally:
            self._native.end_listing(listing)

    def add(
        self,
        source: Any,
        *,
        id: Optional[str] = None,
        ids: Optional[Sequence[str]] = None,
        text: str = "text",
        within: Optional[str] = None,
        metadata: Union[Mapping[str, Any], Sequence[str], None] = None,
        ttl: Union[datetime.timedelta, float, None] = None,
        if_present: "IfPresent" = "fail",
        progress: "Progress" = False,
        **options: Any,
    ) -> int:
        """Adds documents, and returns how many. Nothing is compared: see `check`.

        Args:
            source: one text or `Signature`, with its `id`; a list of them, with `ids`; a table or frame, where `id`,
                `text` and `within` are names of columns; a `pathlib.Path` of files (or a list of them), where they are
                fields; or sketches that were made before: a path of sketch files, of Parquet files of sketches or of a
                saved `LSH`, or an `LSH`. A `Signature` and sketches need an index that stores only signatures (sketch
                files with shingles also fit the index that `lookalike index add` makes of them).
            id: the id of one text; the column or field of ids otherwise.
            ids: the ids of a list of texts.
            within: for texts, their value: only documents with an equal value are compared.
            metadata: for texts, what is returned with them; for tables and files, the names of the columns or fields
                that are.
            ttl: for texts, how long they stay.
            if_present: what to do with an id that is there already: "fail", "skip" or "update".
            progress: True for a progress bar.
        """
        if isinstance(source, _native.LSH):
            if (id, ids, within, metadata, ttl) != (None,) * 5 or options:
                raise TypeError("an LSH has ids and signatures, and nothing else can be said about them")
            return self._native.add_lsh(source, if_present, _bar(progress))
        plain = self._plain(source, id, ids, within, metadata, ttl)
        if plain is not None:
            return self._native.add(plain, if_present)
        given, fields, native = self._source(source, id, text, within, metadata, options)
        return self._native.add_source(given, fields, native, if_present, _bar(progress))

    def check(
        self,
        source: Any,
        *,
        id: Optional[str] = None,
        ids: Optional[Sequence[str]] = None,
        add: bool = False,
        on_match: "OnMatch" = "skip",
        text: str = "text",
        within: Optional[str] = None,
        metadata: Union[Mapping[str, Any], Sequence[str], None] = None,
        ttl: Union[datetime.timedelta, float, None] = None,
        progress: "Progress" = False,
        **options: Any,
    ) -> Any:
        """Says whether a document is new, or which one it duplicates: the oldest that is similar enough.

        With `add`, what is new is added in the same step, and nothing comes between. For one text or `Signature` the
        answer is a `Checked`, for others a list of them. `source`, `id` and so on are those of `add`, but for sketches
        in files.

        Args:
            add: add the document if it is new.
            on_match: with `add`, what to do if it is not new: "skip", "touch" (the match stays longer), "replace" (the
                match) or "add" (all the same).
        """
        plain = self._plain(source, id, ids, within, metadata, ttl, needs_id=add)
        adding = on_match if add else None
        if plain is not None:
            answers = [_checked(answer) for answer in self._native.check(plain, adding)]
        else:
            given, fields, native = self._source(source, id, text, within, metadata, options)
            found = self._native.check_source(given, fields, native, adding, _bar(progress))
            answers = [_checked(answer) for answer in found]
        if not isinstance(source, (str, _native.Signature)):
            return answers
        if answers[0].error is not None:
            raise answers[0].error
        return answers[0]

    def query(
        self,
        text: Optional[str] = None,
        *,
        id: Optional[str] = None,
        signature: Optional["_native.Signature"] = None,
        top: Optional[int] = 10,
        threshold: Optional[float] = None,
        within: Optional[str] = None,
        where: Optional[Mapping[str, Any]] = None,
    ) -> Answer:
        """The documents that are similar to a text, to the document with an id, or to a signature; most similar first.

        Args:
            signature: a signature with the family, seed, number of hashes and shingles of the index. Similarities to it
                are estimated.
            top: at most so many; None for all.
            threshold: the least similarity (default: that of the index).
            within: only documents with this value are looked at.
            where: only documents with these metadata are in the answer.
        """
        if sum(asked is not None for asked in (text, id, signature)) != 1:
            raise TypeError("query() needs a text, an id or a signature, and one of them only")
        most = None if top is None else whole("top", top, 1)
        filter = None if where is None else _json("where", where)
        if signature is not None and not isinstance(signature, _native.Signature):
            raise TypeError(f"signature must be a Signature, not {type(signature).__name__}")
        content = signature if text is None else _content(text)
        asked = {"content": content, "id": id, "threshold": threshold, "top": most, "within": within, "filter": filter}
        found, probability, truncated = self._native.query(asked)
        return Answer([_match(match) for match in found], probability, truncated)

    def get(self, id: str) -> Optional[IndexDocument]:
        """The document with this id; None if there is none."""
        written = self._native.get(id)
        return None if written is None else _document(written)

    def remove(
        self, ids: Union[str, Sequence[str], None] = None, *, where: Optional[Mapping[str, Any]] = None
    ) -> int:
        """Removes documents by their ids, or by their metadata, and returns how many there were."""
        if (ids is None) == (where is None):
            raise TypeError("remove() needs ids or where, and not both")
        if where is not None:
            if not where:
                raise SettingError("where = {} would remove every document")
            return self._native.remove_where(_json("where", where))
        assert ids is not None
        return self._native.remove([ids] if isinstance(ids, str) else [str(id) for id in ids])

    def expire(self) -> int:
        """Frees the space of documents whose time is over, and returns how many. They are in no answer already."""
        return self._native.expire()

    def stats(self) -> Dict[str, Any]:
        """Numbers about the index, and its configuration."""
        return dict(json.loads(self._native.stats()))

    def verify(self) -> Dict[str, Any]:
        """Checks every entry; `clean` says whether nothing is wrong."""
        return dict(json.loads(self._native.verify()))

    def compact(self) -> None:
        """Merges the files on disk, and frees the space of what was removed."""
        self._native.compact()

    def backup(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a consistent copy to a new folder. The copy is an index."""
        self._native.backup(os.fspath(path))

    def passages(self, id: str, text: str) -> "Comparison":
        """What a text shares with the document with this id, as `lookalike.compare` shows it. The index must store texts."""
        from .jobs import _text
        from .results import Comparison

        if not isinstance(text, str):
            raise TypeError(f"passages are shared with a str, not with {type(text).__name__}")
        stored = self[id].text
        if stored is None:
            raise SettingError('the index stores no texts; create one with store="text"')
        native = {"settings": self._native.settings(), **dict.fromkeys(RESOURCES)}
        return Comparison(stored, text, _native.compare(stored, _text("the text", text), native), native)

    @classmethod
    def restore(cls, backup: Union[str, "os.PathLike[str]"], path: Union[str, "os.PathLike[str]"]) -> "Index":
        """Makes an index of a backup, in a new folder, and opens it."""
        _native.restore_index(os.fspath(backup), os.fspath(path))
        return cls(path, create=False)

    @staticmethod
    def repair(path: Union[str, "os.PathLike[str]"], *, accept_loss: bool = False) -> Dict[str, int]:
        """Builds again what follows from the documents of an index that is damaged. It must not be open.

        Args:
            accept_loss: drop documents that cannot be read, and go on without changes that the disk has lost. Without
                it, either is a `DamagedError` and nothing is changed.
        """
        return dict(json.loads(_native.repair_index(os.fspath(path), accept_loss)))

    def merge(self, other: "Index", *, if_present: "Literal['fail', 'skip']" = "fail") -> int:
        """Adds the documents of another index of the same configuration, and returns how many. Indexes that store shingles
        must have the same key too: create one with `like=` the other."""
        if not isinstance(other, Index):
            raise TypeError(f"an Index is merged with an Index, not with {type(other).__name__}")
        if if_present not in ("fail", "skip"):
            raise SettingError(f'if_present = {if_present!r} is not one of "fail", "skip"')
        return self._native.merge(other._native, if_present == "skip")

    def _plain(
        self,
        source: Any,
        id: Optional[str],
        ids: Optional[Sequence[str]],
        within: Optional[str],
        metadata: Any,
        ttl: Union[datetime.timedelta, float, None],
        needs_id: bool = True,
    ) -> Optional[List[Dict[str, Any]]]:
        """The documents of one text or signature, or of a list of them with ids; None for other sources."""
        if isinstance(source, (str, _native.Signature)):
            if ids is not None:
                raise TypeError("one text has an id, not ids")
            if id is None and needs_id:
                raise TypeError("a document needs an id")
            pairs = [("?" if id is None else id, source)]
        elif ids is not None:
            if isinstance(source, (os.PathLike, _native.LSH)):
                raise TypeError("ids are for a list of texts; files name their field of ids with id")
            pairs = list(zip(ids, source))
            if len(pairs) != len(source) or len(pairs) != len(ids):
                raise SettingError(f"there are {len(source)} texts and {len(ids)} ids")
        else:
            if ttl is not None:
                raise TypeError("ttl is for texts, not for tables and files")
            return None
        more = {
            "within": within,
            "metadata": None if metadata is None else _json("metadata", metadata),
            "ttl": _millis("ttl", ttl),
        }
        for id, _ in pairs:
            if not isinstance(id, str):
                raise TypeError(f"an id must be a str, not {type(id).__name__}")
        return [{"id": id, "content": _content(content), **more} for id, content in pairs]

    def _source(
        self,
        source: Any,
        id: Optional[str],
        text: str,
        within: Optional[str],
        metadata: Any,
        options: Dict[str, Any],
    ) -> Any:
        """A table or files, the names of the fields that are metadata, and options."""
        for name in options:
            if name not in _READING:
                raise TypeError(f"unexpected keyword argument {name!r}; the settings of an index are fixed")
        if isinstance(metadata, (str, Mapping)):
            raise TypeError("for tables and files, metadata is a list of the names of columns or fields")
        fields = [] if metadata is None else [str(name) for name in metadata]
        is_paths = isinstance(source, (list, tuple)) and all(isinstance(path, os.PathLike) for path in source)
        if id is None and not isinstance(source, os.PathLike) and not (is_paths and source):
            raise TypeError("name the column of ids with id, or give ids")
        columns = Columns(text, id, [*fields, *([within] if within is not None else [])])
        found = documents(source, columns)
        if found.in_memory and found.ids is not None:
            # A row without an id would be named by its number, which the next table has too.
            missing = next((row for row, value in enumerate(found.ids()) if value is None or value != value), None)
            if missing is not None:
                raise SettingError(f"row {missing} has no {id}, and every document of an index needs an id")
        return found.native, fields, resolve("Index", {**options, "text": text, "id": id, "within": within})


def _content(content: Any) -> Any:
    """A text or a signature, checked."""
    from .jobs import _text

    if isinstance(content, _native.Signature):
        return content
    if not isinstance(content, str):
        raise TypeError(f"a document is a str or a Signature, not {type(content).__name__}")
    return _text("a text", content)


def _bar(progress: Any) -> Any:
    from .jobs import _bar as bar

    return bar(progress)


def _json(name: str, value: Mapping[str, Any]) -> str:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(value).__name__}")
    return json.dumps(dict(value))


def _millis(name: str, value: Union[datetime.timedelta, float, None]) -> Optional[int]:
    if value is None:
        return None
    seconds = value.total_seconds() if isinstance(value, datetime.timedelta) else float(value)
    if not 0.001 <= seconds <= 1e12:
        raise SettingError(f"{name} = {value} is not allowed: it is a time of at least a millisecond")
    return int(seconds * 1000)


def _time(millis: int) -> datetime.datetime:
    return datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(milliseconds=millis)


def _match(plain: Any) -> IndexMatch:
    id, similarity, exact, error, distance, added, metadata = plain
    return IndexMatch(
        id, similarity, exact, error, distance, _time(added), None if metadata is None else json.loads(metadata)
    )


def _checked(plain: Any) -> Checked:
    id, match, probability, truncated, error = plain
    new = match is None and error is None
    return Checked(id, new, None if match is None else _match(match), probability, truncated, error)


def _document(written: str) -> IndexDocument:
    read = json.loads(written)
    expires = read["expires"]
    return IndexDocument(
        read["id"],
        read["number"],
        _time(read["added"]),
        None if expires is None else _time(expires),
        read["shingles"],
        read["metadata"],
        read["text"],
    )
