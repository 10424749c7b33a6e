"""Summaries by a language model: of chunks of the sources, then of those summaries; refused if they do not check."""

from collections.abc import Sequence

from ...modules.language.ports import LanguageModel, LanguageRefused
from ...modules.text import entities
from .extracting import CountTokens, named, spoken_text, with_entities
from .models import SummarySource

CHUNK_TOKENS = 4_000
INSTRUCTION = (
    "Summarise the conversation in at most {tokens} tokens of plain sentences. Keep every name, number, date, file and "
    "decision exactly as written, who said or did what, and what is still open. Add nothing that is not in the text."
)


async def rewrite(model: LanguageModel, sources: Sequence[SummarySource], tokens: CountTokens, limit: int) -> str:
    """Return the model's summary of sources, with every entity that they name.

    Raises LanguageUnavailable; and LanguageRefused, also if it has numbers that the sources do not have, or is no
    shorter.
    """
    pieces = _chunks([f"{one.speaker}: {spoken_text(one)}" if one.speaker else one.text for one in sources], tokens)
    texts = [await _summarised(model, piece, limit) for piece in pieces]
    text = texts[0] if len(texts) == 1 else await _summarised(model, "\n".join(texts), limit)
    known = {number for source in sources for number in entities.numbers(source.text)}
    if invented := entities.numbers(text) - known:
        raise LanguageRefused(f"the language model states numbers that its sources do not contain: {min(invented)}")
    if tokens(text) >= sum(source.tokens for source in sources):
        raise LanguageRefused("the language model's summary is no shorter than its sources")
    return with_entities(text, named(sources))


async def _summarised(model: LanguageModel, text: str, limit: int) -> str:
    answer = await model.complete(INSTRUCTION.format(tokens=limit), text, 2 * limit + 200)
    lines = [line for line in answer.splitlines() if not line.startswith(entities.KEY_LINE)]
    if not (body := "\n".join(lines).strip()):
        raise LanguageRefused("the language model's summary is empty")
    return body


def _chunks(lines: Sequence[str], tokens: CountTokens) -> list[str]:
    """Join the lines in order into pieces of at most CHUNK_TOKENS; longer lines are cut first."""
    pieces: list[list[str]] = [[]]
    room = CHUNK_TOKENS
    for line in [part for full_line in lines for part in _cut(full_line, tokens)]:
        cost = tokens(line)
        if cost > room and pieces[-1]:
            pieces.append([])
            room = CHUNK_TOKENS
        pieces[-1].append(line)
        room -= cost
    return ["\n".join(piece) for piece in pieces]


def _cut(line: str, tokens: CountTokens) -> list[str]:
    if tokens(line) <= CHUNK_TOKENS or len(line) < 2:
        return [line]
    middle = line.rfind(" ", 0, len(line) // 2) + 1 or len(line) // 2
    return _cut(line[:middle], tokens) + _cut(line[middle:], tokens)
