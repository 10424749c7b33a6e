"""ChromaDB: the approximate index derived from the vectors in SQLite; opened by one process only.

It holds vectors and sequence numbers, no text; one collection per namespace and generation of vectors.
Everything in it can be deleted at any time and is built again from SQLite.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ...modules.errors import AgentOSError, StorageUnavailable
from ...modules.memory.models import Candidate, Vector
from ...modules.memory.ports import IndexState
from . import folder
from .index_progress import IndexProgress
from .sqlite import Sqlite
from .vectors import VectorTable

if TYPE_CHECKING:
    from chromadb.api.client import Client

T = TypeVar("T")

BATCH = 500
REBUILD_WHEN_DELETED = 0.2
REBUILD_MIN_DELETED = 1_000

log = logging.getLogger(__name__)


class ChromaIndex:
    """Implements `modules.memory.ports.VectorIndex`. Raises StorageUnavailable when Chroma fails twice."""

    def __init__(self, sqlite: Sqlite, home: Path) -> None:
        self._sqlite = sqlite
        self._home = home
        self._progress = IndexProgress(sqlite, "chroma")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="chroma")
        self._client: Client | None = None
        self._folder: Path | None = None
        self._generation = 0
        self._deleted = 0
        self._closed = False

    async def open(self, generation: int) -> IndexState:
        self._generation = generation
        try:
            await self._open_current()
            if not await self._progress.can_continue(generation):
                await self._rebuild()
            else:
                while await self._apply(BATCH):
                    pass
                if await self._disagrees(await self._count()):
                    log.warning("the vector index disagrees with the database: rebuilding it")
                    await self._rebuild()
        except AgentOSError:
            raise  # the database is busy or gone: the index is not to blame
        except Exception as error:  # noqa: BLE001 - Chroma raises bare RuntimeErrors and Rust panics
            log.warning("the vector index cannot be used (%s): rebuilding it", error)
            await self._rebuild()
        return await self.state()

    async def catch_up(self, limit: int) -> int:
        try:
            applied = await self._apply(limit)
            total = await self._count()
        except AgentOSError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            log.warning("the vector index broke (%s): rebuilding it", error)
            await self._rebuild()
            return 0
        if self._deleted >= max(REBUILD_MIN_DELETED, REBUILD_WHEN_DELETED * total):
            # Chroma's index never shrinks, and deleted vectors stay readable on disk until it is built anew.
            await self._rebuild()
        elif not applied and await self._disagrees(total):
            log.warning("the vector index lost entries: rebuilding it")
            await self._rebuild()
        return applied

    async def state(self) -> IndexState:
        return IndexState(
            self._generation,
            await self._progress.applied(),
            await self._progress.newest(),
            await self._count(),
        )

    async def nearest(self, namespace: str, vector: Vector, limit: int) -> list[Candidate]:
        applied = await self._progress.applied()
        tail = await self._progress.changes(applied, None)
        exact = VectorTable()
        for change in tail:
            if change.namespace == namespace and change.vector is not None:
                exact.put(change.memory_seq, change.vector)
        changed = {change.memory_seq for change in tail}
        found = exact.nearest(vector.data, None, limit)
        found += [
            pair
            for pair in await self._in_thread(self._query, namespace, vector, limit + len(changed))
            if pair[0] not in changed
        ]
        found.sort(key=lambda pair: -pair[1])
        ids = await self._progress.ids([seq for seq, _ in found[:limit]])
        return [Candidate(ids[seq], cosine) for seq, cosine in found[:limit] if seq in ids]

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._in_thread(self._close_client)
            self._thread.shutdown(wait=False)

    async def _disagrees(self, count: int) -> bool:
        """Whether an index of `count` vectors that has applied every change holds other ones than the database."""
        expected = await self._progress.expected_count(self._generation)
        # A change that came meanwhile explains a difference: look again after it is applied.
        return count != expected and await self._progress.applied() == await self._progress.newest()

    async def _apply(self, limit: int) -> int:
        """Bring the next changes into the index; what counts is how a memory stands now, not how it stood."""
        applied = await self._progress.applied()
        changes = await self._progress.changes(applied, limit)
        if not changes:
            return 0
        upserts: dict[str, dict[int, bytes]] = {}
        deletes: dict[str, list[int]] = {}
        for change in changes:
            if change.vector is not None:
                upserts.setdefault(change.namespace, {})[change.memory_seq] = change.vector
            else:
                deletes.setdefault(change.namespace, []).append(change.memory_seq)
        for namespace, vectors in upserts.items():
            await self._in_thread(self._upsert, namespace, vectors)
        for namespace, seqs in deletes.items():
            await self._in_thread(self._delete, namespace, seqs)
            self._deleted += len(seqs)
        await self._progress.advance(self._generation, changes[-1].seq)
        return len(changes)

    async def _rebuild(self) -> None:
        """Build the index anew in a fresh folder, then drop the old one."""
        newest = await self._progress.newest()
        try:
            old = self._folder
            await self._in_thread(self._close_client)
            fresh = self._home / f"index-{secrets.token_hex(6)}"
            await self._in_thread(self._open_client, fresh)
            after = 0
            while batch := await self._progress.vectors_after(self._generation, after, BATCH):
                by_namespace: dict[str, dict[int, bytes]] = {}
                for namespace, seq, data in batch:
                    by_namespace.setdefault(namespace, {})[seq] = data
                for namespace, vectors in by_namespace.items():
                    await self._in_thread(self._upsert, namespace, vectors)
                after = batch[-1][1]
            await self._in_thread(self._make_current, fresh)
            await self._progress.advance(self._generation, newest)
            self._deleted = 0
            if old is not None:
                await self._in_thread(shutil.rmtree, old, True)
        except AgentOSError:
            raise
        except Exception as error:
            raise StorageUnavailable(f"the vector index cannot be built: {error}") from error
        log.info("vector index rebuilt")

    async def _open_current(self) -> None:
        def find() -> Path:
            self._home.mkdir(mode=folder.PRIVATE_FOLDER, parents=True, exist_ok=True)
            pointer = self._home / "CURRENT"
            name = pointer.read_text(encoding="utf-8").strip() if pointer.exists() else ""
            for path in self._home.glob("index-*"):
                if path.name != name:
                    shutil.rmtree(path, ignore_errors=True)
            return self._home / (name or f"index-{secrets.token_hex(6)}")

        current = await self._in_thread(find)
        await self._in_thread(self._open_client, current)
        await self._in_thread(self._make_current, current)

    async def _count(self) -> int:
        return await self._in_thread(self._count_blocking)

    async def _in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(*arguments))

    # What follows runs in the index's own thread.

    def _open_client(self, path: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        path.mkdir(mode=folder.PRIVATE_FOLDER, parents=True, exist_ok=True)
        client = chromadb.PersistentClient(str(path), Settings(anonymized_telemetry=False))
        self._client = cast("Client", client)  # its declared type has no close()
        self._folder = path
        for file in path.iterdir():
            if file.is_file():
                folder.make_private(file)

    def _close_client(self) -> None:
        if self._client is None:
            return
        client, self._client = self._client, None
        try:
            client.close()
        finally:
            from chromadb.api.shared_system_client import SharedSystemClient

            SharedSystemClient.clear_system_cache()

    def _make_current(self, path: Path) -> None:
        pointer = self._home / "CURRENT"
        temporary = pointer.with_suffix(".new")
        folder.make_private(temporary)
        temporary.write_text(path.name, encoding="utf-8")
        temporary.replace(pointer)

    def _collection(self, namespace: str) -> Any:
        if self._client is None:
            raise RuntimeError("the index is closed")
        digest = hashlib.sha256(namespace.encode("utf-8")).hexdigest()[:32]
        return self._client.get_or_create_collection(
            f"ns-{digest}-g{self._generation}",
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine"}},
        )

    def _upsert(self, namespace: str, vectors: dict[int, bytes]) -> None:
        import numpy as np

        collection = self._collection(namespace)
        matrix = np.stack([np.frombuffer(data, dtype="<f4") for data in vectors.values()])
        collection.upsert(ids=[str(seq) for seq in vectors], embeddings=matrix)

    def _delete(self, namespace: str, seqs: Sequence[int]) -> None:
        self._collection(namespace).delete(ids=[str(seq) for seq in seqs])

    def _query(self, namespace: str, vector: Vector, limit: int) -> list[tuple[int, float]]:
        import numpy as np

        collection = self._collection(namespace)
        if not collection.count():
            return []
        answer = collection.query(
            query_embeddings=[np.frombuffer(vector.data, dtype="<f4")], n_results=limit, include=["distances"]
        )
        return [
            (int(seq), 1.0 - float(distance))
            for seq, distance in zip(answer["ids"][0], answer["distances"][0], strict=True)
        ]

    def _count_blocking(self) -> int:
        if self._client is None or self._folder is None or not (self._folder / "chroma.sqlite3").exists():
            raise RuntimeError("the index's folder is gone")
        return sum(
            collection.count()
            for collection in self._client.list_collections()
            if collection.name.endswith(f"-g{self._generation}")
        )
