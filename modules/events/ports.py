"""The ports of events: their delivery to a handler, and the secret of the home."""

from collections.abc import Mapping
from typing import Any, Protocol


class Delivery(Protocol):
    """A queued task that gives one event to one handler."""

    @property
    def namespace(self) -> str: ...
    @property
    def payload(self) -> Mapping[str, Any]: ...


class HomeSecret(Protocol):
    """The random key of a home, which nobody is shown."""

    def read(self) -> bytes:
        """Return it, made at the first call. Blocks. Raises StorageUnavailable."""
