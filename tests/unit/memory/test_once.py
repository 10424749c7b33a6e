"""Each thing once: what tells the same is one hit, and questions come last."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from agentos.modules.memory.asking import ASKS, statements_first
from agentos.modules.memory.models import RankedTurn, Status
from agentos.modules.memory.once import told_once
from agentos.modules.memory.query import read
from agentos.modules.memory.ranking import Ranked

NOW = datetime(2026, 5, 1, tzinfo=UTC)
VECTOR = (np.ones(8, dtype="<f4") / np.sqrt(8)).astype("<f4").tobytes()


def turns_of(*texts: str, **changes: Any) -> list[RankedTurn]:
    given = [
        RankedTurn(at, str(at), text, None, None, None, NOW, NOW, 0.5, NOW, VECTOR) for at, text in enumerate(texts)
    ]
    return [turn._replace(**changes) for turn in given]


def ranked(turns: list[RankedTurn]) -> list[Ranked]:
    return [Ranked(row, {"text": 5.0 - row}) for row in range(len(turns))]


def told(turns: list[RankedTurn], **known: str) -> list[tuple[int, tuple[int, ...]]]:
    return [(one.row, one.also) for one in told_once(ranked(turns), turns, {name[1:]: known[name] for name in known})]


def test_wordings_of_one_fact_are_one_hit_at_the_place_of_the_best() -> None:
    turns = turns_of(
        "Prints are kept for 30 days", "The kiln is new", "We keep prints for 30 days", "prints kept 9 days"
    )
    assert told(turns) == [(0, (2,)), (1, ()), (3, ())]
    believed = [turns[0]._replace(status=Status.CANDIDATE), *turns[1:]]
    assert told(believed) == [(2, (0,)), (1, ()), (3, ())]


def test_what_was_judged_to_tell_the_same_is_one_hit() -> None:
    turns = turns_of("Prints are kept for 30 days", "The kiln is new", "Prints stay 4 weeks")
    assert told(turns) == [(0, ()), (1, ()), (2, ())]
    assert told(turns, _0="7", _2="7") == [(0, (2,)), (1, ())]


def test_what_ended_what_is_outdated_and_what_another_speaker_says_stays_by_itself() -> None:
    one, other = turns_of("Prints are kept for 30 days", "prints are kept for 30 days")
    assert told([one, other]) == [(0, (1,))]
    for changed in ({"valid_to": NOW}, {"outdated_by": "0"}, {"speaker": "Rufus"}):
        assert told([one, other._replace(**changed)]) == [(0, ()), (1, ())]


def test_turns_of_conversations_are_one_only_by_their_text() -> None:
    turns = turns_of("Prints are kept for 30 days", "We keep prints for 30 days", "prints are kept for 30 days.")
    assert told([turn._replace(session=str(turn.seq)) for turn in turns]) == [(0, (2,)), (1, ())]


def test_a_turn_that_only_asks_comes_after_what_states_something() -> None:
    query = read("Who fires the kiln?", NOW)
    turns = turns_of(
        "Who fires the kiln?", "Do you know who fires the kiln?", "Imani fires it", session="s", chat_role="user"
    )
    found = statements_first(ranked(turns), turns, query)
    assert [one.row for one in found] == [2, 0, 1]
    assert found[1].parts == {"text": 5.0, ASKS: -2.0}
    friends = [turn._replace(chat_role=None, speaker="Rufus", content=f"Rufus: {turn.content}") for turn in turns]
    assert [one.row for one in statements_first(ranked(friends), friends, query)] == [1, 2, 0]
    notes = [turn._replace(session=None) for turn in turns]
    assert [one.row for one in statements_first(ranked(notes), notes, query)] == [0, 1, 2]
