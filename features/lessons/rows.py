"""The evidence of lessons as it is kept, on every engine."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from ...modules.context.lessons import TAG
from ...modules.memory.models import Memory
from ...modules.proving import LessonStanding, Way
from ...modules.records import dataclass
from ...modules.sessions import tool_calls
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import from_us, maybe_from_us, to_us
from ...storage.repositories.memory_rows import COLUMNS, as_json, to_memory
from .judging import Side, Tally, Verdict
from .reading import MAYBE, Counted, Held, Outcome, Ran, SessionPart
from .reading import Side as Told

MOST_LESSONS = 1_000
"""The lessons of a namespace that are looked at, the newest first."""
MOST_RUNS = 2_000
"""The runs of a session that are read."""
MOST_AT_WORK = 50
"""The sessions at work that an answer may have gone to."""


@dataclass(frozen=True)
class Telling:
    """What was told at once: to a session, or nobody knows to whom; `at_work_since` says whom it may have been."""

    namespaces: tuple[str, ...]
    memory_ids: tuple[str, ...]
    way: Way
    session: str | None
    at: datetime


@dataclass(frozen=True)
class State:
    """How a lesson stands: its `verdict` is that of the last look, at `looked` told runs."""

    told: int
    told_at: datetime | None
    standing: LessonStanding
    verdict: Verdict
    looked: int
    note: str
    at: datetime


@dataclass(frozen=True)
class Evidence:
    """What the runs of a lesson say: tallies by place, of those not told and those told, and the told ones followed."""

    untold: Side
    told: Side
    followed: int
    ignored: int
    unknown: int


NOTHING = Evidence({}, {}, 0, 0, 0)


def begun_anew(state: State | None, since: datetime) -> State:
    """Return how a lesson stands whose evidence begins anew (`LessonRows.renew`)."""
    told, told_at = (0, None) if state is None else (state.told, state.told_at)
    return State(told, told_at, LessonStanding.UNPROVEN, Verdict.UNKNOWN, 0, "", since)


class LessonRows:
    """Reads and writes what is known of lessons."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written now."""
        return self._engine.read_only is not None

    async def tell(self, tellings: Sequence[Telling], at_work_since: datetime) -> None:
        """Keep those of what was told that are lessons. Raises StorageUnavailable."""
        found = [(one, row) for one in tellings for row in await self._lessons_among(one)]
        if not found:
            return

        async def work(connection: Connection) -> None:
            for one, row in found:
                at, seq = to_us(one.at), row["seq"]
                await connection.execute(
                    "INSERT INTO lesson_states (memory_seq, namespace, since, told, told_at, state_at) "
                    "SELECT seq, namespace, created_at, 1, ?, created_at FROM memories WHERE seq = ? "
                    "ON CONFLICT (memory_seq) DO UPDATE SET told = lesson_states.told + 1, "
                    "told_at = greatest(coalesce(lesson_states.told_at, 0), excluded.told_at)",
                    (at, seq),
                )
                if one.session is not None:
                    await connection.execute(
                        "INSERT INTO lesson_tellings (session, memory_seq, way, told_at) "
                        "SELECT s.id, ?, ?, ? FROM sessions s WHERE s.id = ? AND s.namespace = ? "
                        "ON CONFLICT DO NOTHING",
                        (seq, one.way.value, at, one.session, row["namespace"]),
                    )
                    continue
                await connection.execute(
                    "INSERT INTO lesson_tellings (session, memory_seq, way, told_at) "
                    "SELECT s.id, ?, ?, ? FROM (SELECT id FROM sessions WHERE namespace = ? AND last_at > ? "
                    "AND state = 'active' ORDER BY last_at DESC LIMIT ?) s WHERE TRUE ON CONFLICT DO NOTHING",
                    (seq, MAYBE, at, row["namespace"], to_us(at_work_since), MOST_AT_WORK),
                )

        await self._engine.write(work, durable=False)

    async def _lessons_among(self, one: Telling) -> list[Row]:
        return await self._engine.read(
            "SELECT m.seq, m.namespace FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
            "/*then*/ JOIN memory_tags t ON t.namespace = m.namespace AND t.tag = ? AND t.memory_seq = m.seq "
            "JOIN json_texts(?) place ON place.value = m.namespace",
            (as_json(list(one.memory_ids)), TAG, as_json(list(one.namespaces))),
        )

    async def standings(self, namespace: str) -> dict[str, LessonStanding]:
        """Return the lessons that rank by their evidence, by id."""
        rows = await self._engine.read(
            "SELECT m.id, l.state FROM lesson_states l /*then*/ JOIN memories m ON m.seq = l.memory_seq "
            "WHERE l.namespace = ? AND l.state IN ('helps', 'quiet')",
            (namespace,),
        )
        return {row["id"]: LessonStanding(row["state"]) for row in rows}

    async def namespaces(self) -> list[str]:
        """Return the namespaces that have lessons."""
        rows = await self._engine.read(
            "SELECT n.id FROM namespaces n WHERE EXISTS (SELECT 1 FROM memory_tags t WHERE t.namespace = n.id "
            "AND t.tag = ?) ORDER BY n.id",
            (TAG,),
        )
        return [row["id"] for row in rows]

    async def lessons(self, namespace: str, memory_id: str | None = None) -> list[tuple[Held, State | None]]:
        """Return the lessons of a namespace, or one of them, with how each stands; the newest first."""
        rows = await self._engine.read(
            f"SELECT {COLUMNS}, l.digest, l.since, l.told, l.told_at, l.state, l.verdict, l.looked, l.note, l.state_at "
            "FROM memory_tags t /*then*/ JOIN memories m ON m.seq = t.memory_seq "
            "LEFT JOIN lesson_states l ON l.memory_seq = m.seq "
            "WHERE t.namespace = ? AND t.tag = ? AND m.status <> 'forgotten' AND m.id = coalesce(?, m.id) "
            "ORDER BY m.seq DESC LIMIT ?",
            (namespace, TAG, memory_id, MOST_LESSONS),
        )
        return [(_held(row, to_memory(row)), None if row["state"] is None else _state(row)) for row in rows]

    async def renew(self, held: Sequence[Held]) -> None:
        """Begin the evidence of lessons anew, as they read now."""

        async def work(connection: Connection) -> None:
            for one in held:
                for table in ("lesson_runs", "lesson_tellings"):
                    await connection.execute(
                        f"DELETE FROM {table} WHERE memory_seq = ? AND EXISTS (SELECT 1 FROM lesson_states l "
                        "WHERE l.memory_seq = ? AND l.digest <> '' AND l.digest <> ?)",
                        (one.seq, one.seq, one.digest),
                    )
                await connection.execute(
                    "INSERT INTO lesson_states (memory_seq, namespace, digest, since, state_at) "
                    "SELECT seq, namespace, ?, ?, ? FROM memories WHERE seq = ? "
                    "ON CONFLICT (memory_seq) DO UPDATE SET digest = excluded.digest, "
                    "since = excluded.since, state = 'unproven', verdict = 'unknown', looked = 0, note = '', "
                    "state_at = excluded.state_at",
                    (one.digest, to_us(one.since), to_us(one.since), one.seq),
                )

        await self._engine.write(work)

    async def read_up_to(self) -> int | None:
        """Return up to which event runs were read; None where none were yet."""
        rows = await self._engine.read("SELECT event FROM lesson_reading WHERE id = 1")
        return rows[0]["event"] if rows else None

    async def newest_event(self) -> int:
        """Return the number of the newest event."""
        rows = await self._engine.read("SELECT max(seq) AS event FROM events")
        return rows[0]["event"] or 0

    async def note_read(self, event: int) -> None:
        """Keep up to which event runs were read."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "INSERT INTO lesson_reading (id, event) VALUES (1, ?) ON CONFLICT (id) "
                "DO UPDATE SET event = excluded.event",
                (event,),
            )

        await self._engine.write(work)

    async def latest_sessions(self, namespace: str, most: int) -> list[str]:
        """Return the sessions of a namespace, the last active first."""
        rows = await self._engine.read(
            "SELECT id FROM sessions WHERE namespace = ? ORDER BY last_at DESC LIMIT ?", (namespace, most)
        )
        return [row["id"] for row in rows]

    async def sessions_between(self, after: int, until: int) -> list[tuple[str, str]]:
        """Return the sessions with runs among some events, each with its namespace."""
        rows = await self._engine.read(
            "SELECT DISTINCT namespace, session FROM events WHERE seq > ? AND seq <= ? AND type = 'tool_call'",
            (after, until),
        )
        return [(row["namespace"], row["session"]) for row in rows]

    async def session(self, namespace: str, session_id: str) -> SessionPart | None:
        """Return what of a session matters; None where it has no runs."""
        calls = await self._engine.read(
            "SELECT structured, occurred_at FROM events WHERE session = ? AND namespace = ? AND type = 'tool_call' "
            "ORDER BY seq LIMIT ?",
            (session_id, namespace, MOST_RUNS),
        )
        found = await self._engine.read(
            "SELECT s.started_at, p.id, p.name FROM sessions s JOIN projects p ON p.id = s.project "
            "WHERE s.id = ? AND s.namespace = ?",
            (session_id, namespace),
        )
        if not calls or not found:
            return None
        told = await self._engine.read(
            "SELECT memory_seq, way, told_at FROM lesson_tellings WHERE session = ?", (session_id,)
        )
        runs = [Ran(from_us(row["occurred_at"]), tool_calls.from_json(json.loads(row["structured"]))) for row in calls]
        return SessionPart(
            from_us(found[0]["started_at"]),
            (found[0]["id"], found[0]["name"]),
            sorted(runs, key=lambda one: one.at),
            {(row["memory_seq"], row["way"]): from_us(row["told_at"]) for row in told},
        )

    async def count(self, session_id: str, runs: Collection[Counted]) -> None:
        """Keep the runs of a session that count; what is kept already stays, unless its end was unknown."""

        async def work(connection: Connection) -> None:
            await connection.execute_many(
                "INSERT INTO lesson_runs (memory_seq, session, told, place, outcome, followed, ran_at) "
                "SELECT m.seq, s.id, ?, ?, ?, ?, ? FROM memories m JOIN sessions s ON s.id = ? WHERE m.seq = ? "
                "ON CONFLICT (memory_seq, session, told, place) DO UPDATE SET outcome = excluded.outcome, "
                "followed = excluded.followed, ran_at = excluded.ran_at WHERE lesson_runs.outcome = 'unknown'",
                [
                    (*(one.side.value, one.place, one.outcome.value, one.followed, to_us(one.at)), session_id, one.seq)
                    for one in runs
                ],
            )

        await self._engine.write(work)

    async def evidence(self, namespace: str, seqs: Collection[int]) -> Mapping[int, Evidence]:
        """Return what the runs of lessons say."""
        rows = await self._engine.read(
            "SELECT r.memory_seq, r.told, r.place, r.outcome, r.followed, count(*) AS runs "
            "FROM json_numbers(?) given /*then*/ JOIN lesson_runs r ON r.memory_seq = given.value "
            "GROUP BY r.memory_seq, r.told, r.place, r.outcome, r.followed",
            (as_json(sorted(seqs)),),
        )
        of_each: dict[int, list[Row]] = {}
        for row in rows:
            of_each.setdefault(row["memory_seq"], []).append(row)
        return {seq: _evidence(of_one) for seq, of_one in of_each.items()}

    async def judge(
        self, held: Held, was: State, verdict: Verdict, looked: int, standing: LessonStanding, note: str, at: datetime
    ) -> bool:
        """Keep how a lesson stands after a look; return False, and change nothing, where it stands otherwise by now."""

        async def work(connection: Connection) -> int:
            return await connection.execute(
                "UPDATE lesson_states SET verdict = ?, looked = ?, note = ?, "
                "state_at = CASE WHEN state = ? THEN state_at ELSE ? END, state = ? WHERE memory_seq = ? "
                "AND digest = ? AND state = ? AND state_at = ? AND verdict = ? AND looked = ?",
                (
                    *(verdict.value, looked, note, standing.value, to_us(at), standing.value, held.seq),
                    *(held.digest, was.standing.value, to_us(was.at), was.verdict.value, was.looked),
                ),
            )

        return await self._engine.write(work) > 0

    async def mark(self, seq: int, standing: LessonStanding, note: str, at: datetime) -> None:
        """Keep how a lesson stands by somebody's decision; the looks of before count no more."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE lesson_states SET verdict = ?, note = ?, state_at = ?, state = ? WHERE memory_seq = ?",
                (Verdict.UNKNOWN.value, note, to_us(at), standing.value, seq),
            )

        await self._engine.write(work)


