"""Addresses of e-mail, which are taken out only where the settings ask for it."""

import re
from collections.abc import Iterator
from functools import cache

from .spans import Span

_ADDRESS = (
    r"(?<![\w.%+/:-])(?!git@)[\w.%+-]{1,64}+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}"
    r"(?![\w-]|:[\w./~]|\.\w)"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find(text: str) -> Iterator[Span]:
    """The addresses in a text: none of a repository, and no name of a URL."""
    if "@" in text:
        for match in _compiled(_ADDRESS).finditer(text):
            yield Span(match.start(), match.end(), "email")
