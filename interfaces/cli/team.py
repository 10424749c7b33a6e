"""`agentos team`: one signed manifest gives each workstation the same namespaces, rules and trust."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance import reader
from . import shown
from .approvals import is_at_terminal
from .opened import settings_here, with_caller
from .options import AsJson, Home, Yes, expanded
from .outcome import Failure, Outcome
from .personal import typed_yes
from .setup import files
from .setup.documents import Unreadable
from .setup.marked_block import MarkedBlock
from .signing import by_key_alone, document_of, found_of, signed, signer, write_new
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.principals.models import Caller
    from ...modules.signing.registry import Judged, Registry
    from ...modules.teams.manifest import Applied, Manifest

team = typer.Typer(help="A team's manifest: the same namespaces, rules and trust for everybody.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A manifest.")]
SignedBy = Annotated[str | None, typer.Option("--key", help="The public key that must have signed it.")]
MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class _Read:
    """A manifest as it lies in a file, whose signature was judged; what its keys make of the home's registry."""

    manifest: "Manifest"
    judged: "Judged"
    public: str
    registry: "Registry"
    left: Sequence[str]


@team.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to create, usually *.json.")],
    name: Annotated[str, typer.Option("--id", help="The team's id, the same for each edition.")],
    label: Annotated[str, typer.Option("--label", help="The team's name, for people.")],
    namespace: Annotated[
        list[str] | None,
        typer.Option("--namespace", help="A namespace to include, with its policy, reviews and rules; repeatable."),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--setting", help="NAME=VALUE, as search_profile=weighted; several times.")
    ] = None,
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="By default the last version plus one.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write a manifest of this home's keys and of some namespaces, signed in its name. Nothing in it is secret."""
    from ...modules.signing import kept
    from ...modules.teams import manifest as manifests

    folder = settings_here(home).home
    key, author = signer(folder)
    keys = kept.read(folder).as_catalog(name, label)["keys"]
    settings = dict(_pair(one) for one in setting or ())

    async def gather(agentos: "AgentOS", caller: "Caller") -> dict[str, Any]:
        before = next((one.version for one in await agentos.teams.applied() if one.id == name), 0)
        return {
            "agentos_team": manifests.FORMAT,
            "id": name,
            "label": label,
            "version": version or before + 1,
            "keys": keys,
            "settings": settings,
            **await _of_namespaces(agentos, caller, namespace or ()),
        }

    document = signed(with_caller(home, gather), key, author, datetime.now(UTC))
    text = reader.canonical(document)
    made = manifests.read(document, text)  # what nobody could join is not written
    with_caller(home, lambda agentos, caller: agentos.teams.check(caller, made))
    write_new(expanded(file), text + b"\n")
    if as_json:
        say_json({"path": str(file), "id": made.id, "version": made.version, "signer": made.signer, "key": key.public})
    else:
        say(f"{file}: {made.id}, version {made.version}, signed by {author}\npublic key, for others: {key.public}")


