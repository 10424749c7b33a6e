"""Wrong use of a measuring command: told in one line by the command, and by `agentos bench` as any other."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

Command = Callable[[Sequence[str] | None, str], int]


class UsageError(ValueError):
    """An argument, or the data that it names, is not acceptable; the message names it."""


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError where argparse would print lines of its own and leave."""

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments."""
        raise UsageError(message)


def run(command: Command, argv: Sequence[str] | None, prog: str) -> int:
    """Run a command and return its exit code, 2 for wrong use."""
    try:
        return command(argv, prog)
    except UsageError as error:
        sys.stderr.write(f"{prog}: {error}\n")
        return 2
