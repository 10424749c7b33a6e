"""The domain types of identity: callers, and the principals, keys, grants and policies that they come from."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from enum import IntEnum, StrEnum

from .. import identifiers
from ..errors import InvalidInput, PermissionDenied
from ..identifiers import Source
from ..records import dataclass
from ..version import COMMAND_LINE

OWNER = "owner"
"""The principal of the local user, who has the data folder and needs no key."""
DAEMON = "daemon"
"""The principal of work that nobody asked for: the daemon's jobs."""
RESERVED = {
    OWNER: "is the local user, who needs no key",
    DAEMON: "is reserved for background work",
}


class Role(StrEnum):
    """A key's role: read; also store and edit; also jobs, backups and metrics; everything, including keys."""

    READER = "reader"
    WRITER = "writer"
    OPERATOR = "operator"
    OWNER = "owner"

    @property
    def administers(self) -> bool:
        """Whether keys of the role are for people who run a store: agents need no such key."""
        return self in (Role.OPERATOR, Role.OWNER)


MOST_SOURCES = 8
"""The most namespaces that are searched beside one's own: each costs a search of its own."""

_ORDER = {role: number for number, role in enumerate(Role)}


class Right(IntEnum):
    """A right to a namespace; each includes those before it."""

    READ = 1
    WRITE = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """The right's name in commands and messages."""
        return self.name.lower()


RIGHTS = {right.word: right for right in Right}
MOST_OF_A_ROLE = {
    Role.READER: Right.READ,
    Role.WRITER: Right.WRITE,
    Role.OPERATOR: Right.WRITE,
    Role.OWNER: Right.ADMIN,
}
"""The strongest right that each role can have over a namespace, whatever was granted."""


class Door(StrEnum):
    """The interface through which a request came."""

    STDIO = "stdio"
    COMMAND_LINE = "command-line"
    HOOK = "hook"
    HTTP = "http"
    DAEMON = "daemon"
    LIBRARY = "library"


@dataclass(frozen=True)
class RequestKey:
    """The name that a client gives to a request that it may send again, the digest of what it asks for, and when."""

    key: str
    digest: bytes
    at: datetime


@dataclass(frozen=True)
class Caller:
    """The caller and their rights; made once per request or session, and passed on.

    `namespaces` is None only for the local owner without AGENTOS_ALLOWED_AGENTS, who may touch every namespace;
    otherwise it holds exactly those that may be touched. `default` is the namespace of a call that names none.
    `tagged` are the namespaces of which searches may read memories with certain tags, and nothing else may.
    `request_key` is that of a request that may have come before. `folder` is where the caller works, "" if unknown;
    `project` is the one that they say they work in, by id or name.
    """

    principal: str
    role: Role
    namespaces: Mapping[str, Right] | None
    default: str
    door: Door
    request_id: str = ""
    tagged: Mapping[str, frozenset[str]] = field(default_factory=dict)
    request_key: RequestKey | None = None
    folder: str = ""
    project: str = ""
    client: str = ""  # the name that the caller's program gives itself
    is_person: bool = False  # the credential is a person's: what they are shown is no use of a memory
    is_looking: bool = False  # a person in the dashboard, whom nothing is asked

    def through(self, client: str) -> "Caller":
        """Return the caller as one who calls through a program: commands are typed by people."""
        return replace(self, client=client, is_person=self.is_person or client == COMMAND_LINE)

    def reading(self, named: str | None = None, argument: str = "agent_id") -> str:
        """Return the namespace to read: the one named, or the default. Raises PermissionDenied or InvalidInput."""
        return self._allowed(named, Right.READ, argument)

    def writing(self, named: str | None = None, argument: str = "agent_id") -> str:
        """Return the namespace to write to: the one named, or the default. Raises PermissionDenied or InvalidInput."""
        return self._allowed(named, Right.WRITE, argument)

    def administering(self, named: str | None = None, argument: str = "namespace") -> str:
        """Return the namespace whose grants and policies may be changed. Raises PermissionDenied or InvalidInput."""
        if named == identifiers.GLOBAL and self.right_over(named) == Right.ADMIN:
            return named
        return self._allowed(named, Right.ADMIN, argument)

    def sources(self, named: Sequence[str] | None, usual: Sequence[str]) -> tuple[Source, ...]:
        """Return the namespaces that a search reads beside its own: those named, or of the `usual` those it may read.

        Raises PermissionDenied for one that is named and may not be read, InvalidInput for too many.
        """
        if named is None:
            return tuple(source for one in usual for source in self._sources_of(one))
        if len({*named}) > MOST_SOURCES:
            raise InvalidInput("namespaces", f"at most {MOST_SOURCES} namespaces can be searched besides your own")
        found: list[Source] = []
        for one in dict.fromkeys(named):
            sources = self._sources_of(identifiers.namespace("namespaces", one))
            if not sources:
                raise PermissionDenied(self._refusal(one, Right.READ, "namespaces", one))
            found += sources
        return tuple(found)

    def _sources_of(self, namespace: str) -> list[Source]:
        if self.right_over(namespace) is not None:
            return [Source(namespace)]
        return [Source(namespace, tag) for tag in sorted(self.tagged.get(namespace, ()))]

    def requires(self, role: Role) -> None:
        """Raise PermissionDenied unless the caller's role is at least this one."""
        if _ORDER[self.role] < _ORDER[role]:
            raise PermissionDenied(f"this needs the role {role}; {self.principal!r} calls as {self.role}")

    def requires_all_namespaces(self) -> None:
        """Raise PermissionDenied for the owner in a session of some namespaces; a key says by its role what it may."""
        if self.principal == OWNER and self.namespaces is not None:
            raise PermissionDenied("this concerns every namespace, and AGENTOS_ALLOWED_AGENTS allows only some here")

    def right_over(self, namespace: str) -> Right | None:
        """Return the strongest right that the caller has over a namespace; None for no right at all."""
        most = MOST_OF_A_ROLE[self.role]
        if self.namespaces is None:
            return most
        granted = self.namespaces.get(namespace)
        return None if granted is None else min(granted, most)

    def asking(self, request_id: str) -> "Caller":
        """Return the caller of one request of a session."""
        return replace(self, request_id=request_id)

    def _allowed(self, named: str | None, right: Right, argument: str) -> str:
        namespace = self.default if named is None else identifiers.agent(argument, named)
        held = self.right_over(namespace)
        if held is None or held < right:
            raise PermissionDenied(self._refusal(namespace, right, argument, named))
        return namespace

    def _refusal(self, namespace: str, right: Right, argument: str, named: str | None) -> str:
        subject = f"{argument}: {namespace[:60]!r}"
        if self.principal != OWNER:
            return f"{subject} is not open to {self.principal!r} for {right.word}; ask its owner for a grant"
        if named is None:
            return f"{subject}, the default, is not allowed here; name another"
        return f"{subject} is not allowed here; leave it out, or add it to AGENTOS_ALLOWED_AGENTS"


