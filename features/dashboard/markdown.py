"""Markdown as HTML that is safe to show: no HTML of its own, no pictures, no links but to the web, no styles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup

from .texts import DIRECTION_MARKS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST, LONGEST_IN_ALL = 6_000, 48_000
"""The characters of a section, and of a text, that is read as Markdown: time grows with the square of a section's."""
_FENCE = ("```", "~~~")
ADDRESS = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
PLAIN = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak"}
"""What texts consist of that are no Markdown."""
BENEATH, DEEPEST = 2, 6
"""Headings of a text stand beneath those of the page: by so many levels, and at most at this one."""


def rendered(text: str) -> Markup | None:
    """Return a text as HTML; None where it has no marks or is too long, so that it is to be shown as it is. Blocks."""
    sections = [text] if len(text) <= LONGEST else _sections(text) if len(text) <= LONGEST_IN_ALL else []
    if not sections or max(map(len, sections)) > LONGEST:
        return None
    reader = _reader()
    tokens = [token for section in sections for token in reader.parse(section.translate(DIRECTION_MARKS))]
    inner = [child for token in tokens for child in token.children or ()]
    if {token.type for token in (*tokens, *inner)} <= PLAIN:
        return None
    for token in (*tokens, *inner):
        _tame(token)
    return Markup(reader.renderer.render(tokens, reader.options, {}))


def _sections(text: str) -> list[str]:
    """Return a long text in sections, which begin at headings outside of code, as long as may be."""
    sections: list[str] = []
    begun, is_code = "", False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith(_FENCE):
            is_code = not is_code
        if line.startswith("#") and not is_code:
            sections.append(begun)
            begun = ""
        begun += line
    joined = [""]
    for one in (*sections, begun):
        if len(joined[-1]) + len(one) <= LONGEST:
            joined[-1] += one
        else:
            joined.append(one)
    return joined


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
