"""Access tokens of an identity provider, against a provider of this machine."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

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
        self.opaque: dict[str, Any] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                keys = []
                for name, key in SIGNING.items():
                    told = json.loads(jwt.get_algorithm_by_name(name).to_jwk(key.public_key()))
                    keys.append({**told, "kid": name, "alg": name, "use": "sig"})
                self._answer({"keys": keys})

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["content-length"])).decode()
                token = sent.partition("token=")[2].partition("&")[0]
                self._answer(provider.opaque.get(token, {"active": False}))

            def _answer(self, told: object) -> None:
                provider.asked += 1
                body = json.dumps(told).encode()
                self.send_response(200)
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


def token(algorithm: str = "ES256", kid: str | None = None, **changed: Any) -> str:
    return jwt.encode(claims(**changed), SIGNING[algorithm], algorithm, headers={"kid": kid or algorithm})


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
    told = (await served.client(None).get("/.well-known/oauth-protected-resource/mcp")).json()
    assert told["authorization_servers"] == [ISSUER] and "agentos:reader" in told["scopes_supported"]
