"""Extractive summaries by rules: the most central sentences of the sources, in order, and every entity they name."""

import re
from collections.abc import Callable, Sequence

from ...modules.records import dataclass
from ...modules.text import entities
from ...modules.text.sentences import sentences as sentences_of
from ...modules.vectors import matrix
from .models import SummarySource

SHARE, LEAST_SHARE = 0.5, 0.35
"""The share of the sources' tokens that a summary may take without its line of entities, which may want the lesser."""
TARGET_MIN, TARGET_MAX = 12, 300
ENTITY_WEIGHT = 0.5
REPEATED = 0.6
"""The penalty of a sentence, per similarity to one that is chosen."""
UNTOLD = 0.5
"""The advantage of a sentence whose source has told nothing yet."""
QUESTION = 1.0
"""The disadvantage of a question beside statements."""
SENTENCES_MAX = 400
"""Sentences of a long group that are weighed; the longest are taken."""

_QUESTION = re.compile(r"[?？؟][\"'”’»)\]]*$")

CountTokens = Callable[[str], int]


@dataclass(frozen=True)
class SourceSentence:
    """A sentence, with the index of its source."""

    source: int
    text: str


def target(source_tokens: int, share: float = SHARE) -> int:
    """Return how many tokens a summary may take, for sources of `source_tokens`."""
    return max(TARGET_MIN, min(TARGET_MAX, round(share * source_tokens)))


def split(sources: Sequence[SummarySource]) -> list[SourceSentence]:
    """Return the sentences of sources in order, each once, without entity lines and speakers' names."""
    found: dict[str, SourceSentence] = {}
    for place, source in enumerate(sources):
        for text in sentences_of(spoken_text(source)):
            if not text.startswith(entities.KEY_LINE) and any(map(str.isalnum, text)):
                found.setdefault(entities.compared(text), SourceSentence(place, text))
    distinct = list(found.values())
    if len(distinct) <= SENTENCES_MAX:
        return distinct
    longest = {id(sentence) for sentence in sorted(distinct, key=lambda one: -len(one.text))[:SENTENCES_MAX]}
    return [sentence for sentence in distinct if id(sentence) in longest]


def spoken_text(source: SummarySource) -> str:
    """Return the text of a source, without the name of its speaker."""
    return source.text.removeprefix(f"{source.speaker}:").strip() if source.speaker else source.text


def named(sources: Sequence[SummarySource]) -> dict[str, str]:
    """Return the entities of sources, speakers' names included: from normalised form to form as written."""
    return entities.entities(source.text for source in sources)


def compose(
    sources: Sequence[SummarySource],
    sentences: Sequence[SourceSentence],
    vectors: Sequence[bytes],
    tokens: CountTokens,
    limit: int,
) -> str:
    """Compose the extract: at most `limit` tokens of sentences (one at least), then the entities that they do not name.

    CPU-bound and pure.
    """
    wanted = named(sources)
    chosen = _choose(sentences, vectors, wanted, tokens, limit)
    return with_entities(_summary_text([sentences[place] for place in sorted(chosen)], sources), wanted)


def with_entities(text: str, wanted: dict[str, str]) -> str:
    """Return a text with a line that names the entities it does not."""
    line = entities.key_line(entities.missing(wanted, text))
    return f"{text}\n{line}" if line else text


def _choose(
    sentences: Sequence[SourceSentence],
    vectors: Sequence[bytes],
    wanted: dict[str, str],
    tokens: CountTokens,
    limit: int,
) -> list[int]:
    """Choose greedily sentences that are central, name new entities, are of new sources, and resemble the chosen least.

    A question is only chosen once something of its answer is; by itself it tells nothing.
    """
    import numpy as np

    rows = matrix(vectors)
    centre = rows.mean(axis=0)
    length = float(np.linalg.norm(centre))
    central = rows @ (centre / length) if length else np.zeros(len(rows))
    names = [{key for key in entities.entities([one.text]) if key in wanted} for one in sentences]
    costs = [max(1, tokens(one.text)) for one in sentences]
    most = max(map(len, names), default=0) or 1
    answers = _answers(sentences)
    chosen: list[int] = []
    covered: set[str] = set()
    told: set[int] = set()
    alike = np.zeros(len(rows))
    room = limit
    while True:
        best, best_score = -1, -np.inf
        for place in range(len(sentences)):
            if place in chosen or (chosen and costs[place] > room) or (answers[place] and not answers[place] & told):
                continue
            fresh = len(names[place] - covered) / most
            score = float(central[place]) + ENTITY_WEIGHT * fresh - REPEATED * float(alike[place])
            score += UNTOLD * (sentences[place].source not in told) - QUESTION * bool(answers[place])
            if score > best_score + 1e-9:
                best, best_score = place, score
        if best < 0:
            return chosen
        chosen.append(best)
        covered |= names[best]
        told.add(sentences[best].source)
        room -= costs[best]
        alike = np.maximum(alike, rows @ rows[best])


def _answers(sentences: Sequence[SourceSentence]) -> list[set[int]]:
    """Return for each question the source that answers it, the next that states something; none for a statement."""
    found: list[set[int]] = []
    answer: set[int] = set()
    for sentence in reversed(sentences):
        is_question = _QUESTION.search(sentence.text) is not None
        if not is_question:
            answer = {sentence.source}
        found.append(answer - {sentence.source} if is_question else set())
    return found[::-1]


def _summary_text(chosen: Sequence[SourceSentence], sources: Sequence[SummarySource]) -> str:
    """Return the sentences joined; the speaker's name precedes the first of each run."""
    parts: list[str] = []
    speaker = ""
    for sentence in chosen:
        by = sources[sentence.source].speaker
        if by != speaker:
            parts.append(("\n" if parts else "") + (f"{by}: " if by else "") + sentence.text)
        else:
            parts.append((" " if parts else "") + sentence.text)
        speaker = by
    return "".join(parts)
