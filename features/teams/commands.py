"""`agentos team`: one signed manifest gives each workstation the same namespaces, rules and trust."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance import reader
from ...interfaces.cli import person, shown
from ...interfaces.cli.opened import settings_here, with_caller
from ...interfaces.cli.options import AsJson, Home, expanded, path_of
from ...interfaces.cli.outcome import CommandFailure, ExitCode
from ...interfaces.cli.setup import files
from ...interfaces.cli.setup.documents import Unreadable
from ...interfaces.cli.setup.marked_block import MarkedBlock
from ...interfaces.cli.signing import document_of, found_of, signed, signer, write_new
from ...interfaces.cli.terminal import one_line, say, say_json
from .wiring import teams_of

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.principals.models import Caller
    from .joining import Joining, Signed
    from .manifest import Applied, Manifest

team = typer.Typer(help="A team's manifest: shared namespaces, rules and trusted keys.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A manifest.", parser=path_of)]
SignedBy = Annotated[str | None, typer.Option("--key", help="The public key that must have signed it.")]
MOST_BYTES = 4 * 1024 * 1024


@team.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to create, usually *.json.", parser=path_of)],
    name: Annotated[str, typer.Option("--id", help="The team's id, the same for each edition.")],
    label: Annotated[str, typer.Option("--label", help="The team's name, for people.")],
    namespace: Annotated[
        list[str] | None,
        typer.Option("--namespace", help="A namespace to include, with its policy, reviews and rules; repeatable."),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--setting", help="NAME=VALUE, such as search_profile=weighted; repeatable.")
    ] = None,
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="By default the last version plus one.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write a signed manifest of this home's keys and some namespaces. It contains no secrets."""
    from ...modules.signing import registry_file
    from . import manifest as manifests

    folder = settings_here(home).home
    key, author = signer(folder)
    keys = registry_file.read(folder).as_catalog(name, label)["keys"]
    settings = dict(_pair(one) for one in setting or ())

    async def gather(agentos: "AgentOS", caller: "Caller") -> dict[str, Any]:
        return await teams_of(agentos).draft(caller, name, label, version, keys, settings, namespace or ())

    document = signed(with_caller(home, gather), key, author, datetime.now(UTC))
    text = reader.canonical(document)
    made = manifests.read(document, text)  # what nobody could join is not written
    with_caller(home, lambda agentos, caller: teams_of(agentos).check(caller, made))
    write_new(expanded(file), text + b"\n")
    if as_json:
        say_json({"path": str(file), "id": made.id, "version": made.version, "signer": made.signer, "key": key.public})
    else:
        say(f"{file}: {made.id}, version {made.version}, signed by {author}\npublic key, for others: {key.public}")


