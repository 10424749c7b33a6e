"""Questions sealed under the server key: what is deleted may be named in one that was asked afterwards."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Sequence

from ..principals.ports import ServerKey

_PURPOSE = b"agentos questions 1"


class QuestionSeal:
    """Seals and opens texts by AES-SIV (RFC 5297): equal texts are equal sealed, so that they can be compared.

    The key is in the home and in no backup. Raises StorageUnavailable or StorageRefused where it cannot be read.
    """

    def __init__(self, server_key: ServerKey) -> None:
        self._server_key = server_key

    async def sealed(self, texts: Sequence[str]) -> list[str]:
        """Return texts as they may lie on a disk."""
        return await asyncio.to_thread(self._sealed, texts) if texts else []

    async def opened(self, texts: Sequence[str]) -> list[str | None]:
        """Return what was sealed; None for what was sealed under another key."""
        return await asyncio.to_thread(self._opened, texts) if texts else []

    def _sealed(self, texts: Sequence[str]) -> list[str]:
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        cipher = AESSIV(self._key())
        return [base64.b64encode(cipher.encrypt(text.encode(), [])).decode("ascii") for text in texts]

    def _opened(self, texts: Sequence[str]) -> list[str | None]:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        cipher = AESSIV(self._key())
        opened: list[str | None] = []
        for text in texts:
            try:
                opened.append(cipher.decrypt(base64.b64decode(text, validate=True), []).decode())
            except (InvalidTag, ValueError):
                opened.append(None)
        return opened

    def _key(self) -> bytes:
        return hmac.new(self._server_key.read(), _PURPOSE, hashlib.sha512).digest()
