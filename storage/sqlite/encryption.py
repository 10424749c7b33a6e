"""Encrypted homes: which keys a home's files are under, and where these are kept; never in the home itself.

`encryption.json` in the home names its keys (by a digest, newest first) and where they are kept: a private file
elsewhere, the keyring of the operating system, or Vault, which unwraps what it wrapped (`vault`). A file of the home is
under one of them, or plain while a change is under way: each is replaced whole, so that a process that is killed leaves
every file readable.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from ...modules import foreign_files
from ...modules.errors import Conflict, InvalidInput, StorageRefused
from ...modules.records import dataclass
from ..embedding.private_file import write_private
from . import vault

STATE = "encryption.json"
SERVICE = "agentos-encryption"
KEY_BYTES, SALT_BYTES = 32, 16
LEVELS = 3
"""The folders above a file in which its home is looked for: a backup lies one deeper, what is staged too."""
LONGEST = 64 * 1024
LEAST_PASSPHRASE = 8
OTHERS = 0o077
"""The rights that nobody but the owner may have."""
MEMORY_KIB, PASSES, LANES = 64 * 1024, 3, 4
"""What Argon2id costs: RFC 9106's second recommended choice."""


@dataclass(frozen=True)
class EncryptionState:
    """A home's encryption state: key digests, newest first, their location, and each one's salt.

    A key that was made of a passphrase has a salt, with which it is made again. `target` is what a change under way
    is to end with: a digest, "" for none, None where no change is. `wrapped` are keys as Vault wrapped them, by digest.
    """

    keys: tuple[str, ...]
    key_location: str
    salts: dict[str, str]
    target: str | None = None
    wrapped: dict[str, str] = field(default_factory=dict)

    def written(self) -> bytes:
        """Return the state as the content of its file."""
        value = {"agentos_encryption": 1, "keys": list(self.keys), "kept_in": self.key_location, "salts": self.salts}
        value |= {"wrapped": self.wrapped} if self.wrapped else {}
        return (json.dumps(value | ({} if self.target is None else {"target": self.target}), indent=1) + "\n").encode()


def home_of(path: Path) -> Path | None:
    """Return the encrypted home that a file belongs to, if any."""
    return next((folder for folder in list(path.absolute().parents)[:LEVELS] if (folder / STATE).exists()), None)


class OpenToOthers(StorageRefused):
    """Raised for a key file that others can read."""

    def __init__(self, key_location: str, mode: int) -> None:
        self.remedy = f"chmod 600 '{key_location}'"
        super().__init__(
            f"others can read the key file {key_location} ({mode & 0o777:04o}): {self.remedy}, and change the key with "
            "agentos rotate-key if it may have been read"
        )


def read(home: Path) -> EncryptionState | None:
    """Return the state of a home's encryption; None where it is not encrypted. Raises StorageRefused."""
    try:
        with foreign_files.opened(home / STATE) as file:
            value = json.loads(file.read(LONGEST))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StorageRefused(f"{home / STATE} cannot be read: restore it from a copy; it contains no secret") from error
    try:
        salts, wrapped = dict(value.get("salts", {})), dict(value.get("wrapped", {}))
        return EncryptionState(tuple(value["keys"]), str(value["kept_in"]), salts, value.get("target"), wrapped)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageRefused(
            f"{home / STATE} was not written by AgentOS: restore it from a copy; it contains no secret"
        ) from error


def write(home: Path, state: EncryptionState) -> None:
    """Replace the state of a home's encryption, atomically."""
    write_private(home / STATE, state.written())


def keys_for(path: Path) -> Sequence[bytes]:
    """Return the keys that a file may be under, newest first; none where its home is not encrypted.

    Raises StorageRefused where a key is not there, or is another's.
    """
    home = home_of(path)
    return () if home is None else keys_of(home)


def keys_of(home: Path) -> list[bytes]:
    """Return the keys of a home, newest first, then those that are kept for older copies.

    Raises StorageRefused: a key is missing, or another home's; StorageUnavailable where Vault cannot be asked.
    """
    return list(each_key_of(home))


