"""Principals, keys, grants and policies of namespaces."""

import json
from dataclasses import asdict, astuple
from datetime import datetime

from ...modules.errors import Conflict, NotFound
from ...modules.principals.models import RIGHTS, Grant, Key, Limits, NamespaceSummary, Policy, Principal, Role
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, maybe_from_us, maybe_to_us, to_us
from .audit import record_change, register_namespace


class PrincipalsRepository:
    """Principals, their keys and grants, and the policies of namespaces; each change is one durable transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, principal: Principal, key: Key, most: int) -> Principal:
        """Store a key, and its principal where there is none of that id; return the principal as it is stored.

        Raises Conflict where there are `most` keys that are not revoked.
        """

        async def work(connection: Connection) -> Principal:
            if await connection.fetch_value("SELECT count(*) FROM keys WHERE revoked_at IS NULL") >= most:
                raise Conflict(f"there are {most} keys; revoke one: agentos keys revoke")
            await connection.execute(
                "INSERT INTO principals (id, home, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (principal.id, principal.default, to_us(principal.created_at)),
            )
            await _insert(connection, key)
            await record_change(connection, key.created_at, principal.default, "key.create", key.prefix, role=key.role)
            [row] = await connection.fetch_all("SELECT * FROM principals WHERE id = ?", (principal.id,))
            return _principal(row)

        return await self._engine.write(work)

    async def key(self, prefix: str) -> Key | None:
        """Return the key of a prefix, revoked or not."""
        rows = await self._engine.read("SELECT * FROM keys WHERE prefix = ?", (prefix,))
        return _key(rows[0]) if rows else None

    async def keys(self) -> list[Key]:
        """Return all keys, the newest first."""
        rows = await self._engine.read("SELECT * FROM keys ORDER BY created_at DESC, prefix")
        return [_key(row) for row in rows]

    async def revoke(self, prefix: str, at: datetime) -> Key | None:
        """Revoke a key that is not revoked yet; None where there is none."""

        async def work(connection: Connection) -> Key | None:
            row = await connection.fetch_one(
                "UPDATE keys SET revoked_at = ? WHERE prefix = ? AND revoked_at IS NULL RETURNING *",
                (to_us(at), prefix),
            )
            if row is None:
                return None
            key = _key(row)
            await record_change(connection, at, _first(key), "key.revoke", prefix)
            return key

        return await self._engine.write(work)

    async def rotate(self, prefix: str, successor: Key, until: datetime, at: datetime) -> bool:
        """Store a key's successor, and let the key expire no later than `until`; False where it is not in use."""

        async def work(connection: Connection) -> bool:
            changed = await connection.execute(
                "UPDATE keys SET expires_at = least(coalesce(expires_at, ?1), ?1) WHERE prefix = ?2 "
                "AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?3)",
                (to_us(until), prefix, to_us(at)),
            )
            if not changed:
                return False
            await _insert(connection, successor)
            await record_change(connection, at, _first(successor), "key.rotate", prefix, successor=successor.prefix)
            return True

        return await self._engine.write(work)

    async def used(self, prefix: str, at: datetime) -> None:
        """Note when a key was used last; not fsynced, since it is a statistic."""

        async def work(connection: Connection) -> None:
            await connection.execute("UPDATE keys SET used_at = ? WHERE prefix = ?", (to_us(at), prefix))

        await self._engine.write(work, durable=False)

    async def principal(self, principal: str) -> Principal | None:
        """Return a principal by its id."""
        rows = await self._engine.read("SELECT * FROM principals WHERE id = ?", (principal,))
        return _principal(rows[0]) if rows else None

    async def put(self, grant: Grant, most: int) -> None:
        """Store a grant in the place of the one of the same namespace, principal and tag.

        Raises NotFound where there is no such principal, Conflict where it has `most` grants.
        """

        async def work(connection: Connection) -> None:
            if not await connection.fetch_all("SELECT 1 FROM principals WHERE id = ?", (grant.principal,)):
                raise NotFound(f"no principal {grant.principal[:60]!r}; make a key for it first: agentos keys create")
            [(others,)] = await connection.fetch_all(
                "SELECT count(*) FROM grants WHERE principal = ? AND (namespace, tag) <> (?, ?)",
                (grant.principal, grant.namespace, grant.tag or ""),
            )
            if others >= most:
                raise Conflict(f"{grant.principal!r} has {most} grants; withdraw one: agentos grants remove")
            await connection.execute(
                "INSERT INTO grants (namespace, principal, tag, access, created_at, expires_at) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (principal, namespace, tag) DO UPDATE SET "
                "access = excluded.access, created_at = excluded.created_at, expires_at = excluded.expires_at",
                (
                    grant.namespace,
                    grant.principal,
                    grant.tag or "",
                    grant.right.word,
                    to_us(grant.created_at),
                    maybe_to_us(grant.expires_at),
                ),
            )
            await record_change(
                connection, grant.created_at, grant.namespace, "grant.put", grant.principal, access=grant.right.word
            )

        await self._engine.write(work)

    async def remove(self, namespace: str, principal: str, tag: str | None, at: datetime) -> bool:
        """Take a grant away; False where there is none."""

        async def work(connection: Connection) -> bool:
            removed = await connection.execute(
                "DELETE FROM grants WHERE namespace = ? AND principal = ? AND tag = ?",
                (namespace, principal, tag or ""),
            )
            if not removed:
                return False
            await record_change(connection, at, namespace, "grant.remove", principal)
            return True

        return await self._engine.write(work)

    async def granted(self, principal: str, now: datetime) -> list[Grant]:
        """Return the grants of a principal that hold."""
        rows = await self._engine.read(
            "SELECT * FROM grants WHERE principal = ? AND (expires_at IS NULL OR expires_at > ?) "
            "ORDER BY namespace, tag",
            (principal, to_us(now)),
        )
        return [_grant(row) for row in rows]

    async def grants(self) -> list[Grant]:
        """Return all grants, expired ones too, by namespace."""
        rows = await self._engine.read("SELECT * FROM grants ORDER BY namespace, principal, tag")
        return [_grant(row) for row in rows]

    async def set_policy(self, policy: Policy, at: datetime) -> None:
        """Store a policy in the place of the namespace's former one."""

        async def work(connection: Connection) -> None:
            await register_namespace(connection, policy.namespace, to_us(at))
            await connection.execute(
                "INSERT INTO namespace_policies (namespace, reads, target, max_memories, max_bytes, retention_days) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (namespace) DO UPDATE SET reads = excluded.reads, "
                "target = excluded.target, max_memories = excluded.max_memories, max_bytes = excluded.max_bytes, "
                "retention_days = excluded.retention_days",
                (policy.namespace, json.dumps(policy.reads), policy.target, *astuple(policy.limits)),
            )
            limits = {name: value for name, value in asdict(policy.limits).items() if value is not None}
            await record_change(connection, at, policy.namespace, "policy.set", policy.namespace, **limits)

        await self._engine.write(work)

    async def policy(self, namespace: str) -> Policy:
        """Return the policy of a namespace: one that reads and writes its own where none was set."""
        rows = await self._engine.read("SELECT * FROM namespace_policies WHERE namespace = ?", (namespace,))
        return _policy(rows[0]) if rows else Policy(namespace)

    async def summaries(self) -> list[NamespaceSummary]:
        """Return every namespace with its policy and the number of its memories, by name."""
        rows = await self._engine.read(
            "SELECT n.id AS namespace, n.created_at, p.reads, p.target, p.max_memories, p.max_bytes, p.retention_days, "
            "(SELECT count(*) FROM memories m WHERE m.namespace = n.id) AS memories "
            "FROM namespaces n LEFT JOIN namespace_policies p ON p.namespace = n.id ORDER BY n.id"
        )
        return [
            NamespaceSummary(row["namespace"], from_us(row["created_at"]), row["memories"], _policy(row))
            for row in rows
        ]


