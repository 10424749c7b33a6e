"""A Chroma server in place of the child process: the same calls, over HTTP, each with a bound in time and size.

A home has a database of its own on the server, named by a random id that a note in the index's folder keeps:

    <folder>/server.json    {"owner": …, "inode": …, "url": …, "build": …, "deleted": …}

In it lies a collection for each build, namespace and generation. A build takes the place of the one before when the
note names it. A copied home finds the inode of another folder in its note, and begins a database of its own.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ...modules import foreign_files
from ...modules.records import dataclass
from .. import outside
from ..embedding.private_file import write_private
from .chroma_process import ChromaFailed

if TYPE_CHECKING:
    from httpx2 import AsyncClient

URL_SETTING, TOKEN_SETTING = "AGENTOS_CHROMA_URL", "AGENTOS_CHROMA_TOKEN"
UNREACHABLE = "Unreachable"
"""The kind of a failure that no rebuild cures."""
QUERY_S = 0.9
"""How long a search waits for the server; a little less than it waits for any index."""
CALL_S = 30.0
ASK_AGAIN_S = 5.0
"""How long no search asks a server that has failed."""
COUNT_AGAIN_S = 60.0
"""How long the count of a collection holds that we did not change."""
ANSWER_BYTES_MAX = 64 * 2**20
COLLECTIONS_A_PAGE = 500
PAGES_MAX = 2_000
TENANT = "default_tenant"
HNSW = {"space": "cosine", "max_neighbors": 16, "ef_construction": 100, "ef_search": 100}
_NOTE = "server.json"
_GONE = 404
_TAKEN = 409


@dataclass(frozen=True)
class ChromaAddress:
    """A Chroma server's address and its token, which is sent to no one else, and whether AgentOS is offline."""

    url: str
    token: str = field(default="", repr=False)
    offline: bool = True

    def why_not(self) -> str | None:
        """Return why the server may not be asked, with the remedy; None if it may."""
        return outside.why_not(self.url, URL_SETTING, offline=self.offline)

    def open_client(self) -> AsyncClient:
        """Return a client for requests to it."""
        headers = {"Authorization": f"Bearer {self.token}", "X-Chroma-Token": self.token} if self.token else {}
        return outside.open_client(self.url, headers, CALL_S)


@dataclass(frozen=True)
class _Note:
    owner: str
    inode: int
    url: str
    build: str = ""
    deleted: int = 0


