"""SQL functions of texts: words, for every connection that writes memories or looks for them, and digests."""

import hashlib
import json
import math
from collections.abc import Callable
from itertools import chain

from ...modules.text import scripts
from ..engine.stemming import Stemmer, weights
from .driver import sqlite3


def _words_of(text: str | None) -> str:
    return " ".join(scripts.indexed_words(text or ""))


def _parts_of(text: str) -> str:
    return " ".join(chain.from_iterable(scripts.parts(text).values()))


def _compounds_of(text: str) -> str:
    return json.dumps(sorted(scripts.compounds(text)), ensure_ascii=False, separators=(",", ":"))


def _sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _tokens_of(sizes: bytes | None) -> int:
    """Return the sum of the numbers in a blob of SQLite's variable-length integers."""
    total = number = 0
    for byte in sizes or b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            total, number = total + number, 0
    return total


class _WeightsOf:
    """Returns the words of the four texts that the index has of a memory, each with its weight, as JSON."""

    def __init__(self) -> None:
        self._stemmer = Stemmer()

    def __call__(self, texts: str) -> str:
        weighed = weights(self._stemmer.stems(json.loads(texts)))
        return json.dumps(sorted(weighed.items()), ensure_ascii=False, separators=(",", ":"))


FUNCTIONS: dict[str, Callable[..., str | int | float]] = {
    "words_of": _words_of,
    "parts_of": _parts_of,
    "compounds_of": _compounds_of,
    "tag_of": scripts.key_form,
    "form_of": scripts.normal_form,
    "sha256_of": _sha256_of,
    "tokens_of": _tokens_of,
    "natural_log": math.log,
}
"""Functions of one text: its words in normal form, separated by spaces; the parts of its code names; its long words
as a sorted JSON array; a tag as it is compared; the text itself in normal form; its SHA-256, in hexadecimal. Of a
row's sizes in a text index, how many words it has; of a number, its natural logarithm, which not every SQLite has."""
TRUSTED = "PRAGMA trusted_schema=ON"
"""Lets triggers call them, also where SQLite was built to forbid it."""


def functions() -> dict[str, Callable[..., str | int | float]]:
    """Return the functions of a connection, with a stemmer of its own."""
    return {**FUNCTIONS, "weights_of": _WeightsOf()}


def add_to(connection: sqlite3.Connection) -> None:
    """Add the functions to a connection, and let triggers call them."""
    for name, function in functions().items():
        connection.create_function(name, 1, function, deterministic=True)
    connection.execute(TRUSTED)
