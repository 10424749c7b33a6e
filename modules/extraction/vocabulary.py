"""The words of `words.toml`, read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Vocabulary:
    """Verbs by what they tell, and what sentences that tell nothing begin with; all in lower case."""

    preferences: frozenset[str]
    states: frozenset[str]
    progressive: frozenset[str]
    planned: frozenset[str]
    past: frozenset[str]
    not_events: frozenset[str]
    participles: frozenset[str]
    decisions: frozenset[str]
    used: frozenset[str]
    done: frozenset[str]
    people: frozenset[str]
    things: frozenset[str]
    skipped: tuple[str, ...]

    @property
    def bases(self) -> frozenset[str]:
        """Verbs that get an -s after a name."""
        return self.preferences | self.states


@cache
def words() -> Vocabulary:
    """The vocabulary."""
    import tomllib

    read = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

    def of(section: str, name: str) -> frozenset[str]:
        table: Mapping[str, Any] = read[section]
        return frozenset(str(table[name]).split())

    starts = str(read["skipped"]["starts"]).replace("\n", "|").split("|")
    return Vocabulary(
        preferences=of("present", "preference"),
        states=of("present", "state"),
        progressive=of("progressive", "state"),
        planned=of("progressive", "planned"),
        past=of("past", "irregular"),
        not_events=of("past", "not_events"),
        participles=of("past", "participles"),
        decisions=of("decision", "verbs"),
        used=of("decision", "present"),
        done=of("assistant", "past"),
        people=of("mine", "people"),
        things=of("mine", "things"),
        skipped=tuple(f"{start.strip()} " for start in starts if start.strip()),
    )
