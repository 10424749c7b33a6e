"""Files of memories: listed, sent, fetched, and erased with their memories."""

from collections.abc import AsyncIterator
from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from ...interfaces.http.problems import RETRY_AFTER_S, Problem
from ...interfaces.http.rest.operations import ANY_FILE, CHUNK_BYTES, Erased, OfFunction, OperationRequest, Stream
from ...interfaces.http.rest.route import CREATED, Route, calling, streaming
from ...modules.attaching import MOST_BYTES, Attached, Attachment, MiB
from ...modules.errors import NotFound
from ...modules.principals.models import Role
from ...modules.records import dataclass


@dataclass(frozen=True)
class AttachmentResults:
    """Files of memories, the newest first."""

    results: tuple[Attachment, ...]


async def list_attachments(
    asked: OperationRequest,
    *,
    memory_id: str | None = None,
    limit: Annotated[int, Field(ge=1, le=200)] = 50,
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0,
    namespace: str | None = None,
) -> AttachmentResults:
    """List the files of memories, the newest first, or those of one memory."""
    place = asked.caller.reading(namespace, "namespace")
    service = (await asked.agentos()).attachments()
    if memory_id is not None:
        return AttachmentResults(tuple(await service.of_memory(place, memory_id)))
    return AttachmentResults(tuple(await service.all(place, limit, offset)))


async def attach_file(
    asked: OperationRequest,
    *,
    name: Annotated[str, Field(max_length=120)],
    caption: str = "",
    source: str = "",
    tags: list[str] | None = None,
    anyway: Annotated[bool, Field(description="also a file whose text holds secrets")] = False,
    namespace: str | None = None,
) -> Attached:
    """Keep a file, the request's body, with a memory of its caption, name and text. The same again changes nothing."""
    place = asked.caller.writing(namespace, "namespace")
    kind = asked.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != ANY_FILE:
        raise Problem("unsupported_media_type", f"send the bytes of the file as {ANY_FILE}", connection="close")
    agentos = await asked.agentos()
    agentos.embedding.admit()
    if namespace is None:
        place = await agentos.principals.target(asked.caller, place)
    if asked.behind.uploads.locked():
        raise Problem("overloaded", "many files are being sent just now", retry_after=str(RETRY_AFTER_S))
    async with asked.behind.uploads:
        data = await _received(asked)
        return await agentos.attachments().attach(
            place, name, data, caption=caption, source=source, tags=tags or (), anyway=anyway
        )


async def get_attachment(
    asked: OperationRequest, *, memory_id: str, file: str = "", namespace: str | None = None
) -> Stream:
    """Fetch a memory's file; of several, the one whose hash begins with `file`. Only pictures are shown by browsers."""
    place = asked.caller.reading(namespace, "namespace")
    found, data = await (await asked.agentos()).attachments().get(place, memory_id, file)
    return streamed(found, data)


async def remove_attachment(asked: OperationRequest, *, memory_id: str, namespace: str | None = None) -> Erased:
    """Erase a memory with its files; their bytes go too, unless another memory has the same."""
    place = asked.caller.writing(namespace, "namespace")
    agentos = await asked.agentos()
    if not await agentos.attachments().of_memory(place, memory_id):
        raise NotFound(f"memory {memory_id[:60]!r} has no file; DELETE /api/v1/memories/{{memory_id}} erases it")
    await agentos.memory.delete(place, memory_id)
    return Erased(1)


def streamed(attachment: Attachment, data: bytes) -> Stream:
    """Return a file as an answer: a picture as what it is, anything else as bytes that no browser opens or runs."""
    how = "inline" if attachment.is_picture else "attachment"
    headers = {
        "content-disposition": f"{how}; filename*=UTF-8''{quote(attachment.file_name, '', 'utf-8', 'replace')}",
        "content-length": str(len(data)),
    }
    return Stream(_chunks(data), attachment.media_type if attachment.is_picture else ANY_FILE, headers)


async def _chunks(data: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(data), CHUNK_BYTES):
        yield data[start : start + CHUNK_BYTES]


async def _received(asked: OperationRequest) -> bytes:
    """Return the body. Raises Problem as soon as it is too large."""
    parts: list[bytes] = []
    size = 0
    async for part in asked.body():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise Problem("too_large", f"a file may have {MOST_BYTES // MiB} MiB", connection="close")
    return b"".join(parts)


ROUTES = (
    Route("GET", "/attachments", calling(list_attachments)),
    Route(
        "POST",
        "/attachments",
        OfFunction(attach_file, Role.WRITER, takes_body=ANY_FILE),
        CREATED,
        most_bytes=MOST_BYTES,
    ),
    Route("GET", "/attachments/{memory_id}", streaming(get_attachment, Role.READER, ANY_FILE)),
    Route("DELETE", "/attachments/{memory_id}", calling(remove_attachment, Role.WRITER, removes=True)),
)
