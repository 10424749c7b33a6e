"""Functions of SQL that cut texts into words: every connection has them that writes memories or looks for words."""

import json
import sqlite3
from collections.abc import Callable
from itertools import chain

from ...modules.text import scripts


def _words_of(text: str | None) -> str:
    return " ".join(scripts.indexed_words(text or ""))


def _parts_of(text: str) -> str:
    return " ".join(chain.from_iterable(scripts.parts(text).values()))


def _compounds_of(text: str) -> str:
    return json.dumps(sorted(scripts.compounds(text)), ensure_ascii=False, separators=(",", ":"))


FUNCTIONS: dict[str, Callable[..., str]] = {
    "words_of": _words_of,
    "parts_of": _parts_of,
    "compounds_of": _compounds_of,
    "tag_of": scripts.key_form,
    "form_of": scripts.normal_form,
}
"""Of one text each: its words in normal form with spaces between them, the parts of its names of code, its long words
as a sorted JSON array, a tag as it is compared, and the text itself in normal form."""
TRUSTED = "PRAGMA trusted_schema=ON"
"""Triggers may call them, also where SQLite was built to forbid it."""


def add_to(connection: sqlite3.Connection) -> None:
    """Let a connection call them."""
    for name, function in FUNCTIONS.items():
        connection.create_function(name, 1, function, deterministic=True)
    connection.execute(TRUSTED)
