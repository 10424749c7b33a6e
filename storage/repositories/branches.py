"""Branches of namespaces: forked, compared with their origins, and merged, each in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ...modules import identifiers
from ...modules.branches.models import (
    Branch,
    Governance,
    Merged,
    MergePlan,
    MergeStep,
    Offered,
    Point,
    StepKind,
)
from ...modules.branches.planning import plan
from ...modules.errors import Conflict
from ...modules.facts.models import SUPERSEDES
from ...modules.judging import guards, keeping, vouched
from ...modules.memory.conflict_resolution import Addition, DisputingResolver, RuleResolver
from ...modules.memory.models import Memory, Status
from ...modules.memory.storing import content_hash
from ...modules.memory.vouching import HUMAN
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, to_us
from . import change_rows, memory_files, memory_writing, predicates
from .audit import record_change, register_namespace
from .memory_rows import COLUMNS, as_json, to_memory
from .rows import TransactionRows

STANDS = f"m.session IS NULL AND m.status = '{Status.ACTIVE}' AND m.valid_to IS NULL AND m.expires_at IS NULL"
"""What holds, and is no part of a conversation."""
_HELD = f"{STANDS} AND NOT {predicates.ASIDE}"
"""What a branch takes along, and gives back: what holds, and was stated or confirmed."""
CHANGED = "(p.version IS NULL OR m.version > p.version)"
"""What is new in a branch, or was rewritten there since it was last the same as a memory of the origin."""
_MERGES = "SELECT approval, namespace, branch, at, decided_by, created, changed, contested FROM branch_merges"


class BranchesRepository:
    """Branches and their merges; each change is one transaction, with its entry in the audit log."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def fork(self, branch: Branch, most: int) -> int:
        """Copy what holds in the origin into a new branch; return how many memories.

        Raises Conflict where the branch has memories already or is one, or the origin has more than `most` of them.
        """
        now = branch.created_at

        async def work(connection: Connection) -> int:
            await lock_both(connection, branch)
            for namespace in (branch.origin, branch.namespace):
                await register_namespace(connection, namespace, to_us(now))
            await require_empty(connection, branch.namespace)
            made = await connection.attempt(
                "INSERT INTO branches (namespace, origin, created_at, created_by) VALUES (?, ?, ?, ?)",
                (branch.namespace, branch.origin, to_us(now), branch.created_by),
            )
            if not made:
                raise Conflict(f"branch: {branch.namespace[:60]!r} is already a branch")
            rows = await connection.fetch_all(
                f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND {_HELD} ORDER BY m.seq LIMIT ?",
                (branch.origin, most + 1),
            )
            if len(rows) > most:
                raise Conflict(f"origin: {branch.origin[:60]!r} has more than {most:,} memories, too many for a branch")
            copies = {row["id"]: await copy(connection, to_memory(row), branch) for row in rows}
            await memory_files.give(connection, branch.origin, branch.namespace, copies)
            await record_change(
                connection, now, branch.namespace, "branch.create", branch.namespace, origin=branch.origin
            )
            return len(rows)

        return await self._engine.write(work)

    async def named_everywhere(self) -> list[str]:
        """Return the namespaces that hold memories, by name."""
        rows = await self._engine.read(
            "SELECT n.id FROM namespaces n WHERE EXISTS (SELECT 1 FROM memories m WHERE m.namespace = n.id) ORDER BY id"
        )
        return [row["id"] for row in rows]

    async def branch(self, namespace: str) -> Branch | None:
        """Return the branch that a namespace is; None where it is none."""
        rows = await self._engine.read("SELECT * FROM branches WHERE namespace = ?", (namespace,))
        return _branch(rows[0]) if rows else None

    async def branches(self, namespace: str) -> list[Branch]:
        """Return the branches of a namespace, the oldest first."""
        rows = await self._engine.read(
            "SELECT * FROM branches WHERE origin = ? ORDER BY created_at, namespace", (namespace,)
        )
        return [_branch(row) for row in rows]

    async def made_of(self, namespace: str, memory_ids: Sequence[str]) -> dict[str, str]:
        """Return, by id, which memory each is a copy of, or was copied to, as forks and merges have noted."""
        rows = await self._engine.read(
            "SELECT p.memory_id, p.origin_id FROM json_texts(?) given /*then*/ JOIN branch_points p "
            "ON p.memory_id = given.value /*then*/ JOIN memories m ON m.id = p.memory_id WHERE m.namespace = ?",
            (as_json(list(memory_ids)), namespace),
        )
        return {row["memory_id"]: row["origin_id"] for row in rows}

    async def plan(self, branch: Branch, now: datetime, most: int) -> MergePlan:
        """Return what a merge would do now. Raises Conflict for more than `most` steps."""
        return await self._engine.at_one_moment(lambda connection: _plan(connection, branch, now, most))

    async def merge(self, branch: Branch, approval: str, digest: str, by: str, now: datetime, most: int) -> Merged:
        """Carry out the plan of that digest, once for each approval; return what was done, now or before.

        Raises Conflict where the plan is another by now; then nothing is changed.
        """

        async def work(connection: Connection) -> Merged:
            await lock_both(connection, branch)
            done = await connection.fetch_one(
                f"{_MERGES} WHERE namespace = ? AND approval = ?", (branch.origin, approval)
            )
            if done is not None:
                return _merged(done)
            found = await _plan(connection, branch, now, most)
            if found.digest != digest:
                raise Conflict(f"{branch.namespace} or {branch.origin} has changed since: propose it again")
            contested = [await carry_out(connection, branch, step, now) for step in found.steps]
            await give_back_files(connection, branch, found)
            for mine, theirs in found.known:
                await _meet(connection, branch.namespace, mine, theirs)
            merged = Merged(
                branch.origin,
                branch.namespace,
                approval,
                now,
                by,
                created=_uncontested(found, contested, StepKind.CREATE),
                changed=_uncontested(found, contested, StepKind.MERGE),
                contested=sum(contested),
            )
            await _note(connection, merged)
            return merged

        return await self._engine.write(work)

    async def merges(self, namespace: str, limit: int) -> list[Merged]:
        """Return what was merged into a namespace, the newest first."""
        rows = await self._engine.read(
            f"{_MERGES} WHERE namespace = ? ORDER BY at DESC, approval LIMIT ?", (namespace, limit)
        )
        return [_merged(row) for row in rows]

    async def governance(self, namespace: str) -> Governance:
        """Return the rules of a namespace."""
        return await self._engine.at_one_moment(
            lambda connection: guards.governance(TransactionRows(connection), namespace)
        )

    async def govern(self, governance: Governance, now: datetime) -> None:
        """Put rules in the place of a namespace's former ones."""

        async def work(connection: Connection) -> None:
            whose = governance.namespace
            await connection.lock(whose)
            await connection.execute(
                "INSERT INTO governance (namespace, review) VALUES (?, ?) "
                "ON CONFLICT (namespace) DO UPDATE SET review = excluded.review",
                (whose, governance.review.value),
            )
            await connection.execute("DELETE FROM watches WHERE namespace = ?", (whose,))
            await connection.execute_many(
                "INSERT INTO watches (namespace, kind, value, demands) VALUES (?, ?, ?, ?)",
                [(whose, one.kind.value, one.value, one.demands.value) for one in governance.watches],
            )
            details = {"review": governance.review.value, "watches": len(governance.watches)}
            await record_change(connection, now, whose, "governance.set", whose, **details)

        await self._engine.write(work)


