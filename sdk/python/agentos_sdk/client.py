"""The client for programs without `async`."""
# Written by packaging/write_sdk.py from async_client.py: do not edit.

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from .connection import Connection
from .events import RECONNECT_FOR_S, ChangeEvent
from .generated import types
from .generated.resources import Operations
from .lines import Lines, row_of
from .options import TIMEOUT_S, Options


class Client(Operations):
    """The memory of an AgentOS server. One client serves a whole program, in any of its threads.

    `url` and `key` default to AGENTOS_URL (else http://127.0.0.1:8420) and AGENTOS_KEY; `namespace` to the key's own.
    Times are seconds: `timeout` is how long the server may be silent, `max_wait` the longest Retry-After that is waited
    for. A call is tried again `retries` times where that can do no harm. Give an own `http` for proxies and client
    certificates. Raises WrongOption.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        namespace: str | None = None,
        timeout: float = TIMEOUT_S,
        retries: int = 3,
        max_wait: float = 30.0,
        headers: Mapping[str, str] | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        options = Options.of(
            url,
            key,
            namespace=namespace,
            timeout=timeout,
            retries=retries,
            max_wait=max_wait,
            headers=dict(headers or {}),
        )
        self._connection = Connection(options, http or httpx.Client())
        super().__init__(self._connection)

    def with_options(self, **changes: Any) -> Self:
        """Return a client to the same server with another `namespace`, `timeout`, `retries`, `max_wait`, `headers`, or
        with an `idempotency_key` for one call. They share their connections. Raises WrongOption, TypeError.
        """
        other = copy.copy(self)
        other._connection = other._caller = self._connection.with_options(**changes)
        return other

    def call(self, operation: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Call an operation by its name in /openapi.json. Raises AgentOSError."""
        return self._connection.call(operation, arguments or {})

    def events(
        self,
        *,
        cursor: int | None = None,
        types: list[str] | None = None,
        namespace: str | None = None,
        reconnect_for: float = RECONNECT_FOR_S,
    ) -> Iterator[ChangeEvent]:
        """Yield every change from now on, or after `cursor`, also over restarts of the server.

        `reconnect_for` is for how many seconds a server that is away is asked again. Raises AgentOSError.
        """
        return self._connection.follow({"types": types, "namespace": namespace}, cursor, reconnect_for)

    def export(self, *, namespace: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield what the key may read as the rows of a bundle. Raises AgentOSError."""
        lines = Lines()
        for part in self.export_bytes(namespace=namespace):
            for line in filter(None, lines.take(part)):
                yield row_of(line)
        if rest := lines.rest():
            yield row_of(rest)

    def export_bytes(self, *, namespace: str | None = None) -> Iterator[bytes]:
        """Yield what the key may read as the bytes of a bundle, to be kept in a file. Raises AgentOSError."""
        return self._connection.stream("export_bundle", {"namespace": namespace})

    def import_bundle(self, bundle: bytes | Path, *, dry_run: bool = False) -> types.ImportReport:
        """Import a bundle; what is known already is left as it is. A dry run only reports. Raises AgentOSError."""
        report: types.ImportReport = self._connection.call("import_bundle", {"dry_run": dry_run}, bundle)
        return report

    def attach_file(
        self,
        name: str,
        file: bytes | Path,
        *,
        caption: str = "",
        source: str = "",
        tags: list[str] | None = None,
        anyway: bool = False,
        namespace: str | None = None,
    ) -> types.Attached:
        """Keep a file with a memory of its caption, name and text. The same again changes nothing. Raises AgentOSError.

        `anyway` keeps also one whose text holds secrets.
        """
        given = {
            "name": name,
            "caption": caption,
            "source": source,
            "tags": tags,
            "anyway": anyway,
            "namespace": namespace,
        }
        attached: types.Attached = self._connection.call("attach_file", given, file)
        return attached

    def attachment_bytes(
        self, memory_id: str, *, file: str | None = None, namespace: str | None = None
    ) -> Iterator[bytes]:
        """Yield the bytes of a memory's file; of several, the one whose hash begins with `file`. Raises AgentOSError."""
        given = {"memory_id": memory_id, "file": file, "namespace": namespace}
        return self._connection.stream("get_attachment", given)

    def close(self) -> None:
        """Close the connections, of every client that shares them."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
