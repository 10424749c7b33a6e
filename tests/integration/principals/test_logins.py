"""Sessions of browsers that were signed out stay so, however many there are."""

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.principals.logins import LoginService
from tests.integration.conftest import Clock


async def test_sessions_that_ended_stay_ended_for_the_next_process_and_beyond_what_is_remembered(
    agentos: AgentOS, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentos.storage.ended_logins.MOST", 2)
    service = LoginService(agentos.principals, clock)
    ended = []
    for _ in range(4):
        ended.append(await service.by_key("prefix"))
        clock.advance(minutes=1)
    last = await service.by_key("prefix")
    for one in ended:
        await service.end(one)
    for server in (service, LoginService(agentos.principals, clock)):
        assert [await server.login(one.secret) for one in ended] == [None] * 4
        assert await server.login(last.secret) is not None
