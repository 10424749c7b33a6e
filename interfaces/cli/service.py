"""`agentos service`: units that keep `agentos serve` up, for systemd (Linux) and launchd (macOS) of one user."""

import os
import plistlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ...modules import private_files
from ...modules.records import dataclass
from .options import Home
from .outcome import CommandFailure, ExitCode
from .terminal import say

service = typer.Typer(no_args_is_help=True, help="A unit that keeps agentos serve running, also after a reboot.")

LABEL = "dev.agentos.serve"
STOP_WITHIN_S = 10
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only print the unit.")]


@dataclass(frozen=True)
class Unit:
    """A unit: its file, what is in it, and the commands that a person then gives."""

    path: Path
    content: bytes
    start: str
    stop: str


def unit_of(platform: str, user_home: Path, config_home: Path, words: Sequence[str]) -> Unit | None:
    """Return the unit that runs a command on a platform (`sys.platform`); None where there is no such thing."""
    if platform.startswith("linux"):
        path = config_home / "systemd" / "user" / "agentos.service"
        reload = "systemctl --user daemon-reload"
        start = f"{reload} && systemctl --user enable --now agentos"
        return Unit(path, _systemd(words).encode(), start, f"systemctl --user disable --now agentos; {reload}")
    if platform == "darwin":
        path = user_home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        properties = {
            "Label": LABEL,
            "ProgramArguments": list(words),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ExitTimeOut": STOP_WITHIN_S,
            "Umask": 0o077,
        }
        return Unit(path, plistlib.dumps(properties), f"launchctl load -w {path}", f"launchctl unload -w {path}")
    return None


def _systemd(words: Sequence[str]) -> str:
    command = " ".join('"' + word.translate(_ESCAPES) + '"' for word in words)
    return f"""[Unit]
Description=AgentOS, long-term memory for agents
After=network.target

[Service]
ExecStart={command}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
TimeoutStopSec={STOP_WITHIN_S}
UMask=0077
NoNewPrivileges=true

[Install]
WantedBy=default.target
"""


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "%": "%%", "$": "$$"})


@service.command()
def install(home: Home = None, dry_run: DryRun = False) -> None:
    """Write a unit for this user, and show how to start it. It reads its settings from the home's .env only."""
    from ... import config

    settings = config.of_home(home)
    unit = _unit([sys.executable, "-P", "-m", "agentos.interfaces.cli", "serve", "--home", str(settings.home)])
    if dry_run:
        say(unit.content.decode(), end="")
        return
    if unit.path.is_file() and unit.path.read_bytes() != unit.content:
        unit.path.unlink()
    if not unit.path.is_file():
        unit.path.parent.mkdir(parents=True, exist_ok=True)
        with private_files.appearing(unit.path) as file:
            file.write(unit.content)
    say(f"{unit.path}\nto start it: {unit.start}")


@service.command()
def uninstall() -> None:
    """Remove the unit that agentos service install wrote."""
    unit = _unit([])
    if not unit.path.is_file():
        raise CommandFailure(f"there is no unit {unit.path}; agentos service install makes it", ExitCode.NOT_FOUND)
    unit.path.unlink()
    say(f"removed {unit.path}\nto stop the running service: {unit.stop}")


@service.command()
def certificate(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="A name or address that clients use; repeatable.")],
    home: Home = None,
) -> None:
    """Make a self-signed certificate for agentos serve, in the folder tls of the home. Clients must trust it."""
    from ... import config
    from ...modules.clock import system_clock
    from ..http import certificate as certificates

    if not all(map(str.strip, names)):
        raise CommandFailure("NAME: is empty; give a host name that clients use", ExitCode.WRONG_USE)
    settings = config.load(home=config.of_home(home).home, http_hosts=",".join(names))
    try:
        made = certificates.make(settings.home / "tls", names, system_clock())
    except FileExistsError as error:
        raise CommandFailure(
            f"{error.filename} already exists; remove the folder to make a new one", ExitCode.REFUSED
        ) from error
    say(f"AGENTOS_HTTP_TLS_CERTIFICATE={made.certificate}\nAGENTOS_HTTP_TLS_KEY={made.key}")
    say(f"for the home's .env; SHA-256 {made.fingerprint}, until {made.ends_at:%Y-%m-%d}.", err=True)
    say("To make clients trust it, point SSL_CERT_FILE (agentos) or NODE_EXTRA_CA_CERTS (Node) to the file.", err=True)


def _unit(words: Sequence[str]) -> Unit:
    from ... import config

    home = Path(os.path.expanduser("~"))
    config_home = Path(config.places().get("XDG_CONFIG_HOME") or home / ".config")
    unit = unit_of(sys.platform, home, config_home, words)
    if unit is None:
        raise CommandFailure(
            "only systemd and launchd are supported; run agentos serve with your system's service manager",
            ExitCode.REFUSED,
        )
    return unit
