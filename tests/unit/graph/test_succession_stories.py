"""What a later memory denies no longer holds: moving, joining, leaving, stopping; and what ends nothing."""

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentos.modules.graph.models import NodeRelation, Text
from agentos.modules.graph.understanding import understand
from agentos.modules.graph.validity import holding
from agentos.modules.memory.exact_terms import exact_terms
from tests.tables import every

STORIES: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_name("succession_stories.toml").read_text(encoding="utf-8")
)
FIRST = datetime(2024, 5, 1, tzinfo=UTC)


def holds_after(sentences: list[str]) -> set[str]:
    """Return what holds after sentences, one a day, as "who type what"."""
    numbers: dict[str, int] = {}
    relations = []
    for day, sentence in enumerate(sentences):
        at = FIRST + timedelta(days=day)
        for one in understand(Text(day, "mem", day, sentence, at), exact_terms).relations:
            ends = [numbers.setdefault(end.label, len(numbers)) for end in (one.subject, one.object)]
            weight = one.weight if one.holds else 0.0
            relations.append(NodeRelation(ends[0], str(one.type), ends[1], weight, at, evidence=day, method="rules"))
    names = {number: label for label, number in numbers.items()}
    found = holding(relations, FIRST + timedelta(days=99))
    return {f"{names[one.source]} {one.type} {names[one.target]}" for one in found}


@every("story", [story for kind, stories in STORIES.items() if kind != "misses" for story in stories])
def test_what_holds_after_a_story_is_what_its_last_memory_leaves(story: str) -> None:
    told, expected = story.split(" => ")
    wanted = set() if expected == "nothing" else set(expected.split(", "))
    assert holds_after(told.split(" | ")) == wanted
