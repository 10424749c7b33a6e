"""The part of a memory that the model is given, and the name of the vectors that result."""

from collections.abc import Sequence
from typing import Protocol

from ...modules.memory.dialogue import split_speaker
from ...modules.memory.models import Passage
from ...modules.records import dataclass

EDITION = "passages"
"""The version of what is embedded, to change along with that: vectors of two editions are never compared."""


class Cuts(Protocol):
    """An object that knows how long a text may be; every `Encoder` does."""

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Return where to cut a text, by characters: one window if the model takes it whole, else overlapping ones."""


@dataclass(frozen=True)
class Piece:
    """A window of one of several contents (by its number); `begin` counts the characters of the content."""

    content: int
    begin: int
    text: str


def generation_name(model: str, *, late_interaction: bool) -> str:
    """Return the name of vectors that a model makes of memories; under another name all are embedded anew."""
    return f"{model}/{EDITION}+signs" if late_interaction else f"{model}/{EDITION}"


def embedded_text(content: str) -> tuple[str, int]:
    """Return the text to embed and its offset in the content: without the speaker, who would make all turns alike."""
    _, utterance = split_speaker(content)
    return utterance, len(content) - len(utterance)


def pieces_of(contents: Sequence[str], cuts: Cuts) -> list[Piece]:
    """Return the windows of contents, in order."""
    found = []
    for number, content in enumerate(contents):
        text, offset = embedded_text(content)
        found += [Piece(number, offset + begin, text[begin:end]) for begin, end in cuts.windows(text)]
    return found


def assembled(count: int, pieces: Sequence[Piece], encoded: Sequence[tuple[bytes, bytes]]) -> list[list[Passage]]:
    """Return the passages of `count` contents, from their pieces and the vector and sign bits of each."""
    found: list[list[Passage]] = [[] for _ in range(count)]
    for piece, (vector, signs) in zip(pieces, encoded, strict=True):
        found[piece.content].append(Passage(piece.begin, piece.begin + len(piece.text), vector, signs))
    return found
