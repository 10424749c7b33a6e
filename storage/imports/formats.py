"""Every format that can be imported, by name, and which one a file or folder has."""

import sqlite3
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ...modules.errors import InvalidInput
from ...modules.portability.models import Record
from ...modules.records import dataclass
from . import agentos_1, basic_memory, claude_mem, git_history, instructions, mem0, server_memory
from .conversations import chatgpt, claude, claude_code, codex, gemini


@dataclass(frozen=True)
class Format:
    """A format of another system: its name, whether a path is of it, and its records."""

    title: str
    is_here: Callable[[Path], bool]
    read: Callable[[Path], Iterable[Record]]


FORMATS: dict[str, Format] = {
    "agentos-1": Format("AgentOS 1.0 database", agentos_1.is_here, agentos_1.read),
    "claude-mem": Format("claude-mem database", claude_mem.is_here, claude_mem.read),
    "server-memory": Format("MCP server-memory (JSON lines)", server_memory.is_here, server_memory.read),
    "claude-code": Format("transcripts of Claude Code", claude_code.is_here, claude_code.read),
    "codex": Format("transcripts of Codex", codex.is_here, codex.read),
    "gemini-cli": Format("transcripts of Gemini CLI", gemini.is_here, gemini.read),
    "chatgpt": Format("export of ChatGPT", chatgpt.is_here, chatgpt.read),
    "claude": Format("export of Claude", claude.is_here, claude.read),
    "mem0": Format("mem0 export (JSON)", mem0.is_here, mem0.read),
    "basic-memory": Format("basic-memory notes (Markdown)", basic_memory.is_here, basic_memory.read),
    "instructions": Format("CLAUDE.md, AGENTS.md, Cursor rules", instructions.is_here, instructions.read),
    "git": Format("git history", git_history.is_here, git_history.read),
}
"""In the order in which a path is tried."""

_UNREADABLE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    sqlite3.Error,
)
"""What reading raises where a file is not what it looks like; in other systems' files any value may be anything."""


def _none() -> Mapping[str, Format]:
    return {}


class FileImports:
    """Implements `modules.portability.ports.ImportSource`; `further` returns formats beside the built-in ones."""

    def __init__(self, further: Callable[[], Mapping[str, Format]] = _none) -> None:
        self._further = further

    def entries(self, path: Path, name: str | None) -> tuple[str, list[Record]]:
        if not path.exists():
            raise InvalidInput("file", f"there is no {path}")
        if not (path.is_file() or path.is_dir()):
            raise InvalidInput("file", f"{path} is neither a regular file nor a folder")
        formats = {**FORMATS, **self._further()}
        if name is not None and name not in formats:
            raise InvalidInput("from", f"is unknown; give one of {', '.join(formats)}")
        chosen = name
        try:
            chosen = name or next((one for one, kind in formats.items() if kind.is_here(path)), None)
            if chosen is None and path.suffix == ".zip" and not zipfile.is_zipfile(path):
                raise InvalidInput("file", f"{path} is damaged: download it again")
            if chosen is None:
                raise InvalidInput("from", f"{path} has an unknown format; give one of {', '.join(formats)}")
            return chosen, list(formats[chosen].read(path))
        except _UNREADABLE as error:
            if isinstance(error, InvalidInput):
                raise
            why = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise InvalidInput("file", f"{path} cannot be read as {chosen or 'anything known'}: {why}") from error
