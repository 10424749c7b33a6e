"""The background process: `agentos-daemon`, or `python daemon.py` from a checkout."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not __package__:  # `python daemon.py`: this folder is the package
    import pathlib
    import runpy
    import types

    sys.modules["agentos"] = types.ModuleType("agentos")
    sys.modules["agentos"].__path__ = [str(pathlib.Path(__file__).resolve().parent)]
    runpy.run_module("agentos.daemon", run_name="__main__")
    sys.exit()

import argparse
import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .interfaces.output import take_any_text
from .interfaces.shutdown import SIGNALS, Leaving, leave_at_once_on_signals, stay_on_hangup
from .modules.system.processes import HANGUP, at_signal, resident_bytes
from .modules.version import SIGNATURE, VERSION

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from mcp.types import Tool

    from .config import Settings
    from .daemon_pkg.index_worker import IndexWorker
    from .daemon_pkg.many import ManyStores
    from .daemon_pkg.starting import StartingLock
    from .interfaces.hooks.handler import HookHandler
    from .interfaces.http.service import HttpService
    from .interfaces.http.tenants import ManyTenants
    from .interfaces.stdio.host import OpenSession, ServeSession, SessionHost
    from .interfaces.stdio.opening import LazyAgentOS
    from .modules.agentos import AgentOS
    from .modules.approvals.decisions import Decisions
    from .modules.health.models import Report
    from .modules.system.door import Listener
    from .tools.bound import BoundTool

FIRST_SESSION_WITHIN_S = 5.0
WAIT_FOR_LEAVING_S = 5.0
OPEN_AGAIN_S = 5.0
BEGIN_AGAIN_S = 0.5
INDEX = "index"


def main() -> None:
    """Run the daemon, one job, or the report."""
    os.umask(0o077)
    parser = argparse.ArgumentParser(
        prog="agentos-daemon",
        description="Serves the sessions of agentos-server, and runs AgentOS's background jobs: pattern analysis, goal "
        "monitoring, maintenance, decay, and the vector index. One per data folder; it runs until it is stopped.",
    )
    parser.add_argument("--once", metavar="JOB", help="run one job now and exit (a name from --status, or index)")
    parser.add_argument("--status", action="store_true", help="show whether it runs, its jobs, last and next runs")
    parser.add_argument(
        "--until-idle",
        metavar="HOME",
        type=Path,
        help="serve that home and end with the last session: what agentos-server starts when no daemon runs",
    )
    parser.add_argument("--version", action="version", version=SIGNATURE)
    take_any_text()
    arguments = parser.parse_args()
    leave_at_once_on_signals(130 if arguments.once else 0)
    if not (arguments.once or arguments.status):
        stay_on_hangup()
    sys.exit(_run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from .daemon_pkg.starting import StartingLock
    from .modules import update_lock

    starting = None
    if arguments.until_idle:
        from .interfaces.stdio.front.place import private

        if not private(arguments.until_idle):
            sys.stderr.write(f"agentos-daemon: {arguments.until_idle} is accessible to other users\n")
            return 1
        starting = StartingLock(arguments.until_idle)
        try:
            if not starting.acquire():
                return 0
        except OSError as error:
            sys.stderr.write(f"agentos-daemon: {error}\n")
            return 1

    import asyncio

    from . import config
    from .modules.errors import AgentOSError, Conflict, StorageUnavailable

    try:
        settings = config.load(**({"home": arguments.until_idle} if arguments.until_idle else {}))
        if arguments.status:
            return asyncio.run(_status(settings))
        if arguments.once:
            return asyncio.run(run_once(settings, arguments.once))
        if (owner := update_lock.updater(settings.home)) is not None:
            raise StorageUnavailable(update_lock.waiting_message(owner))
        daemon = _Daemon(settings, starting)
        asyncio.run(daemon.run())
    except (AgentOSError, config.SettingsError, OSError) as error:
        sys.stderr.write(f"agentos-daemon: {error}\n")
        from .interfaces.stdio.front.link import HOPELESS

        hopeless = isinstance(error, (Conflict, config.SettingsError))
        return HOPELESS if starting and hopeless else 1
    sys.stderr.flush()
    # Everything durable is closed: skip the slow teardown, and threads that are still in a model or an index.
    return daemon.leaving.end()


async def _status(settings: Settings) -> int:
    from . import database
    from .daemon_pkg.report import status_text
    from .modules.clock import system_clock

    if not await database.backups(settings, system_clock).holds_data():
        sys.stdout.write(f"no data yet in {settings.home}\n")
        return 0
    async with database.opened(settings, system_clock) as (agentos, _):
        sys.stdout.write(f"{settings.home}\n{await status_text(agentos)}\n")
    return 0


async def run_once(settings: Settings, name: str) -> int:
    """Run a job now, or bring the index up to date, and write how it went; return the exit code.

    Raises AgentOSError or OSError where the store cannot be opened.
    """
    from . import database
    from .daemon_pkg import plugged
    from .daemon_pkg.index_worker import IndexWorker
    from .daemon_pkg.lock import DaemonLock
    from .daemon_pkg.scheduler import Scheduler
    from .modules.clock import system_clock

    jobs = plugged.all_jobs(plugged.jobs(), settings.features)
    job = next((job for job in jobs if job.name == name), None)
    if job is None and name != INDEX:
        names = ", ".join([*(job.name for job in jobs), INDEX])
        sys.stderr.write(f"agentos-daemon: there is no job {name!r}; there are: {names}\n")
        return 2
    async with database.opened(settings, system_clock) as (agentos, index):
        plugged.subscribe(agentos, plugged.observers())
        worker = IndexWorker(agentos.embedding, index)
        if job is None:
            with DaemonLock(settings.database):
                state = await worker.run_once()
                await worker.close()
            sys.stdout.write(f"{name}: {state or 'no embedding model'}\n")
            return 0
        scheduler = Scheduler(agentos, jobs, worker)
        await scheduler.register()
        ran = await scheduler.run(job, force=True)
        sys.stdout.write(f"{name}: {'done' if ran else 'somebody else runs it now'}\n")
        return 0 if ran else 1


class _Daemon:
    """The daemon of one data folder. With `starting`, a front started it, and it ends with the last session."""

    def __init__(self, settings: Settings, starting: StartingLock | None) -> None:
        self._settings = settings
        self._starting = starting
        self._started_at = datetime.now(UTC)
        self._worker: IndexWorker | None = None
        self._http: HttpService | None = None
        self._decisions: Decisions | None = None
        self._tenants: ManyTenants | None = None
        self._make_way: Callable[[], None] = lambda: None
        self.leaving = Leaving()

    async def run(self) -> None:
        """Take the lock, serve and work until it is time to leave. Raises AgentOSError or OSError."""
        import gc

        gc.disable()  # while modules are loaded nothing becomes garbage: a tenth of the start is saved

        from . import config, database
        from .daemon_pkg import logs
        from .daemon_pkg.lock import DaemonLock
        from .interfaces import telemetry
        from .interfaces.stdio.front.place import socket_path
        from .modules.system.door import listen

        stopping = _stopping(self.leaving)
        database.prepare_home(self._settings)
        await self._restore_if_asked()
        with DaemonLock(self._settings.database, WAIT_FOR_LEAVING_S if self._starting else 0.0):
            log_path = logs.to_file(self._settings.home, self._settings.daemon_log_level, self._settings.log_format)
            listener = listen(socket_path(self._settings.home))
            if self._starting:
                self._starting.release()  # from now on its socket shows that a daemon is there
            try:
                with telemetry.exported(config.traces_endpoint(), "agentos-daemon", VERSION):
                    await self._serve(listener, stopping, log_path)
            finally:
                listener.close()

    async def _restore_if_asked(self) -> None:
        """Carry out a restore that was planned in the dashboard, while nothing is open."""
        import logging

        from . import database
        from .modules.backup.plan import RestorePlan, carry_out
        from .modules.clock import system_clock

        backups = database.backups(self._settings, system_clock)
        ended = await carry_out(RestorePlan(self._settings.home), backups, system_clock)
        if ended is not None:
            logging.getLogger(__name__).warning("the restore of %s: %s", ended.backup, ended.result)

    def _begin_again(self, stopping: asyncio.Event) -> None:
        """Close everything and start anew, soon: the answer that says so is sent before."""
        import asyncio

        self.leaving.begins_again = True
        asyncio.get_running_loop().call_later(BEGIN_AGAIN_S, stopping.set)

    async def _serve(self, listener: Listener, stopping: asyncio.Event, log_path: Path) -> None:
        import asyncio
        import gc

        from .daemon_pkg.plugged import doors_of
        from .daemon_pkg.watchdog import LoopWatchdog
        from .interfaces.stdio.host import SessionHost
        from .interfaces.stdio.opening import LazyAgentOS

        watchdog = LoopWatchdog()
        watchdog.start()
        services = LazyAgentOS(self._opened)
        hooks = self._hook_handler(services)
        doors = doors_of(self._settings.features, services.get)
        host = SessionHost(self._session_opener(services), lambda: self._status(host, services), hooks, doors)
        self._http = self._http_service(services, lambda: self._begin_again(stopping))
        self._make_way = lambda: self._begin_again(stopping)
        _on_hangup(lambda: self._reload(host, hooks))
        replaying = asyncio.create_task(hooks.replay_regularly())
        opening = asyncio.create_task(_open_as_soon_as_possible(services))
        try:
            if not self._starting:
                await services.get()  # whoever starts it by hand is told at once why it cannot work
                await _introduce(await services.get(), self._settings, log_path)
            linger_s = self._settings.daemon_linger_s
            gc.freeze()  # what is loaded now stays: exempt it from garbage collection
            gc.enable()
            await host.start(listener, leave_with_last=bool(self._starting) and not linger_s)
            if self._http is not None:
                await self._start_http(self._http)
            waiting: list[asyncio.Task[Any]] = [asyncio.create_task(stopping.wait())]
            if self._starting:
                waiting.append(asyncio.create_task(host.until_idle(FIRST_SESSION_WITHIN_S, linger_s)))
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.leaving.begin()
            for task in (opening, replaying):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            if self._http is not None:
                await self._http.close()
            await host.close()
            await hooks.close()
            await services.close()

    @contextlib.asynccontextmanager
    async def _opened(self) -> AsyncIterator[AgentOS]:
        """Yield the services, with the background work running."""
        from . import database
        from .daemon_pkg.work import background_work, call_webhook
        from .modules.clock import SharedClock, system_clock

        clock = SharedClock(system_clock)
        async with database.opened_for_many(self._settings, clock) as (agentos, index, decisions, others):
            self._decisions = decisions
            if url := self._settings.event_webhook.get_secret_value():
                call_webhook(agentos, url, self._settings.event_webhook_secret.get_secret_value())
            async with (
                background_work(agentos, index, VERSION, self._make_way) as worker,
                self._beside(agentos),
                self._many(others, agentos),
            ):
                self._worker = worker
                yield agentos
            self._decisions = None

    @contextlib.asynccontextmanager
    async def _beside(self, agentos: AgentOS) -> AsyncIterator[None]:
        """Do what features do beside the services, until the end of the context."""
        from .features import registered
        from .modules.plugins.feature import parts

        async with contextlib.AsyncExitStack() as working:
            for begun in parts(registered(self._settings.features), "beside"):
                await working.enter_async_context(begun(agentos, self._settings))
            yield

    @contextlib.asynccontextmanager
    async def _many(self, others: ManyStores | None, agentos: AgentOS) -> AsyncIterator[None]:
        """Serve the other stores of the database while the block runs, if the settings and the HTTP door want it."""
        from .daemon_pkg.many import many_stores
        from .interfaces.http.tenants import ManyTenants

        if others is None or self._http is None:
            yield
            return
        own, most = self._settings.database_tenant, self._settings.database_tenants
        async with many_stores(others, self._http.door_of, own, most, agentos.clock) as stores:
            self._tenants = ManyTenants(others.directory, stores, agentos.principals.server_key, own)
            try:
                yield
            finally:
                self._tenants = None

    def _examine(self) -> Report:
        """Look at the whole store as the doctor does, but for what takes long. Blocks."""
        from . import database
        from .modules.clock import system_clock
        from .modules.health.service import examine

        with database.health_checks(self._settings, system_clock, deep=False) as checks:
            return examine(checks, repair=False)

    def _http_service(self, services: LazyAgentOS, begin_again: Callable[[], None]) -> HttpService | None:
        """Return the HTTP door, which listens but does not answer yet; None where the settings want none.

        Raises WrongSettings or OSError where it cannot be opened, and somebody is there to read why.
        """
        if not self._settings.http:
            return None
        import logging

        from .interfaces.http.rest.operations import Process
        from .interfaces.http.service import HttpService
        from .modules.clock import system_clock
        from .modules.errors import WrongSettings
        from .tools.serving import apps_of

        def background() -> dict[str, str]:
            index = self._worker.status if self._worker else None
            return {"index": "failed" if index and index.problem else "ok"}

        async def tenants() -> ManyTenants | None:
            await services.get()
            return self._tenants

        try:
            process = Process(lambda: self._worker.status if self._worker else None, begin_again, self._examine)
            many = tenants if self._settings.database_tenants else None
            return HttpService(
                self._settings,
                services.get,
                background,
                lambda: self._decisions,
                system_clock,
                process,
                many,
                apps_of(self._settings.features, views=self._settings.views, forms=self._settings.forms),
            )
        except (WrongSettings, OSError) as error:
            if not self._starting:
                raise
            logging.getLogger(__name__).error("HTTP is not served: %s", error)  # the sessions that started it go on
            return None

    async def _start_http(self, http: HttpService) -> None:
        """Let the HTTP door answer, and say where. Raises WrongSettings where a person reads it."""
        import logging

        from .modules.errors import AgentOSError

        try:
            await http.start()
        except AgentOSError as error:
            if not self._starting:
                raise
            logging.getLogger(__name__).error("HTTP is not served: %s", error)
            return
        if not self._starting:
            sys.stderr.write(f"agentos-daemon: HTTP at {http.url}: MCP at /mcp, REST at /api/v1\n")
            sys.stderr.flush()

    def _hook_handler(self, services: LazyAgentOS) -> HookHandler:
        from . import config
        from .interfaces.hooks.handler import HookHandler
        from .modules.errors import InvalidInput

        def namespace_of(agent: str) -> str:
            try:
                named = {"AGENTOS_AGENT_ID": agent} if agent else {}
                return config.load({"AGENTOS_HOME": str(self._settings.home), **named}).agent_id
            except config.SettingsError as error:
                raise InvalidInput("agent", str(error)) from error

        spool_is_clean = not self._settings.redact_emails
        skipped = _skipped(self._settings)
        return HookHandler(
            self._settings.home,
            services.get,
            namespace_of,
            skipped,
            spool_is_clean=spool_is_clean,
            recall_first=self._settings.hook_recall_first,
            ask_to_keep=self._settings.hook_ask_to_keep,
        )

    async def _reload(self, host: SessionHost, hooks: HookHandler) -> None:
        """Apply the settings that may change while it runs: log level, log file, tools that hooks skip, linger time."""
        import asyncio
        import logging

        from . import config
        from .daemon_pkg import logs

        log = logging.getLogger(__name__)
        try:
            new = await asyncio.to_thread(config.load, home=self._settings.home)
        except config.SettingsError as error:
            log.error("SIGHUP: the settings stay as they are: %s", error)
            return
        await asyncio.to_thread(logs.reopen, new.daemon_log_level)
        hooks.skip(_skipped(new))
        host.linger(new.daemon_linger_s)
        if self._http is not None:
            try:
                await asyncio.to_thread(self._http.reload, new)
            except OSError as error:
                log.error("SIGHUP: the certificate stays as it is: %s", error)
        log.log(log.getEffectiveLevel(), "SIGHUP: the settings were read again")
        if different := self._settings.differences(new):
            log.warning("SIGHUP: the next start of the daemon takes over %s", ", ".join(different))

    def _session_opener(self, services: LazyAgentOS) -> OpenSession:
        from functools import partial

        from . import config
        from .daemon_pkg import plugged
        from .interfaces.stdio import recording
        from .interfaces.stdio.session import serve_session
        from .modules.principals.models import Door, local_owner
        from .tools.plugged import bind_all
        from .tools.serving import apps_of, session_of

        tools = bind_all(self._settings.features)
        plugged.log_problems(tools.problems)
        recording.keep_plugin_tools(self._settings.home, _listed([tool for _, tool in tools.of_plugins]))
        bound = tools.all_tools

        def open_session(given: dict[str, str]) -> ServeSession | str:
            try:
                theirs = config.load(given)
            except config.SettingsError as error:
                return str(error)
            if different := self._settings.differences(theirs):
                where = self._settings.home / ".env"
                return (
                    f"it was started with another value of {', '.join(different)}. If {where} has changed since, "
                    "run agentos restart; else take the variable out of this client's environment"
                )
            caller = local_owner(theirs.agent_id, theirs.agents, Door.STDIO, folder=theirs.folder)
            resources, traced = theirs.http_resources, bool(config.traces_endpoint())
            apps = apps_of(theirs.features, views=theirs.views, forms=theirs.forms, dashboard=self._dashboard)
            toolsets = frozenset(theirs.toolsets)
            build, calls = session_of(
                bound, services.get, caller, toolsets, resources=resources, traced=traced, apps=apps
            )
            return partial(serve_session, build, calls)

        return open_session

    def _dashboard(self, _: object) -> str:
        """Return the address of the dashboard; "" where none is served."""
        return self._http.dashboard if self._http else ""

    async def _status(self, host: SessionHost, services: LazyAgentOS) -> dict[str, Any]:
        """Return the daemon's state, as reported over its socket."""
        import asyncio
        from dataclasses import asdict

        agentos = services.opened
        progress = agentos and agentos.embedding.progress
        return {
            "pid": os.getpid(),
            "started_at": self._started_at.isoformat(),
            "started_by": "front" if self._starting else "hand",
            "sessions": host.sessions,
            "model": await agentos.embedding.state()
            if agentos
            else {"state": "none", "problem": "the store is closed"},
            "embedding": asdict(progress) if progress else None,
            "index": asdict(self._worker.status) if self._worker else {"state": "off"},
            "http": self._http.url if self._http else None,
            "rss_bytes": resident_bytes(),
            "differs": await asyncio.to_thread(self._differing),
        }

    def _differing(self) -> list[str]:
        """Return the names of the settings that have another value now, where the env file was changed since."""
        from . import config

        try:
            return self._settings.differences(config.load(home=self._settings.home))
        except config.SettingsError:  # doctor tells what is wrong with it
            return []


