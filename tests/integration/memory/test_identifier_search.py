"""Memories found by exact terms, as written, through the text index."""

from collections.abc import Awaitable, Callable
from datetime import datetime

import pytest

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.exact_terms import ExactTerm, exact_terms
from agentos.modules.memory.models import MemoryFilter, MemoryType
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.repositories import memories
from tests.integration.conftest import Wire

Find = Callable[..., Awaitable[list[tuple[str, float]]]]


@pytest.fixture
def find(store: OpenedStore, clock: Callable[[], datetime]) -> Find:
    async def found(query: str, where: MemoryFilter = MemoryFilter(), limit: int = 10, namespace: str = "n"):  # noqa: B008
        terms = exact_terms(query) or [ExactTerm(query)]
        candidates = await store.memory.memories.identifier_candidates(namespace, terms, where, clock(), limit)
        texts = {
            each.id: each.content for each in await store.memory.memories.fetch("n", [one.id for one in candidates])
        }
        return [(texts.get(each.id, "?"), round(each.score, 3)) for each in candidates]

    return found


async def keep(agentos: AgentOS, *texts: str, **details: object) -> None:
    for text in texts:
        await agentos.memory.store("n", StoreRequest(text, **details))


async def test_what_has_it_as_written_comes_first(lexical: AgentOS, find: Find) -> None:
    await keep(
        lexical,
        "MAX_POOL_SIZE is 20",
        "the maximum size of the pool",
        "max_pool_size=20 in the settings",
        "BILLING_MAX_POOL_SIZE is 5",
        "pool of max size",
    )
    assert await find("MAX_POOL_SIZE") == [
        ("MAX_POOL_SIZE is 20", 1.0),
        ("max_pool_size=20 in the settings", 0.7),
        ("BILLING_MAX_POOL_SIZE is 5", 0.6),
    ]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("src/app/main.py", "see src/app/main.py:120 for the loop"),
        ("connections.running()", "x = connections.running()  # stemmed words within code"),
        ("std::vector", "std::vector<int> grows"),
        ("a::b", "it calls a::b twice"),
        ("C++", "the core is in C++."),
        ("v2.3.1", "(v2.3.1)"),
        ("--no-cache", "docker build --no-cache ."),
        ("HTTP 503", "returns HTTP 503 at once"),
        ("10.0.0.1:8080", "listens on 10.0.0.1:8080"),
        ("#123", "fixed in #123"),
        ("ops@example.com", "mail ops@example.com."),
        ('what raises "can\'t start \\"x\\" now"', 'the message was: can\'t start \\"x\\" now'),
        ("__init__", "__init__ is long"),
        ("größe_max", "die größe_max gilt"),
        ("https://x.example/a?b=c", "open https://x.example/a?b=c now"),
    ],
)
async def test_every_kind_of_term_is_found_as_written(lexical: AgentOS, find: Find, query: str, text: str) -> None:
    await keep(lexical, text, "something else about vectors, running and caches")
    terms = [each for each in exact_terms(query) if each.text in text]
    assert terms
    found = await find(query)
    assert [each for each, _ in found] == [text]
    assert found[0][1] == 1.0


async def test_part_of_a_longer_term_counts_less(lexical: AgentOS, find: Find) -> None:
    await keep(lexical, "v2.3 is out", "v2.3.1 is out", "class TokenBucketLimiter", "tokenbucket in small letters")
    assert await find("v2.3") == [("v2.3 is out", 1.0), ("v2.3.1 is out", 0.6)]
    assert await find("TokenBucket") == [("tokenbucket in small letters", 0.7)]
    assert await find("TokenBucketLim") == [("class TokenBucketLimiter", 0.6)]


async def test_of_several_terms_those_that_nothing_contains_do_not_count(lexical: AgentOS, find: Find) -> None:
    await keep(lexical, "foo_bar uses bar_baz", "foo_bar alone", "neither")
    assert await find("foo_bar bar_baz no_such_thing") == [("foo_bar uses bar_baz", 1.0), ("foo_bar alone", 0.5)]


async def test_weak_terms_count_half(lexical: AgentOS, find: Find) -> None:
    await keep(lexical, "GitHub is down", "foo_bar is broken")
    assert await find("foo_bar on GitHub") == [("foo_bar is broken", 0.667), ("GitHub is down", 0.333)]


async def test_filters_and_namespaces_hold_before_ranking(lexical: AgentOS, find: Find) -> None:
    await keep(lexical, "foo_bar first", tags=["old"])
    await keep(lexical, *(f"foo_bar {n}" for n in range(12)))
    assert await find("foo_bar", MemoryFilter(tags=("old",)), limit=2) == [("foo_bar first", 1.0)]
    assert await find("foo_bar", MemoryFilter(memory_type=MemoryType.PROCEDURAL)) == []
    assert await find("foo_bar", namespace="other") == []
    assert [text for text, _ in await find("foo_bar", limit=2)] == ["foo_bar 11", "foo_bar 10"]


async def test_one_as_written_is_found_behind_many_in_other_case(
    lexical: AgentOS, find: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "LOOKED_THROUGH", 5)
    await keep(lexical, "FOO_BAR", *(f"foo_bar {n}" for n in range(9)))
    assert (await find("FOO_BAR", limit=3))[0] == ("FOO_BAR", 1.0)


@pytest.mark.parametrize("query", ["'", '"', "_", "", "🙂", "NEAR(a b)", "content:x*", "a OR b", '"" OR ""', "\x00"])
async def test_any_text_is_a_valid_term(lexical: AgentOS, find: Find, query: str) -> None:
    await keep(lexical, "something")
    assert await find(query) == []


async def test_nothing_is_concluded_from_terms_that_were_not_looked_for(store: OpenedStore, wire: Wire) -> None:
    for without, concluded in (((), True), (("identifiers",), False)):
        agentos = wire(store, NoEmbedder(), search_without=without)
        await keep(agentos, "AUTH-1107 means that the clock is off")
        found = await agentos.memory.search("n", "AUTH-1108 clock")
        assert ("unknown_term" in found.gate.parts) is concluded
