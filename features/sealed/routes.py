"""Sealed memories: texts that the client encrypted, found by vectors that it made; the server reads neither."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from ...interfaces.http.rest.operations import Erased, OperationRequest
from ...interfaces.http.rest.route import CREATED, Route, calling
from ...modules.principals.models import Role
from ...modules.records import dataclass
from ...modules.sealed_texts import SealedMemory

Embedding = Annotated[list[float], Field(min_length=1, max_length=4096, description="of one model, the client's")]


@dataclass(frozen=True)
class Sealed:
    """A text as it was stored; `duplicate` where the same one was there already."""

    id: str
    content: str
    created_at: datetime
    duplicate: bool = False
    similarity: float | None = None


@dataclass(frozen=True)
class SealedResults:
    """Sealed memories nearest to a vector, best first."""

    results: tuple[Sealed, ...]


async def store_sealed(
    asked: OperationRequest, *, content: str, embedding: Embedding, namespace: str | None = None
) -> Sealed:
    """Store an opaque text under a vector; the text is never read, searched by words, or shown to models."""
    place = asked.caller.writing(namespace, "namespace")
    stored = await (await asked.agentos()).sealed.store(place, content, embedding)
    return _view(stored.memory, duplicate=stored.duplicate)


async def search_sealed(
    asked: OperationRequest, *, embedding: Embedding, limit: int = 5, namespace: str | None = None
) -> SealedResults:
    """Find the sealed texts whose vectors are nearest."""
    place = asked.caller.reading(namespace, "namespace")
    hits = await (await asked.agentos()).sealed.search(place, embedding, limit)
    return SealedResults(tuple(_view(hit.memory, similarity=hit.similarity) for hit in hits))


async def get_sealed(asked: OperationRequest, *, memory_id: str, namespace: str | None = None) -> Sealed:
    """Read a sealed text."""
    place = asked.caller.reading(namespace, "namespace")
    return _view(await (await asked.agentos()).sealed.get(place, memory_id))


async def delete_sealed(asked: OperationRequest, *, memory_id: str, namespace: str | None = None) -> Erased:
    """Erase a sealed text with its vector."""
    place = asked.caller.writing(namespace, "namespace")
    await (await asked.agentos()).sealed.delete(place, memory_id)
    return Erased(1)


def _view(memory: SealedMemory, *, duplicate: bool = False, similarity: float | None = None) -> Sealed:
    return Sealed(memory.id, memory.content, memory.created_at, duplicate, similarity)


ROUTES = (
    Route("POST", "/sealed", calling(store_sealed, Role.WRITER, changes=True), CREATED),
    Route("POST", "/sealed/search", calling(search_sealed)),
    Route("GET", "/sealed/{memory_id}", calling(get_sealed)),
    Route("DELETE", "/sealed/{memory_id}", calling(delete_sealed, Role.WRITER, removes=True)),
)
