"""Files: what is attached to memories, pictures as they look, and the bytes of one."""

from collections.abc import Sequence
from pathlib import Path

from starlette.responses import StreamingResponse

from ...modules.attaching import MOST_SHOWN, Attachment
from ...modules.errors import NotFound
from ..dashboard.pages import DashboardPage
from ..dashboard.paging import adjacent, asked
from ..dashboard.visit import Shown, Visit
from .routes import streamed

PAGE = 24
SANDBOX = "default-src 'none'; sandbox"
TEMPLATE = str(Path(__file__).with_suffix(".html"))


async def show(visit: Visit, path: str) -> Shown:
    """Show the files of the namespace, the newest first. Raises NotFound, InvalidInput."""
    number = asked(visit)
    found = await visit.agentos.attachments().all(visit.namespace, PAGE + 1, (number - 1) * PAGE)
    earlier, later = adjacent(visit, "/attachments", number, has_more=len(found) > PAGE)
    texts = {one.id: one.content for one in await visit.agentos.browsing.named(visit.namespace, _ids(found))}
    return Shown(
        TEMPLATE,
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
    _, memory_id, content_hash = (*path.split("/", 2), "", "")[:3]
    if not content_hash:
        raise NotFound(visit.text("errors.no_page"))
    found = streamed(*await visit.agentos.attachments().get(visit.namespace, memory_id, content_hash))
    headers = {**found.headers, "content-security-policy": SANDBOX}
    return StreamingResponse(found.chunks, headers=headers, media_type=found.media_type)


def _ids(found: Sequence[Attachment]) -> list[str]:
    return list(dict.fromkeys(one.memory_id for one in found))


PAGES = (DashboardPage("attachments", None, show, within="memories"), DashboardPage("file", None, file))
