"""The mirror that the settings name, and what the home keeps of it."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...config import Settings
from ...modules.agentos import AgentOS

if TYPE_CHECKING:
    from .ledger import MirrorLedger
    from .service import MirrorService


def ledger_of(settings: Settings) -> "MirrorLedger | None":
    """Return what the home keeps of its Markdown mirror; None where the settings want none."""
    if not settings.mirror:
        return None
    from .ledger import MirrorLedger

    return MirrorLedger(settings.home, f"{settings.mirror} {settings.mirror_namespace}")


def mirror_of(agentos: AgentOS, settings: Settings) -> "MirrorService | None":
    """Return the Markdown mirror of one namespace; None where the settings want none."""
    ledger = ledger_of(settings)
    if ledger is None:
        return None
    from .folder import MirrorFolder
    from .service import MirrorService

    folder = MirrorFolder(Path(settings.mirror), settings.max_content_bytes)
    return MirrorService(settings.mirror_namespace, agentos.memory, agentos.lifecycle, agentos.events, folder, ledger)
