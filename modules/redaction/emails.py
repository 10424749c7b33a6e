"""E-mail addresses, which are redacted only if the settings ask for it."""

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
    """Yield the e-mail addresses of a text; not those of repositories or in URLs."""
    if "@" in text:
        for match in _compiled(_ADDRESS).finditer(text):
            yield Span(match.start(), match.end(), "email")
