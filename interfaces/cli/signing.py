"""`agentos sign`, `verify` and `trust-keys`: what leaves is signed, what comes is judged; no store is opened."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from ...conformance import erasure, reader
from ...modules import foreign_files, private_files
from ...modules.text.counting import counted
from . import person, shown
from .opened import settings_here
from .options import AsJson, Home, expanded, path_of
from .outcome import CommandFailure, ExitCode, unreadable
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.signing.keys import SigningKey
    from ...modules.signing.registry import JudgedSignature, Registry

trust_keys = typer.Typer(help="Trusted signers, and this home's signing key.", no_args_is_help=True)

MAX_LINE_BYTES = 32 * foreign_files.MiB
MAX_DOCUMENT_BYTES = 64 * foreign_files.MiB
INTEGRITY = {"whole": "unchanged since it was sealed", "changed": "CHANGED since it was sealed", "none": "not sealed"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Id = Annotated[str, typer.Argument(metavar="ID", help="A key's id, such as key_1a2b…")]


def sign(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file made by agentos export.", parser=path_of)],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to create: a sealed and signed copy.", parser=path_of)
    ],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Seal and sign a bundle with this home's key, so that anyone with the public key can verify it."""
    key, author = signer(settings_here(home).home)
    with bundle_lines(expanded(file)) as lines:
        texts = list(reader.normal(lines))
    signed_lines = sealed_lines(texts, key, author, datetime.now(UTC))
    write_new(expanded(output), b"".join(signed_lines))
    envelope = reader.parse(signed_lines[0])["envelope"]
    if as_json:
        say_json({"path": str(output), "author": author, "key": key.public, "uri": envelope["uri"]})
    else:
        say(f"{output}: signed by {author}\n{envelope['uri']}\npublic key {key.public}")