@team.command()
def show(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="A manifest; without, what was joined.")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what a manifest says, or which ones were joined."""
    if file is None:
        found = with_caller(home, lambda agentos, _: agentos.teams.applied())
        if as_json:
            say_json([_edition(one) for one in found])
        else:
            rows = [(one.id, one.version, one.label, one.signer, f"{one.applied_at:%Y-%m-%d %H:%M}") for one in found]
            say(shown.rows(("team", "version", "", "signer", "joined"), rows) if rows else "no team was joined")
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
    from ...modules.signing import kept

    path = expanded(file)
    found, manifest = _manifest(path)
    judged = _judged(found, key, kept.read(settings_here(home).home))
    good = judged.standing == "trusted"
    if as_json:
        told = {"id": manifest.id, "version": manifest.version, "digest": manifest.digest, "key": found["key"]}
        say_json(
            {"good": good, "standing": judged.standing, "author": found["author"], "reason": judged.reason, **told}
        )
    else:
        say(f"{judged.standing}: {manifest.id}, version {manifest.version}, signed by {found['author']}")
    raise typer.Exit(Outcome.DONE if good else Outcome.NOT_FOUND)


@team.command()
def join(
    file: File,
    key: SignedBy = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Yes = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Give this home what a manifest says, once for each version; what is there beside it stays.

    It must be signed by a key that is pinned here, or that --key names: that one is pinned then. Its rules hold once a
    person at a terminal has confirmed them; with --yes they are suggestions.
    """
    folder = settings_here(home).home
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    read = _joinable(expanded(file), key, folder)
    manifest = read.manifest
    successors = {one: key.replaced_by for one, key in read.registry.keys.items() if key.replaced_by}

    async def look(agentos: "AgentOS", caller: "Caller") -> "Applied | None":
        await agentos.teams.check(caller, manifest)
        return await agentos.teams.current(manifest, successors)

    before = with_caller(home, look)
    told = {"id": manifest.id, "version": manifest.version, "was": before.version if before else None}
    if before is not None and before.version == manifest.version:
        _tell(as_json, {**told, "joined": False}, f"{manifest.id} has version {manifest.version} already")
        return
    missing = _missing(folder, manifest)
    if not as_json:
        kept_as_is = f"; as they are, since known here: {len(read.left)}" if read.left else ""
        since = f" (has {before.version})" if before else ""
        say("\n".join([*_lines(manifest), f"keys: {len(manifest.keys)}{kept_as_is}{since}"]))
        say(f"settings to add here: {', '.join(missing) or 'none'}")
    if dry_run:
        _tell(as_json, {**told, "joined": False, "settings": sorted(missing)}, "nothing was changed")
        return
    confirmed = _confirmed(yes=yes)
    _join(folder, home, read, missing, confirmed=confirmed)
    _tell(as_json, {**told, "joined": True, "confirmed": confirmed}, f"{manifest.id} has version {manifest.version}")


def _join(folder: Path, home: Path | None, read: _Read, missing: Mapping[str, str], *, confirmed: bool) -> None:
    """Apply a manifest, its note last: what was killed before is done again, whole."""
    from ...modules.signing import kept

    manifest = read.manifest
    kept.change(folder, lambda registry: _trusting(registry, manifest, read.public)[0])
    _write_settings(folder, manifest, missing)
    with_caller(home, lambda agentos, caller: agentos.teams.apply(caller, manifest, confirmed=confirmed))


def _joinable(path: Path, key: str | None, folder: Path) -> _Read:
    """Return a manifest that may be applied. Raises Failure where its signer is not trusted here, or revoked."""
    from ...modules.signing import kept

    found, manifest = _manifest(path)
    registry = kept.read(folder)
    judged = _judged(found, key, registry)
    if judged.standing != "trusted":
        why = f": {judged.reason}" if judged.reason else ""
        raise Failure(
            f"the manifest is {judged.standing}{why}; nothing was changed. Compare its author's public key "
            "by another way, and name it with --key",
            Outcome.REFUSED,
        )
    changed, left = _trusting(registry, manifest, found["key"])
    return _Read(manifest, judged, found["key"], changed, left)


def _judged(found: Mapping[str, Any], key: str | None, registry: "Registry") -> "Judged":
    """Return how the signer stands: pinned here, or named by a key that nothing here says is revoked."""
    from dataclasses import replace

    from ...modules.signing.registry import HERE, Standing

    here = registry.judged(found["signature"], found["author"], found["key"])
    is_vouched = here.standing is Standing.TRUSTED and here.origin != HERE
    if key is not None and (here.standing is Standing.UNKNOWN or is_vouched):
        return by_key_alone(dict(found), key)
    if is_vouched or (here.standing is Standing.TRUSTED and key not in (None, found["key"])):
        return replace(here, standing=Standing.UNKNOWN, reason="the signer is not pinned here")
    return here


