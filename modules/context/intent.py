"""Intent: what a query is after, by its words alone, so that the context holds what serves it.

A question about the past wants what happened, not a profile; a request for advice wants the preferences that it must
fit. The cues are in cues.toml.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from .. import package_files


class Intent(StrEnum):
    """The intent of a query: what happened or was said, what would suit, or anything else."""

    RECALL = "recall"
    ADVICE = "advice"
    OTHER = "other"


def intent_of(query: str) -> Intent:
    """Return what a query is after.

    Advice goes before recall: "what should I cook, like I did when…" asks what would suit.
    """
    for intent in (Intent.ADVICE, Intent.RECALL):
        if any(cue.search(query) for cue in expressions("intent", intent)):
            return intent
    return Intent.OTHER


@cache
def expressions(table: str, name: str) -> tuple[re.Pattern[str], ...]:
    """Return the cues of one name in a table of cues.toml."""
    cues: Sequence[str] = _cues()[table][name]
    return tuple(re.compile(cue, re.IGNORECASE) for cue in cues)


@cache
def _cues() -> Mapping[str, Any]:
    import tomllib

    return tomllib.loads(package_files.text(Path(__file__).with_name("cues.toml")))
