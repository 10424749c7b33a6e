"""Tiers in a real store: pages move down once and in order, segments by topic, heat, promotion, eviction, recall."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from agentos import config, database
from agentos.database import OpenedStore
from agentos.features import registered
from agentos.features.tiers.formulas import heat, tiers_of
from agentos.features.tiers.models import PROMOTION, Placement, Segment, Tier, TierSettings
from agentos.features.tiers.promotion import Promotion
from agentos.features.tiers.rows import TierRows
from agentos.features.tiers.views import recalled
from agentos.features.tiers.wiring import tier_service
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.facts.models import MAY_SUPERSEDE, Relation
from agentos.modules.memory.models import Kind
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.plugins.feature import with_parts
from agentos.modules.store_request import StoreRequest
from agentos.modules.views.labels import NEWER
from agentos.storage.embedding.lazy import NoEmbedder
from tests.integration.conftest import Clock, OpenStore, Wire

NS = "default"
TOPICS = (
    ("How hot is the oven for sourdough bread?", "Bake sourdough bread in the oven at 240 degrees."),
    ("Which fixture makes the pytest database?", "The pytest database fixture makes it once a session."),
)


async def say(agentos: AgentOS, pages: int, session: str = "talk", first: int = 0) -> None:
    """Pages about bread and about tests in turns, each with its number."""
    for number in range(first, first + pages):
        asked, answer = TOPICS[number % 2]
        await agentos.turns.add(NS, session, "user", f"{asked} ({number})", answer=answer, key=str(number))


async def placed(agentos: AgentOS, session: str = "talk") -> list[str | None]:
    """The segment of each page of a session, in order."""
    return [page.segment for page in await agentos.turns.pages(NS, session)]


class Analyst:
    """Draws one memory about the user from each page, with the first turn as its evidence."""

    def __init__(self, agentos: AgentOS, store: OpenedStore, side: str = "user") -> None:
        self._agentos = agentos
        self._store = store
        self._side = side
        self.read: list[str] = []

    async def analyse(self, namespace: str, turn_ids: Sequence[str]) -> Sequence[str]:
        turn, _ = await self._agentos.memory.get(namespace, turn_ids[0])
        self.read.append(turn.content)
        stored = await self._agentos.memory.keep_found(
            namespace,
            f"They asked: {turn.content}",
            "knowledge",
            0.35,
            "extraction:rules",
            {"about": self._side},
            turn.occurred_at,
        )
        await self._store.memory.lifecycle.relate(
            NS, [Relation(turn.id, stored.memory.id, "evidence_of")], self._agentos.clock()
        )
        return [stored.memory.id]


def promotion(
    agentos: AgentOS, store: OpenedStore, analyst: Analyst, settings: TierSettings | None = None
) -> Promotion:
    return Promotion(TierRows(store.engine), agentos.lifecycle, analyst, settings or TierSettings(), agentos.clock)


async def hottest(agentos: AgentOS) -> Segment:
    return (await tier_service(agentos).status(NS)).hottest[0].segment


async def test_page_eleven_moves_page_one_down_and_nothing_else(agentos: AgentOS) -> None:
    await say(agentos, 10)
    assert await tier_service(agentos).mature(NS) == 0 and await placed(agentos) == [None] * 10
    await say(agentos, 1, first=10)
    due = await tier_service(agentos).status(NS)
    assert (due.due_pages, due.counts[Tier.SHORT]) == (1, 10), "the view is right before the background has worked"
    assert await tier_service(agentos).mature(NS) == 1
    first, *others = await placed(agentos)
    assert first is not None and others == [None] * 10
    assert await tier_service(agentos).mature(NS) == 0 and await placed(agentos) == [first, *others]
    [segment] = await tier_service(agentos).segments(NS)
    assert (segment.id, segment.pages, segment.interactions, segment.visits) == (first, 1, 1, 0)


async def test_pages_of_one_topic_come_together_and_others_apart(agentos: AgentOS) -> None:
    await say(agentos, 16)
    assert await tier_service(agentos).mature(NS) == 6
    down = (await placed(agentos))[:6]
    assert len(set(down)) == 2 and down[0] == down[2] == down[4] and down[1] == down[3] == down[5]
    bread, tests = await tier_service(agentos).segments(NS)
    assert {"sourdough", "bread"} <= set(bread.keywords) and {"pytest", "database"} <= set(tests.keywords)
    assert "sourdough" in bread.summary.lower() and bread.pages == bread.interactions == 3


async def test_the_number_of_short_term_pages_is_a_setting(store: OpenedStore, wire: Wire) -> None:
    agentos = wire(store, short_term_pages=3)
    await say(agentos, 5)
    assert await tier_service(agentos).mature(NS) == 2
    wider = wire(store, short_term_pages=4)
    assert (await tier_service(wider).status(NS)).counts[Tier.SHORT] == 4, "what is short-term is a view, not a place"


async def test_several_workers_move_each_page_once_and_in_order(
    open_store: OpenStore, wire: Wire, agentos: AgentOS
) -> None:
    await say(agentos, 40)
    others = [wire(await open_store()) for _ in range(3)]
    for _ in range(50):
        moved = await asyncio.gather(*(tier_service(each).mature(NS) for each in (agentos, *others)))
        if not sum(moved):
            break
    down = await placed(agentos)
    assert None not in down[:30] and down[30:] == [None] * 10
    segments = await tier_service(agentos).segments(NS)
    assert sum(each.interactions for each in segments) == sum(each.pages for each in segments) == 30


async def test_without_a_model_words_decide(lexical: AgentOS) -> None:
    await say(lexical, 14)
    assert await tier_service(lexical).mature(NS) == 4
    down = (await placed(lexical))[:4]
    assert down[0] == down[2] != down[1] == down[3]
    found = await tier_service(lexical).recall(NS, "sourdough in the oven")
    assert found.pages[0].page.turns[0].text.startswith("How hot is the oven") and found.notes


async def test_a_visit_raises_heat_and_a_day_without_one_lowers_it(agentos: AgentOS, clock: Clock) -> None:
    await say(agentos, 12)
    await tier_service(agentos).mature(NS)
    before = {each.id: heat(each, clock()) for each in await tier_service(agentos).segments(NS)}
    found = await tier_service(agentos).recall(NS, "sourdough bread in the oven", limit=1)
    visited = {page.page.segment for page in found.pages}
    after = {each.id: heat(each, clock()) for each in await tier_service(agentos).segments(NS)}
    assert {name for name in after if after[name] == before[name] + 1} == visited and len(visited) == 1
    clock.advance(hours=24)
    [one] = [each for each in await tier_service(agentos).segments(NS) if each.id in visited]
    assert heat(one, clock()) == pytest.approx(2 + math.exp(-1)) and (one.visits, one.interactions) == (1, 1)


async def test_what_a_search_shows_is_visited_as_well(agentos: AgentOS) -> None:
    await say(agentos, 11)
    await tier_service(agentos).mature(NS)
    found = await agentos.memory.search(NS, "hot oven sourdough bread (0)", limit=3)
    await agentos.memory.settled()
    turn = (await agentos.turns.pages(NS, "talk"))[0].turns
    assert {hit.memory.id for hit in found.hits} & {each.memory_id for each in turn}
    [segment] = await tier_service(agentos).segments(NS)
    assert (segment.visits, segment.retrievals) == (1, 1)


async def test_crossing_the_threshold_promotes_exactly_once(agentos: AgentOS, store: OpenedStore) -> None:
    await say(agentos, 14)
    await tier_service(agentos).mature(NS)
    assert (await tier_service(agentos).status(NS)).promotions == 0, "two pages, recency 1: heat 3"
    for _ in range(2):
        assert (await tier_service(agentos).recall(NS, "sourdough bread in the oven", limit=1)).pages
    status = await tier_service(agentos).status(NS)
    assert status.promotions == 1 and status.hottest[0].heat == 5.0
    await tier_service(agentos).recall(NS, "sourdough bread in the oven", limit=1)
    await tier_service(agentos).mature(NS)
    assert (await tier_service(agentos).status(NS)).promotions == 1, "asked for once, however hot it gets"

    analyst = Analyst(agentos, store)
    worked = await agentos.queue.work(PROMOTION, promotion(agentos, store, analyst))
    assert (worked.done, worked.failed) == (1, 0) and len(analyst.read) == 2
    promoted = await tier_service(agentos)._repository.segment(NS, status.hottest[0].segment.id)
    assert promoted is not None
    assert (promoted.visits, promoted.interactions, promoted.promotions, promoted.retrievals) == (0, 0, 1, 3)
    await agentos.queue.work(PROMOTION, promotion(agentos, store, analyst))
    assert len(analyst.read) == 2 and (await tier_service(agentos).status(NS)).promotions == 0

    await say(agentos, 2, first=14)
    await tier_service(agentos).mature(NS)
    for _ in range(3):
        await tier_service(agentos).recall(NS, "sourdough bread in the oven", limit=1)
    await agentos.queue.work(PROMOTION, promotion(agentos, store, analyst))
    assert len(analyst.read) == 3, "the second promotion reads what the first has not read"


async def test_two_workers_promote_once(
    agentos: AgentOS, store: OpenedStore, open_store: OpenStore, wire: Wire
) -> None:
    await say(agentos, 18)
    await tier_service(agentos).mature(NS)
    other_store = await open_store()
    other = wire(other_store)
    first, second = Analyst(agentos, store), Analyst(other, other_store)
    worked = await asyncio.gather(
        agentos.queue.work(PROMOTION, promotion(agentos, store, first), owner="one"),
        other.queue.work(PROMOTION, promotion(other, other_store, second), owner="two"),
    )
    assert sum(each.done for each in worked) == 2, "bread and tests"
    assert len(first.read) + len(second.read) == 8 == len({*first.read, *second.read})
    assert {each.promotions for each in await tier_service(agentos).segments(NS)} == {1}


async def test_a_promotion_that_fails_is_begun_again_where_it_was(
    agentos: AgentOS, store: OpenedStore, clock: Clock
) -> None:
    await say(agentos, 18)
    await tier_service(agentos).mature(NS)

    class Failing(Analyst):
        async def analyse(self, namespace: str, turn_ids: Sequence[str]) -> Sequence[str]:
            if len(self.read) == 2:
                raise OSError("no model just now")
            return await super().analyse(namespace, turn_ids)

    failing = Failing(agentos, store)
    assert (await agentos.queue.work(PROMOTION, promotion(agentos, store, failing), limit=1)).failed == 1
    clock.advance(minutes=10)
    analyst = Analyst(agentos, store)
    assert (await agentos.queue.work(PROMOTION, promotion(agentos, store, analyst))).done == 2
    assert len(failing.read) + len(analyst.read) == 8 == len({*failing.read, *analyst.read})


async def test_knowledge_has_its_evidence_and_the_assistants_is_left_out_on_request(
    agentos: AgentOS, store: OpenedStore
) -> None:
    await say(agentos, 18)
    await tier_service(agentos).mature(NS)
    await agentos.queue.work(PROMOTION, promotion(agentos, store, Analyst(agentos, store)), limit=1)
    await agentos.queue.work(PROMOTION, promotion(agentos, store, Analyst(agentos, store, side="assistant")))
    found = await tier_service(agentos).recall(NS, "what do they ask of bread and of tests", "talk")
    assert len(found.user_knowledge) == len(found.assistant_knowledge) == 4
    pages = await agentos.turns.pages(NS, "talk")
    turns = {turn.memory_id: turn.text for page in pages for turn in page.turns}
    for known in (*found.user_knowledge, *found.assistant_knowledge):
        [evidence] = known.evidence
        assert known.text == f"They asked: {turns[evidence]}" and known.kind == Kind.KNOWLEDGE
    without = await tier_service(agentos).recall(NS, "bread", include_assistant_knowledge=False)
    assert without.assistant_knowledge == () and without.user_knowledge
    assert (await tier_service(agentos).counts(NS))[Tier.LONG] == 8

    older = found.user_knowledge[0].memory_id
    newer = (await agentos.memory.store(NS, StoreRequest("They ask of bread no more"))).memory.id
    link = Relation(newer, older, MAY_SUPERSEDE, 0.9, "pair model")
    await store.memory.lifecycle.relate(NS, [link], agentos.clock())
    told = recalled(await tier_service(agentos).recall(NS, "what do they ask of bread and of tests", "talk"))
    assert {known.id: known.newer for known in told.user_knowledge if known.newer} == {older: newer}
    assert [line for line in told.as_text().splitlines() if f"{NEWER}{newer}" in line and older in line]


async def test_a_recall_has_the_last_pages_and_the_best_of_the_others_once(agentos: AgentOS) -> None:
    await say(agentos, 14)
    await tier_service(agentos).mature(NS)
    found = await tier_service(agentos).recall(NS, "sourdough bread", "talk")
    assert [page.number for page in found.short_term] == [*range(4, 14)]
    assert [page.page.number for page in found.pages] == [0, 2], "what is in short-term memory is not told twice"
    assert "sourdough" in found.pages[0].about and found.pages[0].score >= found.pages[1].score >= 0.1
    elsewhere = await tier_service(agentos).recall(NS, "sourdough bread", "no such session")
    assert elsewhere.short_term == () and elsewhere.pages
    assert (await tier_service(agentos).recall(NS, "sourdough", limit=1)).pages[0].page.id == found.pages[0].page.id
    with pytest.raises(InvalidInput):
        await tier_service(agentos).recall(NS, " ")


async def test_pages_that_wait_to_move_are_recalled_too(agentos: AgentOS) -> None:
    await say(agentos, 12)
    found = await tier_service(agentos).recall(NS, "sourdough bread in the oven")
    assert found.pages[0].page.number == 0 and found.pages[0].about == ()


async def test_one_segment_more_than_there_is_room_for_archives_the_least_retrieved(
    store: OpenedStore, wire: Wire, clock: Clock
) -> None:
    agentos = wire(store, short_term_pages=1, mid_term_segments=3)
    subjects = ("bread oven dough", "pytest fixture database", "guitar chords song", "lisbon metro trip", "x")
    for number, subject in enumerate(subjects[:4]):
        await agentos.turns.add(NS, "talk", "user", f"{subject} {subject}", key=str(number))
        clock.advance(minutes=1)
        await tier_service(agentos).mature(NS)
    first, second, third = await tier_service(agentos).segments(NS)
    for query in ("bread oven dough", "guitar chords song"):
        await tier_service(agentos).recall(NS, query, limit=1)
    await agentos.turns.add(NS, "talk", "user", "garden roses soil", key="more")
    await tier_service(agentos).mature(NS)
    left = [each.id for each in await tier_service(agentos).segments(NS)]
    assert left[:2] == [first.id, third.id] and len(left) == 3 and second.id not in left
    assert (await tier_service(agentos).status(NS)).evicted_segments == 1
    hits = await agentos.memory.search(NS, "pytest fixture database")
    assert hits.hits and hits.hits[0].memory.content.startswith("pytest"), "its turns are still found"

    assert [each.id for each in await tier_service(agentos).evicted(NS)] == [second.id]
    restored = await tier_service(agentos).restore(NS, second.id)
    assert restored.segment.archived_at is None and restored.segment.summary == second.summary
    assert len(restored.archived) == 1, "what went instead is told"
    again = await tier_service(agentos).restore(NS, second.id)
    assert again.segment == restored.segment and not again.archived, "again changes nothing"
    assert [each.id for each in await tier_service(agentos).evicted(NS)] == list(restored.archived)
    now = [each.id for each in await tier_service(agentos).segments(NS)]
    assert now == [first.id, second.id, third.id], "the least retrieved of the others went: the newest"
    with pytest.raises(NotFound):
        await tier_service(agentos).restore(NS, "seg_none")


async def test_where_there_is_room_again_a_segment_comes_back_and_nothing_goes(
    store: OpenedStore, wire: Wire, clock: Clock
) -> None:
    agentos = wire(store, short_term_pages=1, mid_term_segments=2)
    for number, subject in enumerate(("bread oven", "pytest fixture", "guitar chords", "lisbon metro", "rose soil")):
        await agentos.turns.add(NS, "talk", "user", subject, key=str(number))
        clock.advance(minutes=1)
        await tier_service(agentos).mature(NS)
    last, first = await tier_service(agentos).evicted(NS)
    assert (first.keywords, last.keywords) == (("bread", "oven"), ("fixture", "pytest")), "the last one first"
    assert await tier_service(agentos).evicted(NS, 1) == [last] and not await tier_service(agentos).evicted("somebody")
    wider = wire(store, short_term_pages=1, mid_term_segments=3)
    restored = await tier_service(wider).restore(NS, first.id)
    assert not restored.archived and len(await tier_service(wider).segments(NS)) == 3
    found = await tier_service(wider).recall(NS, "bread oven", limit=1)
    assert found.pages[0].page.turns[0].text == "bread oven"
    with pytest.raises(NotFound):
        await tier_service(wider).restore("somebody", last.id)
    with pytest.raises(InvalidInput):
        await tier_service(wider).evicted(NS, 0)


async def test_of_segments_that_nobody_retrieved_the_oldest_goes(store: OpenedStore, wire: Wire, clock: Clock) -> None:
    agentos = wire(store, short_term_pages=1, mid_term_segments=2)
    for number, subject in enumerate(("bread oven", "pytest fixture", "guitar chords", "lisbon metro")):
        await agentos.turns.add(NS, "talk", "user", subject, key=str(number))
    await tier_service(agentos).mature(NS)
    assert [each.keywords for each in await tier_service(agentos).segments(NS)] == [
        ("fixture", "pytest"),
        ("chords", "guitar"),
    ]


async def test_knowledge_beyond_its_bound_is_archived_and_comes_back(
    agentos: AgentOS, store: OpenedStore, clock: Clock
) -> None:
    analyst = Analyst(agentos, store)
    turns = []
    for number in range(4):
        added = await agentos.turns.add(NS, "talk", "user", f"Statement number {number} of mine")
        turns.append(added.turns[0])
        clock.advance(minutes=1)
    ids = [(await analyst.analyse(NS, [turn.memory_id]))[0] for turn in turns]
    explicit = await agentos.memory.store(NS, StoreRequest("Never to be evicted", "semantic", kind="knowledge"))
    await agentos.memory.shown(NS, [ids[0], ids[0], ids[2], ids[3]])
    await agentos.lifecycle.feedback(NS, ids[3], "reject")
    bounded = promotion(agentos, store, analyst, TierSettings(knowledge_per_side=3))
    assert await bounded.bound_knowledge(NS) == 1 and await bounded.bound_knowledge(NS) == 0

    async def statuses() -> list[str]:
        return [(await agentos.memory.get(NS, name))[0].status.value for name in ids]

    assert await statuses() == ["candidate", "archived", "candidate", "contested"], "never accessed: 0 × .35"
    tighter = promotion(agentos, store, analyst, TierSettings(knowledge_per_side=2))
    assert await tighter.bound_knowledge(NS) == 1
    assert await statuses() == ["candidate", "archived", "candidate", "archived"], "half as sure as the third"
    await agentos.lifecycle.revert(NS, ids[1])
    assert (await statuses())[1] == "candidate"
    assert (await agentos.memory.get(NS, explicit.memory.id))[0].status == "active"


async def test_what_is_hidden_or_erased_is_repeated_by_no_segment(agentos: AgentOS) -> None:
    secret = await agentos.turns.add(NS, "talk", "user", "The zebra password hides in the zebra drawer", key="z")
    await say(agentos, 10)
    await tier_service(agentos).mature(NS)
    [segment] = await tier_service(agentos).segments(NS)
    assert "zebra" in segment.summary and "zebra" in segment.keywords
    await agentos.lifecycle.forget(NS, secret.turns[0].memory_id)
    [hidden] = await tier_service(agentos).segments(NS)
    assert (hidden.summary, hidden.keywords) == ("", ()), "at once, with what hides it"
    await tier_service(agentos).mature(NS)
    assert not (await tier_service(agentos).recall(NS, "zebra drawer")).pages
    await agentos.lifecycle.revert(NS, secret.turns[0].memory_id)
    await tier_service(agentos).mature(NS)
    assert "zebra" in (await hottest(agentos)).summary, "described anew once it may be shown again"
    await agentos.memory.delete(NS, secret.turns[0].memory_id)
    assert await tier_service(agentos).segments(NS) == [], "a segment without turns goes with them"


async def test_where_the_feature_is_off_what_goes_is_repeated_by_no_segment_and_promotions_wait(
    home: Path, store: OpenedStore, wire: Wire, clock: Clock
) -> None:
    agentos = wire(store)
    await say(agentos, 12)
    await tier_service(agentos).mature(NS)
    for _ in range(3):
        await tier_service(agentos).recall(NS, "sourdough bread in the oven", limit=1)
    assert (await tier_service(agentos).status(NS)).promotions == 1
    without = AgentOS.over(store, NoEmbedder(), config.load({}, home=home), clock)
    assert (await without.queue.work_all(without.handlers)).done == 0
    first, second = (await without.turns.pages(NS, "talk"))[:2]
    for turn in first.turns:
        await without.memory.delete(NS, turn.memory_id)
    await without.memory.update(NS, second.turns[0].memory_id, MemoryChanges(content="It is a secret now."))
    found = await store.engine.read("SELECT summary, keywords FROM segments")
    assert [(row["summary"], row["keywords"]) for row in found] == [("", "[]")], "the one that was emptied is gone"
    with pytest.raises(NotFound, match="the feature tiers is off"):
        tier_service(without)
    await without.close()
    assert (await tier_service(agentos).status(NS)).promotions == 1, "it waits until the feature is on again"


async def test_an_erased_session_leaves_nothing_in_segments(agentos: AgentOS) -> None:
    await say(agentos, 12)
    await say(agentos, 12, "another")
    await tier_service(agentos).mature(NS)
    sessions = await agentos.sessions.page(NS)
    before = await tier_service(agentos).segments(NS)
    assert [each.pages for each in before] == [2, 2]
    for session in sessions:
        await agentos.sessions.erase(NS, session.id)
    assert await tier_service(agentos).segments(NS) == []


async def test_the_listing_of_a_tier_is_what_the_formula_says(store: OpenedStore, wire: Wire, clock: Clock) -> None:
    agentos = wire(store, short_term_pages=3, mid_term_segments=1)
    settings = TierSettings(short_term_pages=3, mid_term_segments=1)
    for session, pages in (("one", 14), ("two", 5)):
        await say(agentos, pages, session)
    [two] = [session for session in await agentos.sessions.page(NS) if session.key == "two"]
    await agentos.sessions.end(two)
    await tier_service(agentos).mature(NS)
    for content, type_, kind in (
        ("a fact", "semantic", "fact"),
        ("a note", "episodic", None),
        ("first do this, then that", "procedural", None),
        ("a habit", "semantic", "procedure"),
        ("for today", "working", None),
    ):
        await agentos.memory.store(NS, StoreRequest(content, type_, kind=kind))
    evicted = {
        page.id
        for session in ("one", "two")
        for page in await agentos.turns.pages(NS, session)
        if page.segment is not None
        and page.segment not in {each.id for each in await tier_service(agentos).segments(NS)}
    }
    assert evicted
    expected: dict[Tier, set[str]] = {tier: set() for tier in Tier}
    for session in ("one", "two"):
        turns = await agentos.turns.turns(NS, session, limit=100)
        pages = [page.id for page in await agentos.turns.pages(NS, session)]
        for index, turn in enumerate(turns):
            after = len(pages) - 1 - pages.index(turn.page)
            placement = Placement(len(turns) - 1 - index, after, session == "one", turn.page in evicted)
            for tier in tiers_of("episode", "episodic", placement, settings):
                expected[tier].add(turn.memory_id)
    for memory in (await agentos.memory.page(NS, limit=200)).memories:
        if memory.session is None:
            for tier in tiers_of(memory.kind, memory.memory_type, None, settings):
                expected[tier].add(memory.id)
    for tier in Tier:
        listed = await tier_service(agentos).listed(NS, tier, limit=200)
        assert {name for _, name in listed} == expected[tier], tier
        assert [number for number, _ in listed] == sorted((number for number, _ in listed), reverse=True)
    page = await tier_service(agentos).listed(NS, "working", limit=2)
    assert (
        len(await tier_service(agentos).listed(NS, "working", 200, before=page[-1][0]))
        == len(expected[Tier.WORKING]) - 2
    )
    counts = await tier_service(agentos).counts(NS)
    assert counts == {
        Tier.WORKING: len(expected[Tier.WORKING]),
        Tier.SHORT: 6,
        Tier.MID: 1,
        Tier.LONG: len(expected[Tier.LONG]),
        Tier.PROCEDURAL: 2,
    }
    with pytest.raises(InvalidInput):
        await tier_service(agentos).listed(NS, "attic")


@pytest.fixture
async def real(store: OpenedStore, with_graphs: None, home: Path, clock: Clock) -> AsyncIterator[AgentOS]:
    """The services with the real model."""
    settings = config.load({}, home=home, short_term_pages=1)
    own = AgentOS.over(store, database.open_embedder(settings), settings, clock)
    agentos = with_parts(own, registered(), "wired", store.engine, settings)
    assert await agentos.embedding.ready(120)
    yield agentos
    await agentos.close()


CONVERSATION = (
    ("a", "I'm planning a trip to Lisbon in May, where should I stay?", "For a first trip to Lisbon stay in Baixa."),
    ("a", "How do I get from Lisbon airport to Baixa?", "Take the red metro line, change to the green one for Baixa."),
    ("b", "My pytest suite is slow.", "Run pytest --durations=20 to find the slowest tests of the suite."),
    ("c", "Give me a recipe for sourdough bread.", "Let the sourdough bread rise overnight, bake it at 240 degrees."),
    ("a", "What day trips from Lisbon are worth it?", "Sintra is the best day trip from Lisbon."),
    ("c", "What oven temperature for sourdough bread?", "Bake sourdough bread at 240 degrees with steam."),
    ("b", "Which pytest tests are the slowest?", "pytest --durations=20 prints the slowest tests."),
    ("d", "Thanks, bye!", "You're welcome."),
)


async def test_the_real_model_tells_topics_apart(real: AgentOS) -> None:
    for number, (_, asked, answer) in enumerate(CONVERSATION):
        await real.turns.add(NS, "talk", "user", asked, answer=answer, key=str(number))
    assert await tier_service(real).mature(NS) == 7
    by_topic: dict[str, set[str | None]] = {}
    for (topic, *_), segment in zip(CONVERSATION[:7], await placed(real), strict=False):
        by_topic.setdefault(topic, set()).add(segment)
    assert all(len(segments) == 1 for segments in by_topic.values()), by_topic
    assert len(set().union(*by_topic.values())) == 3
    found = await tier_service(real).recall(NS, "which neighbourhood did we pick for the Portugal holiday?", limit=2)
    assert "Lisbon" in found.pages[0].page.text and not found.notes


async def test_an_embedder_that_is_switched_off_is_no_reason_to_wait(store: OpenedStore, wire: Wire) -> None:
    agentos = wire(store, NoEmbedder(), short_term_pages=1)
    await say(agentos, 3)
    assert await tier_service(agentos).mature(NS) == 2


async def test_what_users_state_matures_into_knowledge_with_its_page(agentos: AgentOS) -> None:
    """The whole way, by the rules: turns, a segment that gets hot, facts with their evidence."""
    stated = await agentos.turns.add(
        NS, "talk", "user", "I moved to Lisbon. I love baking bread.", answer="Bread from the oven is best.", key="me"
    )
    await say(agentos, 10)
    await tier_service(agentos).mature(NS)
    assert not (await tier_service(agentos).recall(NS, "baking bread", limit=1)).user_knowledge
    for _ in range(3):
        await tier_service(agentos).recall(NS, "bread from the oven, Lisbon", limit=1)
    assert (await tier_service(agentos).status(NS)).promotions == 1
    worked = await agentos.queue.work_all(agentos.handlers)
    assert (worked.done, worked.failed) == (1, 0) and (await tier_service(agentos).status(NS)).promotions == 0
    known = (await tier_service(agentos).recall(NS, "where do they live, what do they bake?")).user_knowledge
    assert {each.text for each in known} >= {"The user moved to Lisbon."}
    assert {each.evidence for each in known} == {(stated.turns[0].memory_id,)}
    assert stated.turns[0].page == (await agentos.turns.pages(NS, "talk"))[0].id
