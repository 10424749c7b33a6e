"""The mirror's passes in the daemon: one a second while people edit, seldom where a pass takes long."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from ...config import Settings
from ...modules.agentos import AgentOS
from ...modules.errors import AgentOSError
from .wiring import mirror_of

if TYPE_CHECKING:
    from .service import MirrorService

INTERVAL_S = 1.0
SHARE = 10
"""A pass that took a second is followed by the next after so many."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def mirroring(agentos: AgentOS, settings: Settings) -> AsyncIterator[None]:
    """Make passes until the end of the context; nothing without a mirror. A pass that is cut off is made again."""
    mirror = mirror_of(agentos, settings)
    if mirror is None:
        yield
        return
    task = asyncio.create_task(_passes(mirror))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _passes(mirror: "MirrorService") -> None:
    reported: set[str] = set()
    while True:
        began = time.monotonic()
        now = await _pass(mirror)
        for problem in sorted(now - reported):
            log.warning("mirror: %s", problem)
        reported = now
        await asyncio.sleep(max(INTERVAL_S, SHARE * (time.monotonic() - began)))


async def _pass(mirror: "MirrorService") -> set[str]:
    """Make one pass, and return what is wrong, in words."""
    try:
        synced = await mirror.sync()
    except (AgentOSError, OSError) as error:
        return {str(error)}
    except Exception:
        log.exception("mirror: a pass failed")
        return set()
    if synced.from_folder or synced.to_folder:
        log.info("mirror: %d changes from the folder, %d to it", synced.from_folder, synced.to_folder)
    if synced.paused is not None:
        return {f"paused: {synced.paused}; agentos mirror resume"}
    return {f"{name}: {why}" for name, why in synced.problems.items()}
