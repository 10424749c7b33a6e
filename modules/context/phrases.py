"""What briefings say of themselves: titles and short phrases, each by its name in the file of a language."""

import tomllib
from pathlib import Path

from .. import package_files
from ..records import dataclass

ENGLISH = "en"
LANGUAGES = (ENGLISH, "de")
"""The languages of briefings, each a file of FOLDER with all the phrases."""
FOLDER = Path(__file__).with_name("languages")


@dataclass(frozen=True)
class Phrases:
    """The phrases of one language; what stands in {} is filled in. The names of tools stay as they are."""

    known: str
    checkpoint: str
    at_hand: str
    work: str
    asked: str
    unconfirmed: str
    rules: str
    binding: str
    lessons: str
    memories: str
    more: str
    concerns: str
    kept: str
    waits: str
    goal: str
    due: str
    to_do: str
    by: str
    was: str
    next: str
    changed: str
    unvouched: str
    no_source: str
    failing: str
    failed_before: str


def phrases(language: str = ENGLISH) -> Phrases:
    """Return the phrases of one of LANGUAGES."""
    return Phrases(**tomllib.loads(package_files.text(FOLDER / f"{language}.toml")))
