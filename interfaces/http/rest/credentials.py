"""Keys, grants and namespaces: who may ask for what, for the owner and for administrators of namespaces."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field

from ....modules import inputs
from ....modules.principals.models import RIGHTS, Grant, Key, Limits, Right, Role
from ....modules.principals.tokens import TokenService
from ....modules.records import dataclass
from .operations import OperationRequest

RoleName = Literal["reader", "writer", "operator", "owner"]
RightName = Literal["read", "write", "admin"]
Rights = Annotated[
    dict[Annotated[str, Field(min_length=1)], RightName],
    Field(min_length=1, max_length=100, description="the right over each namespace; the first is the default"),
]
Limit = Annotated[int | None, Field(ge=0, description="0: no limit")]
Expires = Annotated[str | None, Field(description="ISO 8601, default UTC")]


@dataclass(frozen=True, kw_only=True)
class KeyView:
    """A key. Its `secret` is shown only when it is created."""

    prefix: str
    name: str
    principal: str
    role: str
    namespaces: dict[str, str]
    state: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    secret: str | None = None


@dataclass(frozen=True)
class Keys:
    """All keys, the newest first."""

    results: tuple[KeyView, ...]


@dataclass(frozen=True)
class GrantView:
    """A right over a namespace that a principal was given; with a `tag`, over what carries it alone."""

    namespace: str
    principal: str
    right: str
    tag: str | None
    expires_at: datetime | None


@dataclass(frozen=True)
class Grants:
    """The grants of the namespaces that the caller administers."""

    results: tuple[GrantView, ...]


@dataclass(frozen=True)
class NamespaceView:
    """A namespace that the caller may read: how many memories it holds, and where its calls go."""

    name: str
    memories: int
    right: str
    reads: tuple[str, ...]
    target: str | None
    limits: Limits


@dataclass(frozen=True)
class Namespaces:
    """The namespaces that the caller may read."""

    results: tuple[NamespaceView, ...]


@dataclass(frozen=True)
class PolicyView:
    """A namespace's policy: which namespaces it also reads, which it writes to, and its limits."""

    name: str
    reads: tuple[str, ...]
    target: str | None
    limits: Limits


@dataclass(frozen=True)
class CallerView:
    """The caller as this server knows it; with None for `namespaces`, all are open."""

    principal: str
    role: str
    default: str
    namespaces: dict[str, str] | None


@dataclass(frozen=True)
class TokenView:
    """A token for `Authorization: Bearer`; with None for `namespaces`, it opens all of its key's."""

    token: str
    role: str
    namespaces: tuple[str, ...] | None
    expires_at: datetime


@dataclass(frozen=True)
class Removed:
    """The confirmation of a removal."""

    removed: bool = True


async def who_am_i(asked: OperationRequest) -> CallerView:
    """Tell whose key this is. Nothing is read or changed."""
    caller = asked.caller
    rights = None if caller.namespaces is None else {name: right.word for name, right in caller.namespaces.items()}
    return CallerView(caller.principal, caller.role, caller.default, rights)


async def issue_token(
    asked: OperationRequest,
    *,
    role: RoleName = "reader",
    namespaces: list[str] | None = None,
    seconds: Annotated[int, Field(ge=60, le=86_400)] = 900,
) -> TokenView:
    """Make a token with a part of this key's rights. It ends by itself, and with its key."""
    tokens = TokenService((await asked.agentos()).principals)
    made = await tokens.issue(asked.caller, asked.key, Role(role), namespaces, seconds)
    places = None if made.namespaces is None else tuple(made.namespaces)
    return TokenView(made.secret, made.role, places, made.expires_at)


