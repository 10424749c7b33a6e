"""Processes that are there to be killed, forked from one that has imported AgentOS: most of a start is its imports."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TextIO

IMPORTED = ("agentos.config", "agentos.modules.agentos", "agentos.storage.sqlite.store", "pytest")
ENDS_WITHIN_S = 60.0


class Forked:
    """A process that runs a function, and what it says on standard output."""

    def __init__(self, run: Callable[..., object], *given: object) -> None:
        forks = multiprocessing.get_context("forkserver")
        forks.set_forkserver_preload([*IMPORTED])
        output, its_output = forks.Pipe(duplex=False)
        with output, its_output:
            self._process = forks.Process(target=_begin, args=(its_output, dict(os.environ), run, *given))
            self._process.start()
            self.stdout: TextIO = os.fdopen(os.dup(output.fileno()), encoding="utf-8")

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None and self._process.pid is not None:
            with suppress(ProcessLookupError):  # it has, and that is not told yet
                os.kill(self._process.pid, number)

    def kill(self) -> None:
        """End it at once, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """Its exit code, that of a signal below 0; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        """Its exit code, once it has ended, which it must do within so many seconds."""
        self._process.join(timeout)
        code = self.poll()
        assert code is not None, "it does not end"
        return code


def _begin(output: Connection, environment: dict[str, str], run: Callable[..., object], *given: object) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(output.fileno(), 1)
    output.close()
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    run(*given)


def _program(source: str, *arguments: str) -> None:
    sys.argv = ["-c", *arguments]
    exec(compile(source, "<program>", "exec"), {"__name__": "__main__"})


@contextmanager
def running(run: Callable[..., object] | str, *given: object) -> Iterator[Forked]:
    """A process that runs a function, or the source of a program with arguments; it is killed at the end."""
    words = (_program, run, *map(str, given)) if isinstance(run, str) else (run, *given)
    process = Forked(*words)
    with process.stdout:
        try:
            yield process
        finally:
            process.kill()
            process.wait(ENDS_WITHIN_S)
