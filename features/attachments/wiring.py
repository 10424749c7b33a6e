"""The files of a store's memories."""

from dataclasses import replace
from functools import cache

from ...config import Settings
from ...modules.agentos import AgentOS
from ...modules.attaching import Attachments
from ...storage.engine.ports import Engine


def with_attachments(agentos: AgentOS, engine: Engine, settings: Settings) -> AgentOS:
    """Return the services with the files of their store."""

    @cache
    def attachments() -> Attachments:
        from .service import AttachmentService

        most_bytes = settings.max_content_bytes
        return AttachmentService.over(engine, agentos.memory, agentos.redactor, most_bytes, agentos.clock)

    return replace(agentos, attachments=attachments)