async def create_key(
    asked: OperationRequest,
    *,
    name: str,
    role: RoleName,
    namespaces: Rights,
    principal: str | None = None,
    expires_at: Expires = None,
) -> KeyView:
    """Make a key. The answer holds its secret, this once."""
    agentos = await asked.agentos()
    rights = {place: RIGHTS[word] for place, word in namespaces.items()}
    ends = None if expires_at is None else inputs.moment("expires_at", expires_at)
    key, secret = await agentos.principals.create_key(asked.caller, name, Role(role), rights, ends, principal)
    return _key(key, agentos.clock(), secret)


async def list_keys(asked: OperationRequest) -> Keys:
    """List keys. Their secrets are not kept."""
    agentos = await asked.agentos()
    return Keys(tuple(_key(key, agentos.clock()) for key in await agentos.principals.list_keys(asked.caller)))


async def revoke_key(asked: OperationRequest, *, prefix: str) -> KeyView:
    """Revoke a key at once."""
    agentos = await asked.agentos()
    return _key(await agentos.principals.revoke_key(asked.caller, prefix), agentos.clock())


async def rotate_key(
    asked: OperationRequest, *, prefix: str, overlap_hours: Annotated[float, Field(ge=0, le=8760)] = 24.0
) -> KeyView:
    """Make a key's successor. The old one works on for a while."""
    agentos = await asked.agentos()
    overlap = timedelta(hours=overlap_hours)
    key, secret = await agentos.principals.rotate_key(asked.caller, prefix, overlap)
    return _key(key, agentos.clock(), secret)


async def list_grants(asked: OperationRequest) -> Grants:
    """List the grants of the namespaces that the caller administers."""
    agentos = await asked.agentos()
    return Grants(tuple(map(_grant, await agentos.principals.list_grants(asked.caller))))


async def create_grant(
    asked: OperationRequest,
    *,
    namespace: str,
    principal: str,
    right: RightName = "read",
    tag: str | None = None,
    expires_at: Expires = None,
) -> GrantView:
    """Give a principal a right over a namespace."""
    agentos = await asked.agentos()
    ends = None if expires_at is None else inputs.moment("expires_at", expires_at)
    return _grant(await agentos.principals.grant(asked.caller, namespace, principal, RIGHTS[right], tag, ends))


async def remove_grant(asked: OperationRequest, *, namespace: str, principal: str, tag: str | None = None) -> Removed:
    """Remove a grant."""
    await (await asked.agentos()).principals.withdraw(asked.caller, namespace, principal, tag)
    return Removed()


async def list_namespaces(asked: OperationRequest) -> Namespaces:
    """List the namespaces that the caller may read."""
    agentos = await asked.agentos()
    found = await agentos.principals.namespaces(asked.caller)
    return Namespaces(
        tuple(
            NamespaceView(
                one.id,
                one.memories,
                (asked.caller.right_over(one.id) or Right.READ).word,
                one.policy.reads,
                one.policy.target,
                one.policy.limits,
            )
            for one in found
        )
    )


async def set_namespace(
    asked: OperationRequest,
    *,
    name: str,
    reads: list[str] | None = None,
    target: str | None = None,
    max_memories: Limit = None,
    max_bytes: Limit = None,
    retention_days: Limit = None,
) -> PolicyView:
    """Set what a namespace also reads, where it writes, and its limits. Omitted fields stay."""
    limits = {"max_memories": max_memories, "max_bytes": max_bytes, "retention_days": retention_days}
    policy = await (await asked.agentos()).principals.set_policy(asked.caller, name, reads, target, limits)
    return PolicyView(policy.namespace, policy.reads, policy.target, policy.limits)


def _key(key: Key, now: datetime, secret: str | None = None) -> KeyView:
    return KeyView(
        prefix=key.prefix,
        name=key.name,
        principal=key.principal,
        role=key.role,
        namespaces={name: right.word for name, right in key.namespaces.items()},
        state=key.state(now),
        created_at=key.created_at,
        expires_at=key.expires_at,
        used_at=key.used_at,
        secret=secret,
    )


def _grant(grant: Grant) -> GrantView:
    return GrantView(grant.namespace, grant.principal, grant.right.word, grant.tag, grant.expires_at)
