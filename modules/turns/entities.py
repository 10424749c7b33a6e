"""What a turn names, by rules: names, identifiers, numbers. A measure for salience, no lasting entities."""

import re

IMPORTANT_WEIGHT, OTHER_WEIGHT = 2.0, 1.0
"""A name or an identifier counts double: numbers and times alone say less."""

_IDENTIFIER = re.compile(
    r"""(?<![\w/@.])(?:
        [a-z][a-z0-9+.-]*://\S+ |                      # an address
        [\w.+-]+@[\w-]+(?:\.[\w-]+)+ |                 # of mail
        (?:~|\.{1,2})?/?[\w.-]+(?:/[\w.-]+)+ |         # a path
        [\w-]+\.(?:py|js|tsx?|rs|go|java|c|h|cpp|rb|sh|sql|md|toml|ya?ml|json|txt|csv|pdf|html?|css|db|log|cfg|ini)\b |
        [A-Za-z]\w*_\w+ |                              # snake_case
        [a-z]+[A-Z]\w* | [A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+ |   # camelCase
        [A-Z]{2,}-\d+ | \#\d+ |                        # a ticket
        v?\d+(?:\.\d+){2,} |                           # a version, an address
        (?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b |  # a hash
        [A-Z][A-Z0-9]{1,9}\b                           # an acronym
    )""",
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Z][\w'’-]*[a-z][\w'’-]*(?:\s+(?:of|de|van|von|la|the)?\s*[A-Z][\w'’-]*)*")
_BEGINS = re.compile(r"(?:^|[.!?:;\n]\s*|[\"“(-]\s*)$")
_NUMBER = re.compile(r"(?<![\w.])[€$£]?\d+(?:[.,:]\d+)*\s?(?:%|[a-zA-Z°€$£]{1,3}\b)?")
_TIME = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|yesterday|tonight|last (?:week|month|year)|"
    r"next (?:week|month|year))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")


def density(text: str) -> float:
    """How much a text names, a word: weights of what it names, each thing once, by the number of its words."""
    rest, weight = text, 0.0
    for pattern, worth in ((_IDENTIFIER, IMPORTANT_WEIGHT), (_TIME, OTHER_WEIGHT)):
        found = {one.group() for one in pattern.finditer(rest)}
        weight += worth * len(found)
        rest = pattern.sub(lambda one: " " * len(one.group()), rest)
    weight += IMPORTANT_WEIGHT * len({name for name in _names(rest)})
    weight += OTHER_WEIGHT * len({one.group().strip() for one in _NUMBER.finditer(rest)})
    return weight / max(len(_WORD.findall(text)), 1)


def _names(text: str) -> list[str]:
    """Capitalised words, but for a single one where a sentence begins: that one may be any word."""
    return [
        one.group()
        for one in _NAME.finditer(text)
        if " " in one.group() or not _BEGINS.search(text[max(0, one.start() - 3) : one.start()])
    ]
