"""How many values an attribute of the lexicon has at a time."""

from .lexicon import by_name, by_noun


def holds(attribute: str) -> str:
    """How many values an attribute has at a time: one, many, soft or fixed; what the lexicon does not know has
    one."""
    known = by_name().get(attribute)
    if known is None and (noun := by_noun().get(attribute)):
        known = noun[0]
    return known.holds if known else "one"
