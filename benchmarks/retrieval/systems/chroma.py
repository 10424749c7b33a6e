"""ChromaDB by itself, as a project uses it that takes a vector database for its memory."""

from pathlib import Path
from typing import Any

from ..data import Store
from ..embeddings import Embeddings


class Chroma:
    """A collection per store, through ChromaDB's client, cosine distance, all else by default."""

    name = "chromadb"
    batch = 500

    def __init__(self, embeddings: Embeddings, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        self._embeddings = embeddings
        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._stores: dict[str, Any] = {}  # chromadb's Collection, which is untyped here
        self._current = ""

    def fill(self, store: Store) -> None:
        self._current = store.name
        if store.name in self._stores:
            return
        collection = self._client.create_collection(
            f"store-{len(self._stores)}", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        for start in range(0, len(store.items), self.batch):
            items = store.items[start : start + self.batch]
            texts = [item.content for item in items]
            vectors = self._embeddings.vectors(texts)
            collection.add(ids=[item.id for item in items], embeddings=vectors, documents=texts)
        self._stores[store.name] = collection

    def search(self, question: str, depth: int) -> list[str]:
        collection = self._stores[self._current]
        wanted = min(depth, collection.count())
        if not wanted:
            return []
        found = collection.query(query_embeddings=[self._embeddings.query(question)], n_results=wanted, include=[])
        return [str(id_) for id_ in found["ids"][0]]

    def close(self) -> None:
        self._stores.clear()