def _held(row: Row, memory: Memory) -> Held:
    since = memory.created_at if row["since"] is None else from_us(row["since"])
    return Held(row["seq"], memory, row["digest"] or "", since)


def _state(row: Row) -> State:
    return State(
        row["told"],
        maybe_from_us(row["told_at"]),
        LessonStanding(row["state"]),
        Verdict(row["verdict"]),
        row["looked"],
        row["note"],
        from_us(row["state_at"]),
    )


def _evidence(rows: Sequence[Row]) -> Evidence:
    sides: dict[str, dict[str, Tally]] = {Told.UNTOLD: {}, Told.TOLD: {}}
    followed = ignored = unknown = 0
    for row in rows:
        runs = row["runs"]
        if row["told"] == Told.UNKNOWN or row["outcome"] == Outcome.UNKNOWN:
            unknown += runs
            continue
        if row["told"] == Told.TOLD and row["followed"] is not None:
            followed, ignored = (followed + runs, ignored) if row["followed"] else (followed, ignored + runs)
        side = sides[row["told"]]
        was = side.get(row["place"], Tally())
        side[row["place"]] = Tally(
            was.runs + runs,
            was.failed + (runs if row["outcome"] == Outcome.FAILED else 0),
            was.others + (runs if row["outcome"] == Outcome.OTHER else 0),
        )
    return Evidence(sides[Told.UNTOLD], sides[Told.TOLD], followed, ignored, unknown)