@team.command()
def show(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A manifest; by default those joined.", parser=path_of)
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show a manifest, or the joined ones."""
    if file is None:
        found = with_caller(home, lambda agentos, _: teams_of(agentos).applied())
        if as_json:
            say_json([_edition(one) for one in found])
        else:
            rows = [(one.id, one.version, one.label, one.signer, f"{one.applied_at:%Y-%m-%d %H:%M}") for one in found]
            say(shown.rows(("team", "version", "", "signer", "joined"), rows) if rows else "no team joined")
        return
    path = expanded(file)
    _, manifest = _manifest(path)
    if as_json:
        say_json(document_of(path))
    else:
        say("\n".join(_lines(manifest)))


@team.command()
def verify(file: File, key: SignedBy = None, home: Home = None, as_json: AsJson = False) -> None:
    """Check that a manifest is unchanged and signed by a trusted key. Exit code 0: yes; 1: no; 4: unreadable."""
    from ...modules.signing import registry_file
    from . import joining

    found, manifest = _manifest(expanded(file), ExitCode.NOT_FOUND)
    judged = joining.judge(found, key, registry_file.read(settings_here(home).home))
    good = judged.standing == "trusted"
    if as_json:
        facts = {"id": manifest.id, "version": manifest.version, "digest": manifest.digest, "key": found.public}
        say_json({"good": good, "standing": judged.standing, "author": found.author, "reason": judged.reason, **facts})
    else:
        say(f"{judged.standing}: {manifest.id}, version {manifest.version}, signed by {found.author}")
    raise typer.Exit(ExitCode.DONE if good else ExitCode.NOT_FOUND)


@team.command()
def join(
    file: File,
    key: SignedBy = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Apply a manifest to this home, at a terminal, once per version; local entries stay.

    It must be signed by a pinned key, or by the one given with --key, which is then pinned. It grants rights and
    makes rules, so a person must confirm it. --dry-run needs no terminal and changes nothing.
    """
    from ...modules.signing import registry_file
    from . import joining

    if not dry_run:
        person.required()
    folder = settings_here(home).home
    found, manifest = _manifest(expanded(file))
    joins = joining.joinable(manifest, found, key, registry_file.read(folder), _is_signed)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def look(agentos: "AgentOS", caller: "Caller") -> "Applied | None":
        await teams_of(agentos).check(caller, manifest)
        return await teams_of(agentos).current(manifest, joins.successors)

    before = with_caller(home, look)
    facts = {"id": manifest.id, "version": manifest.version, "was": before.version if before else None}
    if before is not None and before.version == manifest.version:
        _tell(as_json, {**facts, "joined": False}, f"{manifest.id} already has version {manifest.version}")
        return
    missing = _missing(folder, manifest)
    if not as_json:
        unchanged = f"; kept, since known here: {len(joins.left)}" if joins.left else ""
        since = f" (has {before.version})" if before else ""
        say("\n".join([*_lines(manifest), f"keys: {len(manifest.keys)}{unchanged}{since}"]))
        say(f"settings to add here: {', '.join(missing) or 'none'}")
    if dry_run:
        _tell(as_json, {**facts, "joined": False, "settings": sorted(missing)}, "nothing was changed")
        return
    person.typed_yes("Type yes to apply all of it, with its rules: ")
    _join(folder, home, joins, missing)
    _tell(as_json, {**facts, "joined": True}, f"{manifest.id} has version {manifest.version}")


def _join(folder: Path, home: Path | None, joins: "Joining", missing: Mapping[str, str]) -> None:
    """Apply a manifest, its note last: what was killed before is done again, whole."""
    from ...modules.signing import registry_file
    from . import joining

    manifest = joins.manifest
    registry_file.change(folder, lambda registry: joining.trusting(registry, manifest, joins.public, _is_signed)[0])
    _write_settings(folder, manifest, missing)
    with_caller(home, lambda agentos, caller: teams_of(agentos).apply(caller, manifest, confirmed=True))


def _is_signed(document: Mapping[str, Any]) -> bool:
    return reader.signature_of(dict(document)) == "valid"


def _manifest(path: Path, where_changed: ExitCode = ExitCode.REFUSED) -> "tuple[Signed, Manifest]":
    """Return what is said of a file's signature, and the manifest that it is.

    Raises CommandFailure, with `where_changed` for one that is not as it was signed: it is not read. InvalidInput.
    """
    from . import manifest as manifests
    from .joining import Signed

    document = document_of(path, MOST_BYTES)
    found = found_of(document)
    if found["signature"] == "invalid":
        raise CommandFailure(
            f"{path}: is invalid: it has changed since it was signed; nothing was changed", where_changed
        )
    read = manifests.read(document, reader.canonical(document))
    return Signed(found["signature"], found["author"], found["key"]), read


def _lines(manifest: "Manifest") -> list[str]:
    """Return what a manifest says, for a person to read before it is applied."""
    lines = [f"{manifest.id}, version {manifest.version}: {one_line(manifest.label)}"]
    for one in manifest.namespaces:
        more = "".join(f", {name.replace('_', ' ')} {value:,}" for name, value in one.limits.items())
        target = f", writes to {one_line(one.target)}" if one.target else ""
        lines.append(
            f"namespace {one_line(one.name)}: reads {one_line(', '.join(one.reads)) or 'its own'}{target}{more}"
        )
    for rules in manifest.governance:
        watches = "".join(f", {watch.demands} {one_line(str(watch))}" for watch in rules.watches)
        lines.append(f"review of {one_line(rules.namespace)}: {rules.review or 'as it is'}{watches}")
    lines += [f"rule of {one_line(rule.namespace)}: {one_line(rule.text)}" for rule in manifest.rules]
    lines += [f"setting {name}={value}" for name, value in manifest.settings.items()]
    return lines + [f"key {one_line(str(one['author']))}: {one['public']}" for one in manifest.keys]


def _missing(folder: Path, manifest: "Manifest") -> dict[str, str]:
    """Return the settings that a home says nothing of itself. Raises SettingsError for a value that is none."""
    from ... import config
    from .joining import missing_settings

    values: dict[str, Any] = dict(manifest.settings)
    config.load(home=folder, **values)
    with _editing(folder):
        return missing_settings(manifest, _block(manifest).remove(files.read(folder / ".env").text, {}))


def _write_settings(folder: Path, manifest: "Manifest", missing: Mapping[str, str]) -> None:
    """Put a team's settings into the home's env file, between two marks, whole or not at all."""
    lines = "".join(f"AGENTOS_{name.upper()}={value}\n" for name, value in sorted(missing.items()))
    block = _block(manifest)
    with _editing(folder):
        file = files.read(folder / ".env")
        after = block.put(file.text, lines).text if lines else block.remove(file.text, {})
        if after != file.text:
            files.replace(file, file.encoded(after))


def _block(manifest: "Manifest") -> MarkedBlock:
    mark = f"# agentos:team {manifest.id}"
    return MarkedBlock(begin=f"{mark} begins (agentos team join writes these lines)", end=f"{mark} ends")


@contextmanager
def _editing(folder: Path) -> Iterator[None]:
    try:
        yield
    except Unreadable as error:
        raise CommandFailure(f"{folder / '.env'}: {error}", ExitCode.UNAVAILABLE) from error


def _tell(as_json: bool, facts: Mapping[str, Any], text: str) -> None:
    if as_json:
        say_json(dict(facts))
    else:
        say(text)


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise typer.BadParameter("is NAME=VALUE", param_hint="--setting")
    return name.strip().lower().removeprefix("agentos_"), value.strip()


def _edition(team: "Applied") -> dict[str, Any]:
    at = team.applied_at.isoformat()
    return {"id": team.id, "label": team.label, "version": team.version, "signer": team.signer, "applied_at": at}
