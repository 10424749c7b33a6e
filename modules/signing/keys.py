"""The key that signs for a home: in a file that its owner alone can read, or in the keyring of the operating system."""

import base64
import hashlib
from pathlib import Path
from typing import Any

from .. import private_files
from ..errors import Conflict, InvalidInput, NotFound, StorageRefused, StorageUnavailable

FILE = "signing.key"
SERVICE = "agentos-signing"
_IN_KEYRING = "keyring:"
_SEED_BYTES = 32
_LONGEST_FILE = 4096


class SigningKey:
    """An Ed25519 key (RFC 8032); `public` is its public half in base64."""

    def __init__(self, seed: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = base64.b64encode(self._key.public_key().public_bytes_raw()).decode()

    def sign(self, text: bytes) -> str:
        """Return the signature of a text, in base64."""
        return base64.b64encode(self._key.sign(text)).decode()


def key_id(public: str) -> str:
    """Return the short name of a public key. Raises InvalidInput for what is none."""
    try:
        raw = base64.b64decode(public, validate=True)
    except ValueError:
        raw = b""
    if len(raw) != _SEED_BYTES or base64.b64encode(raw).decode() != public:
        raise InvalidInput("public_key", "is not an Ed25519 key: 32 bytes in base64, as agentos trust-keys list shows")
    return f"key_{hashlib.sha256(raw).hexdigest()[:24]}"


def create(home: Path, *, in_keyring: bool = False) -> SigningKey:
    """Make the key of a home. Raises Conflict where there is one, StorageUnavailable where it cannot be kept."""
    import secrets

    key_file = home / FILE
    seed = secrets.token_bytes(_SEED_BYTES)
    key = SigningKey(seed)
    text = base64.b64encode(seed).decode()
    if key_file.exists():
        raise Conflict(f"{key_file} already exists; nothing was changed")
    if in_keyring:
        _keyring().set_password(SERVICE, key.public, text)
        text = _IN_KEYRING + key.public
    try:
        with private_files.appearing(key_file) as file:
            file.write(f"{text}\n".encode())
    except FileExistsError as error:
        raise Conflict(f"{key_file} already exists; nothing was changed") from error
    except OSError as error:
        raise StorageUnavailable(f"{key_file}: {error.strerror or error}") from error
    return key


def load(home: Path) -> SigningKey:
    """Return the key of a home. Raises NotFound where there is none, StorageRefused where others may read it."""
    import os

    key_file = home / FILE
    try:
        with os.fdopen(private_files.open_own(key_file, os.O_RDONLY), "rb") as file:
            mode, text = os.fstat(file.fileno()).st_mode, file.read(_LONGEST_FILE).decode().strip()
    except FileNotFoundError as error:
        raise NotFound("this home has no key to sign with; agentos trust-keys new --author NAME creates one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise StorageUnavailable(f"{key_file}: {error}") from error
    if os.name == "posix" and mode & 0o077:
        raise StorageRefused(
            f"{key_file} can be read by others: chmod 600 '{key_file}', and replace the key if it may have been read"
        )
    if text.startswith(_IN_KEYRING):
        found = _keyring().get_password(SERVICE, text.removeprefix(_IN_KEYRING))
        if found is None:
            raise NotFound("the system's keyring no longer has this key: agentos trust-keys new")
        text = found
    try:
        return SigningKey(base64.b64decode(text, validate=True))
    except ValueError as error:
        raise StorageRefused(f"{key_file} contains no Ed25519 key; restore it from a copy") from error


def _keyring() -> Any:
    try:
        import keyring  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise StorageUnavailable("the keyring needs the package keyring: pip install keyring") from error
    return keyring
