"""The connector `terminal`: commands that are used again and again, from the histories of shells."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ....modules import foreign_files
from ....modules.errors import InvalidInput
from ..models import Connector, Signal
from .texts import day, moment, reference, times, title

MOST_BYTES = 32 * foreign_files.MiB
AGAIN = 3
"""How often a command must have been run to say something about its user."""
MOST_COMMAND_CHARS = 200
_ZSH = re.compile(r": (\d{1,12}):\d{1,12};(.*)", re.DOTALL)
_BASH_TIME = re.compile(r"#(\d{9,12})")


def _places() -> Sequence[Path]:
    home = Path.home()
    named = (".zsh_history", ".bash_history", ".local/share/fish/fish_history")
    return [home / one for one in named if (home / one).is_file()]


def _read(path: Path, now: datetime) -> Iterable[Signal]:
    written = datetime.fromtimestamp(os.stat(path).st_mtime, UTC)
    data = foreign_files.read(path, MOST_BYTES)
    if b"\0" in data:
        raise InvalidInput("file", "is no history of a shell: it is not text, or not in UTF-8")
    last: dict[str, datetime] = {}
    counts: dict[str, int] = {}
    for command, at in _commands(data.decode("utf-8", "replace")):
        words = " ".join(command.split())
        if " " in words and len(words) <= MOST_COMMAND_CHARS:
            counts[words] = counts.get(words, 0) + 1
            last[words] = max(at or written, last.get(words, at or written))
    for command in sorted(counts, key=lambda one: -counts[one]):
        if counts[command] >= AGAIN:
            text = f"Terminal: the user ran `{command}` {times(counts[command])}, last on {day(last[command])}."
            yield Signal(reference("command", command), text, last[command])


def _commands(text: str) -> Iterator[tuple[str, datetime | None]]:
    """Yield the commands of a history of zsh, bash, fish or PowerShell, with their moment where it has them."""
    at: datetime | None = None
    fish: str | None = None
    for line in _whole(text.split("\n")):
        if line.startswith("- cmd: "):
            if fish is not None:
                yield fish, None
            fish = line.removeprefix("- cmd: ")
        elif fish is not None:
            if line.startswith("  when: "):
                yield fish, _moment(line.removeprefix("  when: "))
                fish = None
        elif found := _ZSH.fullmatch(line):
            yield found[2], _moment(found[1])
        elif stamp := _BASH_TIME.fullmatch(line):
            at = _moment(stamp[1])
        elif line.strip():
            yield line, at
            at = None
    if fish is not None:
        yield fish, None


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, those joined that zsh and bash continue with a backslash."""
    parts: list[str] = []
    for line in lines:
        if line.endswith("\\") and not line.endswith("\\\\"):
            parts.append(line[:-1])
        else:
            yield " ".join([*parts, line])
            parts.clear()
    if parts:
        yield " ".join(parts)


def _moment(digits: str) -> datetime | None:
    return moment(float(digits)) if title(digits).isdecimal() else None


TERMINAL = Connector("terminal", "histories of bash, zsh, fish and PowerShell", _places, _read)