def _trusting(registry: "Registry", manifest: "Manifest", public: str) -> "tuple[Registry, list[str]]":
    """Return the registry with a manifest's signer, keys and catalogs, and the ids that were known and stay.

    Raises Failure for a catalog that is not as it was signed, or whose signer the manifest does not name.
    """
    from ...modules.signing.keys import key_id

    if manifest.signer not in registry.keys:
        registry = registry.pinned(public, manifest.author)
    registry, left = registry.with_catalog(manifest.as_catalog(), manifest.signer)
    named = {key_id(str(one["public"])) for one in manifest.keys if not one.get("revoked")} | {manifest.signer}
    for catalog in manifest.catalogs:
        by = catalog["signature"].get("key")
        if reader.signature_of(dict(catalog)) != "valid" or key_id(by) not in named:
            raise Failure(f"the catalog {str(catalog.get('id'))[:60]!r} is not signed by a key of it", Outcome.REFUSED)
        registry, more = registry.with_catalog(catalog, key_id(by))
        left += more
    return registry, left


def _manifest(path: Path) -> "tuple[dict[str, Any], Manifest]":
    """Return what is said of a file's signature, and the manifest that it is. Raises Failure, InvalidInput."""
    from ...modules.teams import manifest as manifests

    document = document_of(path, MOST_BYTES)
    return found_of(document), manifests.read(document, reader.canonical(document))


async def _of_namespaces(agentos: "AgentOS", caller: "Caller", names: Sequence[str]) -> dict[str, Any]:
    """Return the policies, the reviews and the rules of some namespaces, as a manifest has them."""
    from ...modules.branches.models import Demand
    from ...modules.context import lessons
    from ...modules.teams.manifest import LIMITS

    policies, governance, rules = [], [], []
    for name in names:
        policy = await agentos.principals.policies.policy(caller.administering(name))
        held = {one: value for one in LIMITS if (value := getattr(policy.limits, one)) is not None}
        target = {} if policy.target is None else {"target": policy.target}
        policies.append({"name": name, "reads": list(policy.reads), **target, **held})
        review = await agentos.branches.governance(caller, name)
        watched = {
            field: [str(one) for one in review.watches if one.demands is demand]
            for field, demand in (("watch", Demand.REVIEW), ("notify", Demand.NOTIFY))
        }
        governance.append({"namespace": name, "review": review.review.value, **watched})
        for rule in await agentos.memory.vouched(name, lessons.TAG):
            trigger = lessons.trigger_of(rule)
            when = {"tools": _listed(trigger.get("tool")), "contains": _listed(trigger.get("contains"))}
            rules.append({"namespace": name, "text": rule.content, **{k: v for k, v in when.items() if v}})
    return {"namespaces": policies, "governance": governance, "rules": rules}


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

    values: dict[str, Any] = dict(manifest.settings)
    config.load(home=folder, **values)
    with _editing(folder):
        text = _block(manifest).remove(files.read(folder / ".env").text, {})
    own = {line.strip().removeprefix("export ").partition("=")[0].strip().upper() for line in text.splitlines()}
    return {name: value for name, value in manifest.settings.items() if f"AGENTOS_{name.upper()}" not in own}


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
        raise Failure(f"{folder / '.env'}: {error}", Outcome.UNAVAILABLE) from error


def _confirmed(*, yes: bool) -> bool:
    """Return whether a person at a terminal has confirmed it. Raises Failure where nobody has."""
    if yes:
        return False
    if not is_at_terminal():
        raise Failure("nothing was changed: a person confirms it at a terminal, or give --yes", Outcome.REFUSED)
    typed_yes("Type yes to apply all of it, with its rules: ")
    return True


def _tell(as_json: bool, told: Mapping[str, Any], text: str) -> None:
    if as_json:
        say_json(dict(told))
    else:
        say(text)


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise typer.BadParameter("is NAME=VALUE", param_hint="--setting")
    return name.strip().lower().removeprefix("agentos_"), value.strip()


def _listed(value: object) -> list[str]:
    several = value if isinstance(value, list) else [value]
    return [one for one in several if isinstance(one, str) and one]


def _edition(one: "Applied") -> dict[str, Any]:
    at = one.applied_at.isoformat()
    return {"id": one.id, "label": one.label, "version": one.version, "signer": one.signer, "applied_at": at}
