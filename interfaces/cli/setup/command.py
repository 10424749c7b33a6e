"""`agentos setup`: shows each change, asks, makes it, and can undo everything."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from .... import config
from ....modules import update_lock
from ....modules.clock import system_clock
from ....modules.errors import AgentOSError, Conflict
from ....modules.installing import INSTALL_MODEL
from ....modules.records import dataclass
from .. import model
from ..options import told_as
from ..outcome import CommandFailure, ExitCode
from ..terminal import ask as confirmed
from ..terminal import can_ask, clean, is_terminal, say, say_json
from . import files, profiles
from .clients import CLIENTS, KEYS, Client, Machine, by_key
from .documents import Unreadable
from .launch import GATEWAY_PATH, KEY_VARIABLE, Launch, is_passing, launch_of
from .parts import Purpose, Scope
from .planning import EntryState, EntryTarget, FileChange, installed, plan_install, plan_removal, targets
from .receipts import Receipt, Receipts

LONGEST_LINE = 200
UPDATE_WITHIN_S = 10.0
"""How long an update that is under way is waited for."""
PASSING = (
    "this program disappears when uv clears its cache, so clients cannot use it; install AgentOS "
    "(uv tool install . in a checkout), then run agentos setup"
)
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True)
class SetupOptions:
    """The options of the command."""

    clients: tuple[str, ...] = ()
    everything: bool = False
    scope: Scope = "user"
    hooks: bool = False
    instructions: bool = False
    status_line: bool = False
    uninstall: bool = False
    only_list: bool = False
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False
    url: str = ""
    profile: str = ""

    @property
    def purposes(self) -> set[Purpose]:
        """The parts that are wanted."""
        wanted: dict[Purpose, bool] = {
            "server": True,
            "hooks": self.hooks,
            "status-line": self.status_line,
            "instructions": self.instructions,
            "reading": self.instructions,
        }
        return {purpose for purpose, is_wanted in wanted.items() if is_wanted}


@dataclass(frozen=True)
class SetupOutcome:
    """The result of a change: `action` is added, updated, removed, unchanged, refused, skipped or would-be-…."""

    change: FileChange
    action: str
    backup: Path | None = None
    problem: str | None = None


def run(request: SetupOptions) -> int:
    """Carry out a request on this machine; return the exit code: 0, or 3 when something was refused or not confirmed.

    Raises CommandFailure where nothing can be done.
    """
    if is_passing(sys.executable) and not (request.uninstall or request.only_list):
        raise CommandFailure(PASSING, ExitCode.REFUSED)
    with told_as("--remote", "AGENTOS_URL"):
        settings = config.load(url=request.url) if request.url else config.load()
    launch = launch_of(sys.executable, config.to_register(settings))
    if "gateway" in settings.features:
        launch = replace(launch, gateway=f"http://127.0.0.1:{settings.gateway_port}{GATEWAY_PATH}")
    if request.url:
        launch = replace(launch, url=f"{settings.url}/mcp")
    else:
        _offer_model(settings, request)
    receipts = Receipts(settings.home)
    try:
        machine = Machine(sys.platform, Path.home(), config.places(), Path.cwd())
    except RuntimeError as error:
        raise CommandFailure(
            "this user has no home folder, where clients keep their settings", ExitCode.UNAVAILABLE
        ) from error
    with _not_updated():
        try:
            return Setup(machine, launch, receipts, system_clock).run(request)
        except Unreadable as error:
            raise CommandFailure(str(error), ExitCode.UNAVAILABLE) from error


@contextmanager
def _not_updated() -> Iterator[None]:
    """Let no update of this installation begin meanwhile. Raises CommandFailure while one is under way."""
    lock = update_lock.installation_lock()
    if lock is not None:
        try:
            lock.take(UPDATE_WITHIN_S, alone=False)
        except Conflict as error:
            raise CommandFailure(str(error), ExitCode.REFUSED) from error
        except OSError:
            lock = None  # nobody who may not write there can update it
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _offer_model(settings: config.Settings, request: SetupOptions) -> None:
    """Offer to fetch the weights of the embedding model, where they are wanted and missing."""
    if request.uninstall or request.only_list or request.dry_run or not settings.has_default_embedder:
        return
    if model.is_here(settings):
        return
    say("the embedding model is not installed; without it, search uses words only", err=True)
    if not (is_asked(request) and confirmed("Fetch it now (83 MB)?", default=True)):
        say(f"to fetch it: {INSTALL_MODEL}", err=True)
        return
    try:
        model.fetch(settings, None, quiet=False)
    except AgentOSError as error:  # the clients are set up all the same
        say(f"agentos setup: {error}", err=True)


def is_asked(request: SetupOptions) -> bool:
    """Return whether there is somebody to ask."""
    return can_ask() and not (request.yes or request.dry_run or request.as_json)


class Setup:
    """One run of the command."""

    def __init__(self, machine: Machine, launch: Launch, receipts: Receipts, clock: Callable[[], datetime]) -> None:
        self._machine = machine
        self._launch = launch
        self._receipts = receipts
        self._clock = clock

    def run(self, request: SetupOptions) -> int:
        """Carry out a request; return the exit code."""
        if request.only_list:
            return self._list(request)
        clients = self._chosen(request)
        changes: Iterable[FileChange]
        if request.uninstall:
            found = installed(clients, self._machine, request.scope, self._receipts)
            changes = (plan_removal(target, self._receipts) for target in found)
        else:
            wanted = self._targets(clients, request)
            changes = (plan_install(target, self._launch, self._machine) for target in wanted)
        ask = is_asked(request)
        outcomes = []
        for change in chain(self._profile(request), changes):  # planned one by one, right before it is made
            outcome = self._settled(change, request, ask)
            outcomes.append(outcome)
            if not request.as_json:
                _tell(outcome)
        if request.as_json:
            say_json({"dry_run": request.dry_run, "changes": [_facts(outcome) for outcome in outcomes]})
        else:
            self._conclude(request, clients, outcomes)
        return ExitCode.REFUSED if any(outcome.problem is not None for outcome in outcomes) else ExitCode.DONE

    def _chosen(self, request: SetupOptions) -> Sequence[Client]:
        """Return the clients that are named, else those found here and chosen, else (to uninstall) all."""
        if request.clients:
            return [by_key(key) for key in dict.fromkeys(request.clients)]
        if request.uninstall:
            return CLIENTS
        offered = [client for client in CLIENTS if self._launch.gateway or not client.through_gateway]
        found = [client for client in offered if client.is_installed(self._machine)]
        wizard = can_ask() and not (request.everything or request.yes or request.dry_run or request.as_json)
        if not wizard:
            return [client for client in found if not client.through_gateway]
        say("Found on this machine: " + (", ".join(client.title for client in found) or "no client"))
        return [client for client in found if confirmed(_question(client), default=not client.through_gateway)]

    def _profile(self, request: SetupOptions) -> Iterator[FileChange]:
        """Yield the change that the wanted profile makes in the home, if one is wanted."""
        if not request.profile or request.uninstall:
            return
        target = profiles.target_of(self._receipts.home, request.profile)
        if request.profile == profiles.NONE:
            yield plan_removal(target, self._receipts)
        else:
            yield plan_install(target, self._launch, self._machine)

    def _targets(self, clients: Iterable[Client], request: SetupOptions) -> Iterable[EntryTarget]:
        return targets(clients, self._machine, request.scope, request.purposes)

    def _settled(self, change: FileChange, request: SetupOptions, ask: bool) -> SetupOutcome:
        """Make a change, if it is needed and wanted; return the outcome."""
        if change.problem is not None:
            return SetupOutcome(change, "refused", problem=change.problem)
        if change.file is None or not change.is_needed:
            if request.uninstall and not request.dry_run:
                self._receipts.drop(change.target.purpose, change.target.path)
            return SetupOutcome(change, "unchanged")
        removing = request.uninstall or (change.target.purpose == "profile" and request.profile == profiles.NONE)
        action = "removed" if removing else "added" if change.state is EntryState.ABSENT else "updated"
        if request.dry_run:
            return SetupOutcome(change, f"would-be-{action}")
        if ask:
            _show(change)
        if not (request.yes or (ask and confirmed("Write this?", default=True))):
            return SetupOutcome(change, "skipped", problem=None if ask else "nothing was changed; add --yes to do it")
        try:
            return SetupOutcome(change, action, backup=self._make(change, change.file, removing=removing))
        except Unreadable as error:
            return SetupOutcome(change, "refused", problem=str(error))

    def _make(self, change: FileChange, file: files.File, *, removing: bool) -> Path | None:
        """Write a change and record how to undo it; return the backup, if there was anything to keep."""
        target = change.target
        backup = self._receipts.back_up(target.client.key, file, self._clock())
        if removing:
            if change.after is None:
                files.remove(file, self._receipts.folders_above(file.path))
            else:
                files.replace(file, change.after)
            self._receipts.drop(target.purpose, target.path)
            return backup
        made = files.replace(file, change.after or b"")
        if change.state is EntryState.ABSENT:
            self._receipts.keep(
                Receipt(
                    client=target.client.key,
                    purpose=target.purpose,
                    path=str(target.path),
                    scope=target.scope,
                    created=file.data is None,
                    facts=change.facts,
                ),
                made,
            )
        return backup

    def _list(self, request: SetupOptions) -> int:
        rows = []
        for client in (by_key(key) for key in request.clients) if request.clients else CLIENTS:
            here = client.is_installed(self._machine)
            for target in self._targets([client], request):
                change = plan_install(target, self._launch, self._machine)
                rows.append(
                    {
                        "client": client.key,
                        "title": client.title,
                        "purpose": target.purpose,
                        "installed": here,
                        "state": str(change.state),
                        "path": str(target.path),
                        "problem": change.problem,
                    }
                )
        if request.as_json:
            say_json({"clients": rows, "command": [self._launch.command, *self._launch.args]})
            return 0
        for row in rows:
            state = row["state"] if row["installed"] or row["state"] != EntryState.ABSENT else "not installed"
            problem = f": {row['problem']}" if row["problem"] else ""
            about = _about(str(row["purpose"]))
            say(f"{row['title']:<18} {state:<13} {row['path']}{about}{problem}")
        return 0

    def _conclude(self, request: SetupOptions, clients: Sequence[Client], outcomes: Sequence[SetupOutcome]) -> None:
        done = [outcome for outcome in outcomes if outcome.action in ("added", "updated", "removed")]
        for outcome in (outcome for outcome in done if outcome.change.target.purpose == "profile"):
            say(f"{outcome.change.target.client.title}: {outcome.change.target.client.after}")
        done = [outcome for outcome in done if outcome.change.target.purpose != "profile"]
        if not clients:
            say("no client found on this machine; name one with --client: " + ", ".join(KEYS))
            return
        if request.uninstall:
            if not done and not request.dry_run:
                say("the clients' files contain nothing from AgentOS any more")
            return
        servers = {
            outcome.change.target.client.key for outcome in outcomes if outcome.change.target.purpose == "server"
        }
        for client in clients:
            if client.key not in servers:
                say(f"{client.title}: has no project settings; leave out --scope project")
        for client in {outcome.change.target.client.key: outcome.change.target.client for outcome in done}.values():
            say(f"{client.title}: {client.after}")
        hooked = {outcome.change.target.client.key for outcome in outcomes if outcome.change.target.purpose == "hooks"}
        if done and (silent := [client.title for client in clients if client.key not in hooked]):
            say(f"not briefed at start, since without hooks here: {', '.join(silent)}")
        if done and request.url and not request.uninstall:
            say(f"set {KEY_VARIABLE} in these clients' environment to a server key (agentos keys create)")
        if done and request.scope == "project":
            say("these files may be shared, but contain a path on this machine")


def options(
    client: Sequence[str] | None,
    everything: bool,
    scope: str,
    hooks: bool,
    instructions: bool,
    status_line: bool,
    uninstall: bool,
    only_list: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    url: str | None = None,
    profile: str | None = None,
) -> SetupOptions:
    """Return the options, checked. Raises typer.BadParameter."""
    named = tuple(key.strip() for value in client or () for key in value.split(",") if key.strip())
    unknown = [key for key in named if key not in KEYS]
    if unknown:
        raise typer.BadParameter(
            f"{', '.join(unknown)} is unknown; give one of {', '.join(KEYS)}", param_hint="--client"
        )
    if scope not in ("user", "project"):
        raise typer.BadParameter("must be user or project", param_hint="--scope")
    checked: Scope = "project" if scope == "project" else "user"
    if profile is not None and profile not in (*profiles.PROFILES, profiles.NONE):
        known = ", ".join((*profiles.PROFILES, profiles.NONE))
        raise typer.BadParameter(f"must be one of {known}", param_hint="--profile")
    hooks, status_line = hooks and url is None, status_line and url is None  # they ask the home of this machine
    chosen = (hooks, instructions, status_line, uninstall, only_list, dry_run, yes, as_json)
    return SetupOptions(named, everything, checked, *chosen, url or "", profile or "")


def _question(client: Client) -> str:
    about = ", to reach its models through agentos gateway, which must be running" if client.through_gateway else ""
    return f"Set up {client.title}{about}?"


def _about(purpose: str) -> str:
    return "" if purpose == "server" else f" ({purpose})"


def _tell(outcome: SetupOutcome) -> None:
    target = outcome.change.target
    what = _about(target.purpose)
    if outcome.action == "unchanged" and outcome.change.state is not EntryState.REGISTERED:
        return  # nothing of ours was there to be removed
    if outcome.action.startswith("would-be") or outcome.problem is not None:
        _show(outcome.change)
    say(f"{target.client.title}: {outcome.action.replace('-', ' ')}{what}, {target.path}")
    if outcome.problem is not None:
        say(f"  {outcome.problem}", err=True)
    if outcome.backup is not None:
        say(f"  previous version: {outcome.backup}")


def _show(change: FileChange) -> None:
    for line in change.diff.splitlines():
        shown = clean(line.replace("\t", "    "))
        shown = shown if len(shown) <= LONGEST_LINE else shown[:LONGEST_LINE] + " …"
        colour = _COLOURS.get(line[:1], "")
        say(Text(shown, colour) if colour and is_terminal() else shown)


def _facts(outcome: SetupOutcome) -> dict[str, Any]:
    """Return an outcome as JSON; its keys are stable."""
    target = outcome.change.target
    return {
        "client": target.client.key,
        "purpose": target.purpose,
        "path": str(target.path),
        "state": str(outcome.change.state),
        "action": outcome.action,
        "diff": outcome.change.diff,
        "backup": None if outcome.backup is None else str(outcome.backup),
        "problem": outcome.problem,
    }
