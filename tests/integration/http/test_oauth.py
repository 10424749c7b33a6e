"""Access tokens of an identity provider, against a provider of this machine."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from agentos import config
from agentos.interfaces.http import oauth
from agentos.modules.principals.models import Door, Right, Role, local_owner
from agentos.modules.principals.service import binding_of
from tests.tables import every

ISSUER, AUDIENCE = "https://login.example.com", "https://memory.example.com/mcp"
LIST = "/api/v1/memories"
SIGNING: dict[str, Any] = {
    "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}


class IdentityProvider:
    """Serves a key set and introspection, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.status = 200
        self.keys = dict(SIGNING)
        self.opaque: dict[str, Any] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                keys = []
                for name, key in provider.keys.items():
                    algorithm = name.partition("-")[0]
                    content = json.loads(jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key()))
                    keys.append({**content, "kid": name, "alg": algorithm, "use": "sig"})
                self._answer({"keys": keys})

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["content-length"])).decode()
                token = sent.partition("token=")[2].partition("&")[0]
                self._answer(provider.opaque.get(token, {"active": False}))

            def _answer(self, content: object) -> None:
                provider.asked += 1
                body = json.dumps(content).encode()
                self.send_response(provider.status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    started = IdentityProvider()
    yield started
    started.server.shutdown()
    started.server.server_close()


def settings(provider: IdentityProvider) -> dict[str, str]:
    urls = {"oauth_jwks_url": f"{provider.url}/keys", "oauth_introspection_url": f"{provider.url}/introspect"}
    return {"oauth_issuer": ISSUER, "oauth_audience": AUDIENCE, **urls, "oauth_client_id": "memory"}


def claims(**changed: Any) -> dict[str, Any]:
    return {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 300, **changed}


def token(algorithm: str = "ES256", kid: str | None = None, key: Any = None, **changed: Any) -> str:
    return jwt.encode(claims(**changed), key or SIGNING[algorithm], algorithm, headers={"kid": kid or algorithm})


@pytest.fixture
async def served(serve: Any, provider: IdentityProvider) -> Any:
    return await serve(**settings(provider))


@pytest.fixture
async def bound_ada(agentos: Any) -> None:
    owner = local_owner("default", None, Door.COMMAND_LINE)
    name = binding_of(ISSUER, "ada")
    await agentos.principals.create_key(owner, name, Role.WRITER, {"ada": Right.WRITE}, principal="ada")


@every(
    ("made", "status"),
    [
        (lambda: token("RS256"), 200),
        (lambda: token("ES256"), 200),
        (lambda: token("EdDSA"), 200),
        (lambda: token(exp=int(time.time()) - 10), 200),  # within the leeway
        (lambda: token(exp=int(time.time()) - 60), 401),
        (lambda: token(aud="https://other.example.com"), 401),
        (lambda: token(iss="https://other.example.com"), 401),
        (lambda: token(kid="RS256"), 401),
        (lambda: token(kid="gone"), 401),
        (lambda: jwt.encode(claims(), "x" * 40, "HS256", headers={"kid": "RS256"}), 401),
        (lambda: jwt.encode(claims(), None, "none", headers={"kid": "RS256"}), 401),
        (lambda: token()[:-8] + "AAAAAAAA", 401),
        (lambda: "a.b.c", 401),
        (lambda: token(cnf={"jkt": "a-key-of-its-client"}), 401),
        (lambda: token(sub="eve"), 403),
        (lambda: token(scope="agentos:nonsense"), 403),
    ],
)
async def test_only_sound_tokens_of_bound_subjects_open_it(
    served: Any, bound_ada: None, made: Any, status: int
) -> None:
    answer = await served.client(made()).get(LIST)
    assert answer.status_code == status, answer.text
    if status == 401:
        assert "/.well-known/oauth-protected-resource/mcp" in answer.headers["www-authenticate"]


@every(
    ("scope", "status"),
    [("openid", 201), ("agentos:writer", 201), ("agentos:owner", 201), ("agentos:reader", 403)],
)
async def test_scopes_narrow_and_never_widen(served: Any, bound_ada: None, scope: str, status: int) -> None:
    client = served.client(token(scope=scope))
    assert (await client.post(LIST, json={"content": "Tests run at night."})).status_code == status
    assert (await client.get("/api/v1/keys")).status_code == 403


async def test_opaque_tokens_are_asked_about_once(served: Any, bound_ada: None, provider: IdentityProvider) -> None:
    provider.opaque = {"sound": claims(active=True), "elsewhere": claims(active=True, aud="other")}
    for _ in range(3):
        assert (await served.client("sound").get(LIST)).status_code == 200
    assert provider.asked == 1
    assert [(await served.client(one).get(LIST)).status_code for one in ("elsewhere", "unknown")] == [401, 401]


async def test_unknown_key_ids_do_not_make_it_ask_again(
    served: Any, bound_ada: None, provider: IdentityProvider
) -> None:
    for number in range(5):
        assert (await served.client(token(kid=f"k{number}")).get(LIST)).status_code == 401
    assert provider.asked == 1


async def test_the_metadata_names_the_provider(served: Any) -> None:
    metadata = (await served.client(None).get("/.well-known/oauth-protected-resource/mcp")).json()
    assert metadata["authorization_servers"] == [ISSUER] and "agentos:reader" in metadata["scopes_supported"]


async def test_who_guesses_is_stopped_before_the_provider_is_asked(
    served: Any, bound_ada: None, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oauth, "MOST_REFUSED", 5)
    monkeypatch.setattr(oauth, "INTROSPECTED_LASTS_S", -1.0)
    provider.opaque = {"sound": claims(active=True), "fresh": claims(active=True)}
    assert (await served.client("sound").get(LIST)).status_code == 200
    statuses = [(await served.client(f"guess{number}").get(LIST)).status_code for number in range(20)]
    assert statuses == [401] * 5 + [429] * 15
    assert [(await served.client("guess0").get(LIST)).status_code for _ in range(3)] == [401] * 3
    assert provider.asked == 6
    assert (await served.client("sound").get(LIST)).status_code == 200  # it was good before: it is asked about
    assert (await served.client("fresh").get(LIST)).headers["retry-after"]
    assert (await served.client("fresh", address="127.0.0.2").get(LIST)).status_code == 200
    assert provider.asked == 8


async def test_concurrent_tokens_are_introspected_once_and_the_cache_has_a_bound(
    served: Any, bound_ada: None, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.opaque = {f"t{number}": claims(active=True) for number in range(6)}
    monkeypatch.setattr(oauth, "MOST_REFUSED", 8)
    answers = await asyncio.gather(*(served.client("t0").get(LIST) for _ in range(12)))
    assert [one.status_code for one in answers] == [200] * 12 and provider.asked == 1
    monkeypatch.setattr(oauth, "MAX_INTROSPECTED", 3)
    for number in range(6):
        assert (await served.client(f"t{number}").get(LIST)).status_code == 200
        assert (await served.client(f"no{number}").get(LIST)).status_code == 401
    assert len(served.provider.tokens._introspected) == len(served.provider.tokens._refused) == 3


async def test_keys_that_the_provider_changed_count_from_the_next_fetch(
    served: Any, bound_ada: None, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = ec.generate_private_key(ec.SECP256R1())
    assert (await served.client(token()).get(LIST)).status_code == 200
    provider.keys = {"ES256-new": new}
    rotated = served.client(token(kid="ES256-new", key=new))
    assert (await rotated.get(LIST)).status_code == 401  # it was asked a moment ago
    monkeypatch.setattr(oauth, "REFETCH_AFTER_S", -1.0)
    assert (await rotated.get(LIST)).status_code == 200
    assert (await served.client(token()).get(LIST)).status_code == 401
    assert (await served.client(token(kid="ES256-new")).get(LIST)).status_code == 401  # signed by the old one


@every("made", [token, lambda: "sound"])
async def test_without_its_provider_nobody_gets_in_and_answers_have_retry_after(
    serve: Any, bound_ada: None, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch, made: Any
) -> None:
    served = await serve(**settings(provider))
    provider.opaque = {"sound": claims(active=True)}
    provider.status, before = 500, provider.asked
    for _ in range(3):
        answer = await served.client(made()).get(LIST)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert provider.asked == before + 1, "a provider that is silent is left alone for a moment"
    monkeypatch.setattr(oauth, "SILENT_FOR_S", 0.0)
    provider.status = 200
    assert (await served.client(made()).get(LIST)).status_code == 200
    monkeypatch.setattr(oauth, "KEYS_LAST_S", -1.0)
    served.provider.tokens._introspected.clear()
    provider.status = 500
    assert (await served.client(made()).get(LIST)).status_code == 503, "old keys and old answers open nothing"
    monkeypatch.undo()


async def test_a_reload_takes_another_provider_and_keeps_what_it_knows_of_the_same(
    served: Any, bound_ada: None, provider: IdentityProvider
) -> None:
    client = served.client(token())
    assert (await client.get(LIST)).status_code == 200
    same = oauth.IdentityProvider.of(config.load(home="/", **settings(provider)))
    served.provider.replace(same)
    assert (await client.get(LIST)).status_code == 200 and provider.asked == 1
    served.provider.replace(
        oauth.IdentityProvider.of(config.load(home="/", **{**settings(provider), "oauth_audience": "else"}))
    )
    assert (await client.get(LIST)).status_code == 401 and provider.asked == 2
    served.provider.replace(None)
    refused = await client.get(LIST)
    assert refused.status_code == 401 and "resource_metadata" not in refused.headers["www-authenticate"]
    assert "authorization_servers" not in (await client.get("/.well-known/oauth-protected-resource")).json()
