"""What is the same text as another one: nothing else may be put away without a question."""

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agentos.modules.memory.merging import says_no_less
from agentos.modules.memory.models import Kind, Memory, MemoryType, Slot
from agentos.modules.memory.near_duplicates import says_the_same
from tests.tables import every


@every(
    ("one", "other"),
    [
        ("The team meets on Mondays", "The team meets on Mondays."),
        ("The team  meets\non Mondays ", "The team meets on Mondays"),
        ("Café Zoë opens at 9", unicodedata.normalize("NFD", "Café Zoë opens at 9")),
        ("x" * 3000, "x" * 3000),
    ],
)
def test_the_same_text(one: str, other: str) -> None:
    assert says_the_same(one, other) and says_the_same(other, one)


@every(
    ("one", "other"),
    [
        ("The team meets on Mondays", "On Mondays the team meets"),
        ("The team meets on Mondays", "the team meets on Mondays"),
        ("The team meets on Mondays", "The team meets on Mondays!"),
        ("The list goes on...", "The list goes on"),
        ("Dana doesn't use tabs", "Dana does not use tabs"),
        ("Dana worked at Acme", "Dana works at Acme"),
        ("The cat feeds Tom", "Tom the cat feeds"),
        ("Give Rex 2 mg at night", "Give Rex .2 mg at night"),
        ("The cellar has 7 °C", "The cellar has –7 °C"),
        ("The balance is 90 euros", "The balance is (90) euros"),
        ("The bike is in shed A", "The bike is in a shed"),
        ("Ask the US office", "Ask the us office"),
        ("It writes 8 MB", "It writes 8 Mb"),
        ("Llego a las nueve", "Llegó a las nueve"),
        ("Comes con Luis", "Come con Luis"),
        ("Der Tisch ist schon da", "Der Tisch ist schön da"),
        ("At most 10³ rows", "At most 103 rows"),
        ("Set !verbose", "Set verbose"),
        ("Version 1.4", "Version 14"),
        ("The build is green?", "The build is green."),
    ],
)
def test_what_differs_in_one_sign_says_something_else(one: str, other: str) -> None:
    assert not says_the_same(one, other) and not says_the_same(other, one)


NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
OLDER = Memory(
    id="mem_1",
    namespace="ada",
    memory_type=MemoryType.SEMANTIC,
    content="The harbour closes at six",
    summary="The harbour closes at six",
    tags=("harbour", "hours"),
    importance=0.5,
    metadata={"project": "port"},
    source="agent",
    occurred_at=NOON,
    created_at=NOON,
    updated_at=NOON,
    accessed_at=NOON,
    access_count=0,
    version=1,
)
LATER = NOON + timedelta(hours=1)
TWIN = replace(OLDER, id="mem_2", content=f"{OLDER.content}.", occurred_at=LATER, created_at=LATER)


def test_a_twin_may_go() -> None:
    assert says_no_less(OLDER, TWIN)
    assert says_no_less(OLDER, replace(TWIN, tags=("hours", "harbour"))), "in whatever order its tags stand"


@every(
    "other",
    [
        {"tags": ("harbour",)},
        {"tags": ("harbour", "hours", "port")},
        {"metadata": {"project": "ferry"}},
        {"metadata": {}},
        {"namespace": "bob"},
        {"kind": Kind.RULE},
        {"memory_type": MemoryType.PROCEDURAL},
        {"slot": Slot("harbour", "closing time", "six")},
        {"source": "import"},
        {"valid_from": NOON},
        {"expires_at": LATER},
        {"occurred_at": NOON - timedelta(days=9)},
        {"occurred_at": LATER + timedelta(days=1), "created_at": LATER + timedelta(days=1)},
        {"importance": 0.9},
        {"trust": 1.0, "content": "The harbour closes at Six"},
    ],
)
def test_what_differs_in_anything_that_it_is_found_or_judged_by_stays(other: dict[str, Any]) -> None:
    assert not says_no_less(OLDER, replace(TWIN, **other))
