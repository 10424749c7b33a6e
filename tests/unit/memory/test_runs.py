"""Runs: turns that came without a session are known by who speaks and when."""

from datetime import UTC, datetime, timedelta

from agentos.modules.memory import runs
from agentos.modules.memory.models import RankedTurn
from tests.tables import every

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def stored(*texts: str, minutes: int = 1, begin: int = 1) -> list[tuple[RankedTurn, int | None]]:
    """Memories that came one after another, each with the number of the one before."""
    return [
        (
            RankedTurn(
                seq, str(seq), text, None, None, None, NOON + seq * timedelta(minutes=minutes), NOON, 0.5, NOON, None
            ),
            seq - 1,
        )
        for seq, text in enumerate(texts, begin)
    ]


@every(
    "texts, minutes, known",
    [
        (("Ann: where to?", "Bob: to Lisbon", "Ann: why?"), 1, 3),
        (("user: where to?", "assistant: to Lisbon", "user: why?", "tool: 3"), 1, 4),
        (("Ann: where to?", "Bob: to Lisbon"), 1, 0),
        (("Ann: where to?", "Bob: to Lisbon", "Ann: why?"), 90, 0),
        (("Docker: uses port 80", "Redis: has no persistence", "Kafka: twelve partitions"), 1, 0),
        (("Docker: uses port 80", "Docker: is old", "Docker: has no limits"), 1, 0),
        (("Uses port 80", "Has no persistence", "Has twelve partitions"), 1, 0),
    ],
)
def test_a_run_is_known_by_speakers_who_come_again_within_an_hour(
    texts: tuple[str, ...], minutes: int, known: int
) -> None:
    assert len(runs.joined(stored(*texts, minutes=minutes))) == known


def test_turns_of_a_run_have_places_and_a_gap_where_others_may_stand_between() -> None:
    first = stored("Ann: where to?", "Bob: to Lisbon", "Ann: why?")
    later = stored("Bob: the light", "Ann: and Porto?", begin=9)
    read = runs.joined([*later, *first])
    assert [turn.place for turn in read] == [0, 1, 2, 5, 6]
    assert {turn.session for turn in read} == {"run:1"} and [turn.speaker for turn in read[:2]] == ["Ann", "Bob"]
