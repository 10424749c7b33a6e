"""Signed claims: short lists of values that come back from outside, and prove that this server made them."""

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from typing import Any

from .ports import ServerKey

MOST_CHARS = 7000
"""The most that claims take: what is longer, no server would take in a header."""
_FORM = re.compile(rf"([\w-]{{1,{MOST_CHARS}}})\.([\w-]{{43}})", re.ASCII)


class SignedClaims:
    """Writes and reads claims as `<beginning><claims>.<signature>`; each purpose has signatures of its own."""

    def __init__(self, server_key: ServerKey, beginning: str, purpose: str, store: str = "") -> None:
        """`store` is whose claims they are, where a process serves several: its own has no name."""
        self._server_key = server_key
        self._store = store
        self.beginning = beginning
        self._purpose = f"agentos {purpose} 1\0".encode()

    async def write(self, claims: Sequence[Any]) -> str | None:
        """Return claims as a text; None where they are too long."""
        named = {"store": self._store, "claims": claims} if self._store else claims
        body = _encoded(json.dumps(named, ensure_ascii=False, separators=(",", ":")).encode())
        return None if len(body) > MOST_CHARS else f"{self.beginning}{body}.{await self._signature(body)}"

    async def read(self, text: str) -> list[Any] | None:
        """Return the claims of a text; None where this server did not write it for this purpose and this store."""
        store, claims = await self.of_any_store(text) or (None, [])
        return claims if store == self._store else None

    async def of_any_store(self, text: str) -> tuple[str, list[Any]] | None:
        """Return a store and its claims; None where this server did not write the text for this purpose."""
        found = _FORM.fullmatch(text.removeprefix(self.beginning)) if text.startswith(self.beginning) else None
        if found is None or not hmac.compare_digest(found[2], await self._signature(found[1])):
            return None
        named: list[Any] | dict[str, Any] = json.loads(_decoded(found[1]))
        return (named["store"], named["claims"]) if isinstance(named, dict) else ("", named)

    async def _signature(self, body: str) -> str:
        key = await asyncio.to_thread(self._server_key.read)
        return _encoded(hmac.new(key, self._purpose + body.encode(), hashlib.sha256).digest())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:  # pragma: no cover - a signature holds only over what was encoded here
        return b"[]"
