"""Short-lived tokens: a part of a key's rights, handed on for minutes, without a row in the store.

A token is `agot_<claims>.<signature>`, signed with the server's key. It narrows what its key may do at the moment of
its use, so that it never gives more than the key, and ends with it.
"""

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from .. import inputs
from ..errors import InvalidInput, Unauthenticated
from .models import Caller, Role
from .service import PrincipalService

SHORTEST_S, LONGEST_S = 60, 24 * 3600
MOST_NAMESPACES = 50
REFUSED = "the token is unknown or has expired; get another one with the key that it came from"
_PURPOSE = b"agentos token 1\0"
_BEGINNING = "agot_"
MOST_CHARS = 7000
"""The most that claims take: what is longer, no server would take in a header."""
_FORM = re.compile(rf"agot_([\w-]{{1,{MOST_CHARS}}})\.([\w-]{{43}})", re.ASCII)


@dataclass(frozen=True)
class Token:
    """A token with what it opens, and until when."""

    secret: str
    role: Role
    namespaces: Sequence[str] | None
    expires_at: datetime


class TokenService:
    """Makes tokens from keys, and callers from tokens."""

    def __init__(self, principals: PrincipalService) -> None:
        self._principals = principals

    async def issue(
        self, caller: Caller, prefix: str | None, role: Role, namespaces: Sequence[str] | None, seconds: int
    ) -> Token:
        """Return a token of the key that `prefix` names, for a role and namespaces (None: all) of the caller.

        Raises InvalidInput, PermissionDenied.
        """
        inputs.count("seconds", seconds, SHORTEST_S, LONGEST_S)
        if prefix is None:
            raise InvalidInput("key", "only a key that was made by agentos keys create can hand on its rights")
        caller.requires(role)
        if namespaces is not None:
            inputs.count("namespaces", len(namespaces), 1, MOST_NAMESPACES)
            for name in namespaces:
                caller.reading(name, "namespaces")
        expires_at = self._principals.clock() + timedelta(seconds=seconds)
        claims = [prefix, role.value, None if namespaces is None else list(namespaces), int(expires_at.timestamp())]
        body = _encoded(json.dumps(claims, ensure_ascii=False, separators=(",", ":")).encode())
        if len(body) > MOST_CHARS:
            raise InvalidInput("namespaces", "have names too long for one token: name fewer, or none for all")
        return Token(f"{_BEGINNING}{body}.{await self._signature(body)}", role, namespaces, expires_at)

    async def authenticate(self, secret: str) -> Caller | None:
        """Return the caller that a token stands for; None for what is no token. Raises Unauthenticated."""
        if not secret.startswith(_BEGINNING):
            return None
        found = _FORM.fullmatch(secret)
        if found is None or not hmac.compare_digest(found[2], await self._signature(found[1])):
            raise Unauthenticated(REFUSED)
        prefix, role, namespaces, until = json.loads(_decoded(found[1]))
        if self._principals.clock() >= datetime.fromtimestamp(until, UTC):
            raise Unauthenticated(REFUSED)
        caller = await self._principals.caller_of(prefix)
        narrowed = replace(caller, role=Role(role))
        if namespaces is None or caller.namespaces is None:
            return narrowed
        still = {name: caller.namespaces[name] for name in namespaces if name in caller.namespaces}
        return replace(narrowed, namespaces=still, default=namespaces[0], tagged={})

    async def _signature(self, body: str) -> str:
        key = await asyncio.to_thread(self._principals.server_key.read)
        return _encoded(hmac.new(key, _PURPOSE + body.encode(), hashlib.sha256).digest())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        raise Unauthenticated(REFUSED) from None
