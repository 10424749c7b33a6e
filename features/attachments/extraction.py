"""Asks a process of its own for the text of a file."""

import asyncio
import contextlib
import importlib.metadata
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from ...modules import foreign_files
from ...modules.plugins.loading import READERS as GROUP
from .kinds import DOCX, PDF, TEXT
from .models import Read

WITHIN_S = 45.0
MOST_ANSWER = 1024 * 1024
_PACKAGE = Path(__file__).resolve().parents[2]
_RUN = (
    "import sys, types; package = types.ModuleType('agentos'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['agentos'] = package; from agentos.features.attachments.reading import main; main(sys.argv[2])"
)


class TextReader:
    """Reads one file at a time, so that many at once do not take all memory."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def read(self, media_type: str, data: bytes) -> Read:
        """Return what a file says, of a plain text all; a file that takes too long or too much only has no text."""
        if media_type == TEXT:
            return Read(await asyncio.to_thread(foreign_files.decoded, data))  # no library looks into it
        if media_type not in (PDF, DOCX) and not await asyncio.to_thread(_has_readers):
            return Read()
        async with self._turn:
            try:
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-P", "-c", _RUN, str(_PACKAGE), media_type,
                    stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=_PACKAGE.anchor, limit=MOST_ANSWER,
                )  # fmt: skip
            except OSError as error:
                return Read(problem=f"its text cannot be read: {error.strerror}")
            return await _answer(process, data)


async def _answer(process: Process, data: bytes) -> Read:
    try:
        async with asyncio.timeout(WITHIN_S):
            told, _ = await process.communicate(data)
        found = json.loads(told[:MOST_ANSWER])
        return Read(str(found["text"]), str(found["problem"]))
    except TimeoutError:
        return Read(problem=f"reading its text takes longer than {WITHIN_S:.0f} s")
    except (ValueError, KeyError, TypeError):
        return Read(problem="reading its text takes too much memory or time")
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _has_readers() -> bool:
    return bool(importlib.metadata.entry_points(group=GROUP))
