"""Rules that compare two names by their form: surely one thing, possibly one thing, or no match."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cache
from itertools import product
from pathlib import Path

from .. import package_files
from ..records import dataclass
from .keys import key
from .models import EntityType

COMPARED = frozenset(
    {EntityType.PERSON, EntityType.ORGANIZATION, EntityType.PLACE, EntityType.PRODUCT, EntityType.NAME}
)
"""Entity types that have aliases. An identifier, a path or a date has none."""
NEAR_IN_MEANING = 0.78
"""Cosine similarity from which two names are suggested as aliases, unless their form speaks against it."""
ALIKE = 0.65
"""Share of common letters from which two words may be one word in two languages: "university", "universidade"."""
LEAST_COMPACT = 4
STEM = "legal form, article or title"
MAX_SPELLINGS = 8

_LETTERS = {"ä": ("a", "ae"), "ö": ("o", "oe"), "ü": ("u", "ue"), "ø": ("o", "oe"), "å": ("a", "aa")}
_CYRILLIC = str.maketrans(
    {
        **dict(zip("абвгдеёзийклмнопрстуфыэіїґў", "abvgdeeziiklmnoprstufyeiigu", strict=True)),
        **{"ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu", "я": "ya"},
        **{"є": "ye", "ј": "j", "љ": "lj", "њ": "nj", "ћ": "c", "ђ": "dj", "џ": "dz"},
        **dict(zip("αβγδεζηικλμνξοπρστυφω", "avgdeziiklmnxoprstyfo", strict=True)),
        **{"θ": "th", "χ": "ch", "ψ": "ps", "ς": "s"},
    }
)
_LEGAL_FORMS = {
    **dict.fromkeys(("inc", "incorporated"), "inc"),
    **dict.fromkeys(("corp", "corporation"), "corp"),
    **dict.fromkeys(("ltd", "limited"), "ltd"),
    **{form: form for form in ("gmbh", "ag", "llc", "plc", "sarl", "bv", "nv", "oy", "ab", "kg", "sa", "spa")},
}
_HONORIFICS = frozenset("mr mrs ms dr prof professor doctor sir herr frau mme".split())
_SMALL = frozenset("of the and for de la du des da do dos das del di der die das und et e y &".split())
_BREAKS = re.compile(r"(?<!\d)[\s._/'’-]+|[\s._/'’-]+(?!\d)")
_NUMBER = re.compile(r"\d+")
_NUMERONYM = re.compile(r"([a-z])(\d{1,2})([a-z])")


@dataclass(frozen=True)
class Likeness:
    """The basis on which two names may be one thing's. Not `is_sure`: somebody has to decide."""

    basis: str
    is_sure: bool
    score: float


def other_names(phrase_key: str) -> tuple[str, ...]:
    """Return the keys of a name in other languages (places, organisations) and in other spellings."""
    found = dict.fromkeys(spellings(phrase_key))
    if (group := _exonyms().get(phrase_key)) is not None:
        found |= dict.fromkeys(_groups()[group])
    found.pop(phrase_key, None)
    return tuple(found)


def forms(label: str, type_: str) -> frozenset[str]:
    """Return the forms by which a name is looked up: two alike names share one. Empty for types without aliases."""
    if type_ not in COMPARED or not (folded := key(label)):
        return frozenset()
    found = {f"compact:{_compact(each)}" for each in spellings(label)}
    found |= {f"compact:{_compact(each)}" for each in spellings(_stem(label)[0])}
    if (group := _exonyms().get(folded)) is not None:
        found.add(f"exonym:{group}")
    words = folded.split()
    if (initials := _initials(label)) is not None:
        found.add(f"initials:{initials}")
    if label.isupper() and len(words) == 1 and 2 <= len(folded) <= 6:
        found.add(f"initials:{folded}")
    if len(words) == 1 and _NUMERONYM.fullmatch(folded):
        found.add(f"numeronym:{folded}")
    if len(words) == 1 and folded.isalpha() and len(folded) > 4:
        found.add(f"numeronym:{folded[0]}{len(folded) - 2}{folded[-1]}")
        found.add(f"begins:{folded[:5]}")
    if len(words) > 1:
        found.add(f"ends:{words[-1]}:{words[0][0]}")
        found |= {f"ends:{words[-1]}:{each[0]}" for each in _also_called(words[0])}
    return frozenset(found)


def likeness(one: str, one_type: str, other: str, other_type: str) -> Likeness | None:
    """Compare two names by their form; None if it says nothing, or that they are two things'."""
    if not _may_be_one(one_type, other_type) or key(one) == key(other):
        return None
    types = {one_type, other_type}
    is_person = EntityType.PERSON in types
    if not is_person and EntityType.PRODUCT not in types and _same_in_another_language(one, other):
        return Likeness("translation", True, 1.0)
    if _numbers(one) != _numbers(other):
        return _numeronym(one, other)
    if spellings(one) & spellings(other):
        return Likeness("spelling", True, 1.0)
    (stem, form), (other_stem, other_form) = _stem(one), _stem(other)
    if spellings(stem) & spellings(other_stem) and (form is None or other_form is None or form == other_form):
        return Likeness(STEM, True, 0.95)
    if not is_person and len(_compact(key(one))) >= LEAST_COMPACT and _compact(key(one)) == _compact(key(other)):
        is_place = EntityType.PLACE in types  # Newcastle and New Castle are two
        return Likeness("spaces and dots", not is_place, 0.7 if is_place else 0.95)
    return _person(one, other) if is_person else _shortened(one, other)


