"""Pages of HTML: one file each, which loads nothing."""

from __future__ import annotations

import html
import os
from typing import Optional, Union

from . import _native

__all__ = ["Page"]


class Page:
    """A page of HTML, which a notebook shows in a frame of its own.

    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose; is a rose"]
    >>> page = lookalike.dedup(texts, shingles="words:3")[1].report()
    >>> page.save("report.html")
    """

    def __init__(self, html: str, note: Optional[str] = None) -> None:
        self._html = html
        self.note = note
        """What the page does not show, and why; none if it shows everything."""

    @property
    def html(self) -> str:
        """The page, from `<!DOCTYPE html>` on."""
        return self._html

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page to a file, whole or not at all. Of files only an earlier page is replaced.

        Raises:
            TargetError: something else is there.
        """
        _native.write_page(os.fsdecode(path), self.html)

    def __repr__(self) -> str:
        note = "" if self.note is None else f"; {self.note}"
        return f"<a page of {len(self.html)} characters{note}>"

    def _repr_html_(self) -> str:
        return in_frame(self.html)


def in_frame(page: str) -> str:
    """The page in a frame, so that its style and script stay inside."""
    return f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width:100%;height:480px;border:0"></iframe>'
