"""Text-index queries from user text: every token quoted, so that nothing in it is ever syntax."""

import re
import unicodedata

MAX_TERMS = 48
COLUMN_WEIGHTS = (2.0, 1.0, 1.5)
"""BM25 weights of summary, content, tags: a rare word in the headline outranks the same in the body."""

STOP_WORDS = frozenset(
    """
    a about after again all am an and any are as at be because been before being between both but by can could
    did do does doing down during each few for from further had has have having he her here hers him his how i if in
    into is it its itself just me more most my no nor not now of off on once only or other our ours out over own same
    she should so some such than that the their them then there these they this those through to too under until up
    very was we were what when where which while who whom why will with would you your yours
    """.split()
)

_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def match_expression(query: str) -> str | None:
    """An FTS5 expression: the content words of `query`, each quoted, joined with OR; None without words.

    Words that say nothing are left out unless there are no others. At most MAX_TERMS words are used,
    the longest, which are the rarest as a rule.
    """
    composed = unicodedata.normalize("NFC", query)  # a combining accent would cut a word in two
    words = list(dict.fromkeys(match.group().lower() for match in _WORD.finditer(composed)))
    telling = [word for word in words if word not in STOP_WORDS] or words
    if len(telling) > MAX_TERMS:
        telling = sorted(telling, key=len, reverse=True)[:MAX_TERMS]
    if not telling:
        return None
    return " OR ".join(f'"{word}"' for word in telling)
