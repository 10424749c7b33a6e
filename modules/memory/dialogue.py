"""Speakers: the name or the role at the beginning of a turn of a conversation."""

import re

MAX_NAME_CHARS = 40
MAX_LEAD_CHARS = 64
"""Length of the beginning of a text that decides whether it begins with a name, and with which."""

LABELS = frozenset(
    """
    action actions answer answers attention bug bugs cause caution cc changelog comment conclusion context danger date
    debug decision decisions deprecated description details edit error errors event example examples exception fact
    facts fix fixme from fwd fyi goal goals hint idea ideas important info input issue issues item items key lesson
    lessons link log memo message name nb notice note notes output path plan point points preference preferences problem
    ps question questions re reason reminder requirement requirements result results rule rules section solution source
    status step steps subject summary task tasks time tip title tldr to todo topic trace type update updates url usage
    value version warn warning warnings
    """.split()
)
"""Words that announce what follows: "Open Question: …" has no speaker. Roles, as in "User: …", are speakers."""

_LEAD = re.compile(r"\s{0,8}([^\W\d_][^\s:]*(?: [^\W\d_][^\s:]*){0,2}): {1,8}(?=\S)")
_NAME = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")


def split_speaker(text: str) -> tuple[str | None, str]:
    """Split a text, as "Ann Lee: yes", into the name that it begins with and the rest; (None, text) without a name.

    A name has one to three capitalised words, at most 40 characters, none of them in LABELS.
    """
    lead = _LEAD.match(text)
    if lead is None or len(lead[1]) > MAX_NAME_CHARS or not all(map(_may_be_a_name, lead[1].split())):
        return None, text
    return lead[1], text[lead.end() :]


def _may_be_a_name(word: str) -> bool:
    # Not every script has capitals.
    return _NAME.fullmatch(word) is not None and not word[0].islower() and word.lower().rstrip(".") not in LABELS


ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
}
"""The labels of turns of a conversation with an assistant, in small letters, and the role that each names."""

_LABEL = re.compile(r"\s{0,8}([A-Za-z]{2,9}) ?:")


def role_of(text: str) -> str | None:
    """Return the role that a turn begins with, as in "user: …" or "Assistant: …"; None if it does not."""
    label = _LABEL.match(text)
    return None if label is None else ROLES.get(label[1].lower())
