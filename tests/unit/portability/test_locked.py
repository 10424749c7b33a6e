"""Locked files: what comes back is what was locked, or nothing; a wrong passphrase is told from damage."""

from io import BytesIO

import pytest
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from agentos.modules.errors import InvalidInput, StorageRefused
from agentos.modules.signing import locked as locked_files
from agentos.modules.signing.locked import PIECE, locked, unlocked

PASSPHRASE = "correct horse battery"


def lock(text: bytes) -> bytes:
    return b"".join(locked(BytesIO(text), PASSPHRASE))


def unlock(text: bytes, passphrase: str = PASSPHRASE) -> bytes:
    return b"".join(unlocked(BytesIO(text), passphrase))


@pytest.fixture
def quick_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are derived as in files, with little memory."""
    monkeypatch.setattr(locked_files, "_MEMORY_KIB", 64)


def test_a_key_costs_whoever_guesses_what_rfc_9106_asks_for() -> None:
    salt = bytes(range(16))
    asked = Argon2id(salt=salt, length=32, iterations=3, lanes=4, memory_cost=64 * 1024)
    assert locked_files._key(PASSPHRASE, salt) == asked.derive(PASSPHRASE.encode())
    assert unlock(lock(b"a secret")) == b"a secret"


@pytest.mark.usefixtures("quick_keys")
def test_what_is_locked_comes_back_and_neither_its_text_nor_an_earlier_key_is_seen() -> None:
    for size in (0, 1, PIECE, PIECE + 1, 3 * PIECE):
        text = (b"Dana works at Initech. " * (size // 23 + 1))[:size]
        made = lock(text)
        assert unlock(made) == text
        assert b"Initech" not in made
    assert lock(b"same") != lock(b"same")


@pytest.mark.usefixtures("quick_keys")
def test_each_damage_is_found_and_told_from_a_wrong_passphrase() -> None:
    made = lock(b"x" * (2 * PIECE + 10))
    body = made.index(b"\n") + 1
    piece = PIECE + 16
    damaged = {
        "flipped": made[:-5] + bytes([made[-5] ^ 1]) + made[-4:],
        "cut within a piece": made[:-1],
        "last piece gone": made[: body + 2 * piece],
        "pieces exchanged": made[:body] + made[body + piece : body + 2 * piece] + made[body : body + piece],
        "more at the end": made + b"x",
        "nothing after the head": made[:body],
        "no head": made[body:],
    }
    for what, text in damaged.items():
        with pytest.raises(StorageRefused):
            unlock(text)
            pytest.fail(what)
    with pytest.raises(InvalidInput, match="passphrase"):
        unlock(made, PASSPHRASE + "!")
    with pytest.raises(InvalidInput, match="12 characters"):
        b"".join(locked(BytesIO(b"x"), "short"))