def each_key_of(home: Path) -> Iterator[bytes]:
    """Yield the same, each when it is wanted: Vault is asked for no key that is not needed."""
    state = read(home)
    if state is None:
        return
    if vault.is_place(state.key_location):
        yield from _unwrapped(state)
        return
    stored = {digest(key): key for key in read_keys(state.key_location)}
    missing = [name for name in state.keys if name not in stored]
    if missing:
        raise StorageRefused(
            f"the key of this home is not in {state.key_location}: put it back, or derive it again from its passphrase "
            "with agentos encrypt --recover; the data is not damaged"
        )
    yield from [stored.pop(name) for name in dict.fromkeys(state.keys)]
    yield from stored.values()


def _unwrapped(state: EncryptionState) -> Iterator[bytes]:
    """Yield the keys that Vault wrapped. Raises StorageRefused for one that is missing, or not the one it should be."""
    place = vault.of(state.key_location)
    for name in dict.fromkeys((*state.keys, *state.wrapped)):
        if name not in state.wrapped:
            raise StorageRefused(f"{STATE} has lost the wrapped key: restore it from a copy; it contains no secret")
        key = place.unwrapped(state.wrapped[name])
        if digest(key) != name:
            raise StorageRefused(f"Vault unwrapped a different key from this home's: restore {STATE} from a copy")
        yield key


def read_keys(key_location: str) -> list[bytes]:
    """Read the keys in a file or the keyring. Raises StorageRefused for what is no list of keys."""
    name = key_location.removeprefix("keyring:")
    text = _keyring().get_password(SERVICE, name) if _in_keyring(key_location) else _file(key_location)
    try:
        keys = [bytes.fromhex(one) for one in json.loads(text or "[]")]
    except (ValueError, TypeError) as error:
        raise StorageRefused(f"{key_location} does not contain AgentOS keys: put the right one back") from error
    return [key for key in keys if len(key) == KEY_BYTES]


def write_keys(key_location: str, keys: Sequence[bytes]) -> None:
    """Write keys to a file or the keyring, replacing what was there. Raises OSError, StorageRefused."""
    text = json.dumps([key.hex() for key in keys])
    if _in_keyring(key_location):
        _keyring().set_password(SERVICE, key_location.removeprefix("keyring:"), text)
        return
    write_private(Path(key_location), f"{text}\n".encode())


def accompany(database: Path, folder: Path) -> None:
    """Record beside a copy of a home's file, in another folder, which key it is under.

    Raises OSError, StorageRefused, Conflict where the folder has files under the keys of another home.
    """
    home = home_of(database)
    state = None if home is None else read(home)
    if state is not None and folder.absolute() != home:
        there = read(folder)
        known = {digest(key) for key in read_keys(state.key_location)}  # older copies there are under older keys
        if there is not None and known.isdisjoint(there.keys):
            raise Conflict(f"{folder} has another encrypted home's files: name another folder")
        write(folder, state)


def digest(key: bytes) -> str:
    """Return the name of a key, which says nothing of it."""
    return hashlib.sha256(b"agentos encryption 1\n" + key).hexdigest()[:32]


def fresh() -> bytes:
    """Return a key by chance."""
    return os.urandom(KEY_BYTES)


def derived_key(passphrase: str, salt: bytes) -> bytes:
    """Return the key of a passphrase, by Argon2id (RFC 9106). Takes a second. Raises InvalidInput for a short one."""
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    if len(passphrase) < LEAST_PASSPHRASE:
        raise InvalidInput("passphrase", f"needs at least {LEAST_PASSPHRASE} characters")
    kdf = Argon2id(salt=salt, length=KEY_BYTES, iterations=PASSES, lanes=LANES, memory_cost=MEMORY_KIB)
    return kdf.derive(passphrase.encode())


def _in_keyring(key_location: str) -> bool:
    return key_location.startswith("keyring:")


def _file(key_location: str) -> str:
    """Return what a key file contains, "" where there is none. Raises OpenToOthers where others can read it."""
    try:
        with foreign_files.opened(Path(key_location)) as file:  # not a pipe, for which it would wait
            mode, text = os.fstat(file.fileno()).st_mode, file.read(LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
    if os.name == "posix" and mode & OTHERS:
        raise OpenToOthers(key_location, mode)
    return text


def _keyring() -> Any:
    try:
        import keyring
    except ImportError as error:
        raise StorageRefused("the system's keyring needs the package keyring: pip install keyring") from error
    return keyring
