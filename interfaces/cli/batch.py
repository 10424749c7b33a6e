"""`agentos remember-all`: many memories at once, one a line; each is taken or refused by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ...conformance import reader
from .calls import server
from .options import Agent, AsJson, Home, expanded, path_of
from .outcome import ExitCode
from .terminal import read_input, read_text, say, say_json

AT_ONCE = 200
TOOLSETS = ("batch",)


def remember_all(
    file: Annotated[
        Path,
        typer.Argument(
            help="A file of lines, each text or JSON with `content`; - reads standard input.", parser=path_of
        ),
    ],
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Store every line of a file: text, or JSON with memory_store's arguments. Exit code 3: some are refused."""
    stored: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    if str(file) == "-":
        text = read_input()
    else:
        with expanded(file).open("rb") as lines:
            text = read_text(lines, str(file))
    entries = list(_entries(text, refused))
    with server(home, agent, TOOLSETS) as session:
        for begin in range(0, len(entries), AT_ONCE):
            chunk = entries[begin : begin + AT_ONCE]
            done = session.call("memory_store_batch", memories=[entry for _, entry in chunk]).data
            stored += [{"line": chunk[one.pop("index")][0], **one} for one in done["results"]]
            refused += [{"line": chunk[one.pop("index")][0], **one} for one in done.get("refused", ())]
    if as_json:
        say_json({"results": stored, "refused": refused})
    else:
        say(f"{len(stored)} kept, {len(refused)} refused")
        for one in refused:
            say(f"line {one['line']}: {one['problem']}", err=True)
    if refused:
        raise typer.Exit(ExitCode.REFUSED)


def _entries(text: str, refused: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line that is not blank with its number, from 1: a text, or the JSON that begins with a brace.

    What begins with a brace and is no JSON object is added to `refused`.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        entry = line.strip()
        if entry.startswith("{"):
            try:
                yield number, reader.parse(entry.encode())
            except (ValueError, RecursionError) as error:
                refused.append({"line": number, "problem": f"is not a JSON object: {error}"})
        elif entry:
            yield number, {"content": entry}