def verify(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A bundle, a certificate, a catalog or a manifest.", parser=path_of)
    ],
    key: Annotated[str | None, typer.Option("--key", help="Trust only this public key; no home is needed.")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Check that a signed file is unchanged, and who signed it. Exit code 0: trusted; 1: not; 4: unreadable."""
    from dataclasses import asdict

    from ...modules.signing import registry, registry_file

    found = found_in(expanded(file))
    if key is None:
        judged = registry_file.read(settings_here(home).home).judged(found["signature"], found["author"], found["key"])
    else:
        judged = registry.by_key_alone(found["signature"], found["author"], found["key"], key)
    good = judged.standing == "trusted" and found["integrity"] == "whole"
    if as_json:
        say_json({"good": good, **found, **{k: v for k, v in asdict(judged).items() if k != "author"}})
    else:
        _tell(found, judged)
    raise typer.Exit(ExitCode.DONE if good else ExitCode.NOT_FOUND)


def sealed_lines(texts: list[bytes], key: "SigningKey | None", author: str | None, at: datetime) -> list[bytes]:
    """Return a bundle in its normal form with an envelope in its first line and a seal in its last, signed by a key."""
    head, end = reader.parse(texts[0]), reader.parse(texts[-1])
    end.pop("seal", None)
    if "envelope" not in head:
        head["envelope"] = envelope("bundle", end["canonical_hash"], at)
    body = [reader.canonical(head) + b"\n", *texts[1:-1], reader.canonical(end) + b"\n"]
    _, _, digest = reader.sealing(line.removesuffix(b"\n") for line in body)
    seal = {"sha256": digest}
    end["seal"] = seal if key is None or author is None else signed(seal, key, author, at)
    return [*body[:-1], reader.canonical(end) + b"\n"]


def envelope(kind: str, canonical_hash: str, at: datetime, **more: Any) -> dict[str, Any]:
    """Return the envelope of a bundle: what it is, when it was made, and the address under which it can be named."""
    name = f"bundle_{canonical_hash[:32]}"
    asked = "&".join(f"{field}={value}" for field, value in {"kind": kind, **more}.items() if isinstance(value, str))
    return {"id": name, "kind": kind, "made_at": moment(at), "uri": f"agentos://bundle/{name}?{asked}", **more}


def signed(document: dict[str, Any], key: "SigningKey", author: str, at: datetime) -> dict[str, Any]:
    """Return a document with a signature that binds all of it, its author and the moment."""
    signature = {"scheme": reader.SCHEME, "author": author, "key": key.public, "at": moment(at)}
    unsigned = {**document, "signature": signature}
    return {**document, "signature": {**signature, "value": key.sign(reader.signed_text(unsigned))}}


def moment(at: datetime) -> int:
    """Return a moment as files have it: whole microseconds since 1970-01-01 UTC."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def signer(home: Path) -> "tuple[SigningKey, str]":
    """Return the key of a home, and in whose name it signs. Raises NotFound, CommandFailure for a revoked one."""
    from ...modules.signing import keys, registry_file

    key = keys.load(home)
    known = registry_file.read(home).keys.get(keys.key_id(key.public))
    if known is None or known.revoked:
        raise CommandFailure(
            "this home's key is revoked or unknown; run: agentos trust-keys new --author NAME", ExitCode.REFUSED
        )
    return key, known.author


def found_in(path: Path) -> dict[str, Any]:
    """Return what a bundle, or another signed document, says of its seal. Raises CommandFailure where it is neither."""
    with _opened(path) as file:
        begin = file.read(MAX_LINE_BYTES).split(b"\n", 1)[0]
    if begin.rstrip() == b"{" or b'"agentos_bundle"' not in begin:
        return found_of(document_of(path))
    with bundle_lines(path) as lines:
        return reader.seal_of(lines)


def found_of(document: dict[str, Any]) -> dict[str, Any]:
    """Return what a document that was read says of its seal: what is used of it must be this very one."""
    state = reader.signature_of(document)
    signature = document["signature"] if state == "valid" else {}
    integrity = {"valid": "whole", "invalid": "changed"}.get(state, "none")
    if "agentos_erasure" in document and not erasure.holds(document):
        integrity = "changed"
    author, key = signature.get("author"), signature.get("key")
    return {"integrity": integrity, "signature": state, "author": author, "key": key}


def _tell(found: dict[str, Any], judged: "JudgedSignature") -> None:
    say(f"{judged.standing}: {INTEGRITY[found['integrity']]}")
    if judged.author is not None:
        say(f"signed by {judged.author}, {judged.key_id}" + (f", known {judged.origin}" if judged.origin else ""))
    if judged.reason is not None:
        say(judged.reason)
    if judged.replaced_by is not None:
        say(f"the key was replaced by {judged.replaced_by}")


@trust_keys.command()
def new(
    author: Annotated[str, typer.Option("--author", help="The author named in its signatures.")],
    keyring: Annotated[bool, typer.Option("--keyring", help="Keep it in the operating system's keyring.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Create this home's signing key, at a terminal. A revoked one is replaced."""
    person.required()
    from ...modules.errors import NotFound
    from ...modules.signing import keys, registry_file

    folder = settings_here(home).home
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        old = keys.load(folder)
    except NotFound:
        old = None
    known = registry_file.read(folder)
    old_id = None if old is None else keys.key_id(old.public)
    if old_id is not None and old_id in known.keys and known.keys[old_id].revoked:
        (folder / keys.FILE).rename(folder / f"{keys.FILE}.{old_id}.revoked")
    left_alone = old is not None and old_id not in known.keys  # made, when something stopped us before it was pinned
    key = old if old is not None and left_alone else keys.create(folder, in_keyring=keyring)
    registry_file.change(folder, lambda registry: registry.pinned(key.public, author, own=True))
    facts = {"id": keys.key_id(key.public), "author": author, "public": key.public}
    if as_json:
        say_json(facts)
    else:
        say(f"{facts['id']} signs as {author}\npublic key, for others: {key.public}")


@trust_keys.command(name="list")
def list_(home: Home = None, as_json: AsJson = False) -> None:
    """Show the known keys, including those of catalogs."""
    from ...modules.signing import registry_file

    registry = registry_file.read(settings_here(home).home)
    entries = [("here", name, key) for name, key in registry.keys.items()]
    entries += [(of, name, key) for of, one in registry.catalogs.items() for name, key in one.keys.items()]
    if as_json:
        say_json(registry.as_document())
        return
    rows = [(name, key.author, of, _state(key), key.public) for of, name, key in entries]
    say(shown.rows(("key", "author", "from", "state", "public key"), rows) if rows else "no keys")


def _state(key: Any) -> str:
    if key.revoked:
        return "revoked" + (f", now {key.replaced_by}" if key.replaced_by else "")
    return "own" if key.own else "trusted"


@trust_keys.command()
def pin(
    public: Annotated[
        str, typer.Argument(metavar="PUBLIC_KEY", help="The key, as agentos trust-keys list shows it to its owner.")
    ],
    author: Annotated[str, typer.Option("--author", help="The author that the key belongs to.")],
    home: Home = None,
) -> None:
    """Trust a key as belonging to an author, at a terminal."""
    person.required()
    _change(home, lambda registry: registry.pinned(public, author), f"pinned to {author}")


@trust_keys.command()
def unpin(name: Id, home: Home = None) -> None:
    """Stop trusting a key."""
    _change(home, lambda registry: registry.unpinned(name), f"{name} is no longer trusted")


@trust_keys.command()
def revoke(
    name: Id,
    replaced_by: Annotated[
        str | None, typer.Option("--replaced-by", help="The id of the key that replaces it.")
    ] = None,
    home: Home = None,
) -> None:
    """Revoke a key: nothing that it ever signed is trusted. Naming a replacement needs a terminal."""
    if replaced_by is not None:
        person.required()
    _change(home, lambda registry: registry.revoked(name, replaced_by), f"{name} is revoked")


@trust_keys.command()
def restore(name: Id, home: Home = None) -> None:
    """Undo a revocation, at a terminal."""
    person.required()
    _change(home, lambda registry: registry.restored(name), f"{name} is trusted again")


@trust_keys.command()
def publish(
    output: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.", parser=path_of)],
    name: Annotated[str, typer.Option("--id", help="The catalog's id, the same for each edition.")],
    label: Annotated[str, typer.Option("--label", help="What it is.")],
    home: Home = None,
) -> None:
    """Write this home's keys as a signed catalog for others to import."""
    from ...modules.signing import registry_file

    folder = settings_here(home).home
    key, author = signer(folder)
    document = signed(registry_file.read(folder).as_catalog(name, label), key, author, datetime.now(UTC))
    write_new(expanded(output), reader.canonical(document) + b"\n")
    say(f"{output}: {counted(len(document['keys']), 'key')}, signed by {author}")


@trust_keys.command(name="import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A catalog.", parser=path_of)],
    key: Annotated[str | None, typer.Option("--key", help="The public key that must have signed it.")] = None,
    home: Home = None,
) -> None:
    """Import a catalog from a trusted signer, at a terminal; local entries are not changed."""
    from ...modules.signing import registry_file
    from ...modules.signing.keys import key_id
    from ...modules.signing.registry import HERE, by_key_alone

    person.required()
    document = document_of(expanded(file))
    found = found_of(document)
    folder = settings_here(home).home
    signed_by = found["signature"], found["author"], found["key"]
    judged = by_key_alone(*signed_by, key) if key else registry_file.read(folder).judged(*signed_by)
    if judged.standing != "trusted" or (key is None and judged.origin != HERE):
        raise CommandFailure(
            f"the catalog is {judged.standing}, and its signer is not pinned here; nothing was changed. Pin the "
            "signer, or name the key with --key",
            ExitCode.REFUSED,
        )
    left: list[str] = []

    def changed(registry: "Registry") -> "Registry":
        made, unchanged = registry.with_catalog(document, key_id(found["key"]))
        left.extend(unchanged)
        return made

    registry_file.change(folder, changed)
    say(
        f"{document['id']}: {counted(len(document['keys']), 'key')}"
        + (f"; as they are, since known here: {len(left)}" if left else "")
    )


def _change(home: Path | None, by: "Callable[[Registry], Registry]", message: str) -> None:
    from ...modules.signing import registry_file

    registry_file.change(settings_here(home).home, by)
    say(message)


def document_of(path: Path, most: int = MAX_DOCUMENT_BYTES) -> dict[str, Any]:
    """Return the document in a file of at most so many bytes. Raises CommandFailure."""
    with _opened(path) as file:
        text = file.read(most + 1)
    if len(text) > most:
        raise CommandFailure(f"{path} is too large for a signed document", ExitCode.UNAVAILABLE)
    try:
        value = reader.parse(text)
    except (ValueError, RecursionError) as error:
        raise CommandFailure(f"{path} is not a signed document: it is not JSON", ExitCode.UNAVAILABLE) from error
    if not isinstance(value, dict):
        raise CommandFailure(f"{path} is not a signed document", ExitCode.UNAVAILABLE)
    return value


def write_new(path: Path, text: bytes) -> None:
    """Write a new private file. Raises CommandFailure where there is one."""
    with new_file(path) as file:
        file.write(text)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a new private file, named once it is whole. Raises CommandFailure where there is one."""
    try:
        with private_files.appearing(path) as file:
            yield file
    except FileExistsError as error:
        raise CommandFailure(
            f"{path} already exists, and nothing was written; name a new file", ExitCode.REFUSED
        ) from error


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with foreign_files.opened(path) as file:
            yield file
    except OSError as error:
        raise unreadable(path, error) from error


@contextmanager
def bundle_lines(path: Path) -> Iterator[Iterator[bytes]]:
    """Yield the lines of a bundle. Raises CommandFailure, naming what was changed, where they are refused."""
    try:
        with foreign_files.opened(path) as file:
            yield foreign_files.lines(file, MAX_LINE_BYTES)
    except reader.Complaint as complaint:
        raise CommandFailure(f"{path}: {complaint.message}", ExitCode.NOT_FOUND) from complaint
    except OSError as error:
        raise unreadable(path, error) from error