async def lock_both(connection: Connection, branch: Branch) -> None:
    """Hold a branch, or a fork, and its origin."""
    for namespace in sorted((branch.namespace, branch.origin)):  # in one order, so that two never wait for each other
        await connection.lock(namespace)


async def require_empty(connection: Connection, namespace: str) -> None:
    """Raise Conflict where a namespace has memories already."""
    if await connection.fetch_all("SELECT 1 FROM memories WHERE namespace = ? LIMIT 1", (namespace,)):
        raise Conflict(f"branch: {namespace[:60]!r} already has memories; choose an unused name")


async def copy(connection: Connection, memory: Memory, branch: Branch, of: Memory | None = None) -> str:
    """Copy a memory of the origin into a new branch, or a fork, which learns it as another than it is `of` there.

    Return the id of the copy, which has no files yet.
    """
    there = of or memory
    copy = _renewed(memory, branch.namespace, branch.created_at)
    await guards.require_room(TransactionRows(connection), branch.namespace, copy.content)
    await memory_writing.insert_memory(connection, copy, content_hash(copy.content))
    await _meet(connection, branch.namespace, copy, there)
    return copy.id


def _renewed(memory: Memory, namespace: str, now: datetime) -> Memory:
    """Return a memory as a new one of another namespace: what was counted and confirmed belongs to the other."""
    return replace(
        memory,
        id=identifiers.new_id("mem"),
        namespace=namespace,
        created_at=now,
        updated_at=now,
        accessed_at=now,
        access_count=0,
        version=1,
        confirmations=0,
        rejections=0,
        may_be_outdated_by=None,
        code_mark="",
    )