class ChromaServer:
    """Implements `chroma_index.Chroma` over a server's API (version 2). Calls to it may run side by side."""

    def __init__(self, address: ChromaAddress, folder: Path) -> None:
        self._address = address
        self._folder = folder
        self._forbidden = address.why_not()
        self._note: _Note | None = None
        self._fresh = ""
        self._client: AsyncClient | None = None
        self._collections: dict[str, str] = {}
        self._counts: dict[str, tuple[float, int]] = {}
        self._ask_again_at = 0.0
        self._closed = False
        self._calls: Mapping[str, Callable[..., Awaitable[Any]]] = {
            "open": self._open,
            "begin": self._begin,
            "commit": self._commit,
            "upsert": self._upsert,
            "delete": self._delete,
            "query": self._query,
            "count": self._count,
        }

    @property
    def pid(self) -> int | None:
        """A number while it may be asked: the server itself starts and ends as it likes."""
        return None if self._closed else 1

    @property
    def late(self) -> bool:
        """Return whether it failed a moment ago, so that no search should wait for it."""
        return time.monotonic() < self._ask_again_at

    async def call(self, name: str, *arguments: Any) -> Any:
        """Return the server's answer. Raises ChromaFailed, of the kind UNREACHABLE where building anew cannot help."""
        if self._closed or self._forbidden:
            raise ChromaFailed(self._forbidden or "the vector index is closed", UNREACHABLE)
        return await self._calls[name](*arguments)

    def noted(self) -> int | None:
        """Return how many vectors were deleted since the last build; None where none was made on this server."""
        note = _read(self._folder)
        return note.deleted if note is not None and note.url == self._address.url and note.build else None

    async def stop(self) -> None:
        """Close the connections; the next call opens them again."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def close(self) -> None:
        """Close the connections; later calls are refused."""
        self._closed = True
        await self.stop()

    async def _open(self) -> tuple[bool, int]:
        """Return whether there is a build, and how many vectors were deleted since."""
        note = await asyncio.to_thread(_read, self._folder)
        if note is None or note.url != self._address.url or not note.build:
            return False, 0
        self._note = note
        await self._look()
        return True, note.deleted

    async def _begin(self) -> None:
        """Begin another build, and remove the remains of an interrupted one."""
        note = await asyncio.to_thread(_read, self._folder)
        if note is None or note.url != self._address.url:
            note = await asyncio.to_thread(_begun, self._folder, self._address.url)
        self._note, self._fresh = note, secrets.token_hex(4)
        body = {"name": _database(note)}
        await self._ask("POST", f"/api/v2/tenants/{TENANT}/databases", body, accepted=(200, _TAKEN))
        await self._look()
        await self._drop_all_but(note.build)

    async def _commit(self) -> None:
        """Use the new build from now on, and remove the one before."""
        if not self._fresh:
            raise ChromaFailed("nothing was built")
        note = replace(self._known(), build=self._fresh, deleted=0)
        await asyncio.to_thread(_write, self._folder, note)
        self._note, self._fresh = note, ""
        await self._drop_all_but(note.build)

    async def _upsert(self, fresh: bool, namespace: str, generation: int, ids: list[str], vectors: bytes) -> None:
        size = len(vectors) // len(ids)
        encoded = [base64.b64encode(vectors[i * size : (i + 1) * size]).decode("ascii") for i in range(len(ids))]
        name = self._name(namespace, generation, self._fresh if fresh else self._known().build)
        await self._ask("POST", f"{await self._collection(name)}/upsert", {"ids": ids, "embeddings": encoded})
        self._counts.pop(name, None)

    async def _delete(self, namespace: str, generation: int, ids: list[str]) -> int:
        note = replace(self._known(), deleted=self._known().deleted + len(ids))
        await asyncio.to_thread(_write, self._folder, note)
        self._note = note
        name = self._name(namespace, generation, note.build)
        await self._ask("POST", f"{await self._collection(name)}/delete", {"ids": ids})
        self._counts.pop(name, None)
        return note.deleted

    async def _query(self, namespace: str, generation: int, vector: bytes, limit: int) -> list[tuple[str, float]]:
        import numpy as np

        name = self._name(namespace, generation, self._known().build)
        if name not in self._collections:  # nothing of this namespace was ever indexed
            return []
        body = {
            "query_embeddings": [np.frombuffer(vector, dtype="<f4").tolist()],
            "n_results": limit,
            "include": ["distances"],
        }
        path = f"{self._place}/{self._collections[name]}/query"
        _, answer = await self._ask("POST", path, body, within_s=QUERY_S)
        try:
            pairs = zip(answer["ids"][0], answer["distances"][0], strict=True)
            return [(str(one), 1.0 - float(distance)) for one, distance in pairs]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise self._failed("does not speak Chroma's API") from error

    async def _count(self, generation: int) -> int:
        """Return how many vectors the build holds; what disappeared from the server counts as nothing."""
        await self._look()
        note, now, total = self._known(), time.monotonic(), 0
        for name, place in self._collections.items():
            if not (name.startswith(f"{note.build}-") and name.endswith(f"-g{generation}")):
                continue
            counted_at, count = self._counts.get(name, (0.0, 0))
            if not counted_at or now - counted_at > COUNT_AGAIN_S:
                _, count = await self._ask("GET", f"{self._place}/{place}/count")
                self._counts[name] = (now, int(count))
            total += int(count)
        return total

    @property
    def _place(self) -> str:
        return f"/api/v2/tenants/{TENANT}/databases/{_database(self._known())}/collections"

    def _known(self) -> _Note:
        if self._note is None:
            raise ChromaFailed("the index is not open")
        return self._note

    @staticmethod
    def _name(namespace: str, generation: int, build: str) -> str:
        digest = hashlib.sha256(namespace.encode("utf-8")).hexdigest()[:32]
        return f"{build}-ns-{digest}-g{generation}"

    async def _collection(self, name: str) -> str:
        """Return the path of a collection, which is made where it is missing."""
        if name not in self._collections:
            body = {"name": name, "get_or_create": True, "configuration": {"hnsw": HNSW}}
            _, answer = await self._ask("POST", self._place, body)
            try:
                self._collections[name] = str(answer["id"])
            except (KeyError, TypeError) as error:
                raise self._failed("does not speak Chroma's API") from error
        return f"{self._place}/{quote(self._collections[name], safe='')}"

    async def _look(self) -> None:
        """Learn which collections there are."""
        found: dict[str, str] = {}
        for page in range(PAGES_MAX):
            path = f"{self._place}?limit={COLLECTIONS_A_PAGE}&offset={page * COLLECTIONS_A_PAGE}"
            _, answer = await self._ask("GET", path)
            try:
                found.update({str(one["name"]): str(one["id"]) for one in answer})
            except (KeyError, TypeError) as error:
                raise self._failed("does not speak Chroma's API") from error
            if len(answer) < COLLECTIONS_A_PAGE:
                break
        if found != self._collections:
            self._counts = {name: count for name, count in self._counts.items() if name in found}
        self._collections = found

    async def _drop_all_but(self, build: str) -> None:
        for name in [name for name in self._collections if not (build and name.startswith(f"{build}-"))]:
            await self._ask("DELETE", f"{self._place}/{quote(name, safe='')}", accepted=(200, _GONE))
            del self._collections[name]
            self._counts.pop(name, None)

    async def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        within_s: float = CALL_S,
        accepted: tuple[int, ...] = (200,),
    ) -> tuple[int, Any]:
        """Send one request; return the status and the answer. Raises ChromaFailed."""
        if self._client is None:
            self._client = self._address.open_client()
        try:
            status, answer = await outside.exchange(
                self._client, method, self._address.url + path, body, within_s, ANSWER_BYTES_MAX
            )
        except outside.NoAnswer as error:
            raise self._failed(str(error)) from None
        except outside.EndlessAnswer:
            raise self._failed("sends an answer that does not end") from None
        if status == _GONE and status not in accepted:
            raise ChromaFailed("a collection is gone from the Chroma server", "NotFound")
        if status not in accepted:
            remedy = f": check {TOKEN_SETTING}" if status in (401, 403) else ""
            raise self._failed(f"answers {status}{remedy}")
        self._ask_again_at = 0.0
        try:
            return status, await asyncio.to_thread(json.loads, answer) if answer else None
        except (ValueError, RecursionError) as error:
            raise self._failed("does not speak Chroma's API") from error

    def _failed(self, problem: str) -> ChromaFailed:
        self._ask_again_at = time.monotonic() + ASK_AGAIN_S
        return ChromaFailed(f"the Chroma server {problem}", UNREACHABLE)


async def heartbeat(address: ChromaAddress) -> str:
    """Return the version of the server that answers at an address. Raises ChromaFailed."""
    client = address.open_client()
    try:
        for path in ("/api/v2/heartbeat", f"/api/v2/tenants/{TENANT}/databases", "/api/v2/version"):
            status, answer = await outside.exchange(client, "GET", address.url + path, None, CALL_S, ANSWER_BYTES_MAX)
            if status != 200:
                remedy = TOKEN_SETTING if status in (401, 403) else URL_SETTING
                raise ChromaFailed(f"the Chroma server answers {status}: check {remedy}", UNREACHABLE)
        return answer.decode("utf-8", "replace").strip().strip('"')[:40]
    except outside.NoAnswer as error:
        raise ChromaFailed(f"the Chroma server {error}", UNREACHABLE) from None
    except outside.EndlessAnswer:
        raise ChromaFailed("the Chroma server sends an answer that does not end", UNREACHABLE) from None
    finally:
        await client.aclose()


def _database(note: _Note) -> str:
    return f"agentos-{note.owner}"


def _read(folder: Path) -> _Note | None:
    """Return the note of this folder; None where there is none, or only the copy of another folder's."""
    try:
        note = _Note(**json.loads(foreign_files.text(folder / _NOTE, foreign_files.MiB)))
        known = all(map(str.isalnum, (note.owner, note.build or "0"))) and note.deleted >= 0
        return note if known and note.inode == folder.stat().st_ino else None
    except (OSError, ValueError, TypeError):
        return None


def _begun(folder: Path, url: str) -> _Note:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    note = _Note(secrets.token_hex(8), os.stat(folder).st_ino, url)
    _write(folder, note)
    return note


def _write(folder: Path, note: _Note) -> None:
    write_private(folder / _NOTE, json.dumps(asdict(note)).encode("utf-8"))
