"""Nothing that the gateway leaves holds a secret: a corpus of our own, through every way in which a text may come."""

import asyncio
import base64
import json
import random
import sqlite3
import string
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2

from agentos.features.gateway.requests import Dialect
from tests.provider import Provider

LETTERS = string.ascii_letters + string.digits
_DICE = random.Random(2_611)


def some(length: int, of: str = LETTERS) -> str:
    return "".join(_DICE.choice(of) for _ in range(length))


def jwt() -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": some(8), "iat": 1_700_000_000})
    head, body = (base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts)
    return f"{head}.{body}.{some(43)}"


def pem(lines: int) -> str:
    body = "\n".join(some(64) for _ in range(lines))
    return f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"


PASSWORD = [f"{some(4)}-{some(3, string.digits)}!{some(5)}" for _ in range(40)]
FORMED = {
    "openai": f"sk-proj-{some(48)}",
    "anthropic": f"sk-ant-api03-{some(93)}AA",
    "github": f"ghp_{some(36)}",
    "gitlab": f"glpat-{some(20)}",
    "slack": f"xoxb-{some(12, string.digits)}-{some(12, string.digits)}-{some(24)}",
    "stripe": f"sk_live_{some(24)}",
    "google": f"AIza{some(35)}",
    "aws": f"AKIA{some(16, string.ascii_uppercase + '234567')}",
    "npm": f"npm_{some(36)}",
    "pypi": f"pypi-AgEIcHlwaS5vcmc{some(70)}",
    "huggingface": f"hf_{some(34, string.ascii_letters)}",
    "sendgrid": f"SG.{some(22)}.{some(43)}",
    "telegram": f"{some(9, string.digits)}:AA{some(33)}",
    "jwt": jwt(),
}
SENTENCES = [
    "My password is {}.",
    "the db password for staging is {}, do not share it",
    "Das Passwort für den Server lautet {}.",
    "La contraseña de la base de datos es {}.",
    "Le mot de passe du serveur est {}.",
    "La password del server è {}.",
    "A senha do servidor é {}.",
    "Het wachtwoord van de server is {}.",
    "Hasło do serwera to {}.",
    "Пароль от сервера: {}",
    "Пароль: {}",
    "サーバーのパスワードは {} です。",
    "服务器的密码是 {}。",
    "서버 비밀번호는 {} 입니다.",
    "Sunucu şifresi: {}",
    "كلمة المرور: {}",
    "סיסמה: {}",
    "Lösenordet är {}",
    "Heslo k serveru je {}",
    "Mật khẩu máy chủ là {}",
    "export DB_PASSWORD={}",
    '{{"user": "ann", "password": "{}"}}',
    "password: {}\nhost: db.local",
    "postgres://ann:{}@db.local:5432/shop",
    "curl -u ann:{} https://api.local/x",
    "mysql -u root -p{} shop",
    "<password>{}</password>",
    'const password = "{}";',
    "sshpass -p {} ssh ann@db.local",
    "| user | password |\n|---|---|\n| ann | {} |",
]
CARRIED = "I use this key, keep it in mind: {}"


def corpus() -> Iterator[tuple[str, str]]:
    """Each secret, and a text with it."""
    yield from ((secret, CARRIED.format(secret)) for secret in FORMED.values())
    yield from ((PASSWORD[n], sentence.format(PASSWORD[n])) for n, sentence in enumerate(SENTENCES))
    key = pem(12)
    yield key.splitlines()[5], f"The deploy key:\n{key}\nPut it on the host."
    for most in (65_536, 100_000):  # of what is kept of a turn, and of what the daemon is told of it
        large = pem(200)
        for line in (5, 100, 150):
            yield large.splitlines()[line], f"{'word ' * ((most - 7_000) // 5)}{large}\n{'word ' * 100}"
        for kept in (14, 20, 30):
            late = f"ghp_{some(36)}"
            yield late[:14], f"{'w ' * ((most - kept) // 2)}{late} {'word ' * 100}"


CORPUS = list(corpus())
DIALECTS = list(Dialect)[:3]
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def request(dialect: Dialect, number: int, text: str, *, in_parts: bool) -> dict[str, Any]:
    """A question of a user, as a text, or as parts beside an image."""
    kind = "input_text" if dialect is Dialect.RESPONSES else "text"
    content = [{"type": kind, "text": f"({number})"}, {"type": kind, "text": text}, IMAGE] if in_parts else text
    messages = [{"role": "user", "content": content}]
    listed = {"input": messages} if dialect is Dialect.RESPONSES else {"messages": messages}
    return {"model": "m", "max_tokens": 9, "stream": number % 3 != 0, **listed}


def stored(home: Path) -> bytes:
    """Every byte that is kept in a home: store, index, logs."""
    return b"\n".join(one.read_bytes() for one in sorted(home.rglob("*")) if one.is_file())


def turns(home: Path) -> int:
    """How many turns are kept."""
    with closing(sqlite3.connect(f"file:{home / 'agentos.db'}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM turns").fetchone()[0])


async def test_no_secret_of_the_corpus_is_anywhere_in_the_home(gateway: Any, provider: Provider, until: Any) -> None:
    provider.chunk = 3  # every secret of an answer comes in pieces
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as client:
        for number, (_, text) in enumerate(CORPUS):
            _, answer = CORPUS[number - 5]  # another one's, so that each is said and answered in other dialects
            answer = f"Noted. {answer}" if len(answer) < 2_000 else "Noted."
            provider.reply = lambda body, answer=answer: answer
            provider.calls = [("write", json.dumps({"text": answer}))]
            dialect = DIALECTS[number % 3]
            roots = {
                Dialect.CHAT: f"{gateway.openai}/chat/completions",
                Dialect.RESPONSES: f"{gateway.openai}/responses",
                Dialect.MESSAGES: f"{gateway.anthropic}/v1/messages",
            }
            sent = request(dialect, number, text, in_parts=number % 2 == 1)
            assert (await client.post(roots[dialect], json=sent)).status_code == 200

        async def are_stored() -> bool:
            return await asyncio.to_thread(turns, gateway.home) >= 2 * len(CORPUS)

        await until(are_stored)
    content = stored(gateway.home)
    left = [text[-200:] for secret, text in CORPUS if secret.encode() in content]
    assert not left, left
    assert b"Noted." in content
