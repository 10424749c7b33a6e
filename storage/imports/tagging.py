"""Other systems' tags: lists, strings or nothing; what is not a valid tag is kept separately."""

from collections.abc import Iterable
from typing import Any

MAX_TAGS, MAX_TAG_CHARS = 50, 100


def tags_of(*several: object) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The tags that fit, each once, and metadata with those that do not."""
    named = dict.fromkeys(one for value in several for one in _texts(value))
    fit = [tag for tag in named if len(tag) <= MAX_TAG_CHARS]
    rest = [tag for tag in named if len(tag) > MAX_TAG_CHARS] + fit[MAX_TAGS:]
    return tuple(fit[:MAX_TAGS]), {"more_tags": rest} if rest else {}


def _texts(value: object) -> Iterable[str]:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, dict):
        yield from _texts(value.get("name"))
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from _texts(one)
    elif text := str(value).strip():
        yield text
