"""`agentos keys`, `grants` and `namespaces`: credentials, rights, and what namespaces read and write."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import person, shown
from .groups import ListingGroup
from .opened import with_caller
from .options import AsJson, Home
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.principals.models import Grant, Key, NamespaceSummary, Policy, Right

keys = typer.Typer(cls=ListingGroup, help="API keys for agents and programs other than the local user.")
grants = typer.Typer(cls=ListingGroup, help="Rights to namespaces, beyond those of a key.")
namespaces = typer.Typer(cls=ListingGroup, help="Namespaces: what they read, where they write, and their limits.")

Prefix = Annotated[str, typer.Argument(metavar="PREFIX", help="The 8 characters that name a key.")]
Expires = Annotated[
    str | None, typer.Option("--expires", help="When it expires: ISO 8601, or a duration such as 30d or 12h.")
]
Namespace = Annotated[str, typer.Argument(metavar="NAMESPACE", help="The namespace: an agent's or a shared one.")]
Principal = Annotated[str, typer.Argument(metavar="PRINCIPAL", help="The principal whose keys have the right.")]
Tag = Annotated[str | None, typer.Option("--tag", help="Only memories with this tag, and only in searches.")]
OfTag = Annotated[str | None, typer.Option("--tag", help="The grant for memories with this tag.")]
_UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1)}
MOST_UNITS = 100_000
LIMITS = ("max_memories", "max_bytes", "retention_days")


@keys.command("create")
def create_key(
    name: Annotated[str, typer.Argument(help="The key's name, also its principal by default.")],
    role: Annotated[str, typer.Option("--role", help="reader, writer, operator or owner.")] = "writer",
    namespace: Annotated[
        list[str] | None,
        typer.Option(
            "--namespace",
            help="A namespace, or NAMESPACE:RIGHT with read, write or admin; repeatable. By default the key's name.",
        ),
    ] = None,
    principal: Annotated[
        str | None, typer.Option("--principal", help="The principal that the key acts for; by default its name.")
    ] = None,
    expires: Expires = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Create a key, at a terminal; its secret is shown only once."""
    person.required()
    from ...modules.principals import models

    most = models.MOST_OF_A_ROLE[models.role("--role", role)]
    wanted = _rights(namespace, most) if namespace else {name: most}
    made = with_caller(
        home,
        lambda agentos, caller: agentos.principals.create_key(
            caller, name, models.role("--role", role), wanted, _until(expires), principal
        ),
    )
    _tell_secret(*made, as_json)


@keys.command("list")
def list_keys(home: Home = None, as_json: AsJson = False) -> None:
    """List keys, newest first, without their secrets."""
    found = with_caller(home, lambda agentos, caller: agentos.principals.list_keys(caller))
    _rows([_key(one) for one in found], ("key", "name", "principal", "role", "namespaces", "state", "expires"), as_json)


@keys.command()
def revoke(prefix: Prefix, home: Home = None, as_json: AsJson = False) -> None:
    """Revoke a key at once."""
    key = with_caller(home, lambda agentos, caller: agentos.principals.revoke_key(caller, prefix))
    if as_json:
        say_json(_key(key))
    else:
        say(f"revoked {key.prefix} ({key.name})")


