"""The work of a search and of a store, counted, and their processor time beside a plain reference of the same run."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from agentos import config, database
from agentos.benchmarks.corpus import NAMESPACE, Seeds, question, sentence
from agentos.benchmarks.references import PlainScan
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.memory import late_interaction
from agentos.modules.memory.gathering import COMPARED_BY_TOKENS
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.adapted_model import AdaptedModel
from agentos.storage.sqlite.database import Sqlite

MEMORIES, TURNS, REPEATS = 1_000, 600, 30
SEARCH_RATIO = 9
"""The most processor time of a search, beside that of embedding a query and comparing all vectors: measured in one
process, turn by turn, so that a busy machine slows down both. It is about 6."""
READS = 18
"""The most statements that a search reads."""


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Seeds:
    return Seeds(tmp_path_factory.mktemp("seeds"))


@pytest.fixture
def home(seeds: Seeds, tmp_path: Path) -> Path:
    seeds.plant(tmp_path / "home", MEMORIES)
    return tmp_path / "home"


@pytest.fixture
def home_of_turns(seeds: Seeds, tmp_path: Path) -> Path:
    seeds.plant(tmp_path / "home", TURNS, turns=True)
    return tmp_path / "home"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts statements that read, transactions, those that are fsynced, and texts read beside another one."""
    found: Counter[str] = Counter()

    def counting(owner: type, name: str, label: Callable[[Mapping[str, Any]], str]) -> None:
        plain: Callable[..., Any] = getattr(owner, name)

        def wrapped(*given: Any, **named: Any) -> Any:
            found[label(named)] += 1
            return plain(*given, **named)

        monkeypatch.setattr(owner, name, wrapped)

    counting(Sqlite, "read", lambda _: "reads")
    counting(Sqlite, "write", lambda named: "fsyncs" if named.get("durable", True) else "other writes")
    counting(AdaptedModel, "_judged", lambda _: "texts")
    return found


@asynccontextmanager
async def opened(home: Path) -> AsyncIterator[AgentOS]:
    """Open a home, with all models loaded."""
    async with database.opened(config.load(home=home), system_clock) as (agentos, _):
        assert agentos.reranker is not None
        await agentos.embedding.ready(60)
        await agentos.reranker.ready(60)
        await agentos.memory.store(NAMESPACE, StoreRequest("The pair model is loaded at the first store."), ask=True)
        await agentos.embedding.settled()
        yield agentos


async def test_a_search_costs_a_bounded_multiple_of_embedding_and_comparing(
    seeds: Seeds, home: Path, counted: Counter[str]
) -> None:
    plain, ours, works = PlainScan(seeds, MEMORIES), [], []
    reference = []
    async with opened(home) as agentos:
        for number in range(REPEATS):
            began = time.process_time()
            plain.seconds(question(2 * number))
            reference.append(time.process_time() - began)
            counted.clear()
            began = time.process_time()
            await agentos.memory.search(NAMESPACE, question(2 * number + 1), limit=10)
            ours.append(time.process_time() - began)
            await agentos.memory.settled()
            works.append(dict(counted))
    assert max(work.get("texts", 0) for work in works) <= 10
    assert max(work.get("fsyncs", 0) for work in works) == 0, "to count an access waits for no disk"
    assert median(work["reads"] for work in works) <= READS
    assert (ratio := median(ours) / median(reference)) <= SEARCH_RATIO, ratio


async def test_a_store_is_fsynced_once_and_reads_two_others(seeds: Seeds, home: Path, counted: Counter[str]) -> None:
    works = []
    async with opened(home) as agentos:
        for number in range(REPEATS):
            counted.clear()
            await agentos.memory.store(NAMESPACE, StoreRequest(sentence(10_000_000 + number)), ask=True)
            works.append(dict(counted))
            await agentos.embedding.settled()
    assert {work["fsyncs"] for work in works} == {1}
    assert max(work.get("texts", 0) for work in works) <= 2


async def test_the_work_of_a_search_among_long_turns_is_bounded(
    home_of_turns: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1,800 passages no more are compared by tokens than of any other store."""
    compared: list[int] = []
    plain = late_interaction.token_similarities

    def noting(*given: Any) -> Any:
        compared.append(sum(map(len, given[3].values())))
        return plain(*given)

    monkeypatch.setattr(late_interaction, "token_similarities", noting)
    async with database.opened(config.load(home=home_of_turns), system_clock) as (agentos, _):
        await agentos.embedding.ready(60)
        found = await agentos.memory.search(NAMESPACE, question(3), limit=10)
    assert found.hits
    assert 100 < max(compared) <= COMPARED_BY_TOKENS
