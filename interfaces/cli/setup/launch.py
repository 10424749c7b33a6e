"""The command line of the server for clients: absolute paths of this installation, since hosts have their own PATH."""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from ....modules.records import dataclass

_OURS = re.compile(r"(?:.*[/\\])?(?:agentos-server|agentos-mcp)(?:\.exe)?(?:\[[\w,-]*\])?(?:[=@].*)?|agentos\.server")
SAFE_PATH = "-P"
"""Clients start programs in folders whose Python files are not ours; entries of before have no such option."""
KEY_VARIABLE = "AGENTOS_KEY"
"""Where a client finds the key of a server on another machine: keys are never written into its files."""
GATEWAY_PATH = "/proxy/openai/v1"
_OF_UV = re.compile(r"[/\\](?:uv|\.uv)[/\\](?:cache[/\\])?(?:archive|builds|environments)-v\d+[/\\]")
_FETCHERS = re.compile(r"(?:.*[/\\])?(?:uvx|pipx|npx|bunx)(?:\.exe|\.cmd)?")
_SERVER = Path(__file__).resolve().parents[3] / "server.py"


@dataclass(frozen=True)
class Launch:
    """The server's command, arguments and environment variables; and the command line of `agentos`.

    With a `url` it is a server on another machine, which clients call with the key in their variable AGENTOS_KEY.
    """

    command: str
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ("agentos",)
    url: str = ""
    gateway: str = ""
    """The address of `agentos gateway` for programs that speak OpenAI's dialect, and no MCP; empty where it is off."""

    def is_started_by(self, words: Sequence[str]) -> bool:
        """Return whether a client's command line starts this installation's server or hooks, by whatever path."""
        if not words:
            return False
        words = [word for word in words if word != SAFE_PATH]
        for program, *rest in ((self.command, *self.args), self.commands):
            rest = [word for word in rest if word != SAFE_PATH]
            # The interpreters of all environments may be links to one file, so only a script may be another's link.
            is_it = words[0] == program or (not rest and _is_same_file(words[0], program))
            if is_it and list(words[1 : 1 + len(rest)]) == rest:
                return True
        return any(_is_same_file(word, str(_SERVER)) for word in words[1:])


def launch_of(executable: str, environment: Mapping[str, str]) -> Launch:
    """Return how to start the server that belongs to the interpreter `executable`."""
    folder = Path(os.path.abspath(executable)).parent  # not resolved: a link is what makes a virtual environment
    for name in ("agentos-server", "agentos-server.exe"):
        if _is_launcher(folder / name):
            commands = (str(folder / name.replace("-server", "")),)
            return Launch(str(folder / name), (), environment, commands)
    python = os.path.abspath(executable)
    module = (python, SAFE_PATH, "-m")
    return Launch(python, (*module[1:], "agentos.server"), environment, (*module, "agentos.interfaces.cli"))


def is_passing(executable: str) -> bool:
    """Return whether uv made this interpreter's environment for one run: it goes with uv's cache."""
    return _OF_UV.search(executable) is not None


def starts_agentos(entry: Any) -> bool:
    """Return whether a client's entry starts a server by any of AgentOS's names, in any way."""
    return any(_OURS.fullmatch(word) for word in words_of(entry))


def is_remote(entry: Any) -> bool:
    """Return whether a client's entry calls a server by its address, with our key."""
    if not isinstance(entry, dict):
        return False
    addresses = [entry.get(name) for name in ("url", "httpUrl", "serverUrl", "uri")]
    return KEY_VARIABLE in str(entry) and any(isinstance(one, str) and one.endswith("/mcp") for one in addresses)


def is_gateway(entry: Any) -> bool:
    """Return whether an entry is the address of AgentOS's gateway."""
    return isinstance(entry, str) and entry.rstrip("/").endswith(GATEWAY_PATH)


def words_of(entry: Any) -> list[str]:
    """Return the command line of an entry, its command and its arguments; empty where it has no command."""
    if not isinstance(entry, dict):
        return []
    command, args = entry.get("command", entry.get("cmd")), entry.get("args")
    words = [*(command if isinstance(command, list) else [command]), *(args if isinstance(args, list) else ())]
    return [word for word in words if isinstance(word, str)] if words and isinstance(words[0], str) else []


def is_fetched(words: Sequence[str]) -> bool:
    """Return whether a command line has a runner fetch a name from a registry, instead of starting a file."""
    local = any(os.sep in word or word.endswith(".whl") for word in words[1:])
    return _FETCHERS.fullmatch(words[0]) is not None and not local


def _is_launcher(path: Path) -> bool:
    """Return whether a file launches this project's server; a checkout may have another project's next to it."""
    return path.is_file() and b"agentos.server" in path.read_bytes()


def _is_same_file(command: str, path: str) -> bool:
    """Return whether a command is the file at `path`, perhaps by a link."""
    found = command if os.path.isabs(command) else shutil.which(command)
    return found is not None and os.path.realpath(found) == os.path.realpath(path)
