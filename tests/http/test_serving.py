"""`agentos serve` as a process: where it listens, what it reads again, and whom it answers as another system would."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from agentos.interfaces.stdio.front.place import socket_path
from tests.e2e.conftest import DEADLINE_S
from tests.e2e.test_serve import Start
from tests.integration.conftest import serving_language


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "AGENTOS_HTTP_TLS_CERTIFICATE"),
        ({"AGENTOS_HTTP_WITHOUT_TLS": "true", "AGENTOS_HTTP_KEY": ""}, "agentos keys create"),
        ({"AGENTOS_HTTP_TLS_CERTIFICATE": "/nowhere.pem"}, "nowhere.pem"),
    ],
)
def test_it_opens_no_door_to_others_without_keys_and_tls(start: Start, settings: dict[str, str], message: str) -> None:
    serving = start("0.0.0.0:0", **settings)
    assert message in serving.startup and serving.process.wait(DEADLINE_S) == 1


def test_a_taken_port_is_named_and_no_socket_is_left(start: Start, home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        serving = start(address)
        assert f"cannot listen at {address}" in serving.startup and serving.process.wait(DEADLINE_S) == 4
    assert not socket_path(home).exists()


def test_a_reload_takes_over_limits_and_the_identity_provider(start: Start, home: Path) -> None:
    serving = start()
    assert serving.request("GET", "/api/v1/auth/caller")[0] == 200
    metadata = "/.well-known/oauth-protected-resource"
    assert "authorization_servers" not in serving.request("GET", metadata)[1]
    home.joinpath(".env").write_text(
        "AGENTOS_HTTP_REQUESTS_PER_MINUTE=1\nAGENTOS_OAUTH_ISSUER=https://login.example.com\n"
        "AGENTOS_OAUTH_AUDIENCE=here\nAGENTOS_OAUTH_JWKS_URL=https://login.example.com/keys\n"
    )
    os.kill(serving.process.pid, signal.SIGHUP)
    give_up = time.monotonic() + DEADLINE_S
    while serving.request("GET", "/api/v1/auth/caller")[0] != 429:
        assert time.monotonic() < give_up
        time.sleep(0.02)
    described = serving.request("GET", metadata)[1]
    assert described["authorization_servers"] == ["https://login.example.com"]


def test_it_is_not_ready_while_its_database_is_away(start: Start, home: Path) -> None:
    serving = start()
    database, away = home / "agentos.db", home / "away.db"
    database.rename(away)
    assert serving.request("POST", "/api/v1/memories", {"content": "Lost"})[1]["code"] == "storage_refused"
    assert serving.answered["retry-after"] == "60"
    status, problem = serving.request("GET", "/readyz")
    assert (status, problem["components"]["store"]) == (503, "read_only")
    away.rename(database)
    assert serving.request("GET", "/readyz")[0] == 200


def test_clients_of_other_systems_are_answered_where_a_setting_asks_for_it(start: Start) -> None:
    serving = start(AGENTOS_HTTP_COMPAT="memoryoss")
    status, stored = serving.request("POST", "/v1/store", {"content": "Maria deploys on Tuesdays"})
    assert status == 200 and serving.request("POST", "/v1/recall", {"query": "Maria"})[1]["memories"]
    assert serving.request("DELETE", "/v1/forget", {"ids": [stored["id"]]}) == (200, {"deleted": 1})
    assert serving.request("GET", "/api/health")[0] == 404
    wrong = start(AGENTOS_HTTP_COMPAT="memoryos,memorios")
    assert wrong.process.wait(DEADLINE_S) != 0 and wrong.process.stderr is not None
    assert "did you mean memoryos?" in wrong.startup + wrong.process.stderr.read()


def test_a_chat_of_agentmem_os_is_answered_by_the_model_of_the_settings(start: Start) -> None:
    with serving_language() as model:
        language = {"AGENTOS_LLM_PROVIDER": "openai", "AGENTOS_LLM_URL": model.url, "AGENTOS_LLM_MODEL": "m"}
        serving = start(AGENTOS_HTTP_COMPAT="agentmem", **language)
        question = {"session_id": "trip", "message": "Where do I live?", "model": "another"}
        assert serving.request("POST", "/chat", question) == (200, {"session_id": "trip", "reply": "An answer."})
        turns = serving.request("GET", "/history/trip")[1]["turns"]
        assert [turn["content"] for turn in turns] == ["Where do I live?", "An answer."]
        compared = serving.request("POST", "/demo/compare", {"message": "And now?"})[1]
        assert compared["agentmem"]["turn_count"] == 2 and compared["plain"]["reply"] == "An answer."
