"""The words of a query in the passages of texts: a long text counts by the passage that has the most of them.

A turn of ten thousand characters has something of everything; what answers is a passage of it. So BM25 compares
passages of about the same length, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..records import dataclass
from ..text.scripts import word_count
from .words import StemCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PASSAGE_CHARS = 1_000
"""The longest passage, about what one vector covers."""
UNSPLIT_CHARS = 1_500
"""The longest text that is one passage."""
TEXT_CHARS = 20_000
"""The characters of one text that are read; what is beyond them is known from the text index alone."""
READ_IN_ALL = 150_000
"""The characters of all texts that are read for one search, in about 8 ms; of later ones the beginning is."""
_ENDS = ("\n", ". ", " ")


@dataclass(frozen=True)
class PassageWords:
    """Counts of a query's words (passages × words), each passage's length in words, and the row of its text."""

    counts: NDArray[np.float32]
    lengths: NDArray[np.float32]
    rows: NDArray[np.int64]

    def of_texts(self, texts: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return what stands for each text beside another: the most of each word in a passage, the mean length."""
        import numpy as np

        counts = np.zeros((texts, self.counts.shape[1]), dtype=np.float32)
        np.maximum.at(counts, self.rows, self.counts)
        passages = np.maximum(np.bincount(self.rows, minlength=texts), 1)
        lengths = np.bincount(self.rows, self.lengths, minlength=texts) / passages
        return counts, lengths.astype(np.float32)

    def best(self, scores: NDArray[np.float32], texts: int) -> NDArray[np.float32]:
        """Return for each text the highest score of its passages."""
        import numpy as np

        best = np.zeros(texts, dtype=np.float32)
        np.maximum.at(best, self.rows, scores)
        return best


def counted(words: StemCounts, texts: Sequence[str], likely: Sequence[int]) -> PassageWords:
    """Count words in the passages of texts; of long ones in those read first that are `likely`, by their numbers."""
    import numpy as np

    read = dict(enumerate(text[:UNSPLIT_CHARS] for text in texts))
    left = READ_IN_ALL - sum(map(len, read.values()))
    for number in likely:
        more = min(len(texts[number]), TEXT_CHARS) - len(read[number])
        if 0 < more <= left:
            read[number] = texts[number][:TEXT_CHARS]
            left -= more
    pieces = [(number, piece) for number, text in read.items() for piece in passages(text)]
    texts_read = [piece for _, piece in pieces]
    return PassageWords(
        words.of(texts_read),
        np.array([word_count(piece) for piece in texts_read], dtype=np.float32),
        np.array([number for number, _ in pieces], dtype=np.int64),
    )


def passages(text: str) -> Iterator[str]:
    """Yield the passages of a text in order; they end where a line does, else a sentence, else a word."""
    begin = 0
    while len(text) - begin > UNSPLIT_CHARS:
        end = begin + PASSAGE_CHARS
        cuts = (text.rfind(mark, begin + PASSAGE_CHARS // 2, end) + len(mark) for mark in _ENDS)
        cut = next((cut for cut in cuts if cut > begin + PASSAGE_CHARS // 2), end)
        yield text[begin:cut]
        begin = cut
    yield text[begin:]
