"""Connectors at a store: candidates without secrets, once each, a day's measure of them, and all removed at once."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos.features.connectors import service as connectors
from agentos.features.connectors.catalog import CONNECTORS
from agentos.features.connectors.service import ConnectorService
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import Status
from agentos.modules.store_request import StoreRequest

TERMINAL = CONNECTORS["terminal"]
A_YEAR = timedelta(days=365)


@pytest.fixture
def service(agentos: AgentOS) -> ConnectorService:
    return ConnectorService(agentos.memory, agentos.redactor, agentos.clock)


def history(folder: Path, at: float, *commands: str) -> Sequence[Path]:
    file = folder / "history"
    file.write_text("".join(f": {at:.0f}:0;{command}\n" * 3 for command in commands), encoding="utf-8")
    return [file]


async def test_signals_are_candidates_without_secrets_once_each(
    agentos: AgentOS, service: ConnectorService, clock: Any, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2" * 9
    files = history(tmp_path, clock.now.timestamp(), "make deploy", f"export TOKEN={secret}")
    found = await service.offers("ana", TERMINAL, files, A_YEAR)
    assert len(found.offers) == 2 and not any(secret in one.text for one in found.offers)
    assert not (await agentos.memory.page("ana")).total, "what is only offered is not kept"
    assert (await service.keep("ana", TERMINAL, found.offers)).new == 2
    page = (await agentos.memory.page("ana")).memories
    assert {(one.status, one.confidence, one.source) for one in page} == {
        (Status.CANDIDATE, 0.15, "connector: terminal")
    }
    assert not any(secret in one.content for one in page)
    again = await service.offers("ana", TERMINAL, files, A_YEAR)
    assert (list(again.offers), again.known) == ([], 2)


async def test_a_signal_that_changed_renews_its_candidate_but_not_what_somebody_decided(
    agentos: AgentOS, service: ConnectorService, clock: Any, tmp_path: Path
) -> None:
    at = clock.now.timestamp()
    first = await service.offers("ana", TERMINAL, history(tmp_path, at, "make deploy", "make test"), A_YEAR)
    await service.keep("ana", TERMINAL, first.offers)
    deploy = next(one for one in await service.brought("ana", "terminal") if "deploy" in one.content)
    await agentos.lifecycle.feedback("ana", deploy.id, "reject", by="human")
    later = await service.offers("ana", TERMINAL, history(tmp_path, at + 86_400, "make deploy", "make test"), A_YEAR)
    [renewed] = later.offers
    assert renewed.memory_id is not None and "make test" in renewed.text and later.known == 1
    kept = await service.keep("ana", TERMINAL, later.offers)
    assert (kept.new, kept.renewed) == (0, 1)
    assert len(await service.brought("ana", "terminal")) == 2


async def test_a_day_and_a_period_bound_what_comes(
    service: ConnectorService, clock: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connectors, "MOST_A_DAY", 2)
    at = clock.now.timestamp()
    files = history(tmp_path, at, *(f"make step-{number}" for number in range(5)))
    found = await service.offers("ana", TERMINAL, files, A_YEAR)
    assert (len(found.offers), found.beyond) == (2, 3)
    await service.keep("ana", TERMINAL, found.offers)
    assert (await service.offers("ana", TERMINAL, files, A_YEAR)).beyond == 3
    clock.advance(days=2)
    assert len((await service.offers("ana", TERMINAL, files, A_YEAR)).offers) == 2, "tomorrow there is room"
    old = await service.offers("ana", TERMINAL, files, timedelta(days=1))
    assert (len(old.offers), old.earlier) == (0, 5)


async def test_removal_takes_what_a_connector_brought_and_nothing_else(
    agentos: AgentOS, service: ConnectorService, clock: Any, tmp_path: Path
) -> None:
    found = await service.offers("ana", TERMINAL, history(tmp_path, clock.now.timestamp(), "make deploy"), A_YEAR)
    await service.keep("ana", TERMINAL, found.offers)
    [kept] = await service.brought("ana", "terminal")
    await agentos.lifecycle.feedback("ana", kept.id, "confirm", by="human")
    tagged = StoreRequest(
        "Tagged by hand", tags=("connector", "connector-terminal"), metadata={"connector": "terminal"}
    )
    await agentos.memory.store("ana", tagged)
    await service.keep("ben", TERMINAL, found.offers)
    assert await service.remove("ana", "terminal", by="human") == 1
    assert [one.content for one in (await agentos.memory.page("ana")).memories] == ["Tagged by hand"]
    assert len(await service.brought("ben", "terminal")) == 1


async def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(
    service: ConnectorService, clock: Any, tmp_path: Path
) -> None:
    files = [tmp_path / "gone", *history(tmp_path, clock.now.timestamp(), "make deploy")]
    found = await service.offers("ana", TERMINAL, files, A_YEAR)
    assert len(found.offers) == 1 and list(found.unread) == [str(tmp_path / "gone")]


async def test_what_cannot_be_kept_is_named_and_does_not_stop_the_rest(
    agentos: AgentOS, service: ConnectorService, clock: Any, tmp_path: Path
) -> None:
    files = history(tmp_path, clock.now.timestamp(), "make deploy", "make test")
    found = await service.offers("ana", TERMINAL, files, A_YEAR)
    ended = replace(found.offers[0], signal=replace(found.offers[0].signal, until="1999-01-01"))
    kept = await service.keep("ana", TERMINAL, [ended, found.offers[1]])
    assert kept.new == 1 and list(kept.refused) == [ended.text]
