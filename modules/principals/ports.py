"""The ports of identity: storage of keys, grants and policies, and the secret that digests are made with."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Grant, Key, NamespaceSummary, Policy, Principal


class ServerKey(Protocol):
    """The random key of a home, without which no digest of a secret can be made."""

    def read(self) -> bytes:
        """Return it, made at the first call. Blocks. Raises StorageUnavailable."""


class EndedLogins(Protocol):
    """The browsers' sessions that were signed out, and the links that were used, for as long as they would hold.

    Whoever serves the same store knows the same. Raises StorageUnavailable.
    """

    async def has(self, name: str, until: datetime, now: datetime) -> bool:
        """Return whether what would hold until a moment has ended; also where nobody knows any more."""

    async def add(self, name: str, until: datetime, now: datetime) -> bool:
        """Keep a name until a moment, for good; False where it was kept already."""


class KeyRepository(Protocol):
    """Principals and their keys; every change is one durable transaction with its entry in the audit log."""

    async def add(self, principal: Principal, key: Key, most: int) -> Principal:
        """Store a key, and its principal where there is none of that id; return the principal as it is stored.

        Raises Conflict where there are `most` keys that are not revoked.
        """

    async def key(self, prefix: str) -> Key | None:
        """Return the key of a prefix, revoked or not."""

    async def keys(self) -> list[Key]:
        """Return all keys, the newest first."""

    async def revoke(self, prefix: str, at: datetime) -> Key | None:
        """Revoke a key that is not revoked yet; None where there is none."""

    async def rotate(self, prefix: str, successor: Key, until: datetime, at: datetime) -> bool:
        """Store a key's successor, and let the key expire no later than `until`; False where it is not in use."""

    async def used(self, prefix: str, at: datetime) -> None:
        """Note when a key was used last; not fsynced, since it is a statistic."""

    async def principal(self, principal: str) -> Principal | None:
        """Return a principal by its id."""


class GrantRepository(Protocol):
    """Rights over namespaces that principals were given."""

    async def put(self, grant: Grant, most: int) -> None:
        """Store a grant in the place of the one of the same namespace, principal and tag.

        Raises NotFound where there is no such principal, Conflict where it has `most` grants.
        """

    async def remove(self, namespace: str, principal: str, tag: str | None, at: datetime) -> bool:
        """Take a grant away; False where there is none."""

    async def granted(self, principal: str, now: datetime) -> list[Grant]:
        """Return the grants of a principal that hold."""

    async def grants(self) -> list[Grant]:
        """Return all grants, expired ones too, by namespace."""


class PolicyRepository(Protocol):
    """Store the namespaces' policies."""

    async def set_policy(self, policy: Policy, at: datetime) -> None:
        """Store a policy in the place of the namespace's former one."""

    async def policy(self, namespace: str) -> Policy:
        """Return the policy of a namespace: one that reads and writes its own where none was set."""

    async def summaries(self) -> Sequence[NamespaceSummary]:
        """Return every namespace with its policy and the number of its memories, by name."""


class RequestRepository(Protocol):
    """Record the changes of requests with an idempotency key, in the transaction of the first change."""

    async def digest_everywhere(self, principal: str, key: str, since: datetime) -> bytes | None:
        """Return the digest of what a key was sent with since a moment; None where nothing was changed by it."""

    async def purge_everywhere(self, before: datetime) -> int:
        """Forget what was noted before a moment; return how much."""


class PrincipalRepository(KeyRepository, GrantRepository, PolicyRepository, Protocol):
    """All that a backend keeps of identities, in one."""
