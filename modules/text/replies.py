"""Replies that say nothing by themselves: a mere yes, thanks, a greeting."""

import re

SHORT_WORDS = 4
LONGEST_REPLY = 100

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_ACKNOWLEDGING = frozenset(
    """
    a again ahead all alright and approved as awesome before but carry continue cool correct do done exactly fine go
    good great hello hey hi i it just keep lgtm looks me more nah next nice no nope not now of ok okay on one ones
    option or perfect please proceed really right same see so stop sure thank thanks that that's the them then there
    this try two us very wait want well what why with works yeah yep yes you y n k
    """.split()
)


def is_mere_reply(text: str) -> bool:
    """Return whether a text has a few words that only acknowledge or greet ("ok thanks"), or none."""
    words = _WORD.findall(text[:LONGEST_REPLY].lower())
    is_short = len(text) < LONGEST_REPLY and len(words) <= SHORT_WORDS
    return not words or (is_short and all(word in _ACKNOWLEDGING or word.isdigit() for word in words))