async def _plan(connection: Connection, branch: Branch, now: datetime, most: int) -> MergePlan:
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS}, p.origin_id, p.origin_version FROM memories m LEFT JOIN branch_points p "
        f"ON p.memory_id = m.id WHERE m.namespace = ? AND {_HELD} AND {CHANGED} ORDER BY m.seq LIMIT ?",
        (branch.namespace, most + 1),
    )
    if len(rows) > most:
        raise Conflict(f"{branch.namespace[:60]!r} has more than {most:,} changes, too many for one merge")
    changed = await offered(connection, branch, rows, now)
    origin = await came_from(connection, branch, changed)
    judging = TransactionRows(connection)
    confirmed = frozenset(await vouched.vouched(judging, branch.origin, origin))
    found = plan(branch, changed, origin, await guards.governance(judging, branch.origin), confirmed)
    return replace(found, authors=await _authors(connection, branch, [step.memory.id for step in found.steps]))


async def offered(connection: Connection, branch: Branch, rows: Sequence[Row], now: datetime) -> list[Offered]:
    """Return the memories of a branch that rows are, with their points, and what its origin has about the same."""
    ids = [row["id"] for row in rows]
    replaced = await _replaced(connection, branch.namespace, ids)
    files = await memory_files.hashes_of(connection, branch.namespace, ids)
    found = []
    for row in rows:
        memory = to_memory(row)
        there = replace(memory, namespace=branch.origin)
        same = await _same(connection, there)
        found.append(
            Offered(
                memory,
                None if row["origin_id"] is None else Point(row["origin_id"], row["origin_version"]),
                tuple(replaced.get(memory.id, ())),
                () if same is not None else tuple(await TransactionRows(connection).memories.rivals(there, now)),
                same,
                files.get(memory.id, ()),
            )
        )
    return found


async def came_from(connection: Connection, branch: Branch, changes: Sequence[Offered]) -> dict[str, Memory]:
    """Return, by id, the memories of the origin that points of a branch name, where they exist."""
    points = [point for one in changes for point in (one.point, *one.replaces) if point is not None]
    return await change_rows.read(connection, branch.origin, [point.origin_id for point in points])


async def _replaced(connection: Connection, namespace: str, ids: Sequence[str]) -> Mapping[str, list[Point]]:
    """Return, by memory of a branch, where those came from that it superseded there."""
    found: dict[str, list[Point]] = {}
    for row in await connection.fetch_all(
        "SELECT r.from_id, p.origin_id, p.origin_version FROM json_texts(?) given /*then*/ JOIN relations r "
        "ON r.from_id = given.value AND r.type = ? /*then*/ JOIN branch_points p ON p.memory_id = r.to_id "
        "/*then*/ JOIN memories m ON m.id = r.to_id WHERE m.namespace = ? ORDER BY m.seq",
        (as_json(list(ids)), SUPERSEDES, namespace),
    ):
        found.setdefault(row["from_id"], []).append(Point(row["origin_id"], row["origin_version"]))
    return found


async def _same(connection: Connection, memory: Memory) -> Memory | None:
    """Return the visible memory of a namespace that has the same text."""
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.content_hash = ? AND {predicates.VISIBLE} "
        "AND m.valid_to IS NULL",
        (memory.namespace, content_hash(memory.content)),
    )
    return to_memory(rows[0]) if rows else None


