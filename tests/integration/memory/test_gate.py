"""The gate over a real store, with and without the real model; explanations whose parts are the score."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.ranking import RankingProfile
from agentos.modules.store_request import StoreRequest
from agentos.modules.views import search
from agentos.modules.views.labels import Labels

NS = "ada"
NOTES = (
    "Decision: the payments service retries card charges at most twice, because the bank retries on its own.",
    "AUTH-1107 means that the clock of the phone is more than five minutes off.",
    "The nightly import makes the reporting replica lag up to four minutes.",
    "Katrin cannot eat nuts; order a separate dish for her at team dinners.",
    "Migration 0042_add_tenant_id locks the orders table for about 90 seconds.",
    "We moved the image resizer to spot machines, which may disappear at any moment.",
)
TALK = (
    "Ann: Hi Bob! How was the weekend?",
    "Bob: Great, we finally picked a name for the puppy.",
    "Ann: What is it called?",
    "Bob: Biscuit, because of the colour.",
)
"""Nothing here speaks of what OFF_TOPIC asks."""
OFF_TOPIC = (
    "What is the boiling point of mercury?",
    "how to tune a harpsichord",
    "xqzvb wrtplk mnbvc",
    "asdfgh qwerty",
    "zeppelin obelisk marmalade",
    "saffron",
    "Кто написал этот роман?",
    "???!!",
    "What inspired Gustavo's paintings of the harbour?",
)
ANSWERED = {
    "Why don't we try a failed card payment a third time?": 0,
    "AUTH-1107": 1,
    "customer sees AUTH-1107": 1,
    "Why can charts be minutes behind at night?": 2,
    "nuts": 3,
    "What must I watch out for when ordering food for Katrin?": 3,
    "0042_add_tenant_id": 4,
    "Which of our work runs on machines that can vanish?": 5,
}
LONG = (
    "I am preparing the dinner for the whole team next week and want to get everything right for everybody, so tell me "
    "please: what must I watch out for when ordering food for Katrin, and is there anything that she cannot eat?"
)


async def filled(agentos: AgentOS) -> list[str]:
    stored = [(await agentos.memory.store(NS, StoreRequest(text))).memory.id for text in NOTES]
    for text in TALK:
        await agentos.memory.store(NS, StoreRequest(text, session="s1"))
    if await agentos.embedding.ready(60):
        await agentos.memory.embedded(60)
    return stored


@pytest.fixture
async def real(store: Any, with_graphs: None, home: Path, clock: Any) -> AsyncIterator[AgentOS]:
    """The services with the real model."""
    settings = config.load(home=home)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock)
    assert await agentos.embedding.ready(60)
    yield agentos
    await agentos.close()


async def test_with_the_model_what_is_stored_is_found_and_nothing_else(real: AgentOS) -> None:
    stored = await filled(real)
    for query, number in ANSWERED.items():
        found = await real.memory.search(NS, query)
        assert found.gate.answered and found.hits[0].memory.id == stored[number], (query, found.gate)
        assert not found.gate.withheld and all(
            (hit.support or 0) < (found.hits[0].support or 0) for hit in found.misses
        )
    assert (await real.memory.search(NS, LONG)).hits[0].memory.id == stored[3]
    assert (await real.memory.search(NS, "What is the puppy called?")).hits
    for query in OFF_TOPIC:
        found = await real.memory.search(NS, query, limit=3)
        near = 3 if query.isascii() else 0  # by words of a script that no note is in nothing comes near
        assert found.hits == () and found.gate.withheld == len(found.misses) == near, (query, found.gate)
        assert found.next_cursor is None


@pytest.mark.parametrize("query", ["0043_drop_column", "tests/test_import.py", "HTTP_PROXY_TIMEOUT_MS"])
async def test_a_look_up_of_what_nothing_has_is_answered_with_nothing(real: AgentOS, query: str) -> None:
    await filled(real)
    found = await real.memory.search(NS, query)
    assert not found.hits and found.gate.parts["unknown_term"] < 0
    beside = await real.memory.search(
        NS, f"Why does the nightly import of orders make the reporting replica lag for minutes with {query}?"
    )
    assert beside.hits and "unknown_term" not in beside.gate.parts, "it names other matters too"


async def test_a_miss_that_may_answer_is_shown_apart_and_is_no_answer(real: AgentOS) -> None:
    stored = await filled(real)
    await real.memory.search(NS, NOTES[0])  # until the reranker is there
    doubted = {"What should the caterer know?": 3, "how many attempts before we give up on a customer's plastic?": 0}
    for query, number in doubted.items():
        found = search.found(await real.memory.search(NS, query), Labels(real.clock()), "lean", explain=False)
        assert found.results == () and found.withheld and [one.id for one in found.nearest] == [stored[number]]
        assert search.DOUBTED in found.as_text() and stored[number] in found.as_text() and found.notice
    nothing = search.found(await real.memory.search(NS, OFF_TOPIC[1]), Labels(real.clock()), "lean", explain=False)
    assert nothing.results == nothing.nearest == () and search.NOTHING in nothing.as_text()


PLUGINS = (
    "The fastify plugin helmet sets the security headers.",
    "We use the fastify plugin rate-limit, 100 requests a minute.",
    "The fastify plugin multipart takes the uploads.",
)


async def test_a_right_hit_is_not_padded_and_a_list_is_not_cut(real: AgentOS) -> None:
    stored = await filled(real)
    plugins = {(await real.memory.store(NS, StoreRequest(text))).memory.id for text in PLUGINS}
    await real.memory.embedded(60)
    one = await real.memory.search(NS, "How long does migration 0042_add_tenant_id lock the orders table?")
    assert [hit.memory.id for hit in one.hits] == [stored[4]] and not one.gate.withheld
    several = await real.memory.search(NS, "Which fastify plugins do we use?")
    assert plugins <= {hit.memory.id for hit in several.hits} and len(several.hits) <= 4
    explained = search.found(several, Labels(real.clock()), "lean", explain=True).explanation
    assert explained is not None and plugins <= set(explained.support) and "answers 0." in explained.lines()[1]


async def test_a_prompt_gets_what_memory_says_about_it_and_nothing_else(real: AgentOS, tmp_path: Path) -> None:
    await filled(real)
    for text in PLUGINS:
        await real.memory.store(NS, StoreRequest(text))
    await real.memory.embedded(60)
    session, _ = await real.sessions.open(NS, "claude-code", "s2", str(tmp_path))
    briefing = await real.briefing.with_prompt(session, "Add a rate limit to the new fastify endpoint", ())
    assert "100 requests a minute" in briefing.text
    for idle in ("fix the typo in the README", "rename the variable x to total", "add a docstring to the function"):
        assert (await real.briefing.with_prompt(session, idle, ())).text == "", idle


@pytest.mark.parametrize("profile", RankingProfile)
async def test_every_profile_has_the_gate(real: AgentOS, profile: RankingProfile) -> None:
    stored = await filled(real)
    found = await real.memory.search(NS, "Why can charts be minutes behind at night?", profile=profile)
    assert stored[2] in [hit.memory.id for hit in found.hits]
    assert (await real.memory.search(NS, OFF_TOPIC[1], profile=profile)).hits == ()


async def test_without_a_model_words_decide(lexical: AgentOS) -> None:
    stored = await filled(lexical)
    for query in ("AUTH-1107", "nuts", "what locks the orders table", "when does the replica lag", "Katrin"):
        assert (await lexical.memory.search(NS, query)).hits, query
    for query in OFF_TOPIC:
        assert (await lexical.memory.search(NS, query)).hits == (), query
    assert (await lexical.memory.search(NS, "0042_add_tenant_id")).hits[0].memory.id == stored[4]


async def test_a_word_is_absent_where_its_own_namespace_does_not_have_it(lexical: AgentOS, store: Any) -> None:
    await filled(lexical)
    await lexical.memory.store("bob", StoreRequest("Zeppelins over the harbour"))
    words = await store.memory.memories.frequencies(NS, ["zeppelin", "retried", "nut", 'quo"ted'])
    assert (words.absent, words.memories) == ({"zeppelin", 'quo"ted'}, len(NOTES) + len(TALK))
    of_bob = await store.memory.memories.frequencies("bob", ["zeppelin", "retried", "nut", 'quo"ted'])
    assert of_bob.absent == {"retried", "nut", 'quo"ted'}
    assert (await store.memory.memories.frequencies("nobody", [])).memories == 0


async def test_the_setting_opens_the_gate(store: Any, wire: Any) -> None:
    agentos = wire(store, search_gate=0)
    await filled(agentos)
    assert (await agentos.memory.search(NS, "the table of the boiling mercury", limit=3)).hits
    closed = wire(store, search_gate=1)
    assert (await closed.memory.search(NS, "the table of the boiling mercury", limit=3)).hits == ()


async def test_a_query_of_many_parts_is_answered_if_one_part_is(real: AgentOS) -> None:
    stored = await filled(real)
    nonsense = "How should one tune an old harpsichord before a concert in a cold church in the middle of winter? " * 2
    found = await real.memory.search(NS, f"{nonsense} {LONG} What is the melting point of tungsten in kelvin?")
    assert found.gate.answered and found.hits[0].memory.id == stored[3]
    nothing = await real.memory.search(NS, f"{nonsense} What is the melting point of tungsten?" * 2)
    assert nothing.hits == () and nothing.gate.withheld == len(nothing.misses) > 0


async def test_a_snapshot_recalls_only_what_is_relevant(real: AgentOS) -> None:
    await filled(real)
    for number in range(12):
        await real.memory.store(
            NS, StoreRequest(f"Important rule {number} of the house.", importance=1.0, tags=["rule"])
        )
    await real.memory.embedded(60)
    relevant = await real.context.snapshot(NS, 5, query=next(iter(ANSWERED)))
    off_topic = await real.context.snapshot(NS, 5, query="how to tune a harpsichord")
    assert NOTES[0] in json.dumps(relevant, default=vars)
    assert all(note not in json.dumps(off_topic, default=vars) for note in NOTES)


class ByLength:
    """Implements the Reranker port."""

    problem: str | None = None

    async def ready(self, wait_s: float) -> bool:
        return True

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]

    def close(self) -> None:
        """Nothing to close."""


async def test_the_parts_of_a_score_are_its_sum_always(store: Any, home: Path, clock: Any, embedder: Any) -> None:
    settings = config.load(home=home, search_gate=0)
    plain, reranked = (AgentOS.over(store, embedder, settings, clock, reranker) for reranker in (None, ByLength()))
    await filled(plain)
    for text in NOTES:
        await plain.memory.store(NS, StoreRequest(text + "!"))  # repetitions give way
    await plain.memory.embedded(60)
    queries = (*ANSWERED, *OFF_TOPIC, LONG, f"{LONG} {LONG} Why do charts lag? What is AUTH-1107 about?")
    for agentos, profile, query in itertools.product((plain, reranked), RankingProfile, queries):
        found = await agentos.memory.search(NS, query, limit=15, profile=profile)
        for hit in found.hits:
            assert round(sum(hit.parts.values()), 6) == round(hit.score, 6), (agentos is reranked, profile, query)
    await plain.close()
    await reranked.close()


@pytest.mark.sqlite("the command opens its file")
async def test_the_command_explains_what_a_search_would_do(lexical: AgentOS, home: Path) -> None:
    stored = await filled(lexical)

    def explain(*arguments: str, gate: str = "0.3") -> str:
        code = "from agentos.interfaces.cli import main; main()"
        command = (sys.executable, "-c", code, "explain", *arguments, "--home", str(home), "--agent", NS)
        settings = {"AGENTOS_EMBEDDING_MODEL": "none", "AGENTOS_SEARCH_GATE": gate}
        environment = {**os.environ, "PYTHONPATH": ":".join(sys.path), **settings}
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    facts = json.loads(explain("what locks the orders table", "--json", "--limit", "3"))
    assert facts["gate"]["answered"] and facts["answers"][0]["id"] == stored[4] and not facts["nearest_misses"]
    for one in facts["answers"]:
        assert round(sum(one["parts"].values()), 6) == one["score"]
    nothing = explain("the boiling point of mercury in the table", gate="0.99")
    assert "nothing relevant" in nothing and "nearest misses, withheld" in nothing and "score" in nothing
    assert "log-odds" in nothing and "coverage_near" in nothing
