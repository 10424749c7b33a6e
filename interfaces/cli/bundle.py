"""`agentos bundle`: bundles normalised, checked and compared, without any store."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...conformance import reader
from ...modules import foreign_files, private_files
from . import shown
from .options import AsJson, path_of
from .outcome import CommandFailure, ExitCode, unreadable
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...conformance.validation import Validation

bundle = typer.Typer(help="Inspect files made by agentos export, without opening a store.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A file made by agentos export.", parser=path_of)]
SHOWN = 20
MOST_COMPLAINTS = 1000
MAX_LINE_BYTES = 32 * foreign_files.MiB


@bundle.command()
def normalise(
    file: File,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to create; by default standard output.", parser=path_of),
    ] = None,
) -> None:
    """Write the bundle in canonical form, with one spelling and order. Repeating it changes nothing."""
    if output is None and sys.stdout.isatty():
        raise CommandFailure(
            "a bundle cannot be printed to a terminal; name a new file with --output, or use a pipe", ExitCode.WRONG_USE
        )
    with _lines(file) as lines:
        made = list(reader.normal(lines))
    if output is None:
        sys.stdout.buffer.writelines(made)
        return
    try:
        with private_files.appearing(output) as new:
            new.writelines(made)
    except FileExistsError as error:
        raise CommandFailure(
            f"{output} already exists, and nothing was written; name a new file", ExitCode.REFUSED
        ) from error
    except OSError as error:
        raise CommandFailure(f"{output}: {error.strerror or error}", ExitCode.UNAVAILABLE) from error


@bundle.command()
def validate(file: File, as_json: AsJson = False) -> None:
    """Check a bundle against the published schemas. Exit code 0: valid, 1: not, 4: unreadable."""
    from ...conformance.validation import Validation

    found = Validation()
    with _lines(file) as lines:
        complaints = list(islice(found.complaints(lines), MOST_COMPLAINTS))
    if as_json:
        more = {"unknown_fields": dict(sorted(found.unknown.items())), "unchecked": found.unchecked}
        listed = [complaint.as_json() for complaint in complaints]
        say_json({"valid": not complaints, "complaints": listed, **found.summary, **more})
    else:
        _show(found, complaints)
    raise typer.Exit(ExitCode.NOT_FOUND if complaints else ExitCode.DONE)


def _show(found: "Validation", complaints: list[reader.Complaint]) -> None:
    if complaints:
        say(shown.rows(("code", "complaint"), [(one.code, one.message) for one in complaints[:SHOWN]]))
        if len(complaints) > SHOWN:
            say(f"… of {len(complaints)}; --json lists them all")
    else:
        say(shown.rows(("what", "rows"), list(found.summary["rows"].items())))
        say(f"valid: schema {found.summary['schema']}, canonical hash {found.summary['canonical_hash']}")
    if found.unchecked:
        say(found.unchecked)
    if found.unknown:
        names = ", ".join(map(one_line, sorted(found.unknown)))
        say(f"fields that are not in the schema, which an import ignores: {names}")


class BundleForm(StrEnum):
    """The forms in which a bundle is shown."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


@bundle.command(name="open")
def open_(
    file: File, form: Annotated[BundleForm, typer.Option("--format", help="text, json or html.")] = BundleForm.TEXT
) -> None:
    """Show a bundle's memories, its kind, and whether its seal is intact; needs no home and no settings."""
    from ...conformance.parts import Part
    from .passports import page

    with _lines(file) as lines:
        texts = list(lines)
        part, seal = Part.of(texts), reader.seal_of(texts)
    if form is BundleForm.JSON:
        say_json({**seal, "memories": list(part.memories.values()), "relations": part.relations})
    else:
        say(page(part, seal, form is BundleForm.HTML))


@bundle.command()
def diff(
    file: File,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="The bundle to compare with.", parser=path_of)],
    as_json: AsJson = False,
    as_html: Annotated[
        bool, typer.Option("--html", help="Write an HTML page that loads nothing from elsewhere.")
    ] = False,
) -> None:
    """Compare the contents of two bundles. Exit code 0: equal, 1: not, 4: one is unreadable."""
    from dataclasses import asdict

    from ...conformance.differences import Side, differences

    sides = []
    for path in (file, other):
        with _lines(path, ExitCode.UNAVAILABLE) as lines:
            sides.append(Side.of(lines))
    found = differences(*sides)
    if as_json:
        say_json({"same": found.none, **asdict(found)})
    elif as_html:
        from .passports import table_page

        cells = [(row.table, row.is_in, row.id, ", ".join(row.columns)) for row in found.rows]
        say(
            table_page(
                "both bundles have the same contents" if found.none else "what differs",
                ("table", "in", "row", "columns"),
                cells,
            )
        )
    else:
        if found.none:
            say("both bundles have the same contents")
        else:
            entries = [(row.table, row.is_in, _short(row.id), ", ".join(row.columns)) for row in found.rows[:SHOWN]]
            say(shown.rows(("table", "in", "row", "what differs"), entries))
            if len(found.rows) > SHOWN:
                say(f"… of {len(found.rows)}; --json lists them all")
        if found.reordered:
            say(f"in another order: {', '.join(map(one_line, found.reordered))}")
        if found.schemas[0] != found.schemas[1]:
            say(f"of schema {found.schemas[0]} and {found.schemas[1]}")
    raise typer.Exit(ExitCode.DONE if found.none else ExitCode.NOT_FOUND)


def _short(text: str) -> str:
    return text if len(text) <= SHOWN * 4 else f"{text[: SHOWN * 4]}…"


@contextmanager
def _lines(path: Path, refused: ExitCode = ExitCode.NOT_FOUND) -> Iterator[Iterator[bytes]]:
    """Yield the lines of a file. Raises CommandFailure where it cannot be read, or its lines are refused."""
    try:
        with foreign_files.opened(path) as file:
            yield foreign_files.lines(file, MAX_LINE_BYTES)
    except reader.Complaint as complaint:
        raise CommandFailure(f"{path}: {complaint.message}", refused) from complaint
    except OSError as error:
        raise unreadable(path, error) from error
