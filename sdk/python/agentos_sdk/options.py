"""What a client is made with."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .errors import WrongOption

DEFAULT_URL = "http://127.0.0.1:8420"
TIMEOUT_S = 65.0
"""A little more than the server takes for a request at most."""
_VISIBLE = re.compile(r"[\x21-\x7e]{1,4096}")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Where the server is, as whom to ask, and how patiently. Times are in seconds."""

    url: str
    key: str = field(repr=False)
    namespace: str | None = None
    timeout: float = TIMEOUT_S
    retries: int = 3
    max_wait: float = 30.0
    headers: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None

    def __post_init__(self) -> None:
        if not _VISIBLE.fullmatch(self.key):
            raise WrongOption("key: give the secret of `agentos keys create`, or set AGENTOS_KEY")
        for name, least in (("timeout", 0.001), ("retries", 0), ("max_wait", 0)):
            if not getattr(self, name) >= least:
                raise WrongOption(f"{name}: must not be less than {least}")

    @classmethod
    def of(cls, url: str | None, key: str | None, **further: object) -> "Options":
        """Return options, with the environment's address and key where none is given. Raises WrongOption."""
        given = os.environ.get("AGENTOS_URL") or DEFAULT_URL if url is None else url
        secret = os.environ.get("AGENTOS_KEY", "") if key is None else key
        return cls(url=_base(given), key=secret, **further)  # type: ignore[arg-type]


def _base(url: str) -> str:
    """Return the address that paths are appended to."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise WrongOption(f"url: {url!r} is no address; it looks like {DEFAULT_URL}")
    if parts.username or parts.password:
        raise WrongOption("url: give the key as `key`, not in the address")
    if parts.query or parts.fragment:
        raise WrongOption(f"url: {url!r} must end with its path")
    return url.rstrip("/")
