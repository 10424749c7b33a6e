"""Prompts that are worth a search: those that say something, not commands of the client and not a mere yes."""

import re

MAX_QUERY_CHARS = 2_000
SHORT_WORDS = 4
LONGEST_REPLY = 100

_COMMAND = re.compile(r"[/!#][\w:.-]*(?:\s|$)|<[a-z][\w-]*>")
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_ACKNOWLEDGING = frozenset(
    """
    a again ahead all alright and approved as awesome before but carry continue cool correct do done exactly fine go
    good great hello hey hi i it just keep lgtm looks me more nah next nice no nope not now of ok okay on one ones
    option or perfect please proceed really right same see so stop sure thank thanks that that's the them then there
    this try two us very wait want well what why with works yeah yep yes you y n k
    """.split()
)


def query_of(prompt: str) -> str:
    """Return what to search for on behalf of a prompt; "" where the prompt is not worth a search."""
    text = prompt.strip()
    if _COMMAND.match(text) or is_mere_reply(text):
        return ""
    return text[:MAX_QUERY_CHARS]


def is_mere_reply(text: str) -> bool:
    """Return whether a text has a few words that only acknowledge or greet ("ok thanks"), or none."""
    words = _WORD.findall(text[:LONGEST_REPLY].lower())
    is_short = len(text) < LONGEST_REPLY and len(words) <= SHORT_WORDS
    return not words or (is_short and all(word in _ACKNOWLEDGING or word.isdigit() for word in words))
