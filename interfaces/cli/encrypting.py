"""`agentos encrypt`, `decrypt` and `rotate-key`: a home whose files say nothing without its key."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...modules.text.counting import counted
from .locking import Passphrase, passphrase_of
from .opened import settings_here
from .options import Home, expanded, path_of
from .terminal import say

if TYPE_CHECKING:
    from ...config import Settings
    from ...database import HomeEncryption

Asked = Annotated[bool, typer.Option("--passphrase", help="Derive the key from a passphrase; you are asked for it.")]


def encrypt(
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="Where to keep the key: outside the home.", parser=path_of)
    ] = None,
    keyring: Annotated[bool, typer.Option("--keyring", help="Keep the key in the system's keyring.")] = False,
    vault: Annotated[
        str | None, typer.Option("--vault", help="Vault's Transit key wraps it: https://HOST:8200/transit/KEY.")
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file", help="With --vault: the file with the token, such as ~/.vault-token.", parser=path_of
        ),
    ] = None,
    passphrase: Asked = False,
    passphrase_file: Passphrase = None,
    resume: Annotated[bool, typer.Option("--resume", help="Finish an interrupted change.")] = False,
    recover: Annotated[bool, typer.Option("--recover", help="Derive a lost key again from its passphrase.")] = False,
    home: Home = None,
) -> None:
    """Encrypt every database of the home, including backups; vectors are then compared exhaustively, without ChromaDB.

    Stop the daemon first. Without the key the data is lost: keep a copy of it, or use a passphrase.
    """
    settings = settings_here(home)
    if resume:
        _say(_work(settings, lambda work: work.resume()), "done")
        return
    given = passphrase_of(passphrase_file, again=not recover) if passphrase or passphrase_file or recover else None
    if recover:
        _work(settings, lambda work: work.recover(given or ""))
        say("the key is restored to its old place")
        return
    if sum((key_file is not None, keyring, vault is not None)) > 1 or (vault is None and token_file is not None):
        raise typer.BadParameter("give one of --key-file, --keyring and --vault; --token-file goes with --vault")
    key_place = _place(settings, key_file, keyring=keyring) if vault is None else _in_vault(settings, vault, token_file)
    _say(_work(settings, lambda work: work.encrypt(key_place, given)), "encrypted")
    if vault is not None:
        say(f"Vault unwraps the key: without {vault} and a token nothing can be read.")
        return
    say(f"The key is in {key_place}. Keep a copy of it elsewhere: without the key nothing can be read.")


def rotate_key(
    passphrase: Asked = False,
    passphrase_file: Passphrase = None,
    rewrap: Annotated[
        bool, typer.Option("--rewrap", help="Rewrap the same key with the newest version of Vault's key.")
    ] = False,
    home: Home = None,
) -> None:
    """Re-encrypt every database of the home with a new key. The old key is kept for older copies."""
    if rewrap:
        count = _work(settings_here(home), lambda work: work.rewrap())
        say(f"{counted(count, 'key')} rewrapped")
        return
    given = passphrase_of(passphrase_file, again=True) if passphrase or passphrase_file else None
    _say(_work(settings_here(home), lambda work: work.rotate(given)), "under the new key")


def decrypt(home: Home = None) -> None:
    """Decrypt every database of the home."""
    _say(_work(settings_here(home), lambda work: work.decrypt()), "made plain")


def _work(settings: "Settings", what: "Callable[[HomeEncryption], int]") -> int:
    from ... import database

    return what(database.encryption(settings, lambda name: say(name, err=True)))


def _say(count: int, what: str) -> None:
    say(f"{counted(count, 'file')} {what}")


def _place(settings: "Settings", key_file: Path | None, *, keyring: bool) -> str:
    """Return where the key is to be kept. Raises BadParameter for a place within the home."""
    if keyring:
        return f"keyring:{settings.home.absolute()}"
    path = expanded(key_file) if key_file is not None else _usual(settings.home)
    path = path.absolute()
    if path.is_relative_to(settings.home.absolute()):
        raise typer.BadParameter("must not be in the home, whose files it protects", param_hint="--key-file")
    return str(path)


def _in_vault(settings: "Settings", url: str, token_file: Path | None) -> str:
    """Return the place of a key that Vault wraps. Raises InvalidInput, BadParameter for a token within the home."""
    from ... import database

    path = expanded(token_file or Path("~/.vault-token"))
    if path.is_relative_to(settings.home.absolute()):
        raise typer.BadParameter("must not be in the home, whose files it opens", param_hint="--token-file")
    return database.place_in_vault(url, path)


def _usual(home: Path) -> Path:
    import hashlib

    from platformdirs import user_config_path

    name = hashlib.sha256(str(home.absolute()).encode()).hexdigest()[:16]
    return user_config_path("agentos") / "keys" / f"{name}.json"
