"""The identity service: makes callers from secrets, and keeps keys, grants and the policies of namespaces."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import InvalidInput, NotFound, PermissionDenied, Unauthenticated
from ..identifiers import Source
from ..records import dataclass
from . import secrets
from .models import (
    MOST_SOURCES,
    RESERVED,
    Caller,
    Door,
    Grant,
    Key,
    Limits,
    NamespaceSummary,
    Policy,
    Principal,
    Right,
    Role,
)
from .ports import EndedLogins, ServerKey
from .signed import SignedClaims

if TYPE_CHECKING:
    from ...storage.repositories.principals import PrincipalsRepository

MOST_KEYS = 1_000
MOST_GRANTS = 200
"""The most grants of a principal."""
RETENTION = "retention_days"
MOST_DAYS, MOST_HELD = 36_500, 10**15
MOST_NAMESPACES = 100
"""The most namespaces that a key names."""
NOTE_USE_AFTER = timedelta(minutes=1)
OVERLAP = timedelta(days=1)
"""How long a rotated key goes on working unless it is said otherwise."""
BINDING = "oauth:"
"""How names of keys begin that bind somebody at an identity provider; only who owns the whole store makes them."""
REFUSED = "the key is unknown, revoked or expired; ask the owner for another: agentos keys create"


@dataclass(frozen=True)
class PrincipalService:
    """Keys, grants and policies; changing them needs the owner or an administrator of the namespace."""

    rows: "PrincipalsRepository"
    server_key: ServerKey
    ended_logins: EndedLogins
    clock: Clock
    store: str
    """The name of the store among those that a process serves beside its own, whose name is empty."""

    def signed(self, beginning: str, purpose: str) -> SignedClaims:
        """Return what writes and reads the claims of this store for a purpose."""
        return SignedClaims(self.server_key, beginning, purpose, self.store)

    async def authenticate(self, secret: str, door: Door = Door.HTTP, request_id: str = "") -> Caller:
        """Return the caller that a secret stands for. Raises Unauthenticated, whatever is wrong with it."""
        prefix = secrets.prefix_of(secret)
        if prefix is None:
            raise Unauthenticated(REFUSED)
        now = self.clock()
        key = await self.rows.key(prefix)
        digest = secrets.digest(await self._server_key(), secret)
        is_same = secrets.is_same(digest, key.digest if key else secrets.UNKNOWN)
        if key is None or not is_same or key.state(now) != "active":
            raise Unauthenticated(REFUSED)
        principal = await self.rows.principal(key.principal)
        if principal is None:
            raise Unauthenticated(REFUSED)
        if key.used_at is None or now - key.used_at > NOTE_USE_AFTER:
            await self.rows.used(prefix, now)
        return await self._caller(principal, key, door, request_id, now)

    async def caller_of(self, prefix: str, door: Door = Door.HTTP, request_id: str = "") -> Caller:
        """Return the caller of a key that was checked before, as by a token. Raises Unauthenticated if it ended."""
        now = self.clock()
        key = await self.rows.key(prefix)
        principal = await self.rows.principal(key.principal) if key else None
        if key is None or principal is None or key.state(now) != "active":
            raise Unauthenticated(REFUSED)
        return await self._caller(principal, key, door, request_id, now)

    async def caller_bound_to(self, binding: str, door: Door = Door.HTTP, request_id: str = "") -> Caller | None:
        """Return the caller of the newest key in use that has the name of a binding; None where there is none."""
        now = self.clock()
        bound = (key for key in await self.rows.keys() if key.name == binding and key.state(now) == "active")
        key = next(bound, None)
        principal = await self.rows.principal(key.principal) if key else None
        return None if key is None or principal is None else await self._caller(principal, key, door, request_id, now)

    async def _caller(self, principal: Principal, key: Key, door: Door, request_id: str, now: datetime) -> Caller:
        namespaces = dict(key.namespaces)
        tagged: dict[str, frozenset[str]] = {}
        for grant in await self.rows.granted(principal.id, now):
            if grant.tag is None:
                namespaces[grant.namespace] = max(grant.right, namespaces.get(grant.namespace, grant.right))
            else:
                tagged[grant.namespace] = tagged.get(grant.namespace, frozenset()) | {grant.tag}
        default = next(iter(key.namespaces), principal.default)
        caller = Caller(principal.id, key.role, namespaces, default, door, request_id, tagged)
        return replace(caller, is_person=key.role.administers)

    async def create_key(
        self,
        caller: Caller,
        name: str,
        role: Role,
        namespaces: Mapping[str, Right],
        expires_at: datetime | None = None,
        principal: str | None = None,
    ) -> tuple[Key, str]:
        """Make a key for a principal, by default one of the key's name; return it with its secret, shown this once.

        Raises PermissionDenied, InvalidInput, Conflict.
        """
        caller.requires(Role.OWNER)
        whose = name if principal is None else principal
        now = self.clock()
        _name("name", name)
        _name("principal", whose)
        if name.startswith(BINDING):
            if caller.namespaces is not None:
                raise PermissionDenied(f"name: only the owner of the whole store can bind subjects ({BINDING}…)")
            if principal is None:
                raise InvalidInput("principal", "name the principal for the subject")
        if reserved := RESERVED.get(whose.casefold()):
            raise InvalidInput("principal", f"{whose!r} {reserved}; choose another name")
        if not namespaces or len(namespaces) > MOST_NAMESPACES:
            raise InvalidInput("namespaces", f"name 1 to {MOST_NAMESPACES}: a key without any gives no access")
        for one in namespaces:
            caller.administering(one, "namespaces")
        await self._administers(caller, whose, "principal")
        _later("expires", expires_at, now)
        secret, prefix = secrets.new()
        digest = secrets.digest(await self._server_key(), secret)
        key = Key(prefix, digest, whose, name, role, dict(namespaces), now, expires_at)
        await self.rows.add(Principal(whose, next(iter(namespaces)), now), key, MOST_KEYS)
        return key, secret

    async def list_keys(self, caller: Caller) -> list[Key]:
        """Return the keys to namespaces that the caller administers, the newest first. Raises PermissionDenied."""
        caller.requires(Role.OWNER)
        return [key for key in await self.rows.keys() if _opens_no_other(caller, key)]

    async def revoke_key(self, caller: Caller, prefix: str) -> Key:
        """Revoke a key at once. Raises PermissionDenied; NotFound where there is none in use."""
        caller.requires(Role.OWNER)
        known = await self.rows.key(prefix)
        is_own = known is not None and _opens_no_other(caller, known)
        key = await self.rows.revoke(prefix, self.clock()) if is_own else None
        if key is None:
            raise NotFound(f"no key {prefix[:60]!r} is in use; agentos keys lists them")
        return key

    async def rotate_key(self, caller: Caller, prefix: str, overlap: timedelta = OVERLAP) -> tuple[Key, str]:
        """Make a key's successor, with the same rights; the old one works for `overlap` more.

        Raises PermissionDenied, InvalidInput; NotFound where there is none in use.
        """
        caller.requires(Role.OWNER)
        now = self.clock()
        if overlap < timedelta(0):
            raise InvalidInput("overlap", "must not be negative")
        old = await self.rows.key(prefix)
        missing = f"no key {prefix[:60]!r} is in use; agentos keys lists them"
        if old is None or old.state(now) != "active" or not _opens_no_other(caller, old):
            raise NotFound(missing)
        await self._administers(caller, old.principal, "prefix")
        secret, new_prefix = secrets.new()
        digest = secrets.digest(await self._server_key(), secret)
        key = replace(old, prefix=new_prefix, digest=digest, created_at=now, used_at=None)
        if not await self.rows.rotate(prefix, key, now + overlap, now):
            raise NotFound(missing)
        return key, secret

    async def grant(
        self,
        caller: Caller,
        namespace: str,
        principal: str,
        right: Right,
        tag: str | None = None,
        expires_at: datetime | None = None,
    ) -> Grant:
        """Give a principal a right over a namespace. Raises PermissionDenied, InvalidInput, NotFound, Conflict."""
        caller.administering(namespace)
        now = self.clock()
        if tag is not None:
            [tag] = inputs.tags("tag", [tag])
            if right is not Right.READ:
                raise InvalidInput("tag", "a grant for a tag is read-only: leave out the tag, or use the right read")
        _later("expires", expires_at, now)
        grant = Grant(namespace, principal, right, tag, now, expires_at)
        await self.rows.put(grant, MOST_GRANTS)
        return grant

    async def withdraw(self, caller: Caller, namespace: str, principal: str, tag: str | None = None) -> None:
        """Remove a grant. Raises PermissionDenied; NotFound where there is none."""
        caller.administering(namespace)
        if tag is not None:
            [tag] = inputs.tags("tag", [tag])
        if not await self.rows.remove(namespace, principal, tag, self.clock()):
            raise NotFound(f"{principal[:60]!r} has no such grant to {namespace[:60]!r}; agentos grants lists them")

    async def list_grants(self, caller: Caller) -> list[Grant]:
        """Return the grants of the namespaces that the caller administers, expired ones too."""
        return [one for one in await self.rows.grants() if caller.right_over(one.namespace) == Right.ADMIN]

    async def namespaces(self, caller: Caller) -> list[NamespaceSummary]:
        """Return the namespaces that the caller may read, by name."""
        return [one for one in await self.rows.summaries() if caller.right_over(one.id) is not None]

    async def readable(self, caller: Caller) -> list[str]:
        """Return the names of the namespaces that the caller may read."""
        if caller.namespaces is None:
            return [one.id for one in await self.namespaces(caller)]
        return [name for name in caller.namespaces if caller.right_over(name) is not None]

    async def require_all(self, caller: Caller, what: str) -> None:
        """Raise PermissionDenied where a caller may not read every namespace: `what` concerns all of them."""
        if caller.namespaces is not None:
            closed = [one for one in await self.rows.summaries() if caller.right_over(one.id) is None]
            if closed:
                raise PermissionDenied(f"{what} concerns the whole store and needs access to every namespace")

    async def set_policy(
        self,
        caller: Caller,
        namespace: str,
        reads: Sequence[str] | None = None,
        target: str | None = None,
        limits: Mapping[str, int | None] = MappingProxyType({}),
    ) -> Policy:
        """Change what a namespace also reads, where it writes, and the named `limits`.

        None leaves as it is; a limit of 0 is none. What a namespace may hold is up to whoever owns the whole store.
        Raises PermissionDenied, InvalidInput.
        """
        caller.administering(namespace)
        policy = await self.rows.policy(namespace)
        if reads is not None:
            others = tuple(one for one in dict.fromkeys(reads) if one != namespace)
            if len(others) > MOST_SOURCES:
                raise InvalidInput("reads", f"at most {MOST_SOURCES} namespaces can be read besides your own")
            for one in others:
                identifiers.namespace("reads", one)
            policy = replace(policy, reads=others)
        if target is not None:
            identifiers.agent("target", target)
            policy = replace(policy, target=None if target == namespace else target)
        changed: dict[str, int | None] = {}
        for name, value in limits.items():
            if value is None:
                continue
            if caller.namespaces is not None and name != RETENTION:
                raise PermissionDenied(
                    f"{name}: only the owner of the whole store can set how much a namespace may hold"
                )
            changed[name] = inputs.count(name, value, 0, MOST_DAYS if name == RETENTION else MOST_HELD) or None
        policy = replace(policy, limits=replace(policy.limits, **changed))
        await self.rows.set_policy(policy, self.clock())
        return policy

    async def limits(self, namespace: str) -> Limits:
        """Return the limits of a namespace."""
        return (await self.rows.policy(namespace)).limits

    async def reads(self, caller: Caller, namespace: str, named: Sequence[str] | None) -> tuple[Source, ...]:
        """Return which other namespaces a search reads: those named, or those of its policy, if permitted.

        Raises PermissionDenied, InvalidInput.
        """
        usual = () if named is not None else (await self.rows.policy(namespace)).reads
        return tuple(one for one in caller.sources(named, usual) if one.namespace != namespace)

    async def target(self, caller: Caller, namespace: str) -> str:
        """Return where a namespace's policy keeps what is stored. Raises PermissionDenied where the caller may not."""
        target = (await self.rows.policy(namespace)).target
        return namespace if target is None else caller.writing(target, "agent_id")

    async def _administers(self, caller: Caller, principal: str, argument: str) -> None:
        """Raise PermissionDenied where a principal has a home, a key or a grant that the caller does not administer."""
        if caller.namespaces is None:
            return
        opened = {grant.namespace for grant in await self.rows.granted(principal, self.clock())}
        if any(caller.right_over(one) != Right.ADMIN for one in opened):
            raise PermissionDenied(f"{argument}: {principal[:60]!r} has a grant that you do not administer")
        known = await self.rows.principal(principal)
        if known is None:
            return
        held = {name for key in await self.rows.keys() if key.principal == principal for name in key.namespaces}
        if any(caller.right_over(one) != Right.ADMIN for one in {known.default, *held}):
            raise PermissionDenied(f"{argument}: {principal[:60]!r} is not yours; choose another name")

    async def _server_key(self) -> bytes:
        return await asyncio.to_thread(self.server_key.read)


def binding_of(issuer: str, subject: str) -> str:
    """Return the name of keys that bind a subject of an issuer: a digest, since subjects may be of any form."""
    return BINDING + hashlib.sha256(f"{issuer}\n{subject}".encode("utf-8", "replace")).hexdigest()[:40]


def _opens_no_other(caller: Caller, key: Key) -> bool:
    """Return whether a caller administers all that a key names."""
    return caller.namespaces is None or all(caller.right_over(one) == Right.ADMIN for one in key.namespaces)


def _name(field: str, value: str) -> str:
    return identifiers.namespace(field, value)


def _later(field: str, moment: datetime | None, now: datetime) -> None:
    if moment is not None and moment <= now:
        raise InvalidInput(field, "is in the past; give a later time")
