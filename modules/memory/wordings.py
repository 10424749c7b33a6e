"""Wordings of one fact as a group: together they show what the fact needs, and what is one's way to say it. Pure.

"The staging Postgres listens on 5433" hardly resembles "Staging DB port is 5433"; beside eight more it is known.
"""

from collections.abc import Callable, Mapping, Sequence

from .sameness import (
    FAR,
    MAX_CHARS,
    SHORT,
    Difference,
    Wording,
    are_swapped,
    has_form_of,
    missing_names,
    tells_the_same,
)

LEAST_COMMON = 2
"""The fewest words that all members share before anything but a pair decides."""
MANY = 3
"""The members from which on a further wording may lack one common word, if a number of so many digits is shared."""

Cosine = Callable[[Wording, Wording], float]


def with_further(
    text: Wording, groups: Sequence[Sequence[str]], texts: Mapping[str, Wording], cosines: Mapping[str, float]
) -> list[str]:
    """Return the names of those in groups of texts that tell what a further text tells.

    `cosines` are theirs to the further text. Those among themselves have been judged before.
    """
    near = {texts[name]: cosines.get(name, 0.0) for group in groups for name in group}

    def cosine(one: Wording, other: Wording) -> float:
        return near[other] if one == text else near[one] if other == text else 0.0

    def is_told(group: Sequence[str]) -> bool:
        return one_fact([text, *(texts[name] for name in told)], [texts[name] for name in group], cosine)

    told: list[str] = []
    rest = list(groups)
    while (joining := next(filter(is_told, rest), None)) is not None:
        told += joining
        rest.remove(joining)
    return told


def one_fact(group: Sequence[Wording], others: Sequence[Wording], cosine: Cosine) -> bool:
    """Return whether two groups, each of which tells one fact, tell the same one."""
    if max(len(one.text) for one in (*group, *others)) > MAX_CHARS:
        return False
    pairs = [(one, other) for one in group for other in others]
    if any((one.particulars, one.bounds) != (other.particulars, other.bounds) for one, other in pairs):
        return False
    if any(are_swapped(one, other) or all(missing_names(one, other)) for one, other in pairs):
        return False
    if any(Difference(one, other).is_of_tense for one, other in pairs):
        return False
    larger, smaller = (group, others) if len(group) >= len(others) else (others, group)
    if len(larger) > 1 and (_is_another(larger, smaller) or any(_says_more(larger, one) for one in smaller)):
        return False
    if any(tells_the_same(one, other, cosine(one, other)) for one, other in pairs):
        return True
    if len(larger) < LEAST_COMMON or max(cosine(one, other) for one, other in pairs) < FAR:
        return False
    return all(_tells_what_they_tell(larger, one) for one in smaller)


def _common(group: Sequence[Wording]) -> list[str]:
    """Return the telling words that all of a group have in some form."""
    first, *rest = group
    return [word for word in dict.fromkeys(first.telling) if all(_has(one, word) for one in rest)]


def _is_another(group: Sequence[Wording], others: Sequence[Wording]) -> bool:
    """Return whether others have another word in the place of one that all, or most, of a group need."""
    common = set(_common(group))
    frequent = {
        word for one in group for word in one.telling if 2 * sum(_has(each, word) for each in group) >= len(group)
    }
    differences = [Difference(one, other) for one in group for other in others]
    if any(one.is_of_a_word and frequent & set(one.left[0]) for one in differences):
        return True
    exchanged = sum(any(word in common for word, _ in one.exchanged) for one in differences)
    return 2 * exchanged >= len(differences)


def _tells_what_they_tell(group: Sequence[Wording], further: Wording) -> bool:
    """Return whether a further wording has what all members have, and nothing that none of them has."""
    common = _common(group)
    numbers = [word for word in common if any(sign.isdigit() for sign in word)]
    missing = [word for word in common if not _has(further, word)]
    if len(common) < LEAST_COMMON or _new(group, further):
        return False
    return not missing or (len(missing) == 1 and _may_be_missing(missing[0], group, further, common, numbers))


def _may_be_missing(
    word: str, group: Sequence[Wording], further: Wording, common: Sequence[str], numbers: Sequence[str]
) -> bool:
    """Return whether many tell enough without one common word: not a name, and with no other word in its place."""
    telling = any(len(one) > SHORT for one in numbers)
    if word in numbers or not telling or min(len(group), len(common)) < MANY or any(word in one.names for one in group):
        return False
    return not any(has_form_of(word, exchanged) for one in group for exchanged, _ in Difference(one, further).exchanged)


def _has(wording: Wording, word: str) -> bool:
    return any(has_form_of(word, one) for one in wording.telling)


def _says_more(group: Sequence[Wording], further: Wording) -> bool:
    """Return whether a further wording says what one of a group says, and a word more that none of the group has."""
    has_all = any(all(_has(further, word) for word in one.telling) for one in group)
    return has_all and bool(_new(group, further))


def _new(group: Sequence[Wording], further: Wording) -> list[str]:
    """Return the telling words of a further wording that none of a group has, without those that only introduce."""
    words = [word for word in further.telling if not any(_has(one, word) for one in group)]
    left = [Difference(further, one).left[0] for one in group] if words else []
    return [word for word in words if all(word in each for each in left)]
