"""An estimate of tokens that errs on the high side, without a tokenizer."""

import math
import re

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|[ \t]+|[^\x00-\x7f]|.", re.DOTALL)
_LETTERS_A_TOKEN = 4
_DIGITS_A_TOKEN = 2
_TOKENS_A_BYTE = 0.75


def estimate(text: str) -> int:
    """How many tokens a model's tokenizer makes of `text`, at most.

    Letters count a token per started four, digits per started two, other ASCII signs one each, single
    spaces none, and characters beyond ASCII three quarters of their UTF-8 bytes. On English, code, JSON
    and CJK samples this lies above cl100k's count (tests/unit/test_context_tokens.py holds samples).
    """
    total = 0.0
    for match in _PIECES.finditer(text):
        piece = match.group()
        first = piece[0]
        if first.isascii() and first.isalpha():
            total += math.ceil(len(piece) / _LETTERS_A_TOKEN)
        elif first.isascii() and first.isdigit():
            total += math.ceil(len(piece) / _DIGITS_A_TOKEN)
        elif first in " \t":
            total += (len(piece) - 1) / _LETTERS_A_TOKEN
        elif first.isascii():
            total += 1
        else:
            total += len(piece.encode("utf-8", "surrogatepass")) * _TOKENS_A_BYTE
    return math.ceil(total)
