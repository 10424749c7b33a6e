"""Keys that Vault wraps: unwrapped for who may, and closed with a reason, and no secret in it, for everything else."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentos.modules.errors import AgentOSError, InvalidInput, StorageRefused, StorageUnavailable
from agentos.storage.sqlite import vault
from tests.tables import every
from tests.vault import TOKEN, Vault, serving

pytestmark = pytest.mark.sqlite("it is about encrypted SQLite files")


@pytest.fixture
def server() -> Iterator[Vault]:
    with serving() as found:
        yield found


@pytest.fixture
def token(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n")
    path.chmod(0o600)
    return path


def test_a_key_is_made_unwrapped_and_wrapped_anew(server: Vault, token: Path) -> None:
    transit = vault.named(server.url, str(token))
    assert vault.of(transit.place) == transit and TOKEN not in transit.place
    key, wrapped = transit.fresh()
    assert len(key) == 32 and transit.unwrapped(wrapped) == key
    server.version = server.oldest = 2
    server.oldest = 1
    again = transit.wrapped_anew(wrapped)
    server.oldest = 2
    assert again.startswith("vault:v2:") and transit.unwrapped(again) == key
    with pytest.raises(StorageRefused, match="did not wrap this key"):
        transit.unwrapped(wrapped)


@every(
    "url",
    [
        "http://vault.example.com:8200/transit/agentos",
        "http://169.254.169.254/transit/agentos",
        "https://user:word@vault.example.com/transit/agentos",
        "https://vault.example.com/transit/agentos?x=1",
        "https://vault.example.com/transit/../agentos",
        "https://vault.example.com/agentos",
        "https://vault.example.com:99999/transit/agentos",
        "ftp://127.0.0.1/transit/agentos",
        "file:///transit/agentos",
        "",
    ],
)
def test_an_address_that_would_show_keys_to_others_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        vault.named(url, "/run/secrets/token")


def test_whatever_is_wrong_leaves_the_home_closed_and_tells_no_secret(server: Vault, token: Path) -> None:
    transit = vault.named(server.url, str(token))
    _, wrapped = transit.fresh()
    answers: list[tuple[int, bytes | None, type[AgentOSError]]] = [
        (403, None, StorageRefused),
        (404, None, StorageRefused),
        (503, None, StorageUnavailable),
        (500, None, StorageUnavailable),
        (307, b"", StorageUnavailable),
        (200, b"no JSON", StorageRefused),
        (200, b'{"data": {"plaintext": "c2hvcnQ="}}', StorageRefused),
        (200, b'{"data": {"plaintext": 7}}', StorageRefused),
        (200, b"[" * 200_000, StorageUnavailable),
    ]
    messages = []
    for server.status, server.body, why in answers:
        with pytest.raises(why) as refused:
            transit.unwrapped(wrapped)
        messages.append(str(refused.value))
    server.status, server.body = 200, None
    for content, mode in (
        (TOKEN, 0o644),
        ("", 0o600),
        ("two words", 0o600),
        ("x" * 5_000, 0o600),
        (TOKEN + "-not", 0o600),
    ):
        token.write_text(content)
        token.chmod(mode)
        with pytest.raises(StorageRefused) as refused:
            transit.unwrapped(wrapped)
        messages.append(str(refused.value))
    token.unlink()
    with pytest.raises(StorageRefused) as refused:
        transit.unwrapped(wrapped)
    assert all(
        "stays closed" in one and TOKEN not in one and wrapped not in one for one in (*messages, str(refused.value))
    )


def test_a_vault_that_cannot_be_reached_closes_the_home(token: Path) -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        transit = vault.named(f"http://127.0.0.1:{taken.getsockname()[1]}/transit/agentos", str(token))
        for unreachable in (transit, vault.named(f"https://{'a' * 64}.test/transit/agentos", str(token))):
            with pytest.raises(StorageUnavailable, match="cannot be reached"):
                unreachable.fresh()