def has_several_forms(label: str, others: Iterable[str]) -> bool:
    """Return whether names of one stem have several legal forms: "Acme" may be "Acme Inc" or "Acme GmbH"."""
    stem, form = _stem(label)
    known = spellings(stem)
    found = {form, *(its for each, its in map(_stem, others) if spellings(each) & known)}
    return len(found - {None}) > 1


def speaks_against(one: str, one_type: str, other: str, other_type: str) -> bool:
    """Return whether the form of two names near in meaning says that they are two things'.

    Signs of that are other numbers, one name that is the other with more words, people of two given names, and names
    that differ in one word alone.
    """
    if not _may_be_one(one_type, other_type) or _numbers(one) != _numbers(other):
        return True
    words, others = key(one).split(), key(other).split()
    if EntityType.PERSON in (one_type, other_type) or set(words) <= set(others) or set(others) <= set(words):
        return True
    if len(words) == len(others) == 1:
        return True
    shared = set(words) & set(others)
    if not shared - _SMALL:
        return False
    left, right = (" ".join(word for word in each if word not in shared | _SMALL) for each in (words, others))
    return SequenceMatcher(None, left, right).ratio() < ALIKE  # "Bank of America" and "Bank of England"


def spellings(label: str) -> frozenset[str]:
    """Return the keys of a label as it is written elsewhere: "Zürich" as "Zuerich", "Москва" as "moskva"."""
    folded = unicodedata.normalize("NFC", label.casefold()).translate(_CYRILLIC)
    places = [_LETTERS.get(letter, (letter,)) for letter in folded]
    found = []
    for letters in product(*places):
        found.append(key("".join(letters)))
        if len(found) == MAX_SPELLINGS:
            break
    return frozenset([*found, key(folded)])


def _may_be_one(one_type: str, other_type: str) -> bool:
    if one_type not in COMPARED or other_type not in COMPARED:
        return False
    return one_type == other_type or EntityType.NAME in (one_type, other_type)


def _same_in_another_language(one: str, other: str) -> bool:
    group = _exonyms().get(key(one))
    return group is not None and group == _exonyms().get(key(other))


def _compact(folded: str) -> str:
    return _BREAKS.sub("", folded)


def _numbers(label: str) -> list[str]:
    return _NUMBER.findall(label)


def _stem(label: str) -> tuple[str, str | None]:
    """Return a label without article, title and legal form, and the legal form (None if there is none)."""
    words = [word.rstrip(".") for word in key(_turned(label)).replace(",", " ").replace("-", " ").split()]
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    if len(words) > 2 and words[0] in _HONORIFICS:
        words = words[1:]
    if len(words) > 1 and (form := _LEGAL_FORMS.get(words[-1].replace(".", ""))) is not None:
        return " ".join(words[:-1]), form
    return " ".join(words), None


def _turned(label: str) -> str:
    last, comma, first = label.partition(", ")
    return f"{first} {last}" if comma and key(first) not in _LEGAL_FORMS and " " not in last else label


def _initials(label: str) -> str | None:
    words = [word for word in re.split(r"[\s-]+", key(label)) if word not in _SMALL]
    return "".join(word[0] for word in words) if 2 <= len(words) <= 6 else None


def _numeronym(one: str, other: str) -> Likeness | None:
    for short, long in ((key(one), key(other)), (key(other), key(one))):
        match = _NUMERONYM.fullmatch(short)
        if match and long.isalpha() and f"{long[0]}{len(long) - 2}{long[-1]}" == short:
            return Likeness("abbreviation", False, 0.8)
    return None


def _person(one: str, other: str) -> Likeness | None:
    words, others = key(_turned(one)).split(), key(_turned(other)).split()
    if len(words) < 2 or len(others) < 2 or words[-1] != others[-1]:
        return None
    first, second = words[0].rstrip("."), others[0].rstrip(".")
    if first == second:  # with middle names or initials between
        short, long = sorted((words[1:-1], others[1:-1]), key=len)
        return Likeness("middle name", False, 0.8) if not short and long else None
    if len(first) == 1 or len(second) == 1:
        return Likeness("initials", False, 0.6) if first[0] == second[0] else None
    return Likeness("short form of a given name", False, 0.8) if second in _also_called(first) else None


def _shortened(one: str, other: str) -> Likeness | None:
    for short, long in ((one, other), (other, one)):
        folded = key(short)
        if short.isupper() and len(folded) >= 2 and _initials(long) == folded:
            return Likeness("initials", False, 0.7)
        long_key = key(long)
        if len(folded) >= 5 and long_key.startswith(folded) and long_key[len(folded) :] in _ENDINGS:
            return Likeness("shortened", False, 0.7)
    return None


_ENDINGS = frozenset(("ql", "sql", "db", "js", ".js", "hq"))
"""Endings of product names that are often left out."""


def _also_called(given: str) -> frozenset[str]:
    return _given().get(given, frozenset())


@cache
def _given() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _lists("given"):
        names = frozenset(key(name) for name in line.split())
        for name in names:
            found[name] = found.get(name, frozenset()) | names
    return found


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    """Return, for each place or organisation, the keys of its names."""
    lines = [line for name in ("countries", "cities", "organizations") for line in _lists(name)]
    return tuple(
        tuple(dict.fromkeys(each for name in line.split("|") for each in (key(name), *sorted(spellings(name.strip())))))
        for line in lines
    )


@cache
def _exonyms() -> Mapping[str, int]:
    return {name: number for number, group in enumerate(_groups()) for name in group}


def _lists(name: str) -> Iterator[str]:
    import tomllib

    lists = tomllib.loads(package_files.text(Path(__file__).with_name("other_names.toml")))
    return (line for line in lists[name].splitlines() if line.strip())
