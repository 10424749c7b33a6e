"""Which stated slots a query asks for: whom it names, how likely each is, and what if vectors are late."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from agentos.modules.errors import StorageUnavailable
from agentos.modules.memory import slot_channel
from agentos.modules.memory.models import Vector
from agentos.modules.memory.slot_channel import SlotChannel, StatedSlot, name_of, subjects_in
from tests.tables import every

ASKED = Vector(1, np.array([1, 0], dtype="<f4").tobytes())
GAME, DIET = ("user", "board game"), ("user", "diet")


class Stated:
    """Slots of a store, and what it was asked for."""

    def __init__(self, *slots: StatedSlot) -> None:
        self.slots = slots
        self.asked: Sequence[str] = ()

    async def stated_of(self, namespace: str, subjects: Sequence[str], limit: int) -> list[StatedSlot]:
        self.asked = subjects
        return [slot for slot in self.slots if slot[0] in subjects][:limit]


class Vectors:
    """Whatever names a board game is what is asked for; all else has nothing in common with it."""

    current = 1

    async def generation(self) -> int:
        return self.current

    def __init__(self, *, takes_s: float = 0.0, error: Exception | None = None) -> None:
        self.takes_s, self.error = takes_s, error
        self.made: list[str] = []

    async def vectors(self, texts: Sequence[str]) -> list[bytes]:
        await asyncio.sleep(self.takes_s)
        if self.error is not None:
            raise self.error
        self.made += texts
        return [np.array([1, 0] if "board game" in text else [0, 1], dtype="<f4").tobytes() for text in texts]


@every(
    ("question", "subject"),
    [
        ("Where does the user live?", "user"),
        ("Who looks after Chiara Tanaka's kids?", "chiara tanaka"),
        ("Which club does my mum support?", "user's mum"),
        ("What do I need to know for the media service?", "media"),
        ("Which path do I probe on consent-store?", "consent store"),
    ],
)
def test_whom_a_question_names(question: str, subject: str) -> None:
    assert subject in subjects_in(question)


async def test_the_user_and_the_project_are_asked_about_where_nobody_is_named() -> None:
    channel = SlotChannel(Stated(GAME, ("dana", "diet"), ("project", "port")), Vectors())
    assert await channel.candidates("ada", "Which port is it?") == [GAME, ("project", "port")]
    assert await channel.candidates("ada", "What does Dana eat?") == [("dana", "diet")]
    assert await channel.candidates("ada", "Does Dana like my game?") == [("dana", "diet"), GAME, ("project", "port")]


async def test_the_slot_that_is_asked_for_is_likely_and_the_others_are_not() -> None:
    [(slot, chance)] = await SlotChannel(Stated(), Vectors()).likely([GAME, DIET], ASKED)
    assert slot == GAME and chance > 0.99


async def test_where_none_is_asked_for_none_is_likely() -> None:
    assert await SlotChannel(Stated(), Vectors()).likely([DIET, ("user", "car")], ASKED) == []


async def test_a_name_is_embedded_once() -> None:
    vectors = Vectors()
    channel = SlotChannel(Stated(), vectors)
    for _ in range(2):
        await channel.likely([GAME, DIET], ASKED)
    assert sorted(vectors.made) == ["board game", "diet", "the user's board game", "the user's diet"]


async def test_what_comes_late_is_there_for_the_next_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_channel, "WAIT_S", 0.001)
    channel = SlotChannel(Stated(), Vectors(takes_s=0.05))
    assert await channel.likely([GAME], ASKED) is None
    monkeypatch.setattr(slot_channel, "WAIT_S", 60.0)
    assert await channel.likely([GAME], ASKED) == [(GAME, pytest.approx(1, abs=0.01))]


async def test_who_asks_beside_another_gets_an_answer_too() -> None:
    channel = SlotChannel(Stated(), Vectors(takes_s=0.01))
    both = await asyncio.gather(channel.likely([GAME], ASKED), channel.likely([("dana", "board game"), DIET], ASKED))
    assert [found[0][0] for found in both if found] == [GAME, ("dana", "board game")]


async def test_vectors_of_another_model_are_made_anew() -> None:
    vectors = Vectors()
    channel = SlotChannel(Stated(), vectors)
    await channel.likely([GAME], ASKED)
    assert await channel.likely([GAME], Vector(2, ASKED.data)) is None, "of a model that the names are not made with"
    vectors.current = 2
    await channel.likely([GAME], Vector(2, ASKED.data))
    assert len(vectors.made) == 4


@every("error", [StorageUnavailable("no model"), RuntimeError("onnx")])
async def test_without_a_model_nothing_is_known(error: Exception) -> None:
    assert await SlotChannel(Stated(), Vectors(error=error)).likely([GAME], ASKED) is None


async def test_close_ends_what_is_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_channel, "WAIT_S", 0.001)
    channel = SlotChannel(Stated(), Vectors(takes_s=60.0))
    await channel.likely([GAME], ASKED)
    channel.close()
    await asyncio.sleep(0)
    assert [task for task in asyncio.all_tasks() if task.get_name() == "slot-names"] == []


@every(
    ("slot", "name"),
    [
        (("user", "my board game"), "the user's board game"),
        (("project", "port"), "the project's port"),
        (("user's mum", "football club"), "the user's mum's football club"),
        (("dana", "employer"), "dana's employer"),
    ],
)
def test_a_slot_in_words(slot: StatedSlot, name: str) -> None:
    assert name_of(slot) == name
