"""Another project's memory, run by the Python it is installed in: a line of JSON is a request, a line the answer.

This file needs the standard library and the peer alone. Requests: {"do": "fill", "store", "items"} → {"filled"};
{"do": "search", "query", "depth"} → {"ids"}. While it works on one, the peer may ask for vectors:
{"embed": [text, …]} → {"vectors": [[…], …]}. An {"error"} ends the conversation.
"""

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TextIO

Vectors = list[list[float]]
Embed = Callable[[Sequence[str]], Vectors]


class Peer(Protocol):
    """The methods of a peer."""

    def fill(self, store: str, items: Sequence[dict[str, Any]]) -> None: ...
    def search(self, query: str, depth: int) -> list[str]: ...


class Mem0:
    """mem0 without inference: every item is stored as it is (`infer=False`), in its default store, Qdrant, on disk."""

    def __init__(self, folder: Path, embed: Embed, dimension: int) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "not used"}
        from mem0 import Memory

        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(folder / "qdrant"), "embedding_model_dims": dimension, "on_disk": True},
                },
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Mem0Embedder(embed)
        self._ids: dict[str, str] = {}
        self._user = ""

    def fill(self, store: str, items: Sequence[dict[str, Any]]) -> None:
        self._user = store
        for item in items:
            message = {"role": "user", "content": item["content"]}
            added = self._memory.add(
                [message], user_id=store, metadata={"occurred_at": item["occurred_at"]}, infer=False
            )
            self._ids[added["results"][0]["id"]] = item["id"]

    def search(self, query: str, depth: int) -> list[str]:
        found = self._memory.search(query, top_k=depth, filters={"user_id": self._user}, threshold=0.0)
        return [self._ids[hit["id"]] for hit in found["results"]]


class _Mem0Embedder:
    """The interface of mem0's embedding models."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._embed([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> Vectors:
        return self._embed(list(texts))


class McpMemoryService:
    """mcp-memory-service's own storage (sqlite-vec) and hybrid search; its removal of similar texts is off."""

    def __init__(self, folder: Path, embed: Embed, dimension: int) -> None:
        os.environ |= {"MCP_MEMORY_BASE_DIR": str(folder), "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec"}
        from mcp_memory_service.models.memory import Memory
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        class Storage(SqliteVecMemoryStorage):  # type: ignore[misc]  # untyped, and not installed beside us
            async def _initialize_embedding_model(self) -> None:
                self.embedding_model = _SentenceEncoder(embed)
                self.embedding_dimension = dimension

        self._memory, self._storage = Memory, Storage
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._open: Any = None
        self._ids: dict[str, str] = {}

    def fill(self, store: str, items: Sequence[dict[str, Any]]) -> None:
        self._ids = {}
        self._loop.run_until_complete(self._fill(self._folder / f"{len(list(self._folder.iterdir()))}.db", items))

    async def _fill(self, path: Path, items: Sequence[dict[str, Any]]) -> None:
        if self._open is not None:
            await self._open.close()
        self._open = self._storage(str(path))
        await self._open.initialize()
        for item in items:
            digest = hashlib.sha256(item["content"].encode()).hexdigest()
            if digest in self._ids:
                continue
            memory = self._memory(content=item["content"], content_hash=digest, created_at_iso=item["occurred_at"])
            done, problem = await self._open.store(memory, skip_semantic_dedup=True)
            if not done:
                raise RuntimeError(f"{item['id']} was not stored: {problem}")
            self._ids[digest] = item["id"]

    def search(self, query: str, depth: int) -> list[str]:
        found = self._loop.run_until_complete(self._open.retrieve_hybrid(query, depth))
        return [self._ids[hit.memory.content_hash] for hit in found]


class _SentenceEncoder:
    """The part of sentence-transformers' interface that mcp-memory-service uses."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def encode(self, texts: Sequence[str], convert_to_numpy: bool = False) -> Any:
        vectors = self._embed(list(texts))
        if not convert_to_numpy:
            return vectors
        import numpy as np

        return np.asarray(vectors, dtype=np.float32)


PEERS: dict[str, Callable[[Path, Embed, int], Peer]] = {"mem0": Mem0, "mcp-memory-service": McpMemoryService}


def serve(name: str, folder: Path, dimension: int, requests: TextIO, answers: TextIO) -> None:
    """Answer requests until there are no more."""

    def say(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    def embed(texts: Sequence[str]) -> Vectors:
        say({"embed": list(texts)})
        vectors: Vectors = json.loads(requests.readline())["vectors"]
        return vectors

    try:
        peer = PEERS[name](folder, embed, dimension)
        say({"ready": name})
        while line := requests.readline():
            request = json.loads(line)
            if request["do"] == "fill":
                peer.fill(request["store"], request["items"])
                say({"filled": request["store"]})
            else:
                say({"ids": peer.search(request["query"], request["depth"])})
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is told to who measures it
        say({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the peer's output must not be taken for an answer
    serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.stdin, out)
