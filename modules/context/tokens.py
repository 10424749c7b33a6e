"""An estimate of tokens that errs on the high side, without a tokenizer."""

import math
import re

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+| (?=[ -~])|[ \t]+|[^\x00-\x7f]|.", re.DOTALL)
_DIGITS_A_TOKEN = 2
CHARS_A_TOKEN_AT_MOST = 16
"""So many characters are more than one token, whatever they are: the longest common word and a space."""
_VOWELS = frozenset("aeiouyAEIOUY")

_COMMON = frozenset(
    """
    am an as at be by do go he if in is it me my no of on or so to up us we
    about action active after again agent alert all also always and answer any api app are back backup because
    been before best better billing branch build but cache call can cannot case change check class clear client
    close cluster code come common config context could critical customer daily data database date day days default
    delete deploy different does done down each email end error even every fail failed fails false few file find
    first fix for found friday from full get give goal good had half happened has have here high how id important
    index info insight into issue its job just keep key kind know knowledge large last later left less like limit
    line list local log long look made mail make many memories memory message minutes model monday month more most
    move much must name need never new next none not note nothing now null number off old once one only open order
    other our out over own page part pattern people plan point port prefers pressing priority process product
    production progress project query question read ready reason record release remember report request result
    review right root rule run same save score search second see semantic server service session set should show
    side since small some source staging start state status stop store stored string success suggested system table
    tag take task tasks team test tests text than that the their them then there these they thing think this three
    time title today token too tool true two type under until update use used user using value version very view
    want was way week well were what when where which while who why will with without word work world would year
    years yes yet you your
    """.split()
)

# Tokens a character, at most, of scripts that tokenizers know; measured with cl100k on random text, and raised.
_KNOWN_SCRIPTS = (
    (0x0400, 0x0481, 1.2),  # Cyrillic
    (0x0600, 0x06FF, 1.2),  # Arabic
    (0x3040, 0x30FF, 1.6),  # kana
    (0x4E00, 0x9FFF, 2.4),  # CJK ideographs
    (0xAC00, 0xD7A3, 2.7),  # hangul
)


def estimate(text: str) -> int:
    """How many tokens a model's tokenizer makes of `text`, on the high side.

    Common English words count as one token, other words by their length and by how unlike a word they look,
    digits by twos, other ASCII signs one by one. Characters of well-known scripts have a rate each; all others
    count a token for each byte of UTF-8, which no byte-level tokenizer exceeds. On English prose this is about
    half more than cl100k counts; tests/unit/test_context_tokens.py compares it with that tokenizer.
    """
    total = 0.0
    for match in _PIECES.finditer(text):
        piece = match.group()
        first = piece[0]
        if not first.isascii():
            total += _beyond_ascii(first)
        elif first.isalpha():
            total += _word(piece)
        elif first.isdigit():
            total += math.ceil(len(piece) / _DIGITS_A_TOKEN)
        elif piece != " " or match.end() == len(text) or not text[match.end()].isascii():
            total += len(piece)  # one space before an ASCII sign is part of what follows
    return math.ceil(total)


def _beyond_ascii(character: str) -> float:
    code = ord(character)
    for low, high, tokens in _KNOWN_SCRIPTS:
        if low <= code <= high:
            return tokens
    return len(character.encode("utf-8", "surrogatepass"))


def _word(word: str) -> int:
    """Tokens of a run of ASCII letters, at most."""
    length = len(word)
    if length == 1 or word.lower() in _COMMON:
        return 1
    if length == 2:
        return 2
    vowels = sum(letter in _VOWELS for letter in word)
    if (not word.isupper() and word[1:] != word[1:].lower()) or vowels * 5 < length:
        return math.ceil(length * 0.75)  # base64, identifiers, consonants
    return math.ceil(length * 0.6)


def cut(text: str, max_tokens: int) -> str:
    """`text` if it is estimated at no more than `max_tokens`, else as much of its beginning, and an ellipsis."""
    head = text[: max_tokens * CHARS_A_TOKEN_AT_MOST]
    if len(head) == len(text) and estimate(text) <= max_tokens:
        return text
    text, low, high = head, 0, len(head)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) < max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low] + "…"
