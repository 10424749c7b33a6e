"""One run of the command line: from its words to its exit code, with every failure reported in one way."""

import re
from collections.abc import Sequence
from typing import Any

import typer

from . import terminal
from .app import app
from .outcome import CommandFailure, ExitCode, failure_of

_USAGE = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


_NAMED = re.compile(r"(--|)([a-z][a-z_-]{0,40}): ")


def run(words: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    arguments = _of_help(list(words))
    try:
        try:
            code = app(arguments, prog_name="agentos", standalone_mode=False)
        except Exception as error:  # noqa: BLE001 - what nobody expects is raised again
            return _report(error, arguments)
    except typer.Exit as leaving:  # nobody reads the error message
        return leaving.exit_code
    except CommandFailure as failure:
        return failure.outcome
    return code if isinstance(code, int) else ExitCode.DONE


def _of_help(words: list[str]) -> list[str]:
    """Return the words with `help goals` rewritten as `goals --help`."""
    return [*words[1:], "--help"] if words[:1] == ["help"] else words


def _report(error: Exception, words: Sequence[str]) -> int:
    """Report an error and return the exit code. An unexpected error is raised again."""
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, typer.Abort | EOFError):
        failure: CommandFailure | None = CommandFailure("nothing was changed", ExitCode.REFUSED)
    elif isinstance(error, _USAGE):
        if not (message := _of_usage(error)):
            return ExitCode.WRONG_USE
        failure = CommandFailure(message, ExitCode.WRONG_USE)
    else:
        failure = failure_of(error)
    if failure is None:
        raise error
    said = _of_command(str(failure), words)
    if "--json" in words:
        fields = {"code": failure.code, "exit_code": int(failure.outcome), "message": said}
        terminal.say_json({"error": fields})
    else:
        terminal.say(f"agentos: {said}", err=True)
    return failure.outcome


def _of_command(message: str, words: Sequence[str]) -> str:
    """Return a message that begins with an option's name with the name that the command has for it."""
    if (found := _NAMED.match(message)) is None:
        return message
    command: Any = app if hasattr(app, "get_command") else typer.main.get_command(app)
    for word in words:
        with_words = typer.Context(command)
        inner = command.get_command(with_words, word) if hasattr(command, "get_command") else None
        command = inner or command
    name = found[2].replace("-", "_")
    for given in command.params:
        is_option = given.param_type_name == "option"
        if is_option and found[1] + found[2] in given.opts:
            return message
        if name in (given.name, (given.metavar or "").lower()):
            return f"{given.opts[0] if is_option else given.metavar}: {message[found.end() :]}"
    return f"{found[2]}: {message[found.end() :]}"


def _of_usage(error: Exception) -> str:
    """Return what was wrong with a command's words, and where its help is; empty where that was shown already."""
    message = getattr(error, "format_message", lambda: str(error))()
    message = (
        message.replace("Input should be", "must be").replace("Value error, ", "").partition(", unable to parse")[0]
    )
    message = message.removeprefix("Invalid value: ")
    given: Any = getattr(error, "param", None)
    if getattr(given, "param_type_name", "") == "argument":
        message = message.replace(f"'{given.name}'", str(given.metavar))
    context = getattr(error, "ctx", None)
    return f"{message}\nTry: {context.command_path} --help" if context is not None and message else message