def local_owner(
    agent_id: str, allowed: frozenset[str] | None, door: Door, request_id: str = "", folder: str = ""
) -> Caller:
    """Return the caller that the local user is, restricted to the namespaces that the settings allow; None is all."""
    namespaces = None if allowed is None else dict.fromkeys((*allowed, identifiers.GLOBAL), Right.ADMIN)
    return Caller(OWNER, Role.OWNER, namespaces, agent_id, door, request_id, folder=folder)


@dataclass(frozen=True)
class Principal:
    """Somebody, or something, that holds keys and is given grants; `default` is the namespace of its calls."""

    id: str
    default: str
    created_at: datetime


@dataclass(frozen=True)
class Key:
    """A credential of a principal. Its secret is shown once; `digest` is what is kept of it, `prefix` what names it.

    It opens `namespaces`, each with a right, and those that its principal was granted.
    """

    prefix: str
    digest: bytes
    principal: str
    name: str
    role: Role
    namespaces: Mapping[str, Right]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None

    def state(self, now: datetime) -> str:
        """Return "active", "revoked" or "expired"."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


@dataclass(frozen=True)
class Grant:
    """A right over a namespace that a principal was given, until it expires.

    With a `tag`, only memories with that tag may be read through it: then the right is to read, no more.
    """

    namespace: str
    principal: str
    right: Right
    tag: str | None
    created_at: datetime
    expires_at: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Return whether the grant has not expired."""
        return self.expires_at is None or now < self.expires_at


@dataclass(frozen=True)
class Limits:
    """The quotas of a namespace: memories, bytes of text, and days until memories are archived.

    None is any number. What is archived still counts as bytes, and not as a memory.
    """

    max_memories: int | None = None
    max_bytes: int | None = None
    retention_days: int | None = None


@dataclass(frozen=True)
class Policy:
    """A namespace's defaults for reading and writing, and its limits.

    `reads` are the namespaces searched beside its own; `target` is where what is stored goes, its own if None.
    """

    namespace: str
    reads: tuple[str, ...] = ()
    target: str | None = None
    limits: Limits = Limits()


@dataclass(frozen=True)
class NamespaceSummary:
    """A namespace: its creation time, number of memories, and policy."""

    id: str
    created_at: datetime
    memories: int
    policy: Policy


def right(argument: str, word: str) -> Right:
    """Return the right of a name. Raises InvalidInput."""
    if word not in RIGHTS:
        raise InvalidInput(argument, f"must be one of {', '.join(RIGHTS)}")
    return RIGHTS[word]


def role(argument: str, word: str) -> Role:
    """Return the role of a name. Raises InvalidInput."""
    try:
        return Role(word)
    except ValueError:
        raise InvalidInput(argument, f"must be one of {', '.join(Role)}") from None
