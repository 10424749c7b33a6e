"""The one way to a person's screen: printed text cannot control the terminal, and every console can show it."""

import errno
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, TextIO

import typer

from .outcome import CommandFailure, ExitCode

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

PIPED_WIDTH = 10_000
"""The width where no terminal sets one: lines are not broken."""
MOST_INPUT_BYTES = 64 * 2**20
_JOINERS = "\u200c\u200d"
"""Zero-width joiners: invisible, harmless, and needed inside words and emoji."""
_PLAINER = str.maketrans({"→": "->", "…": "...", "·": "-", "–": "-"})
"""Replacements of our own signs, for a console with no more than its language's characters."""


def say(what: "RenderableType" = "", *, err: bool = False, end: str = "\n") -> None:
    """Print a text or a table to standard output, or to standard error.

    Ends the command quietly where nobody reads any more; raises CommandFailure where the output cannot be written.
    """
    stream = sys.stderr if err else sys.stdout
    if stream is None:  # closed by whoever started us
        return
    try:
        if isinstance(what, str):
            text = clean(what)
            stream.write((text if _is_unicode(stream) else text.translate(_PLAINER)) + end)
        else:
            stream.write(_drawn(what, stream) + end)
        stream.flush()
    except OSError as error:
        _let_go(stream)
        if error.errno == errno.EPIPE:
            raise typer.Exit(ExitCode.UNREAD) from error
        raise CommandFailure(f"standard output: {error.strerror or error}", ExitCode.UNAVAILABLE) from error


def say_json(data: object) -> None:
    """Print data as JSON to standard output; it is JSON on every console."""
    text = json_text(data)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = json.dumps(data, indent=1, default=str)
    say(text)


def json_text(data: object) -> str:
    """Return JSON whose texts are readable, but for characters that a terminal might obey."""
    text = json.dumps(data, indent=1, ensure_ascii=False, default=str)
    return "".join(one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in text)


def clean(text: str) -> str:
    """Return the text without what a terminal might obey: escapes, other control characters, direction marks."""
    return text if text.isascii() and text.isprintable() else "".join(map(_shown, text))


def one_line(text: str) -> str:
    """Return the text on one line, clean."""
    return clean(" ".join(text.split()))


def ask(question: str, *, default: bool = False) -> bool:
    """Ask a person on standard error; False where nobody can be asked."""
    if not can_ask():
        return False
    return typer.confirm(clean(question), default=default, err=True)


def _drawn(what: "RenderableType", stream: TextIO) -> str:
    """Return a table as lines, without trailing spaces."""
    screen = console(stream)
    with screen.capture() as captured:
        screen.print(what, end="")
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n"))


def can_ask() -> bool:
    """Tell whether a person sits at standard input."""
    return sys.stdin is not None and sys.stdin.isatty()


def read_input() -> str:
    """Return all of standard input. Raises CommandFailure where it is closed, too large, or not UTF-8."""
    if sys.stdin is None:
        raise CommandFailure("standard input is closed", ExitCode.WRONG_USE)
    return read_text(sys.stdin.buffer, "standard input")


def read_text(file: BinaryIO, name: str) -> str:
    """Return all of a file, without a byte order mark. Raises CommandFailure by its name if too large or not UTF-8."""
    data = file.read(MOST_INPUT_BYTES + 1)
    if len(data) > MOST_INPUT_BYTES:
        raise CommandFailure(f"{name} has more than {MOST_INPUT_BYTES >> 20} MiB; split it", ExitCode.WRONG_USE)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandFailure(f"{name} is not UTF-8, from byte {error.start} on", ExitCode.WRONG_USE) from error


def is_terminal() -> bool:
    """Tell whether a person reads standard output."""
    return sys.stdout is not None and sys.stdout.isatty()


def console(stream: TextIO | None = None) -> "Console":
    """Return a stream as Rich sees it: colours and the width of a terminal on one, plain and unbroken in a pipe."""
    from rich.console import Console

    to = stream or sys.stdout
    plain = Console(file=to, highlight=False, markup=False)
    return plain if plain.is_terminal else Console(file=to, highlight=False, markup=False, width=PIPED_WIDTH)


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a callback (what is done, how much, of how much) that draws bars on standard error, if a terminal."""
    from rich.console import Console
    from rich.progress import Progress, TaskID

    to = Console(stderr=True)
    with Progress(console=to, disable=quiet or not to.is_terminal, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        yield report


def _shown(character: str) -> str:
    if character.isprintable() or character == "\n" or character in _JOINERS:
        return character
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


def _is_unicode(stream: TextIO) -> bool:
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def _let_go(stream: TextIO) -> None:
    """Redirect a stream that cannot be written to nowhere, so that the end of the process does not complain again."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
    except OSError:  # not a file: nothing is left to be written
        return
