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
import os
from typing import TYPE_CHECKING

from .interfaces.leaving import SIGNALS, leave_at_once_on_signals, leave_in_time
from .modules.version import VERSION

if TYPE_CHECKING:
    from .config import Settings

STOP_WITHIN_S = 0.8
INDEX = "index"


def main() -> None:
    """Run the daemon, one job, or the report."""
    parser = argparse.ArgumentParser(
        prog="agentos-daemon",
        description="Runs AgentOS's background jobs: pattern analysis, goal monitoring, maintenance, decay, "
        "and the vector index. One per data folder; it runs until it is stopped.",
    )
    parser.add_argument("--once", metavar="JOB", help="run one job now and exit (a name from --status, or index)")
    parser.add_argument("--status", action="store_true", help="show whether it runs, its jobs, last and next runs")
    parser.add_argument("--version", action="version", version=f"agentos-daemon {VERSION}")
    arguments = parser.parse_args()
    leave_at_once_on_signals(130 if arguments.once else 0)
    sys.exit(_run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    import asyncio

    from . import config
    from .modules.errors import AgentOSError

    try:
        settings = config.load()
        if arguments.status:
            return asyncio.run(_status(settings))
        if arguments.once:
            return asyncio.run(_once(settings, arguments.once))
        code = asyncio.run(_daemon(settings))
    except (AgentOSError, config.SettingsError) as error:
        sys.stderr.write(f"agentos-daemon: {error}\n")
        return 1
    sys.stderr.flush()
    # Everything durable is closed: skip the slow teardown, and threads that are still in a model or an index.
    os._exit(code)


async def _status(settings: Settings) -> int:
    from . import database
    from .daemon_pkg.report import status_text
    from .modules.clock import system_clock

    if not settings.database.exists():
        sys.stdout.write(f"no data yet in {settings.home}\n")
        return 0
    async with database.opened(settings, system_clock) as (agentos, _):
        sys.stdout.write(f"{settings.home}\n{await status_text(agentos)}\n")
    return 0


async def _once(settings: Settings, name: str) -> int:
    from . import database
    from .daemon_pkg.index_worker import IndexWorker
    from .daemon_pkg.jobs.schedule import JOBS
    from .daemon_pkg.lock import DaemonLock
    from .daemon_pkg.scheduler import Scheduler
    from .modules.clock import system_clock

    job = next((job for job in JOBS if job.name == name), None)
    if job is None and name != INDEX:
        names = ", ".join([*(job.name for job in JOBS), INDEX])
        sys.stderr.write(f"agentos-daemon: there is no job {name!r}; there are: {names}\n")
        return 2
    async with database.opened(settings, system_clock) as (agentos, index):
        worker = IndexWorker(agentos.embedding, index)
        if job is None:
            with DaemonLock(settings.database):
                state = await worker.run_once()
                await worker.close()
            sys.stdout.write(f"{name}: {state or 'no embedding model'}\n")
            return 0
        scheduler = Scheduler(agentos, JOBS, worker)
        await scheduler.register()
        ran = await scheduler.run(job, force=True)
        sys.stdout.write(f"{name}: {'done' if ran else 'somebody else runs it now'}\n")
        return 0 if ran else 1


async def _daemon(settings: Settings) -> int:
    import asyncio
    import contextlib

    from . import database
    from .daemon_pkg import logs
    from .daemon_pkg.index_worker import IndexWorker
    from .daemon_pkg.jobs.schedule import JOBS
    from .daemon_pkg.lock import DaemonLock
    from .daemon_pkg.report import status_text
    from .daemon_pkg.scheduler import Scheduler
    from .modules.clock import system_clock
    from .modules.errors import StorageUnavailable

    stopping = asyncio.Event()

    def stop() -> None:
        leave_in_time()
        stopping.set()

    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stop)
    database.prepare_home(settings)
    with DaemonLock(settings.database):
        log_path = logs.to_file(settings.home, settings.daemon_log_level)
        async with database.opened(settings, system_clock) as (agentos, index):
            worker = IndexWorker(agentos.embedding, index)
            scheduler = Scheduler(agentos, JOBS, worker)
            try:
                await agentos.jobs.daemon_started(VERSION)
                await scheduler.start()
                if sys.stderr.isatty():
                    sys.stderr.write(f"agentos-daemon {VERSION}, data in {settings.home}, log in {log_path}\n")
                    sys.stderr.write(f"{await status_text(agentos)}\n\nCtrl-C stops it.\n")
                await stopping.wait()
            finally:
                scheduler.stop()
                # Neither is needed for a clean start: the index is derived, the state shows in the heartbeat.
                for closing in (agentos.jobs.daemon_stopped(), worker.close()):
                    with contextlib.suppress(TimeoutError, StorageUnavailable):
                        await asyncio.wait_for(closing, STOP_WITHIN_S)
    return 0


if __name__ == "__main__":
    main()
