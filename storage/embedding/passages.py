"""What of a memory is given to the model, and the name of the vectors that come of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...modules.memory.dialogue import split_speaker
from ...modules.memory.models import Passage

EDITION = "passages"
"""Change it with every change of what is embedded: vectors of two editions are never compared."""


class Cuts(Protocol):
    """Whoever knows how long a text may be; every `Encoder` does."""

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Where to cut a text, by characters: one window if the model takes it whole, else overlapping ones."""


@dataclass(frozen=True)
class Piece:
    """A window of one of several contents; `begin` counts the characters of the content."""

    content: int
    begin: int
    text: str


def generation_name(model: str, *, late_interaction: bool) -> str:
    """Names what a model of this fingerprint makes of memories; another name means that all are embedded anew."""
    return f"{model}/{EDITION}+signs" if late_interaction else f"{model}/{EDITION}"


def embedded_text(content: str) -> tuple[str, int]:
    """What is embedded of a content, and where it begins there: who speaks would make all that they say alike."""
    _, said = split_speaker(content)
    return said, len(content) - len(said)


def pieces_of(contents: Sequence[str], cuts: Cuts) -> list[Piece]:
    """The windows of contents, in order."""
    found = []
    for number, content in enumerate(contents):
        text, offset = embedded_text(content)
        found += [Piece(number, offset + begin, text[begin:end]) for begin, end in cuts.windows(text)]
    return found


def assembled(count: int, pieces: Sequence[Piece], encoded: Sequence[tuple[bytes, bytes]]) -> list[list[Passage]]:
    """The passages of `count` contents, from their pieces and the vector and sign bits of each."""
    found: list[list[Passage]] = [[] for _ in range(count)]
    for piece, (vector, signs) in zip(pieces, encoded, strict=True):
        found[piece.content].append(Passage(piece.begin, piece.begin + len(piece.text), vector, signs))
    return found
