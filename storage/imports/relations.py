"""Relations of other systems as sentences."""

import re

_NAME = re.compile(r"[a-z]{1,20}(?:_[a-z]{1,20}){1,6}")


def in_words(relation: str) -> str:
    """A relation as a sentence has it: `works_at` in words, any other as it is."""
    return relation.replace("_", " ") if _NAME.fullmatch(relation) else relation
