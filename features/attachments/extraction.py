"""Asks a process of its own for the text of a file."""

import asyncio
import contextlib
import importlib.metadata
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

from ...modules import foreign_files
from ...modules.plugins.loading import READERS as GROUP
from .kinds import DOCX, PDF, TEXT
from .models import MOST_READ, Read

WITHIN_S = 45.0
MOST_OF_A_LINE = 1024 * 1024
CUT_OFF = "reading its text takes too much memory or time"
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
                    stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=_PACKAGE.anchor, limit=MOST_OF_A_LINE,
                )  # fmt: skip
            except OSError as error:
                return Read(problem=f"its text cannot be read: {error.strerror}")
            return await _answer(process, data)


async def _answer(process: Process, data: bytes) -> Read:
    """Return what a process tells of a file until it ends, one way or the other."""
    texts: list[str] = []
    problem = CUT_OFF
    try:
        async with asyncio.timeout(WITHIN_S):
            await _give(process, data)
            async for text, why in _told(process):
                texts.append(text)
                problem = why
    except TimeoutError:
        problem = f"reading its text takes longer than {WITHIN_S:.0f} s"
    except (ValueError, KeyError, TypeError):
        problem = CUT_OFF
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
    return Read("".join(texts)[:MOST_READ], problem)


async def _give(process: Process, data: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has ended: what it told says why
        process.stdin.write(data)
        await process.stdin.drain()
    process.stdin.close()


async def _told(process: Process) -> AsyncIterator[tuple[str, str]]:
    """Yield each piece of the text with the problem that there is if it was the last; at the end the one there is."""
    assert process.stdout is not None
    size = 0
    while size <= MOST_READ and (line := await process.stdout.readline()):
        one = json.loads(line)
        if "problem" in one:
            yield "", str(one["problem"])
            return
        text = str(one["text"])
        size += len(text)
        yield text, CUT_OFF


def _has_readers() -> bool:
    return bool(importlib.metadata.entry_points(group=GROUP))
