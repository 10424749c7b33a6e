"""`agentos ask`: a question answered from memory, with the memories that bear each sentence."""

from typing import Annotated

import typer

from ...interfaces.cli import calls
from ...interfaces.cli.options import Agent, AsJson, Home, Project
from ...interfaces.cli.outcome import ExitCode
from ...interfaces.cli.terminal import say, say_json


def ask(
    question: Annotated[list[str], typer.Argument(help="What you want to know.")],
    project: Project = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Answer as of this date; ISO 8601.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="rules, or model: the configured language model.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from memory, each sentence with its memories; exit code 1 when nothing answers it."""
    answer = calls.ask(
        "memory_ask", home, agent, ("ask",), question=" ".join(question), project=project, as_of=as_of, by=by
    )
    if as_json:
        say_json(answer.data)
    else:
        say(answer.text)
    if answer.data["outcome"] != "answered":
        raise typer.Exit(ExitCode.NOT_FOUND)
