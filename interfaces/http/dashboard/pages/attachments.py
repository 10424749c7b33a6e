"""Files: what is attached to memories, pictures as they look, and the bytes of one."""

from collections.abc import Sequence

from starlette.responses import StreamingResponse

from .....modules.attaching import MOST_SHOWN, Attachment
from .....modules.errors import NotFound
from ...rest.attachments import streamed
from ..paging import adjacent, asked
from ..visit import Shown, Visit

FILE = "file/"
"""The beginning of the paths of files themselves."""
PAGE = 24
SANDBOX = "default-src 'none'; sandbox"
FEATURE = "attachments"


async def show(visit: Visit, path: str) -> Shown:
    """Show the files of the namespace, the newest first. Raises NotFound, InvalidInput."""
    _require(visit)
    number = asked(visit)
    found = await visit.agentos.attachments().all(visit.namespace, PAGE + 1, (number - 1) * PAGE)
    earlier, later = adjacent(visit, "/attachments", number, has_more=len(found) > PAGE)
    texts = {one.id: one.content for one in await visit.agentos.browsing.named(visit.namespace, _ids(found))}
    return Shown(
        "attachments.html",
        {
            "files": found[:PAGE],
            "texts": texts,
            "most_shown": MOST_SHOWN,
            "earlier": earlier,
            "later": later,
            "may_write": visit.may_write,
        },
    )


async def file(visit: Visit, path: str) -> StreamingResponse:
    """Return a file itself, by the memory and its hash. Raises NotFound."""
    _require(visit)
    memory_id, _, content_hash = path.removeprefix(FILE).partition("/")
    if not content_hash:
        raise NotFound(visit.text("errors.no_page"))
    found = streamed(*await visit.agentos.attachments().get(visit.namespace, memory_id, content_hash))
    headers = {**found.headers, "content-security-policy": SANDBOX}
    return StreamingResponse(found.chunks, headers=headers, media_type=found.media_type)


async def of_memory(visit: Visit, memory_id: str) -> Sequence[Attachment]:
    """Return the files of a memory; none where the feature is off."""
    if FEATURE not in visit.agentos.features:
        return ()
    return await visit.agentos.attachments().of_memory(visit.namespace, memory_id)


def _require(visit: Visit) -> None:
    if FEATURE not in visit.agentos.features:
        raise NotFound(visit.text("errors.no_page"))


def _ids(found: Sequence[Attachment]) -> list[str]:
    return list(dict.fromkeys(one.memory_id for one in found))