async def _authors(connection: Connection, branch: Branch, ids: Sequence[str]) -> frozenset[str]:
    """Return who wrote memories of a branch, but for the local user's own agents; whoever copied them is no author."""
    rows = await connection.fetch_all(
        "SELECT DISTINCT a.principal FROM json_texts(?) given /*then*/ JOIN audit a ON a.subject = given.value "
        "WHERE a.namespace = ? AND a.door NOT IN ('stdio', 'hook', 'daemon') AND (a.action = 'memory.update' "
        "OR (a.action = 'memory.store' AND NOT EXISTS "
        "(SELECT 1 FROM branch_points p WHERE p.memory_id = given.value)))",
        (as_json(list(ids)), branch.namespace),
    )
    return frozenset(row["principal"] for row in rows if row["principal"])


async def carry_out(connection: Connection, branch: Branch, step: MergeStep, now: datetime, by: str = HUMAN) -> bool:
    """Carry out a step of a merge that `by` answers for; return whether it ended in a contest."""
    mine, old = step.memory, step.concerns
    if step.revises and step.kind is StepKind.MERGE:
        [there] = old
        changed = replace(
            mine,
            id=there.id,
            namespace=there.namespace,
            created_at=there.created_at,
            updated_at=now,
            metadata=_with_origin(mine),
        )
        revised = await keeping.revise(
            TransactionRows(connection), changed, content_hash(changed.content), there.version, RuleResolver(), by=by
        )
        await _meet(connection, branch.namespace, mine, revised)
        return revised.status is Status.CONTESTED
    new = replace(_renewed(mine, branch.origin, now), metadata=_with_origin(mine))
    judge = DisputingResolver() if step.kind is StepKind.CONFLICT else RuleResolver()
    supersedes = [one.id for one in old]
    stored = await keeping.keep(
        TransactionRows(connection), Addition(new, content_hash(new.content), judge, supersedes, by)
    )
    await _meet(connection, branch.namespace, mine, stored.memory)
    return stored.memory.status is Status.CONTESTED


async def give_back_files(connection: Connection, branch: Branch, found: MergePlan) -> None:
    """Give what the steps of a merge have made the files that their memories have in the branch."""
    ids = [step.memory.id for step in found.steps if step.files]
    rows = await connection.fetch_all(
        "SELECT p.memory_id, p.origin_id FROM json_texts(?) given /*then*/ JOIN branch_points p "
        "ON p.memory_id = given.value",
        (as_json(ids),),
    )
    copies = {row["memory_id"]: row["origin_id"] for row in rows}
    await memory_files.give(connection, branch.namespace, branch.origin, copies)


def _with_origin(memory: Memory) -> dict[str, object]:
    return memory.metadata | {"merged_from": {"agent": memory.namespace, "id": memory.id}}


async def _meet(connection: Connection, namespace: str, mine: Memory, theirs: Memory) -> None:
    """Note that a memory of a branch and one of its origin are the same now."""
    await connection.execute(
        "INSERT INTO branch_points (memory_id, version, origin_id, origin_version) "
        "SELECT m.id, m.version, ?, ? FROM memories m WHERE m.id = ? AND /*unindexed*/m.namespace = ? "
        "ON CONFLICT (memory_id) DO UPDATE SET version = excluded.version, origin_id = excluded.origin_id, "
        "origin_version = excluded.origin_version",
        (theirs.id, theirs.version, mine.id, namespace),
    )


def _uncontested(found: MergePlan, contested: Sequence[bool], kind: StepKind) -> int:
    return sum(step.kind is kind and not waits for step, waits in zip(found.steps, contested, strict=True))


async def _note(connection: Connection, merged: Merged) -> None:
    """Note what was merged: a second time it is not, whoever was killed in between."""
    counts = {"created": merged.created, "changed": merged.changed, "contested": merged.contested}
    await connection.execute(
        "INSERT INTO branch_merges (approval, namespace, branch, at, decided_by, created, changed, contested) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (merged.approval, merged.namespace, merged.branch, to_us(merged.at), merged.decided_by, *counts.values()),
    )
    details = {"approval": merged.approval, "by": merged.decided_by, **counts}
    await record_change(connection, merged.at, merged.namespace, "branch.merge", merged.branch, **details)


def _branch(row: Row) -> Branch:
    return Branch(row["namespace"], row["origin"], from_us(row["created_at"]), row["created_by"])


def _merged(row: Row) -> Merged:
    return Merged(
        row["namespace"],
        row["branch"],
        row["approval"],
        from_us(row["at"]),
        row["decided_by"],
        row["created"],
        row["changed"],
        row["contested"],
    )
