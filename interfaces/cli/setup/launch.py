"""How a client starts the server: by absolute paths, since hosts have a PATH of their own."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAMS = ("agentos-server", "agentos-mcp")
_OURS = re.compile(r"(?:.*[/\\])?(?:agentos-server|agentos-mcp)(?:\.exe)?(?:\[[\w,-]*\])?(?:[=@].*)?|agentos\.server")
_OF_UV = re.compile(r"[/\\](?:uv|\.uv)[/\\](?:cache[/\\])?(?:archive|builds|environments)-v\d+[/\\]")


@dataclass(frozen=True)
class Launch:
    """A command, its arguments, and what it needs in its environment."""

    command: str
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def launch_of(
    executable: str, environment: Mapping[str, str], find: Callable[[str], str | None], *, with_model: bool
) -> Launch:
    """How to start the server that belongs to the interpreter `executable`.

    `find` looks a program up, as `shutil.which` does. An environment that uvx made is gone with its cache: there
    uvx itself is what stays, with the model's package when `with_model`.
    """
    if _OF_UV.search(executable):
        uvx = find("uvx")
        if uvx is not None:
            package = "agentos-mcp[offline]" if with_model else "agentos-mcp"
            return Launch(os.path.abspath(uvx), ("--from", package, "agentos-server"), environment)
    folder = Path(os.path.abspath(executable)).parent  # not resolved: a link is what makes a virtual environment
    for name in ("agentos-server", "agentos-server.exe"):
        if (folder / name).is_file():
            return Launch(str(folder / name), (), environment)
    return Launch(os.path.abspath(executable), ("-m", "agentos.server"), environment)


def starts_agentos(entry: Any) -> bool:
    """Whether an entry of a client starts a server of ours, whichever and however."""
    if not isinstance(entry, dict):
        return False
    args = entry.get("args")
    words = [entry.get("command"), *(args if isinstance(args, list) else [])]
    return any(isinstance(word, str) and _OURS.fullmatch(word) for word in words)
