"""`agentos lock` and `unlock`: a bundle, a backup or any file encrypted under a passphrase, and back."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from ...modules import private_files
from .options import expanded, path_of
from .outcome import CommandFailure, ExitCode
from .terminal import can_ask, say

Source = Annotated[Path, typer.Argument(metavar="FILE", help="The file to read; it stays.", parser=path_of)]
Output = Annotated[Path, typer.Option("--output", "-o", help="A new file.", parser=path_of)]
Passphrase = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        help="A file with the passphrase on its first line; by default you are asked.",
        parser=path_of,
    ),
]


def lock(file: Source, output: Output, passphrase_file: Passphrase = None) -> None:
    """Encrypt a file with a passphrase, such as an export, passport or backup. The original file stays."""
    from ...modules.signing.locked import locked

    _convert(file, output, locked, passphrase_of(passphrase_file, again=True))


def unlock(file: Source, output: Output, passphrase_file: Passphrase = None) -> None:
    """Decrypt a file made by agentos lock; a changed or truncated file is refused."""
    from ...modules.signing.locked import unlocked

    _convert(file, output, unlocked, passphrase_of(passphrase_file, again=False))


def _convert(file: Path, output: Path, by: Callable[[BinaryIO, str], Iterator[bytes]], passphrase: str) -> None:
    try:
        with expanded(file).open("rb") as source, private_files.appearing(expanded(output)) as new:
            new.writelines(by(source, passphrase))
    except FileExistsError as error:
        raise CommandFailure(
            f"{output} already exists, and nothing was written; name a new file", ExitCode.REFUSED
        ) from error
    say(str(output))


def passphrase_of(file: Path | None, *, again: bool) -> str:
    """Return the passphrase in a file, else what is typed. Raises OSError; Failure where nobody can be asked."""
    if file is None and not can_ask():
        raise CommandFailure(
            "nobody is at a terminal to type the passphrase: name its file with --passphrase-file", ExitCode.REFUSED
        )
    if file is None:
        return str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=again))
    with expanded(file).open(encoding="utf-8") as opened:
        return opened.readline(10_000).rstrip("\r\n")
