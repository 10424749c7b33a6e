"""References of the figures: the plainest thing that does the same work, on the same disk and cores."""

import sqlite3
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .corpus import Seeds
from .wire import Wire

BARE_SERVER = """
import asyncio
import mcp.types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

async def tools(ctx, params):
    return types.ListToolsResult(tools=[])

async def main():
    server = Server("bare", version="0", on_list_tools=tools)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

asyncio.run(main())
"""
BARE_SERVER_NAME = "bare server of the mcp SDK"


def bare_server(environment: Mapping[str, str], folder: Path) -> Wire:
    """Start a server of the MCP SDK that does nothing."""
    return Wire([sys.executable, "-c", BARE_SERVER], environment, folder)


class PlainInsert:
    """Inserts a text and a vector's bytes into one SQLite table, fsynced at each commit, in the folder of the store."""

    name = "plain fsynced SQLite insert"

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "plain.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute("CREATE TABLE IF NOT EXISTS memories (content TEXT, vector BLOB)")

    def seconds(self, text: str) -> float:
        """Return the duration of one insert, in seconds."""
        began = time.perf_counter()
        self._connection.execute("INSERT INTO memories VALUES (?, ?)", (text, b"\0" * 1536))
        return time.perf_counter() - began

    def close(self) -> None:
        self._connection.close()


class PlainScan:
    """Embeds the query with the same model, and compares it with all vectors that the store has."""

    name = "embed + plain numpy scan"

    def __init__(self, seeds: Seeds, count: int, *, turns: bool = False) -> None:
        self._encoder = seeds.encoder
        all_vectors = (seeds.paragraph_vectors(number) if turns else [seeds.vector(number)] for number in range(count))
        self.matrix = np.stack([np.frombuffer(data, dtype="<f4") for vectors in all_vectors for data in vectors])

    def seconds(self, text: str, limit: int = 10) -> float:
        """Return the duration of one search, in seconds."""
        began = time.perf_counter()
        [data] = self._encoder.encode([text])
        self.nearest(np.frombuffer(data, dtype="<f4"), limit)
        return time.perf_counter() - began

    def nearest(self, query: NDArray[np.float32], limit: int) -> list[int]:
        """Return the rows nearest by cosine, best first."""
        scores = self.matrix @ query
        top = np.argpartition(-scores, min(limit, len(scores) - 1))[:limit]
        return [int(row) for row in top[np.argsort(-scores[top])]]


class PlainChroma:
    """Inserts the same vectors into a collection of ChromaDB, in batches."""

    name = "plain insertion into ChromaDB"
    batch = 500

    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._collection = self._client.create_collection(
            "plain", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def seconds(self, matrix: NDArray[np.float32]) -> float:
        """Return how long it takes to insert all rows, in seconds."""
        began = time.perf_counter()
        for start in range(0, len(matrix), self.batch):
            rows = matrix[start : start + self.batch]
            self._collection.add(ids=[str(start + row) for row in range(len(rows))], embeddings=rows)
        return time.perf_counter() - began
