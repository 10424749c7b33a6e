"""The words of every script: in what form texts are compared, and how one is cut for an index, a query, a count.

Scripts that set spaces between words are cut there. Those that set none, and Hangul, whose endings hang on the words,
are cut into characters and pairs of characters; emoji are words. One definition for whoever looks for words.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from Stemmer import Stemmer

PARTS_MAX = 6
"""The most parts of a name in code: what has more is a hash."""
SHORTEST_PART, SHORTEST_OF_CAPITALS = 3, 2
"""The shortest parts of a name that count, in characters; digits count as capitals do."""
SHORTEST_COMPOUND, LONGEST_COMPOUND = 12, 64
"""The length of a compound, in letters: shorter words are seldom made of others, longer ones are no words."""
SHORTEST_IN_COMPOUND = 7
"""The shortest word looked for in compounds: shorter ones are there by chance, as "nation" in "determination"."""
COMPOUNDS_MAX = 200
"""The most compounds of one text."""
LATIN, CHINESE, JAPANESE = "LATIN", "CJK", "HIRAGANA"
BEGINNING = 300
"""The characters of a text's beginning that tell its script."""


def _class_of_marks(*blocks: tuple[int, int]) -> str:
    """Return the marks of some blocks, vowel signs and the like, as ranges for a regular expression's class."""
    points = [point for first, last in blocks for point in range(first, last + 1)]
    marks = {point for point in points if unicodedata.category(chr(point))[0] == "M"}
    begins = sorted(point for point in marks if point - 1 not in marks)
    ends = sorted(point for point in marks if point + 1 not in marks)
    return "".join(f"{chr(begin)}-{chr(end)}" for begin, end in zip(begins, ends, strict=True))


_LETTERS_ALONE = "\u2e80-\u2fdf\u3005-\u3007\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_LETTERS_ALONE += "\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
"""Han and kana: Japanese words mix them."""
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7ff"
_STACKED = ("\u0e01-\u0e7f", "\u0e81-\u0eff", "\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f", "\u1780-\u17dd")
"""Thai, Lao, Myanmar, Khmer: signs stand above, below and behind a letter."""
_UNSPACED = _LETTERS_ALONE + _HANGUL + "".join(_STACKED)
_MARKS = _class_of_marks((0x0300, 0x0DFF), (0x0F00, 0x0FFF), (0x1700, 0x177F), (0x1800, 0x1CFF), (0xA66F, 0xA9DF))
_MARKS += _class_of_marks((0x20D0, 0x20FF), (0xAA80, 0xAAFF), (0xABE3, 0xABED), (0x11000, 0x11FFF))
_MARKS_OF_STACKED = _class_of_marks((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17DF), (0xA9E0, 0xAA7F))
_EMOJI = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001faff"
_FLAG = "[\U0001f1e6-\U0001f1ff]{1,2}"

_SPACED = rf"[^\W_{_UNSPACED}]+(?:[{_MARKS}]+[^\W_{_UNSPACED}]*)*"
_CUT = re.compile(
    rf"(?P<spaced>{_SPACED})|(?P<letters>[{_LETTERS_ALONE}]+|[{_HANGUL}]+)"
    + "|(?P<stacked>"
    + "|".join(f"[{block}]+" for block in _STACKED)
    + rf")|(?P<emoji>[{_EMOJI}]|{_FLAG})"
)
_OF_ASCII = re.compile(r"[a-z0-9]+")
_UNIT = re.compile(rf"[^{_MARKS_OF_STACKED}][{_MARKS_OF_STACKED}]*|[{_MARKS_OF_STACKED}]+")
"""A letter with the signs around it."""

_ACCENTS = _class_of_marks((0x0300, 0x0305), (0x0307, 0x0307), (0x0309, 0x036F), (0x0483, 0x0487), (0x0591, 0x05C7))
_ACCENTS += _class_of_marks((0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06ED), (0x08CA, 0x08FF))
_ACCENTS += _class_of_marks((0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF))
_OF_CYRILLIC_LETTERS = "(?<![\u0400-\u0434\u0436-\u04ff])[\u0306\u0308]"
"""Breve and dots make other letters of them, but of \u0435, which is written without as well."""
_JOINTS = "\u0640\u00ad\u034f\u200b-\u200f\u2060\ufeff"
_PAINT = "\u20e3\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e01ef"
_UNSEEN = re.compile(f"(?:{_OF_CYRILLIC_LETTERS}|[{_ACCENTS}{_JOINTS}{_PAINT}])+")
"""Accents and vowel points, what joins or parts words without being seen, and how an emoji is painted."""
_SIGNS = re.compile("[\u2100-\u214f\u2460-\u24ff\u3200-\u33ff\U0001f100-\U0001f1e5]")
"""Signs that are written out in their compatibility form: "(tm)" is no ending of the word before it."""

