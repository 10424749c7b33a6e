"""Keys of homes that HashiCorp Vault's Transit engine wraps: only who may ask Vault now can unwrap one.

The place of such a key is a text: `vault:https://vault.example.com:8200/transit/agentos#/run/secrets/token`, that is
the address, where the engine is mounted, the key's name there, and the file with the token. What Vault wrapped is no
secret. Every failure leaves the home closed. No message has a token, a key or what Vault said.
"""

import base64
import http.client
import ipaddress
import json
import os
import re
import ssl
import stat
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...modules import private_files
from ...modules.errors import InvalidInput, StorageRefused, StorageUnavailable, cause
from ...modules.records import dataclass

PREFIX = "vault:"
KEY_BITS = 256
WITHIN_S = 10.0
"""How long a request may take in all."""
LONGEST_ANSWER, LONGEST_TOKEN = 64 * 1024, 4096
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
_WRAPPED = re.compile(r"vault:v\d{1,9}:[A-Za-z0-9+/=]{1,4000}")
_CLOSED = "the home stays closed, and nothing in it is damaged"


@dataclass(frozen=True)
class Transit:
    """A key of Vault's Transit engine; every method blocks, and raises StorageRefused or StorageUnavailable."""

    host: str
    port: int
    is_secure: bool
    mount: str
    name: str
    token_file: str

    @property
    def place(self) -> str:
        """The place as a text."""
        scheme, host = "https" if self.is_secure else "http", f"[{self.host}]" if ":" in self.host else self.host
        return f"{PREFIX}{scheme}://{host}:{self.port}/{self.mount}/{self.name}#{self.token_file}"

    def fresh(self) -> tuple[bytes, str]:
        """Return a new key by Vault's own chance, and what it is when it is wrapped."""
        data = self._ask("datakey/plaintext", {"bits": KEY_BITS})
        return self._key(data.get("plaintext")), self._wrapped(data.get("ciphertext"))

    def unwrapped(self, wrapped: str) -> bytes:
        """Return the key of what Vault wrapped."""
        return self._key(self._ask("decrypt", {"ciphertext": self._wrapped(wrapped)}).get("plaintext"))

    def wrapped_anew(self, wrapped: str) -> str:
        """Return the same key as Vault wraps it now, with the newest version of its own."""
        return self._wrapped(self._ask("rewrap", {"ciphertext": self._wrapped(wrapped)}).get("ciphertext"))

    def _ask(self, action: str, given: dict[str, Any]) -> dict[str, Any]:
        headers = {"X-Vault-Token": _token(self.token_file), "X-Vault-Request": "true"}
        where, until = f"/v1/{self.mount}/{action}/{self.name}", time.monotonic() + WITHIN_S
        try:
            connection = self._connection()
            try:
                connection.request("POST", where, json.dumps(given).encode(), headers)
                answer = connection.getresponse()
                status, body = answer.status, _bounded(answer, until)
            finally:
                connection.close()
        except (OSError, http.client.HTTPException, UnicodeError) as error:  # the last for a name that no host has
            raise StorageUnavailable(
                f"Vault at {self.host}:{self.port} cannot be reached ({cause(error)}): {_CLOSED}"
            ) from error
        if status != 200:
            raise self._refusal(status)
        try:
            data = json.loads(body)["data"]
        except (ValueError, KeyError, TypeError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise StorageRefused(f"{self.host}:{self.port} does not answer like Vault: {_CLOSED}")
        return data

    def _connection(self) -> http.client.HTTPConnection:
        if self.is_secure:
            return http.client.HTTPSConnection(
                self.host, self.port, timeout=WITHIN_S / 2, context=ssl.create_default_context()
            )
        return http.client.HTTPConnection(self.host, self.port, timeout=WITHIN_S / 2)

    def _refusal(self, status: int) -> StorageUnavailable:
        key = f"{self.mount}/{self.name}"
        if status == 403:
            return StorageRefused(
                f"Vault at {self.host}:{self.port} refuses the token in {self.token_file} for {key} (403): renew it, "
                f"or allow it datakey, decrypt and rewrap; {_CLOSED}"
            )
        if status in (400, 404):
            return StorageRefused(
                f"Vault at {self.host}:{self.port} does not know {key}, or did not wrap this key ({status}): {_CLOSED}"
            )
        sealed = "is sealed or on standby" if status in (429, 472, 473, 503) else "cannot answer"
        return StorageUnavailable(f"Vault at {self.host}:{self.port} {sealed} ({status}): {_CLOSED}")

    def _key(self, text: Any) -> bytes:
        try:
            key = base64.b64decode(text, validate=True)
        except (ValueError, TypeError):
            key = b""
        if len(key) != KEY_BITS // 8:
            raise StorageRefused(f"{self.host}:{self.port} gave no key of {KEY_BITS} bits: {_CLOSED}")
        return key

    def _wrapped(self, text: Any) -> str:
        if not isinstance(text, str) or not _WRAPPED.fullmatch(text):
            raise StorageRefused(f"the wrapped key is invalid: {_CLOSED}")
        return text


def is_place(location: str) -> bool:
    """Return whether a place is a key of Vault."""
    return location.startswith(PREFIX)


def of(location: str) -> Transit:
    """Return the key that a place names. Raises InvalidInput for what is no such place."""
    url, _, token_file = location.removeprefix(PREFIX).partition("#")
    return named(url, token_file)


def named(url: str, token_file: str) -> Transit:
    """Return the key at an address, as https://vault.example.com:8200/transit/agentos. Raises InvalidInput."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or {"https": 443, "http": 8200}.get(parts.scheme, 0)
        plain = parts.username is None and not parts.query and not parts.fragment and url.isprintable()
    except ValueError:
        host, port, plain, parts = "", 0, False, urlsplit("")
    names = parts.path.strip("/").split("/")
    if not (host and port and plain and len(names) == 2 and all(map(_NAME.fullmatch, names))):
        raise InvalidInput(
            "vault", "must be an address, a mount and a key: https://vault.example.com:8200/transit/agentos"
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_of_this_machine(host)):
        raise InvalidInput("vault", "must use https, except on this machine: keys would cross the network unencrypted")
    if not Path(token_file).is_absolute() or not token_file.isprintable() or "#" in token_file:
        raise InvalidInput("token_file", "must be the absolute path of the file with the token")
    mount, name = names
    return Transit(host, port, parts.scheme == "https", mount, name, token_file)


def _is_of_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _token(path: str) -> str:
    """Return the token in a file that others cannot read. Raises StorageRefused."""
    try:
        with os.fdopen(private_files.open_own(Path(path), os.O_RDONLY), "rb") as file:
            mode, text = os.fstat(file.fileno()).st_mode, file.read(LONGEST_TOKEN + 1)
    except OSError as error:
        raise StorageRefused(f"Vault's token is not in {path} ({error.strerror or error}): {_CLOSED}") from error
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise StorageRefused(f"Vault's token in {path} can be read by others: chmod 600 '{path}'; {_CLOSED}")
    token = text.strip().decode("ascii", "replace")
    if not token or len(text) > LONGEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise StorageRefused(f"{path} contains no Vault token: {_CLOSED}")
    return token


def _bounded(answer: http.client.HTTPResponse, until: float) -> bytes:
    """Return the body of an answer that is not too long and does not take too long. Raises OSError."""
    body = b""
    while piece := answer.read1(LONGEST_ANSWER):
        body += piece
        if len(body) > LONGEST_ANSWER or time.monotonic() > until:
            raise OSError("the answer does not end")
    return body
