"""Things that are told apart by a number or a letter: what is said of "room 204" replaces nothing about "room 205"."""

import re

_NUMBERED = re.compile(
    r"\s{0,4}(?:(?:The|Our|In|On) )?(?:[\w-]{2,30} (?:of|on|in|for) )?"
    r"(?P<kind>[^\W\d_]{3,30}) (?P<label>#?\d{1,8}|[A-Z])\b(?P<rest>.{0,300})",
    re.DOTALL,
)


def are_two_of_a_kind(one: str, other: str) -> bool:
    """Return whether two texts begin with two numbered things of one kind, and say something else of each.

    The same said of another number may well replace it: "Node 18 is our runtime", "Node 20 is our runtime".
    """
    first, second = _NUMBERED.match(one), _NUMBERED.match(other)
    if first is None or second is None or first["kind"].casefold() != second["kind"].casefold():
        return False
    return first["label"] != second["label"] and first["rest"].casefold() != second["rest"].casefold()
