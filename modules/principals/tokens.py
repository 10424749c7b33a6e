"""Short-lived tokens: a part of a key's rights, handed on for minutes, without a row in the store.

A token is `agot_<claims>.<signature>`, signed with the server's key. It narrows what its key may do at the moment of
its use, so that it never gives more than the key, and ends with it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from .. import inputs
from ..errors import InvalidInput, Unauthenticated
from ..records import dataclass
from .models import Caller, Role
from .service import PrincipalService

TOKENS = ("agot_", "token")
"""How tokens begin, and what they are signed for."""
SHORTEST_S, LONGEST_S = 60, 24 * 3600
MOST_NAMESPACES = 50
REFUSED = "the token is unknown or has expired; get a new one with the same key"


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
        self._claims = principals.signed(*TOKENS)

    async def issue(
        self, caller: Caller, prefix: str | None, role: Role, namespaces: Sequence[str] | None, seconds: int
    ) -> Token:
        """Return a token of the key that `prefix` names, for a role and namespaces (None: all) of the caller.

        Raises InvalidInput, PermissionDenied.
        """
        inputs.count("seconds", seconds, SHORTEST_S, LONGEST_S)
        if prefix is None:
            raise InvalidInput("key", "only a key made by agentos keys create can issue tokens")
        caller.requires(role)
        if namespaces is not None:
            inputs.count("namespaces", len(namespaces), 1, MOST_NAMESPACES)
            for name in namespaces:
                caller.reading(name, "namespaces")
        expires_at = self._principals.clock() + timedelta(seconds=seconds)
        claims = [prefix, role.value, None if namespaces is None else list(namespaces), int(expires_at.timestamp())]
        secret = await self._claims.write(claims)
        if secret is None:
            raise InvalidInput("namespaces", "have names too long for one token: name fewer, or none for all")
        return Token(secret, role, namespaces, expires_at)

    async def authenticate(self, secret: str) -> Caller | None:
        """Return the caller that a token stands for; None for what is no token. Raises Unauthenticated."""
        if not secret.startswith(self._claims.beginning):
            return None
        claims = await self._claims.read(secret)
        if claims is None:
            raise Unauthenticated(REFUSED)
        prefix, role, namespaces, until = claims
        if self._principals.clock() >= datetime.fromtimestamp(until, UTC):
            raise Unauthenticated(REFUSED)
        caller = await self._principals.caller_of(prefix)
        narrowed = replace(caller, role=Role(role))
        if namespaces is None or caller.namespaces is None:
            return narrowed
        still = {name: caller.namespaces[name] for name in namespaces if name in caller.namespaces}
        return replace(narrowed, namespaces=still, default=namespaces[0], tagged={})
