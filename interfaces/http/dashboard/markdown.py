"""Markdown as HTML that is safe to show: no HTML of its own, no pictures, no links but to the web, no styles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup

from .texts import DIRECTION_MARKS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 6_000
"""The characters of a text that is read as Markdown; a longer one is shown as it is: time grows with its square."""
ADDRESS = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
PLAIN = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak"}
"""What texts consist of that are no Markdown."""
BENEATH, DEEPEST = 2, 6
"""Headings of a text stand beneath those of the page: by so many levels, and at most at this one."""


def rendered(text: str) -> Markup | None:
    """Return a text as HTML; None where it has no marks, so that it is to be shown as it is. Blocks."""
    if len(text) > LONGEST:
        return None
    reader = _reader()
    tokens = reader.parse(text.translate(DIRECTION_MARKS))
    inner = [child for token in tokens for child in token.children or ()]
    if {token.type for token in (*tokens, *inner)} <= PLAIN:
        return None
    for token in (*tokens, *inner):
        _tame(token)
    return Markup(reader.renderer.render(tokens, reader.options, {}))


def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    options = {"html": False, "linkify": False, "typographer": False, "breaks": True}
    return MarkdownIt("js-default", options).disable("image")


def _tame(token: Token) -> None:
    token.attrs.pop("style", None)
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(int(token.tag[1:]) + BENEATH, DEEPEST)}"
    elif token.type == "link_open":
        if not ADDRESS.match(str(token.attrs.get("href", ""))):
            del token.attrs["href"]
        token.attrs["rel"] = "noreferrer"
