"""Keys, grants and policies: made, used, ended, and told apart."""

import stat
from datetime import timedelta
from pathlib import Path

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import AgentOSError, Conflict, InvalidInput, NotFound, PermissionDenied, Unauthenticated
from agentos.modules.principals import service
from agentos.modules.principals.models import MOST_SOURCES, Caller, Door, Right, Role, local_owner
from agentos.storage.sqlite.store import SqliteStore
from tests.integration.conftest import Clock

OWNER = local_owner("me", None, Door.COMMAND_LINE)


async def test_a_key_opens_its_namespaces_and_no_others_and_its_secret_is_not_kept(
    agentos: AgentOS, home: Path
) -> None:
    key, secret = await agentos.principals.create_key(OWNER, "ada", Role.WRITER, {"a": Right.WRITE, "b": Right.READ})
    caller = await agentos.principals.authenticate(secret)
    assert (caller.principal, caller.role, caller.default, caller.door) == ("ada", Role.WRITER, "a", Door.HTTP)
    assert caller.namespaces == {"a": Right.WRITE, "b": Right.READ}
    assert [(one.prefix, one.used_at) for one in await agentos.principals.list_keys(OWNER)] == [
        (key.prefix, key.created_at)
    ]
    assert stat.S_IMODE((home / "server.key").stat().st_mode) == 0o600
    assert not any(secret.encode() in path.read_bytes() for path in home.iterdir() if path.is_file())


async def test_a_secret_that_opens_nothing_is_refused_alike(agentos: AgentOS, clock: Clock) -> None:
    made = [await agentos.principals.create_key(OWNER, name, Role.READER, {"a": Right.READ}) for name in ("x", "y")]
    (revoked, ended), (_, good) = made
    _, late = await agentos.principals.create_key(
        OWNER, "z", Role.READER, {"a": Right.READ}, clock() + timedelta(days=1)
    )
    await agentos.principals.revoke_key(OWNER, revoked.prefix)
    clock.advance(days=2)
    forged = good[:14] + "0" * 64
    messages = set()
    for secret in ("", "agos_", ended, late, forged, "agos_00000000_" + "0" * 64):
        with pytest.raises(Unauthenticated) as refused:
            await agentos.principals.authenticate(secret)
        messages.add(str(refused.value))
    assert len(messages) == 1
    assert (await agentos.principals.authenticate(good)).principal == "y"
    with pytest.raises(NotFound):
        await agentos.principals.revoke_key(OWNER, revoked.prefix)


async def test_a_rotated_key_hands_over_to_its_successor(agentos: AgentOS, clock: Clock) -> None:
    old, before = await agentos.principals.create_key(OWNER, "ada", Role.WRITER, {"a": Right.WRITE})
    new, after = await agentos.principals.rotate_key(OWNER, old.prefix, timedelta(hours=1))
    assert (new.principal, new.role, new.namespaces) == (old.principal, old.role, old.namespaces)
    for secret in (before, after):
        await agentos.principals.authenticate(secret)
    clock.advance(hours=2)
    await agentos.principals.authenticate(after)
    with pytest.raises(Unauthenticated):
        await agentos.principals.authenticate(before)
    with pytest.raises(NotFound):
        await agentos.principals.rotate_key(OWNER, old.prefix)


async def test_a_grant_opens_a_namespace_until_it_expires_or_is_withdrawn(agentos: AgentOS, clock: Clock) -> None:
    _, secret = await agentos.principals.create_key(OWNER, "bob", Role.WRITER, {"bob": Right.WRITE})
    give = agentos.principals.grant
    await give(OWNER, "team", "bob", Right.WRITE, expires_at=clock() + timedelta(days=1))
    await give(OWNER, "shared", "bob", Right.READ)
    await give(OWNER, "news", "bob", Right.READ, tag="public")
    caller = await agentos.principals.authenticate(secret)
    assert caller.writing("team") == "team" and caller.reading("shared") == "shared"
    assert caller.tagged == {"news": frozenset({"public"})}
    for refused in (lambda: caller.writing("shared"), lambda: caller.reading("news")):
        with pytest.raises(PermissionDenied):
            refused()
    clock.advance(days=2)
    await agentos.principals.withdraw(OWNER, "shared", "bob")
    assert (await agentos.principals.authenticate(secret)).namespaces == {"bob": Right.WRITE}
    assert [one.namespace for one in await agentos.principals.list_grants(OWNER)] == ["news", "team"]


async def test_who_does_not_administer_a_namespace_changes_nothing_of_it(agentos: AgentOS, store: SqliteStore) -> None:
    _, secret = await agentos.principals.create_key(OWNER, "eve", Role.WRITER, {"a": Right.ADMIN})
    eve = await agentos.principals.authenticate(secret)
    principals = agentos.principals
    for refused in (
        principals.create_key(eve, "more", Role.OWNER, {"a": Right.ADMIN}),
        principals.list_keys(eve),
        principals.grant(eve, "a", "eve", Right.ADMIN),
        principals.grant(eve, "b", "eve", Right.READ),
        principals.set_policy(eve, "a", ["b"]),
    ):
        with pytest.raises(PermissionDenied):
            await refused
    narrow = local_owner("me", frozenset({"me"}), Door.COMMAND_LINE)
    with pytest.raises(PermissionDenied):
        await principals.create_key(narrow, "x", Role.READER, {"other": Right.READ})
    assert len(await store.sharing.principals.keys()) == 1 and not await store.sharing.principals.grants()


