"""Summaries and headlines of single memories, by rules: a title, and the sentences that are most about all of it."""

import math
from collections import Counter
from collections.abc import Sequence

from ..stop_words import STOP_WORDS
from ..text.replies import is_mere_reply
from ..text.sentences import sentences
from .words import tokens

SUMMARY_CHARS = 200
HEADLINE_CHARS = 100
TITLE_CHARS = 60
"""The longest first line of several that is taken for a title."""
READ_CHARS = 4_000
SENTENCES_MAX = 100
FIRST = 1.25
"""The weight of a text's first sentence beside a later one: texts begin with what they are about."""
WORTH_TELLING = 0.5
"""The least centrality of a sentence that is included beside the most central one, as a share of that one's."""
SALUTATION_WORDS = 4
"""The most words of "Good morning everybody, …"."""
STEM_CHARS = 5
MARKS = "#*->•|= \t"
"""Marks of headings and lists, which begin a line and say nothing."""


def summary(content: str) -> str:
    """Return what a text says, on one line of at most SUMMARY_CHARS: all of it, if it is so short.

    Otherwise its lead (the first sentence that is no salutation) and the sentences that share most words with the
    rest, in their order; a single long one is cut at a word. A title that they leave room for comes before them.
    """
    content = content.strip()[:READ_CHARS]
    text = " ".join(content.split())
    if len(text) <= SUMMARY_CHARS:
        return text
    found = [one for part in sentences(content) if (one := " ".join(part.strip(MARKS).split()))]
    found = list(dict.fromkeys(found))[:SENTENCES_MAX] or [text]
    title = found.pop(0) if _is_title(content, found) else ""
    central = _centrality(found)
    order = sorted(range(len(found)), key=lambda place: -central[place])
    lead = next((place for place in range(len(found)) if not _is_salutation(place, found)), order[0])
    chosen = [lead]
    room = SUMMARY_CHARS - len(found[lead])
    for place in order:
        cost = len(found[place]) + 1
        if place != lead and cost <= room and central[place] >= WORTH_TELLING * central[order[0]]:
            chosen.append(place)
            room -= cost
    body = cut(" ".join(found[place] for place in sorted(chosen)), SUMMARY_CHARS)
    titled = f"{title}: {body}"
    return titled if title and len(titled) <= SUMMARY_CHARS else body


def _is_title(content: str, found: Sequence[str]) -> bool:
    """Return whether a text's first line is a title: short, without an end, with more below it."""
    first = content.splitlines()[0].strip(MARKS)
    return len(found) > 1 and len(first) <= TITLE_CHARS and first[-1:].isalnum() and found[0] == " ".join(first.split())


def _is_salutation(place: int, found: Sequence[str]) -> bool:
    """Return whether a sentence of any language only addresses the reader: a few words, a comma, nothing of the rest.

    "Thanks, that was a long call", "Guten Morgen zusammen!"
    """
    sentence = found[place]
    if is_mere_reply(sentence):
        return True
    begins = sentence.replace("!", ",").partition(",")[0]
    if len(begins.split()) > SALUTATION_WORDS or begins == sentence or any(map(str.isdigit, sentence)):
        return False
    others = _stems(" ".join((*found[:place], *found[place + 1 :])))
    return not _stems(sentence) & others


def _stems(text: str) -> set[str]:
    """Return the beginnings of a text's longer words, which say in most languages what it is about."""
    return {word[:STEM_CHARS] for word in tokens(text) if len(word) >= STEM_CHARS} - STOP_WORDS


def _centrality(found: Sequence[str]) -> list[float]:
    """Return for each sentence how often its words come back in the others, by its length."""
    words = [set(tokens(one)) - STOP_WORDS for one in found]
    spread = Counter(word for of_one in words for word in of_one)
    return [
        (1 + sum(spread[word] - 1 for word in of_one)) / math.log(math.e + len(of_one)) * (1 if place else FIRST)
        for place, of_one in enumerate(words)
    ]


def headline(content: str) -> str:
    """Return the first line of a text, cut to 100 characters at a word's end."""
    return cut(next((line for line in content.splitlines() if line.strip()), content).strip(), HEADLINE_CHARS)


def cut(text: str, chars: int) -> str:
    """Return at most `chars` characters of a text, cut at the end of a word where one is near."""
    if len(text) <= chars:
        return text
    beginning = text[: chars - 1]
    head, _, _ = beginning.rpartition(" ")
    return (head if len(head) > chars // 2 else beginning) + "…"