def _listed(tools: Sequence[BoundTool]) -> list[Tool]:
    """Return tools as clients see them. Imports MCP's SDK if there are any."""
    if not tools:
        return []
    from .tools import mcp

    return [mcp.listed(tool) for tool in tools]


async def _open_as_soon_as_possible(services: LazyAgentOS) -> None:
    """Open the services before anybody asks, and retry while the store cannot be opened; callers get the error."""
    import asyncio
    import logging

    from .modules.errors import AgentOSError

    logged = ""
    while True:
        try:
            await services.get()
            return
        except AgentOSError as error:
            if str(error) != logged:  # an hour of one reason is one line
                logged = str(error)
                logging.getLogger(__name__).error("the store cannot be opened: %s", error)
            await asyncio.sleep(OPEN_AGAIN_S)


async def _introduce(agentos: AgentOS, settings: Settings, log_path: Path) -> None:
    from .daemon_pkg.report import status_text

    if sys.stderr.isatty():
        sys.stderr.write(f"agentos-daemon {VERSION}, data in {settings.home}, log in {log_path}\n")
        sys.stderr.write(f"{await status_text(agentos)}\n\nCtrl-C stops it.\n")


def _stopping(leaving: Leaving) -> asyncio.Event:
    """Return an event that SIGTERM and SIGINT set; from then on the process ends in bounded time."""
    import asyncio

    stopping = asyncio.Event()

    def stop() -> None:
        leaving.stop()
        stopping.set()

    for number in SIGNALS:
        at_signal(asyncio.get_running_loop(), number, stop)
    return stopping


def _on_hangup(reload: Callable[[], Awaitable[None]]) -> None:
    """Call `reload` at each SIGHUP, one call after the other."""
    import asyncio

    turn = asyncio.Lock()
    reloading: set[asyncio.Task[None]] = set()

    async def in_turn() -> None:
        async with turn:
            await reload()

    def schedule_reload() -> None:
        task = asyncio.ensure_future(in_turn())
        reloading.add(task)
        task.add_done_callback(reloading.discard)

    if HANGUP is not None:
        at_signal(asyncio.get_running_loop(), HANGUP, schedule_reload)


def _skipped(settings: Settings) -> frozenset[str]:
    """Return the tools that hooks do not record, in lower case."""
    return frozenset(name.strip().lower() for name in settings.hook_skip_tools.split(","))


if __name__ == "__main__":
    main()
