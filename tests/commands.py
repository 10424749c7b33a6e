"""Commands of `agentos` in this process: as a process of their own runs them, without the time that its start takes."""

import contextlib
import io
import itertools
import os
import pty
import re
import shlex
import subprocess
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO
from unittest import mock

from agentos.interfaces.cli.running import run
from tests.terminal import attended


def ran(words: Sequence[str], environment: Mapping[str, str], given: str = "") -> subprocess.CompletedProcess[str]:
    """The exit code of a command and what it printed, where neither of its ends is a terminal.

    What the programs that it starts say on standard error is not in it.
    """
    stdin, output, errors = (
        io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", write_through=True) for text in (given, "", "")
    )
    with _streams(stdin, output, errors):
        code = _run(words, environment)
    output.seek(0)
    errors.seek(0)
    return subprocess.CompletedProcess(words, code, output.read(), errors.read())


def walked(script: str, environment: Mapping[str, str], folder: Path) -> Iterator[subprocess.CompletedProcess[str]]:
    """Each command of a guide in turn, as somebody runs it in a folder; `args` are its words."""
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=";|>&")
        words.whitespace_split = True
        for is_end, group in itertools.groupby([os.path.expanduser(word) for word in words], ";".__eq__):
            if not is_end:
                settings, (program, *arguments) = _with_settings([*group])
                assert program == "agentos" and not {"|", ">", "&&"} & {*arguments}, line
                with contextlib.chdir(folder):
                    yield ran(arguments, {**environment, **settings})


def _with_settings(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """A command's own environment, which stands before it, and its words."""
    named = [*itertools.takewhile(re.compile(r"[A-Z_]+=").match, words)]
    return dict(one.split("=", 1) for one in named), words[len(named) :]


def ran_at_terminal(words: Sequence[str], environment: Mapping[str, str], answer: str = "") -> tuple[int, str]:
    """The exit code of a command, and what it showed at a terminal; the answer is typed once it is asked for."""
    terminal, wire = pty.openpty()
    with ThreadPoolExecutor(1) as person:
        shown = person.submit(attended, terminal, answer)
        with open(os.dup(wire), encoding="utf-8") as stdin, open(wire, "w", encoding="utf-8") as screen:
            with _streams(stdin, screen, screen):
                code = _run(words, environment)
        return code, shown.result()


@contextlib.contextmanager
def _streams(given: TextIO, output: TextIO, errors: TextIO) -> Iterator[None]:
    with mock.patch("sys.stdin", given), contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        yield


def _run(words: Sequence[str], environment: Mapping[str, str]) -> int:
    mask = os.umask(0o077)
    try:
        with mock.patch.dict(os.environ, environment, clear=True), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "subprocess .* is still running")  # a daemon outlives the command
            return run(words)
    finally:
        os.umask(mask)
