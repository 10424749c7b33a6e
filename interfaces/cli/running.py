"""One run of the command line: from its words to its exit code, with every failure reported in one way."""

from collections.abc import Sequence

import typer

from . import terminal
from .app import app
from .outcome import Failure, Outcome, failure_of

_USAGE = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def run(words: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    arguments = _of_help(list(words))
    try:
        try:
            code = app(arguments, prog_name="agentos", standalone_mode=False)
        except Exception as error:  # noqa: BLE001 - what nobody expects is raised again
            return _report(error, as_json="--json" in arguments)
    except typer.Exit as leaving:  # nobody reads the error message
        return leaving.exit_code
    except Failure as failure:
        return failure.outcome
    return code if isinstance(code, int) else Outcome.DONE


def _of_help(words: list[str]) -> list[str]:
    """Return the words with `help goals` rewritten as `goals --help`."""
    return [*words[1:], "--help"] if words[:1] == ["help"] else words


def _report(error: Exception, *, as_json: bool) -> int:
    """Report an error and return the exit code. An unexpected error is raised again."""
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, typer.Abort | EOFError):
        failure: Failure | None = Failure("nothing was changed", Outcome.REFUSED)
    elif isinstance(error, _USAGE):
        if not (message := _of_usage(error)):
            return Outcome.WRONG_USE
        failure = Failure(message, Outcome.WRONG_USE)
    else:
        failure = failure_of(error)
    if failure is None:
        raise error
    if as_json:
        fields = {"code": failure.code, "exit_code": int(failure.outcome), "message": str(failure)}
        terminal.say_json({"error": fields})
    else:
        terminal.say(f"agentos: {failure}", err=True)
    return failure.outcome


def _of_usage(error: Exception) -> str:
    """Return what was wrong with a command's words, and where its help is; empty where that was shown already."""
    message = getattr(error, "format_message", lambda: str(error))()
    message = (
        message.replace("Input should be", "must be").replace("Value error, ", "").partition(", unable to parse")[0]
    )
    context = getattr(error, "ctx", None)
    return f"{message}\nTry: {context.command_path} --help" if context is not None and message else message
