"""Locked files: any file encrypted under a passphrase, in pieces, so that a large one needs little memory.

The first line is a header in JSON. The key comes from the passphrase by Argon2id with the parameters of RFC 9106
(section 4, the second recommended option: 64 MiB, 3 passes, 4 lanes) and a salt of the file's own. Then come pieces of
64 KiB, each sealed by ChaCha20-Poly1305 (RFC 8439) with the header as associated data; the nonce is the piece's number
in 11 bytes and a byte that is 1 for the last one (the STREAM construction of Hoang, Reyhanitabar, Rogaway, Vizár,
2015): pieces cannot be changed, moved, left out or cut off.
"""

import base64
import hashlib
import hmac
import json
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..errors import InvalidInput, StorageRefused

FORMAT = 1
PIECE = 65_536
_TAG = 16
_SALT = 16
_LONGEST_HEADER = 1_000
_MEMORY_KIB, _PASSES, _LANES = 64 * 1024, 3, 4
MIN_PASSPHRASE = 12


def locked(source: BinaryIO, passphrase: str) -> Iterator[bytes]:
    """Yield a file encrypted. Raises InvalidInput for a passphrase that is too short."""
    if len(passphrase) < MIN_PASSPHRASE:
        raise InvalidInput(
            "passphrase", f"must have at least {MIN_PASSPHRASE} characters; five random words are a good choice"
        )
    salt = os.urandom(_SALT)
    key = _key(passphrase, salt)
    facts = {"agentos_locked": FORMAT, "salt": base64.b64encode(salt).decode(), "check": _check(key)}
    header = json.dumps(facts, separators=(",", ":")).encode() + b"\n"
    yield header
    cipher = _cipher(key)
    number, piece = 0, source.read(PIECE)
    while True:
        following = source.read(PIECE) if piece else b""
        yield cipher.encrypt(_nonce(number, last=not following), piece, header)
        if not following:
            return
        number, piece = number + 1, following


def unlocked(source: BinaryIO, passphrase: str) -> Iterator[bytes]:
    """Yield what was locked. Raises InvalidInput for another passphrase, StorageRefused where the file is damaged.

    What was yielded before it raises must not be used: the file may go on otherwise.
    """
    from cryptography.exceptions import InvalidTag

    header = source.readline(_LONGEST_HEADER)
    salt, check = _parsed_header(header)
    key = _key(passphrase, salt)
    if not hmac.compare_digest(_check(key), check):
        raise InvalidInput("passphrase", "is not the one this file was locked with, or the first line was changed")
    cipher = _cipher(key)
    number, piece = 0, source.read(PIECE + _TAG)
    while True:
        following = source.read(PIECE + _TAG) if len(piece) == PIECE + _TAG else b""
        try:
            yield cipher.decrypt(_nonce(number, last=not following), piece, header)
        except InvalidTag as error:
            place = len(header) + number * (PIECE + _TAG)
            raise StorageRefused(
                f"the file is damaged after byte {place}, or cut off; the passphrase is right. Use another copy"
            ) from error
        if not following:
            return
        number, piece = number + 1, following


def _parsed_header(header: bytes) -> tuple[bytes, str]:
    try:
        facts: Any = json.loads(header)
        made, salt, check = facts["agentos_locked"], base64.b64decode(facts["salt"], validate=True), facts["check"]
    except (ValueError, KeyError, TypeError) as error:
        raise StorageRefused("this is not a locked file: its first line does not say so, or was changed") from error
    if made != FORMAT:
        raise StorageRefused("this file was locked by a newer AgentOS: upgrade AgentOS")
    if len(salt) != _SALT or not isinstance(check, str) or not check.isascii():
        raise StorageRefused("this is not a locked file: its first line was changed")
    return salt, check


def _key(passphrase: str, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    derived = Argon2id(salt=salt, length=32, iterations=_PASSES, lanes=_LANES, memory_cost=_MEMORY_KIB)
    return derived.derive(passphrase.encode())


def _check(key: bytes) -> str:
    """Return what tells a wrong passphrase from damage, and nothing of the key."""
    return hmac.new(key, b"agentos locked check", hashlib.sha256).hexdigest()[:32]


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(hmac.new(key, b"agentos locked pieces", hashlib.sha256).digest())


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])
