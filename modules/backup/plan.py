"""A restore that was asked for while the store is in use: the next start of the daemon carries it out, once."""

import contextlib
import json
import os
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from .. import private_files
from ..clock import Clock
from ..errors import AgentOSError, Conflict
from ..records import dataclass
from .service import BackupService

ASKED, BEGUN, ENDED = "restore.asked", "restore.begun", "restore.ended"
_MOST_BYTES = 10_000


@dataclass(frozen=True)
class PlannedRestore:
    """A planned restore: what, by whom and when requested, and finally the result."""

    backup: str
    by: str
    asked_at: str
    done: bool = False
    result: str = ""


class RestorePlan:
    """Keeps the plan in files of the home: asked → begun → ended. Blocks."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def ask(self, backup: str, by: str, at: datetime) -> None:
        """Plan a restore. Raises Conflict where one is planned already."""
        try:
            with private_files.appearing(self._home / ASKED) as file:
                file.write(_written(PlannedRestore(backup, by, at.isoformat())))
        except FileExistsError:
            raise Conflict("a restore is planned already: the next start of the daemon carries it out") from None

    def take(self) -> PlannedRestore | None:
        """Begin what is planned, in one process of many; None where nothing is, or where it cannot be read."""
        begun = self._home / BEGUN
        try:
            os.replace(self._home / ASKED, begun)
        except FileNotFoundError:
            return None
        return _read(begun)

    def end(self, plan: PlannedRestore) -> None:
        """Write down what came of it."""
        ended = self._home / ENDED
        with contextlib.suppress(FileNotFoundError):
            ended.unlink()
        with private_files.appearing(ended) as file:
            file.write(_written(plan))
        with contextlib.suppress(FileNotFoundError):
            (self._home / BEGUN).unlink()

    def last(self) -> PlannedRestore | None:
        """Return the last restore that was planned here, with what came of it."""
        if (begun := _read(self._home / BEGUN)) is not None:
            return PlannedRestore(begun.backup, begun.by, begun.asked_at, False, "it was started but has not finished")
        return _read(self._home / ENDED)


async def carry_out(plan: RestorePlan, backups: BackupService, clock: Clock) -> PlannedRestore | None:
    """Restore what was asked for, before anything is opened; a failure changes nothing, and is written down."""
    asked = plan.take()
    if asked is None:
        return None
    try:
        done = await backups.restore(Path(asked.backup))
        aside = f"; the previous database is kept as {Path(done.replaced).name}" if done.replaced else ""
        ended = PlannedRestore(
            asked.backup, asked.by, asked.asked_at, True, f"restored {clock():%Y-%m-%d %H:%M}{aside}"
        )
    except AgentOSError as error:
        ended = PlannedRestore(asked.backup, asked.by, asked.asked_at, False, str(error))
    plan.end(ended)
    return ended


def _written(plan: PlannedRestore) -> bytes:
    return json.dumps(asdict(plan), ensure_ascii=False).encode("utf-8", "replace")


def _read(path: Path) -> PlannedRestore | None:
    try:
        descriptor = private_files.open_own(path, os.O_RDONLY)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        try:
            return PlannedRestore(**json.loads(file.read(_MOST_BYTES)))
        except (ValueError, TypeError):
            return None
