"""Values: whether two say the same. Formatting makes no difference; every word and number does."""

import re
import unicodedata

_HOUR = re.compile(r"(?<![\d:.])(\d):(?=[0-5]\d(?!\d))")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3}){1,4}(?![\d,])")
_SPACE = re.compile(r"\s+")
_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")
_AROUND = " \"'`“”„«»‘’"
_END = ".,;!"


def same_value(one: str | None, other: str | None) -> bool:
    """Return whether two values are one, but for formatting: 2:00 is 02:00, 1,000 is 1000, "Vim." is vim.

    Case, spaces, quotes around a value and punctuation at its end do not count. None, an ending without a value, is
    like no value.
    """
    return one is not None and other is not None and normal(one) == normal(other)


def normal(value: str) -> str:
    """Return a value in the form by which it is compared."""
    text = _SPACE.sub(" ", unicodedata.normalize("NFKC", value).casefold())
    text = text.strip(_AROUND).rstrip(_END).strip(_AROUND)
    text = _HOUR.sub(r"0\1:", text)
    return _BEFORE_PERCENT.sub("", _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text))
