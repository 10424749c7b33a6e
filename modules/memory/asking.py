"""Questions among hits: what only asks answers nothing, and comes after what states something. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..text.sentences import sentences
from .dialogue import split_speaker
from .models import RankedTurn
from .query import Query, is_question
from .ranking import DECIMALS, Ranked

ASKS = "asks"
"""The part of a score by which what only asks comes after what states something."""

LEAST_WORDS = 2
MAX_CHARS = 20_000
_ASKED = re.compile(r"[?？؟]$|(?:吗|(?:です|ます|ました|ません|でしょう)か)[。.]?$")
"""The end of a question: its mark, or what stands for one in Chinese and Japanese."""
_ANY_WORD = re.compile(r"\w+")


def only_asks(text: str) -> bool:
    """Return whether a text is nothing but questions."""
    said = sentences(text[:MAX_CHARS])
    return bool(said) and all(_ASKED.search(one.rstrip()) for one in said)


def is_repeated(statement: str, question: str) -> bool:
    """Return whether a question says again, word for word, all that was said: then that is no answer to it.

    What has but a word or two may be the answer that the question asks about.
    """
    words, asked = (_ANY_WORD.findall(text[:MAX_CHARS].casefold()) for text in (statement, question))
    return len(words) >= LEAST_WORDS and f" {' '.join(words)} " in f" {' '.join(asked)} "


def statements_first(ranked: Sequence[Ranked], turns: Sequence[RankedTurn], query: Query) -> list[Ranked]:
    """Return the hits; turns of conversations that only ask come after what states something.

    What friends ask each other tells something of them: it stays, unless it is the very question.
    """
    asking = [one for one in ranked if _asks(turns[one.row], query)]
    if not asking or len(asking) == len(ranked):
        return list(ranked)
    stating = [one for one in ranked if one not in asking]
    last = min(one.score for one in stating)
    return [*stating, *(_lowered(one, last) for one in asking)]


def _lowered(one: Ranked, score: float) -> Ranked:
    """Return a hit with no more than a score; a part of it says what it lost."""
    lost = round(score - one.score, DECIMALS)
    return replace(one, parts={**one.parts, ASKS: lost}) if lost < 0 else one


def _asks(turn: RankedTurn, query: Query) -> bool:
    if turn.session is None:
        return False
    text = split_speaker(turn.content)[1]
    if only_asks(text):
        return turn.role is not None or is_repeated(text, query.text)
    return is_question(query.text) and turn.role is not None and is_repeated(text, query.text)
