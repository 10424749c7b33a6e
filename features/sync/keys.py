"""The keys of sync: a secret that a group shares, and the two keys of each device. All from `cryptography`."""

import base64
import hashlib
import secrets
from functools import cached_property

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ...modules.errors import InvalidInput
from ...modules.records import dataclass

SECRET_BYTES, CHECK_BYTES, NONCE_BYTES, TAG_BYTES, PUBLIC_BYTES, SIGNATURE_BYTES = 16, 4, 12, 16, 32, 64
LETTERS_A_GROUP = 4


class Unreadable(Exception):
    """What was not sealed with this key, or was altered since."""


@dataclass(frozen=True)
class DeviceKeys:
    """The two private keys of a device: one signs what it writes, one opens what is sealed for it alone."""

    signing: bytes
    opening: bytes

    @classmethod
    def new(cls) -> "DeviceKeys":
        return cls(secrets.token_bytes(32), secrets.token_bytes(32))

    @cached_property
    def signing_public(self) -> bytes:
        return Ed25519PrivateKey.from_private_bytes(self.signing).public_key().public_bytes_raw()

    @cached_property
    def opening_public(self) -> bytes:
        return X25519PrivateKey.from_private_bytes(self.opening).public_key().public_bytes_raw()

    @cached_property
    def device(self) -> str:
        """The device's id, which follows from its key: nobody else can write under it."""
        return device_of(self.signing_public)

    def sign(self, text: bytes) -> bytes:
        return Ed25519PrivateKey.from_private_bytes(self.signing).sign(text)

    def open(self, sealed: bytes, about: bytes) -> bytes:
        """Return what `seal_for` this device. Raises Unreadable."""
        try:
            other = X25519PublicKey.from_public_bytes(sealed[:PUBLIC_BYTES])
            shared = X25519PrivateKey.from_private_bytes(self.opening).exchange(other)
        except ValueError as error:
            raise Unreadable from error
        return unseal(_derived(shared, about), sealed[PUBLIC_BYTES:], about)


def device_of(signing_public: bytes) -> str:
    """Return the id of the device with this key."""
    return hashlib.sha256(signing_public).hexdigest()[:24]


def is_signed(signing_public: bytes, signature: bytes, text: bytes) -> bool:
    """Return whether the owner of a key signed a text."""
    try:
        Ed25519PublicKey.from_public_bytes(signing_public).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True


def seal_for(opening_public: bytes, text: bytes, about: bytes) -> bytes:
    """Return a text that the owner of a key alone can open."""
    own = X25519PrivateKey.generate()
    shared = own.exchange(X25519PublicKey.from_public_bytes(opening_public))
    return own.public_key().public_bytes_raw() + seal(_derived(shared, about), text, about)


def new_secret() -> bytes:
    """Return a secret for a group."""
    return secrets.token_bytes(SECRET_BYTES)


def group_key(secret: bytes, group: str) -> bytes:
    """Return the key that a group's secret stands for."""
    return _derived(secret, group.encode())


def _derived(secret: bytes, about: bytes) -> bytes:
    return HKDF(SHA256(), 32, salt=about, info=b"agentos sync").derive(secret)


def seal(key: bytes, text: bytes, about: bytes) -> bytes:
    """Return a text that only the key opens, and only together with what it is about."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, text, about)


def unseal(key: bytes, sealed: bytes, about: bytes) -> bytes:
    """Return the text that was sealed. Raises Unreadable."""
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], about)
    except (InvalidTag, ValueError) as error:
        raise Unreadable from error


def phrase_of(secret: bytes) -> str:
    """Return a secret as a phrase to type on another device."""
    letters = base64.b32encode(secret + _check(secret)).decode().rstrip("=")
    return "-".join(letters[at : at + LETTERS_A_GROUP] for at in range(0, len(letters), LETTERS_A_GROUP))


def secret_of(phrase: str) -> bytes:
    """Return the secret that a phrase stands for, however it is spaced. Raises InvalidInput for a mistyped one."""
    letters = "".join(one for one in phrase.upper() if one.isalnum())
    try:
        raw = base64.b32decode(letters + "=" * (-len(letters) % 8))
    except ValueError:
        raw = b""
    secret = raw[:SECRET_BYTES]
    if len(raw) != SECRET_BYTES + CHECK_BYTES or raw[SECRET_BYTES:] != _check(secret):
        raise InvalidInput("phrase", "is mistyped; agentos sync status --phrase shows it on a device that is in")
    return secret


def _check(secret: bytes) -> bytes:
    return hashlib.sha256(b"agentos sync phrase" + secret).digest()[:CHECK_BYTES]
