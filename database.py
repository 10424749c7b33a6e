"""Opens the storage and the embedding model that the settings ask for; the only file that knows the kinds."""

from .config import Settings
from .modules.clock import Clock
from .modules.memory.ports import Embedder, VectorIndex
from .storage.embedded.store import EmbeddedStore
from .storage.embedding.lazy import LazyEmbedder, NoEmbedder
from .storage.embedding.loader import load_encoder


async def open_store(settings: Settings, clock: Clock) -> EmbeddedStore:
    """Open the store. Raises StorageUnavailable or StorageRefused, each with its remedy."""
    return await EmbeddedStore.open(
        settings.home, settings.database, clock, allow_network_home=settings.allow_network_home
    )


def open_embedder(settings: Settings) -> Embedder:
    """The embedding model, loaded at first use; without one, search answers from the text index."""
    if settings.embedding_model == "none":
        return NoEmbedder()
    return LazyEmbedder(lambda: load_encoder(settings.embedding_model, settings.offline, settings.home / "models"))


def vector_index(store: EmbeddedStore, settings: Settings) -> VectorIndex:
    """The derived vector index, not yet opened; only the daemon may open it."""
    return store.vector_index(settings.chroma)
