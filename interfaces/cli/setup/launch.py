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
    """The server's command, its arguments, and what it needs in its environment; and the command line of `agentos`."""

    command: str
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ("agentos",)


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
            of_package = (os.path.abspath(uvx), "--from", package)
            return Launch(of_package[0], (*of_package[1:], "agentos-server"), environment, (*of_package, "agentos"))
    folder = Path(os.path.abspath(executable)).parent  # not resolved: a link is what makes a virtual environment
    for name in ("agentos-server", "agentos-server.exe"):
        if (folder / name).is_file():
            commands = (str(folder / name.replace("-server", "")),)
            return Launch(str(folder / name), (), environment, commands)
    python = os.path.abspath(executable)
    return Launch(python, ("-m", "agentos.server"), environment, (python, "-m", "agentos.interfaces.cli"))


def starts_agentos(entry: Any) -> bool:
    """Whether an entry of a client starts a server of ours, whichever and however."""
    if not isinstance(entry, dict):
        return False
    args = entry.get("args")
    words = [entry.get("command"), *(args if isinstance(args, list) else [])]
    return any(isinstance(word, str) and _OURS.fullmatch(word) for word in words)