async def test_an_owner_of_some_namespaces_makes_no_key_to_others(agentos: AgentOS) -> None:
    principals = agentos.principals
    _, secret = await principals.create_key(OWNER, "boss", Role.OWNER, {"a": Right.ADMIN})
    other, _ = await principals.create_key(OWNER, "bob", Role.WRITER, {"b": Right.WRITE})
    mine, _ = await principals.create_key(OWNER, "ann", Role.WRITER, {"a": Right.WRITE})
    await principals.grant(OWNER, "c", "ann", Right.READ)
    boss = await principals.authenticate(secret)
    assert {key.name for key in await principals.list_keys(boss)} == {"boss", "ann"}
    for refused in (
        principals.create_key(boss, "x", Role.READER, {"b": Right.READ}),
        principals.create_key(boss, "x", Role.READER, {"a": Right.READ}, principal="ann"),
        principals.rotate_key(boss, mine.prefix),
        principals.set_policy(boss, "b", ["a"]),
    ):
        with pytest.raises(PermissionDenied):
            await refused
    for hidden in (principals.revoke_key(boss, other.prefix), principals.rotate_key(boss, other.prefix)):
        with pytest.raises(NotFound):
            await hidden
    await principals.create_key(boss, "new", Role.READER, {"a": Right.READ})
    assert (await principals.revoke_key(boss, mine.prefix)).revoked_at is not None


async def test_an_owner_of_some_namespaces_makes_no_key_in_anothers_name(agentos: AgentOS, clock: Clock) -> None:
    principals = agentos.principals
    _, secret = await principals.create_key(OWNER, "boss", Role.OWNER, {"a": Right.ADMIN})
    await principals.create_key(OWNER, "ada", Role.WRITER, {"b": Right.WRITE})
    ended, _ = await principals.create_key(OWNER, "eve", Role.WRITER, {"b": Right.WRITE})
    await principals.create_key(OWNER, "mixed", Role.WRITER, {"a": Right.WRITE})
    await principals.create_key(OWNER, "mixed-too", Role.WRITER, {"b": Right.READ}, principal="mixed")
    await principals.revoke_key(OWNER, ended.prefix)
    boss = await principals.authenticate(secret)
    for whose in ("ada", "eve", "mixed"):
        with pytest.raises(PermissionDenied, match="principal"):
            await principals.create_key(boss, "x", Role.READER, {"a": Right.READ}, principal=whose)
    for reserved in ("daemon", "owner", "Daemon"):
        for maker in (boss, OWNER):
            with pytest.raises(InvalidInput, match="principal"):
                await principals.create_key(maker, "x", Role.READER, {"a": Right.READ}, principal=reserved)
    made, _ = await principals.create_key(boss, "fresh", Role.READER, {"a": Right.READ})
    await principals.create_key(boss, "again", Role.READER, {"a": Right.READ}, principal="fresh")
    await principals.rotate_key(boss, made.prefix)


async def test_what_is_not_acceptable_is_refused(
    agentos: AgentOS, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    principals = agentos.principals
    await principals.create_key(OWNER, "ada", Role.WRITER, {"a": Right.WRITE})
    past = clock() - timedelta(days=1)
    cases: list[tuple[type[AgentOSError], object]] = [
        (InvalidInput, principals.create_key(OWNER, "x", Role.READER, {})),
        (InvalidInput, principals.create_key(OWNER, "owner", Role.READER, {"a": Right.READ})),
        (InvalidInput, principals.create_key(OWNER, "x", Role.READER, {"a": Right.READ}, past)),
        (InvalidInput, principals.grant(OWNER, "a", "ada", Right.WRITE, tag="t")),
        (InvalidInput, principals.grant(OWNER, "a", "ada", Right.READ, expires_at=past)),
        (NotFound, principals.grant(OWNER, "a", "nobody", Right.READ)),
        (NotFound, principals.withdraw(OWNER, "a", "ada")),
        (InvalidInput, principals.set_policy(OWNER, "a", [f"n{n}" for n in range(MOST_SOURCES + 1)])),
    ]
    for error, refused in cases:
        with pytest.raises(error):
            await refused  # type: ignore[misc]
    monkeypatch.setattr(service, "MOST_KEYS", 1)
    with pytest.raises(Conflict):
        await principals.create_key(OWNER, "b", Role.READER, {"a": Right.READ})


async def test_a_policy_is_kept_and_shown_with_its_namespace(agentos: AgentOS) -> None:
    await agentos.principals.set_policy(OWNER, "a", ["team", "a", "global"])
    await agentos.principals.set_policy(OWNER, "a", target="team")
    [found] = await agentos.principals.namespaces(OWNER)
    assert (found.policy.reads, found.policy.target) == (("team", "global"), "team")
    narrow = Caller("ada", Role.READER, {"b": Right.READ}, "b", Door.HTTP)
    assert await agentos.principals.namespaces(narrow) == []
