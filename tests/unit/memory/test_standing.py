"""A standing instruction whose occasion a query is: it is among the hits, as the last if it would not be one."""

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np

from agentos.modules.memory.calibration import FAMILIAR_SCALE
from agentos.modules.memory.models import RankedTurn
from agentos.modules.memory.ranking import Ranked
from agentos.modules.memory.standing import KEPT, LEAST_COSINE, is_standing, nearest, with_place
from tests.tables import every

NOW = datetime(2026, 5, 1, tzinfo=UTC)
QUERY = np.array([1.0, 0.0], dtype="<f4").tobytes()


def vector(cosine: float) -> bytes:
    return np.array([cosine, math.sqrt(1 - cosine**2)], dtype="<f4").tobytes()


def turn(text: str, **changes: Any) -> RankedTurn:
    return RankedTurn(1, text, text, None, None, None, NOW, NOW, 0.5, NOW, None)._replace(**changes)


@every(
    "text",
    [
        "Always convert prices to euros when I ask about invoices.",
        "user: Whenever I ask about deployments, give me the rollback first",
        "If I ever bring up the kiln, remind me of the gas bill",
        "For questions about wages, never name a person",
        "Nenne immer die Quelle, wenn ich nach einer Norm frage.",
        "Incluye siempre la fuente cuando te pregunte por una ley",
        "Cite toujours la source quand je te demande un chiffre",
        "当我问到价格时, 请总是用欧元",
        "料金を聞いたら必ずユーロで答えてください",
    ],
)
def test_what_is_to_be_done_whenever_something_is_asked_is_standing(text: str) -> None:
    assert is_standing(turn(text))


@every(
    ("text", "changes"),
    [
        ("What do you do when I ask about invoices?", {}),
        ("assistant: I always convert prices when I ask about invoices", {}),
        ("I always go for a run when it rains", {}),
        ("Always run the linter", {}),
        ("Ben: Always smile when I ask about Ann", {"speaker": "Ben", "session": "s"}),
        ("Always convert prices when I ask about invoices. " * 20, {}),
    ],
)
def test_other_texts_are_not(text: str, changes: dict[str, Any]) -> None:
    assert not is_standing(turn(text, **changes))


def test_the_nearest_one_keeps_the_last_place() -> None:
    near_by = {
        "Invoices go out on Mondays": 0.8,
        "The printer is new": 0.1,
        "Always convert prices to euros when I ask about invoices": 0.4,
        "Never name a person when I ask about wages": 0.3,
    }
    turns = [turn(text, vector=vector(cosine)) for text, cosine in near_by.items()]
    turns += [turn("Always cite when I ask about invoices")]  # has no vector yet
    ranked = [Ranked(row, {"text": 9.0 - row}) for row in range(3)]
    row = nearest(turns, None, QUERY, FAMILIAR_SCALE)
    assert row == 2
    kept = with_place(ranked[:2], ranked, row, 2)
    assert [one.row for one in kept] == [0, 2] and kept[1].score == kept[0].score and KEPT in kept[1].parts
    assert with_place(ranked, ranked, row, 10) == ranked, "it is a hit anyway"
    assert with_place(ranked[:1], ranked, row, 1) == ranked[:1], "the only place is the best one's"
    assert nearest(turns, {turns[3].id}, QUERY, FAMILIAR_SCALE) == 3, "filters leave this one alone"
    assert nearest(turns, {turns[0].id}, QUERY, FAMILIAR_SCALE) is None
    assert nearest(turns, None, None, FAMILIAR_SCALE) is None, "there is no model"
    far = [turn(text, vector=vector(LEAST_COSINE / 2)) for text in near_by]
    assert nearest(far, None, QUERY, FAMILIAR_SCALE) is None, "the query is about something else"
