"""Spelling: whether two words differ as a slip of the fingers makes them differ."""

KEPT = 2
"""The letters at the beginning that are taken for right: a word is looked for among those that begin so."""
SHORTEST, LONGEST = 5, 32
"""The length of a word that may be misspelt: of shorter ones too many are one letter apart."""


def may_be_misspelt(word: str) -> bool:
    """Return whether a word is looked for in other spellings: letters alone, as codes differ by one on purpose."""
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def one_slip_apart(one: str, other: str) -> bool:
    """Return whether one letter is missing, added, wrong, or changed places with the next (Damerau 1964)."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    first, second = one[start:], other[start:]
    swapped = len(first) > 1 and len(second) > 1 and first[:2] == second[1::-1] and first[2:] == second[2:]
    return swapped or first[1:] == second[1:] or first[1:] == second or first == second[1:]
