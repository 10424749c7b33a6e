"""Files with keys are the owner's alone: who reads one refuses it where others can, and says what command helps."""

import contextlib
import json
import os
import shutil
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentos import config, features
from agentos.interfaces.http import certificate
from agentos.interfaces.http.uvicorn_server import load_certificate
from agentos.modules.errors import AgentOSError
from agentos.modules.signing import keys as signing
from agentos.storage.sqlite import encryption, vault
from tests.tables import every

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")

KEY = "k" * 32
Read = Callable[[Path], object]


def settings(path: Path) -> object:
    return config.load({}, home=path.parent)


def tls(path: Path) -> object:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load_certificate(context, str(path.with_name("certificate.pem")), str(path))
    return context


def token(path: Path) -> object:
    return vault._token(str(path))


READERS: dict[str, tuple[str, str, Read]] = {
    "a key among the settings": (".env", f"AGENTOS_HTTP_KEY={KEY}\n", settings),
    "a provider's key": (".env", f"AGENTOS_LLM_API_KEY={KEY}\n", settings),
    "a webhook's secret": (".env", f"AGENTOS_EVENT_WEBHOOK_SECRET={KEY}\n", settings),
    "a password in an address": (".env", "AGENTOS_DATABASE_URL=postgresql://a:hunter2hunter2@db/x\n", settings),
    "the key that encrypts": (
        "key.json",
        json.dumps([bytes(32).hex()]),
        lambda path: encryption.read_keys(str(path)),
    ),
    "Vault's token": ("token", "hvs.token\n", token),
    "the key of TLS": ("key.pem", "", tls),
}
if "gateway" in features.THERE:
    from agentos.features.gateway.proxy import configuration

    READERS["the gateway's keys"] = (
        configuration.FILE,
        f'[[keys]]\nname = "ann"\nkey = "{KEY}"\nnamespace = "ann"\n',
        lambda path: configuration.read(path.parent),
    )


@every("mode", [0o640, 0o604, 0o644, 0o660])
@every("kind", [*READERS])
def test_a_key_that_others_can_read_is_refused_with_the_command_that_helps(
    kind: str, mode: int, tmp_path: Path
) -> None:
    name, content, read = READERS[kind]
    path = tmp_path / name
    if read is tls:
        shutil.rmtree(tmp_path / "tls", ignore_errors=True)
        path = certificate.make(tmp_path / "tls", ["localhost"], datetime.now(UTC)).key
    else:
        path.write_text(content)
    path.chmod(0o600)
    read(path)
    path.chmod(mode)
    if read is tls and mode == 0o640:
        read(path)  # as the group of a system's certificates has it
        return
    with pytest.raises((AgentOSError, config.SettingsError, OSError), match="chmod 600") as refused:
        read(path)
    assert str(path) in str(refused.value) and KEY not in str(refused.value)


@every("kind", [*READERS])
def test_a_pipe_in_the_place_of_a_key_file_is_waited_for_by_nobody(kind: str, tmp_path: Path) -> None:
    name, _, read = READERS[kind]
    path = tmp_path / name
    if read is tls:
        path = certificate.make(tmp_path / "tls", ["localhost"], datetime.now(UTC)).key
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)
    with contextlib.suppress(AgentOSError, config.SettingsError, OSError):
        read(path)


def test_the_key_that_signs_is_refused_where_others_can_read_it(tmp_path: Path) -> None:
    signing.create(tmp_path)
    signing.load(tmp_path)
    (tmp_path / signing.FILE).chmod(0o644)
    with pytest.raises((AgentOSError, config.SettingsError), match="chmod 600"):
        signing.load(tmp_path)


def test_settings_without_a_secret_may_be_read_by_others(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("AGENTOS_AGENT_ID=ada\nAGENTOS_HTTP_KEY=\n")
    path.chmod(0o644)
    assert config.load({}, home=tmp_path).agent_id == "ada"