_EMOJI_ALONE = re.compile(f"[{_EMOJI}]")
_PIECE = re.compile(rf"[{_UNSPACED}{_EMOJI}]|{_FLAG}")
_LETTER = re.compile(rf"[^\W\d_]|[{_EMOJI}]")
_LATIN = "\\x00-\u036f\u1d00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f\uff00-\uff5e"
_FOREIGN = re.compile(rf"[^\W\d_{_LATIN}]|[{_EMOJI}]")
_MAY_HAVE_PARTS = re.compile("[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]")
_OF_PARTS = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z0-9]{3,63}(?![^\W_])")
_PART = re.compile("[A-Z]+s?(?![A-Za-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_STEMMERS = {
    ("\u0370", "\u03ff"): "greek",
    ("\u0400", "\u04ff"): "russian",
    ("\u0531", "\u058f"): "armenian",
    ("\u0620", "\u06ff"): "arabic",
    ("\u0900", "\u097f"): "hindi",
    ("\u0b80", "\u0bff"): "tamil",
}
"""Snowball's stemmers by the first and last letters of the alphabets that they are for."""


def composed(text: str) -> str:
    """Return a text with its letters composed (NFC), as most keyboards write them: the same text to everybody."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def same_form(text: str) -> str:
    """Return a text without differences that nobody sees as such: full width, ligatures, composed letters (NFKC)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def key_form(text: str) -> str:
    """Return the form in which tags are compared: NFKC without case, accents kept."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", same_form(text).casefold())


def normal_form(text: str) -> str:
    """Return the form in which words are compared: NFKC without case, accents, vowel points, and emoji variants."""
    if text.isascii():
        return text.lower()
    folded = same_form(_SIGNS.sub(r" \g<0> ", text)).casefold()
    return unicodedata.normalize("NFC", _UNSEEN.sub("", unicodedata.normalize("NFD", folded)))


def in_places(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in its normal form, and for each place in that, and its end, the place of the text it is from."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    forms = {character: normal_form(character) for character in set(text)}
    places = [place for place, character in enumerate(text) for _ in forms[character]]
    return "".join(map(forms.__getitem__, text)), [*places, len(text)]


def words(text: str) -> list[str]:
    """Return the words of a text in their normal form, in order, with repetitions.

    A run of a script without spaces gives each character and each pair, in order ("a", "ab", "b", "bc", "c"), so that a
    part of the run gives a part of its words; of a script whose letters carry signs it gives pairs alone.
    """
    if text.isascii():
        return _OF_ASCII.findall(text.lower())
    found: list[str] = []
    for match in _CUT.finditer(normal_form(text)):
        run = match.group()
        if match.lastgroup == "letters":
            found += _characters_and_pairs(run)
        elif match.lastgroup == "stacked":
            units = _UNIT.findall(run)
            found += map("".join, pairwise(units)) if len(units) > 1 else units
        else:
            found.append(run)
    return found


def indexed_words(text: str) -> list[str]:
    """Return the words of a text as the text index holds them: of some other alphabets their stems."""
    return words(text) if text.isascii() else [foreign_stem(word) for word in words(text)]


def foreign_stem(word: str) -> str:
    """Return what the forms of a word of another alphabet share, where there is a stemmer for it; else the word."""
    if word.isascii() or len(word) > LONGEST_COMPOUND:
        return word
    language = next((name for (first, last), name in _STEMMERS.items() if first <= word[0] <= last), None)
    return word if language is None else snowball_stem(word, language) or word


def snowball_stem(word: str, language: str) -> str:
    """Return the stem of a lower-case word by Snowball's algorithm of that name (`porter`, `russian` …)."""
    # A stemmer holds the word that it works on, and searches count in several threads: a new one for each, 0.7 µs.
    return str(Stemmer(language, 0).stemWord(word))


def _characters_and_pairs(run: str) -> Iterator[str]:
    for one, other in pairwise(run):
        yield one
        yield one + other
    yield run[-1]