@keys.command()
def rotate(
    prefix: Prefix,
    overlap: Annotated[
        float, typer.Option("--overlap", min=0, max=8760, help="How many hours the old key keeps working.")
    ] = 24,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Replace a key with one that has the same rights, at a terminal; the old one works for a while."""
    person.required()
    made = with_caller(
        home, lambda agentos, caller: agentos.principals.rotate_key(caller, prefix, timedelta(hours=overlap))
    )
    _tell_secret(*made, as_json)


@grants.command("list")
def list_grants(home: Home = None, as_json: AsJson = False) -> None:
    """List grants, by namespace."""
    found = with_caller(home, lambda agentos, caller: agentos.principals.list_grants(caller))
    _rows([_grant(one) for one in found], ("namespace", "principal", "right", "tag", "state", "expires"), as_json)


@grants.command()
def add(
    namespace: Namespace,
    principal: Annotated[str, typer.Argument(help="The principal whose keys get the right.")],
    right: Annotated[str, typer.Option("--right", help="read, write or admin.")] = "read",
    tag: Tag = None,
    expires: Expires = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Give a principal a right to a namespace, at a terminal."""
    person.required()
    from ...modules.principals import models

    grant = with_caller(
        home,
        lambda agentos, caller: agentos.principals.grant(
            caller, namespace, principal, models.right("--right", right), tag, _until(expires)
        ),
    )
    if as_json:
        say_json(_grant(grant))
    else:
        say(f"{principal} may {grant.right.word} {namespace}")


@grants.command()
def remove(
    namespace: Namespace, principal: Principal, tag: OfTag = None, home: Home = None, as_json: AsJson = False
) -> None:
    """Remove a grant."""
    with_caller(home, lambda agentos, caller: agentos.principals.withdraw(caller, namespace, principal, tag))
    if as_json:
        say_json({"namespace": namespace, "principal": principal, "tag": tag, "removed": True})
    else:
        say(f"{principal} no longer has this right to {namespace}")


@namespaces.command("list")
def list_namespaces(home: Home = None, as_json: AsJson = False) -> None:
    """List namespaces, with what they read and where they write."""
    found = with_caller(home, lambda agentos, caller: agentos.principals.namespaces(caller))
    _rows([_namespace(one) for one in found], ("namespace", "memories", "reads", "target", *LIMITS), as_json)


@namespaces.command("set")
def set_policy(
    namespace: Namespace,
    reads: Annotated[
        list[str] | None,
        typer.Option("--reads", help="Another namespace to search; repeatable. none: only its own."),
    ] = None,
    target: Annotated[str | None, typer.Option("--target", help="The namespace that new memories go to.")] = None,
    max_memories: Annotated[
        int | None, typer.Option("--max-memories", help="The most memories it may hold; 0: no limit.")
    ] = None,
    max_bytes: Annotated[
        int | None, typer.Option("--max-bytes", help="The most bytes of text it may hold; 0: no limit.")
    ] = None,
    retention_days: Annotated[
        int | None, typer.Option("--retention-days", help="Archive memories after this many days; 0: never.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Set, at a terminal, what a namespace also reads, where it writes, and how much it may hold."""
    person.required()
    others = None if reads is None else [one for one in reads if one != "none"]
    limits = dict(zip(LIMITS, (max_memories, max_bytes, retention_days), strict=True))
    if others is None and target is None and not any(value is not None for value in limits.values()):
        raise typer.BadParameter("give --reads, --target or a limit")
    policy = with_caller(
        home, lambda agentos, caller: agentos.principals.set_policy(caller, namespace, others, target, limits)
    )
    if as_json:
        say_json(_policy(policy))
        return
    say(f"{namespace} reads {', '.join((namespace, *policy.reads))} and writes to {policy.target or namespace}")
    held = {name.replace("_", " "): value for name, value in asdict(policy.limits).items() if value is not None}
    if held:
        say("limits: " + ", ".join(f"{name} {value:,}" for name, value in held.items()))


def _rights(given: Sequence[str], most: "Right") -> "dict[str, Right]":
    """Return the rights that NAME or NAME:RIGHT stand for; without a right, `most`.

    Raises InvalidInput where what follows the last colon is no right: it may be a slip, or a part of the name.
    """
    from ...modules.errors import InvalidInput
    from ...modules.principals import models

    found: dict[str, Right] = {}
    for one in given:
        name, mark, word = one.rpartition(":")
        if mark and word not in models.RIGHTS:
            raise InvalidInput(
                "--namespace", f"{word} is not a right; a name with a colon needs one too: {one}:{most.word}"
            )
        found[name if mark else one] = models.RIGHTS[word] if mark else most
    return found


def _until(given: str | None) -> datetime | None:
    """Return the moment that an option names. Raises InvalidInput."""
    from ...modules import inputs
    from ...modules.errors import InvalidInput

    if given is None:
        return None
    number, unit = given[:-1], given[-1:]
    if unit in _UNITS and number.isascii() and number.isdigit() and int(number[:7]) <= MOST_UNITS:
        return datetime.now(UTC) + int(number[:7]) * _UNITS[unit]
    try:
        return inputs.moment("--expires", given)
    except InvalidInput as error:
        raise InvalidInput("--expires", f"{given} is neither a duration such as 30d or 12h, nor ISO 8601") from error


def _tell_secret(key: "Key", secret: str, as_json: bool) -> None:
    if as_json:
        say_json({**_key(key), "secret": secret})
        return
    say(secret)
    say(f"The secret of key {key.prefix} ({key.name}, {key.role}); save it, it will not be shown again.", err=True)


def _rows(found: list[dict[str, Any]], columns: Sequence[str], as_json: bool) -> None:
    if as_json:
        say_json({"results": found, "total": len(found)})
        return
    if found:
        say(shown.rows(columns, [[_cell(column, one.get(column)) for column in columns] for one in found]))
    say(f"{len(found)} in all", err=True)


def _cell(column: str, value: Any) -> str:
    if column == "expires" and value:
        return shown.local(value)
    if isinstance(value, dict):
        return ", ".join(f"{name}:{right}" for name, right in value.items())
    return ", ".join(value) if isinstance(value, list) else "" if value is None else str(value)


def _key(key: "Key") -> dict[str, Any]:
    return {
        "key": key.prefix,
        "name": key.name,
        "principal": key.principal,
        "role": key.role.value,
        "namespaces": {name: right.word for name, right in key.namespaces.items()},
        "state": key.state(datetime.now(UTC)),
        "created": key.created_at.isoformat(),
        "expires": key.expires_at and key.expires_at.isoformat(),
        "used": key.used_at and key.used_at.isoformat(),
    }


def _grant(grant: "Grant") -> dict[str, Any]:
    return {
        "namespace": grant.namespace,
        "principal": grant.principal,
        "right": grant.right.word,
        "tag": grant.tag,
        "state": "active" if grant.holds(datetime.now(UTC)) else "expired",
        "expires": grant.expires_at and grant.expires_at.isoformat(),
    }


def _namespace(summary: "NamespaceSummary") -> dict[str, Any]:
    return {"created": summary.created_at.isoformat(), "memories": summary.memories, **_policy(summary.policy)}


def _policy(policy: "Policy") -> dict[str, Any]:
    facts = {"namespace": policy.namespace, "reads": list(policy.reads), "target": policy.target or policy.namespace}
    return {**facts, **asdict(policy.limits)}
