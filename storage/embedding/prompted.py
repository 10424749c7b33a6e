"""Models that need a prefix for queries and passages, as their authors specify."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from ...modules.memory.models import QueryEncoding
from ...modules.records import dataclass
from .encoder import Encoder

PROMPTS_FILE = "config_sentence_transformers.json"
_QUERY, _PASSAGE = ("query", "search_query"), ("passage", "document", "corpus", "search_document")
"""What makers call the two."""
_E5 = re.compile(r"(?:^|[^a-z0-9])e5(?:[^a-z0-9]|$)")
LONGEST = 200
"""The longest prompt that is taken, in characters; a longer one would take the room of the text."""


@dataclass(frozen=True)
class Prompts:
    """The prefixes for queries and passages; may be empty."""

    query: str = ""
    passage: str = ""

    @property
    def name(self) -> str:
        """A suffix for the name of vectors that were made so; empty where nothing is put before."""
        return f"+{self.query!r},{self.passage!r}" if self.query or self.passage else ""


def prompts_of(folder: Path, name: str) -> Prompts:
    """Return the prompts of the model in a folder: those that it comes with, else those of E5 by its name."""
    try:
        written = json.loads((folder / PROMPTS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        written = {}
    prompts = written.get("prompts") if isinstance(written, dict) else None
    given = prompts if isinstance(prompts, dict) else {}
    always = str(written.get("default_prompt_name")) if isinstance(written, dict) else ""
    found = Prompts(_first(given, (*_QUERY, always)), _first(given, (*_PASSAGE, always)))
    return Prompts("query: ", "passage: ") if found == Prompts() and _E5.search(name.lower()) else found


def _first(prompts: dict[str, object], names: Sequence[str]) -> str:
    texts = (prompts.get(name) for name in names)
    return next((text for text in texts if isinstance(text, str) and 0 < len(text) <= LONGEST), "")


class PromptedEncoder:
    """An encoder that puts the prompts before what it is given; its vectors have a name of their own."""

    def __init__(self, encoder: Encoder, prompts: Prompts) -> None:
        self._encoder = encoder
        self._prompts = prompts
        self.fingerprint = encoder.fingerprint + prompts.name
        self.dimension = encoder.dimension

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Return where to cut a text; see Encoder."""
        return self._encoder.windows(text)

    def knows(self, text: str) -> bool:
        """Return whether it reads a text; see Encoder."""
        return self._encoder.knows(text)

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per passage, in order; see Encoder."""
        return self._encoder.encode([self._prompts.passage + text for text in texts])

    def encode_with_signs(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Return one vector and sign bits per passage, in order; see Encoder."""
        return self._encoder.encode_with_signs([self._prompts.passage + text for text in texts])

    def encode_query(self, text: str) -> QueryEncoding:
        """Return a query's vector with the vectors of its tokens; see Encoder."""
        return self._encoder.encode_query(self._prompts.query + text)