def parts(text: str) -> dict[str, list[str]]:
    """Return the parts of names in code (`maxPoolSize`, `ABC1234`) by the name, both in their normal form.

    What an underscore or a hyphen parts are words of their own already.
    """
    written = same_form(text)
    if not _MAY_HAVE_PARTS.search(written):
        return {}
    found: dict[str, list[str]] = {}
    for match in _OF_PARTS.finditer(written):
        pieces = _PART.findall(match.group())
        if 1 < len(pieces) <= PARTS_MAX:
            found[match.group().lower()] = [piece.lower() for piece in pieces if _tells(piece)]
    return {name: telling for name, telling in found.items() if telling}


def _tells(part: str) -> bool:
    return len(part) >= (SHORTEST_PART if part.islower() else SHORTEST_OF_CAPITALS)


def compounds(text: str) -> list[str]:
    """Return the words of a text that are so long that they may be compounds, each once; COMPOUNDS_MAX at most."""
    long = (word for word in words(text) if SHORTEST_COMPOUND <= len(word) <= LONGEST_COMPOUND and word.isalpha())
    return list(dict.fromkeys(long))[:COMPOUNDS_MAX]


def may_be_part(word: str) -> bool:
    """Return whether a word is so long that it is looked for in longer ones."""
    return SHORTEST_IN_COMPOUND <= len(word) <= LONGEST_COMPOUND and word.isalpha() and not is_piece(word)


def is_piece(word: str) -> bool:
    """Return whether a word is one wherever its characters stand: a piece of a run without spaces, an emoji."""
    return not word.isascii() and _PIECE.match(word) is not None


def word_count(text: str) -> int:
    """Return about how many words a text in normal form has; a character of a script without spaces is one."""
    return len(text.split()) + (0 if text.isascii() else len(_PIECE.findall(text)))


def spaced_words(form: str) -> list[str]:
    """Return the words of a text in normal form that spaces part, in order, with repetitions: no pieces."""
    if form.isascii():
        return _OF_ASCII.findall(form)
    return [match.group() for match in _CUT.finditer(form) if match.lastgroup == "spaced"]


def beginning_with(beginnings: Collection[str], form: str) -> re.Pattern[str]:
    """Compile an expression for the words of a text in normal form that begin in one of some ways, none of them empty.

    It finds words whole, but for pieces (`is_piece`), which are as given. For a text in ASCII that takes a twentieth of
    the four milliseconds that all marks of all scripts take.
    """
    pieces = [re.escape(one) for one in beginnings if is_piece(one)]
    spaced = "|".join(re.escape(one) for one in beginnings if not is_piece(one))
    if form.isascii():
        spaced_pattern = rf"(?<![a-z0-9])(?:{spaced})[a-z0-9]*"
    else:
        spaced_pattern = rf"(?<![^\W_{_UNSPACED}])(?:{spaced})[^\W_{_UNSPACED}]*(?:[{_MARKS}]+[^\W_{_UNSPACED}]*)*"
    return re.compile("|".join([*([spaced_pattern] if spaced else []), *pieces]) or r"(?!)")


def foreign_letters(text: str) -> tuple[int, int]:
    """Return how many letters of a text are of no Latin script, and how many there are; an emoji counts as one."""
    foreign = 0 if text.isascii() else len(_FOREIGN.findall(text))
    return foreign, len(_LETTER.findall(text))


def is_written(character: str) -> bool:
    """Return whether texts are written with a character: a letter, a digit, a sign on one, an emoji."""
    return character.isalnum() or unicodedata.category(character)[0] == "M" or is_piece(character)


def is_emoji(text: str) -> bool:
    """Return whether a text is a single emoji."""
    return len(text) == 1 and _EMOJI_ALONE.match(text) is not None


def is_foreign(text: str) -> bool:
    """Return whether most of the letters at a text's beginning are of no Latin script."""
    if text.isascii():
        return False
    foreign, letters = foreign_letters(text[:BEGINNING])
    return 2 * foreign > letters


def script_of(text: str) -> str:
    """Return the script of most letters at a text's beginning, by its name in Unicode: "LATIN", "CJK"; "" for none.

    What has kana is Japanese, whatever else it has.
    """
    if text.isascii():
        return LATIN
    letters = (character for character in text[:BEGINNING] if character.isalpha())
    counts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    if counts["HIRAGANA"] or counts["KATAKANA"]:
        return JAPANESE
    return counts.most_common(1)[0][0] if counts else ""
