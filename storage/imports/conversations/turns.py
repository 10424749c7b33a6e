"""Shared parts of the conversation formats: texts from blocks, and turns with their own keys."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....modules.foreign_files import MiB, Unfit, files_below, opened
from ....modules.foreign_files import lines as lines_of
from ....modules.portability.models import Refused, TurnEntry
from ..json_values import one_of
from ..moments import iso

MAX_FILE_BYTES = 512 * MiB
MAX_LINE_BYTES = 32 * MiB
MAX_NAME_CHARS = 150
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "model": "assistant", "gemini": "assistant"}
"""The roles that are imported, as each program calls them; its own instructions and the results of tools are not."""

_ELEMENT = re.compile(r"\s*<([a-z]{1,40}(?:[-_][a-z]{1,40}){1,6})(?: [^<>]{0,200})?>")
"""The names of such elements have several words, which those of pages have not."""


def text_of(content: Any) -> str:
    """Return the text of a message: a string, or its blocks of text; "" where it only calls tools."""
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, dict):
        content = content.get("parts") or [content]
    if not isinstance(content, list):
        return ""
    texts = [one if isinstance(one, str) else one.get("text") for one in content if isinstance(one, str | dict)]
    return "\n".join(one.strip() for one in texts if isinstance(one, str) and one.strip())


def said(content: Any) -> str:
    """Return what a user wrote in a message to a coding agent.

    That is its blocks of text without the elements that the agent's program puts before or in place of it, as
    <environment_context> or <system-reminder>.
    """
    blocks = content if isinstance(content, list) else [content]
    return "\n".join(text for one in blocks if (text := _without_elements(text_of(one))))


def _without_elements(text: str) -> str:
    at = 0
    while (begin := _ELEMENT.match(text, at)) and (end := text.find(f"</{begin[1]}>", begin.end())) >= 0:
        at = end + len(f"</{begin[1]}>")
    return text[at:].lstrip()


def turn(
    client: str,
    session: str,
    key: str,
    role: str,
    content: Any,
    when: Any,
    *,
    where: str,
    project: str = "",
    is_unique: bool = False,
) -> TurnEntry | None:
    """Return a message as a turn; None where it has no text, or is of neither the user nor the assistant."""
    text = text_of(content)
    if not text or role not in ROLES:
        return None
    return TurnEntry(
        session=f"{client}/{session[:MAX_NAME_CHARS]}",
        role=ROLES[role],
        content=text,
        key=key or hashlib.sha256(f"{role}\x00{text}\x00{when}".encode("utf-8", "surrogatepass")).hexdigest(),
        occurred_at=iso(when),
        source=f"import: {client}",
        project=project[:MAX_NAME_CHARS],
        where=where,
        is_unique=is_unique and bool(key),
    )


def files(path: Path, suffix: str) -> list[Path]:
    """Return a file itself, or those with an ending below a folder."""
    if path.is_file():
        return [path] if path.suffix == suffix else []
    return files_below(path, suffix)


def lines(file: Path, below: Path) -> Iterator[tuple[str, dict[str, Any]] | Refused]:
    """Yield the objects of a file of JSON lines with their places; a torn line costs itself alone. Raises OSError."""
    name = file.name if file == below else str(file.relative_to(below))
    try:
        with opened(file, most=MAX_FILE_BYTES, below=None if file == below else below) as stream:
            for number, line in enumerate(lines_of(stream, MAX_LINE_BYTES), start=1):
                if line.strip():
                    yield one_of(f"{name}, line {number}", line)
    except Unfit as error:
        yield Refused(name, error.strerror or str(error))
