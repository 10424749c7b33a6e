"""An estimate of tokens that errs on the high side, without a tokenizer."""

import math
import re

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|[ \t]+|[^\x00-\x7f]|.", re.DOTALL)
_DIGITS_A_TOKEN = 2
_SPACES_A_TOKEN = 4
_TOKENS_A_BYTE = 0.85
_SHORT_WORD = 8
_VOWELS = frozenset("aeiouyAEIOUY")


def estimate(text: str) -> int:
    """How many tokens a model's tokenizer makes of `text`, at most.

    Words are counted by `_word`, digits by twos, other ASCII signs one by one, single spaces not at all,
    and characters beyond ASCII with .85 for each of their UTF-8 bytes. Over English prose this is about a
    third more than cl100k counts; what tokenizers are bad at (random letters, capitals, base64, compounds)
    is counted higher, so that it stays on the high side (tests/unit/test_context_tokens.py holds samples).
    """
    total = 0.0
    for match in _PIECES.finditer(text):
        piece = match.group()
        first = piece[0]
        if not first.isascii():
            total += len(piece.encode("utf-8", "surrogatepass")) * _TOKENS_A_BYTE
        elif first.isalpha():
            total += _word(piece)
        elif first.isdigit():
            total += math.ceil(len(piece) / _DIGITS_A_TOKEN)
        elif first in " \t":
            total += (len(piece) - 1) / _SPACES_A_TOKEN
        else:
            total += 1
    return math.ceil(total)


def _word(word: str) -> int:
    """Tokens of a run of ASCII letters, at most: by its length, and by how unlike a common word it looks."""
    length = len(word)
    if length >= 4:
        vowels = sum(letter in _VOWELS for letter in word)
        if not word.isupper() and word[1:] != word[1:].lower():
            return math.ceil(length * 0.75)  # base64, identifiers
        if vowels * 5 < length:
            return math.ceil(length * 0.7)
        if word.isupper():
            return math.ceil(length * 0.6)
    return math.ceil(length / (4 if length <= _SHORT_WORD else 2.2))
