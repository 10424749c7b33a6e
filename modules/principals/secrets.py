"""Secrets of keys: `agos_<prefix>_<random>`; the prefix finds the key, and a keyed digest is all that is kept."""

import hashlib
import hmac
import re
import secrets

BEGINNING = "agos"
PREFIX_CHARS = 8
RANDOM_BYTES = 32
SERVER_KEY_BYTES = 32
_FORM = re.compile(rf"{BEGINNING}_([0-9a-f]{{{PREFIX_CHARS}}})_[0-9a-f]{{{2 * RANDOM_BYTES}}}")
UNKNOWN = bytes(32)
"""Stands for the digest of a key that is not there: compared all the same, so that both take as long."""


def new() -> tuple[str, str]:
    """Return a fresh secret, and its prefix."""
    prefix = secrets.token_hex(PREFIX_CHARS // 2)
    return f"{BEGINNING}_{prefix}_{secrets.token_hex(RANDOM_BYTES)}", prefix


def prefix_of(secret: str) -> str | None:
    """Return the prefix of a secret; None where it has not the form of one."""
    found = _FORM.fullmatch(secret)
    return found and found[1]


def digest(server_key: bytes, secret: str) -> bytes:
    """Return the HMAC-SHA256 of a secret."""
    return hmac.new(server_key, secret.encode("ascii"), hashlib.sha256).digest()


def is_same(one: bytes, other: bytes) -> bool:
    """Compare two digests in constant time."""
    return hmac.compare_digest(one, other)