async def _insert(connection: Connection, key: Key) -> None:
    await connection.execute(
        "INSERT INTO keys (prefix, digest, principal, name, role, namespaces, created_at, expires_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key.prefix,
            key.digest,
            key.principal,
            key.name,
            key.role.value,
            json.dumps({name: right.word for name, right in key.namespaces.items()}),
            to_us(key.created_at),
            maybe_to_us(key.expires_at),
        ),
    )


def _first(key: Key) -> str:
    """Return the namespace under which a change of a key is noted."""
    return next(iter(key.namespaces))


def _principal(row: Row) -> Principal:
    return Principal(row["id"], row["home"], from_us(row["created_at"]))


def _key(row: Row) -> Key:
    return Key(
        prefix=row["prefix"],
        digest=row["digest"],
        principal=row["principal"],
        name=row["name"],
        role=Role(row["role"]),
        namespaces={name: RIGHTS[word] for name, word in json.loads(row["namespaces"]).items()},
        created_at=from_us(row["created_at"]),
        expires_at=maybe_from_us(row["expires_at"]),
        revoked_at=maybe_from_us(row["revoked_at"]),
        used_at=maybe_from_us(row["used_at"]),
    )


def _grant(row: Row) -> Grant:
    return Grant(
        row["namespace"],
        row["principal"],
        RIGHTS[row["access"]],
        row["tag"] or None,
        from_us(row["created_at"]),
        maybe_from_us(row["expires_at"]),
    )


def _policy(row: Row) -> Policy:
    limits = Limits(row["max_memories"], row["max_bytes"], row["retention_days"])
    return Policy(row["namespace"], tuple(json.loads(row["reads"] or "[]")), row["target"], limits)
