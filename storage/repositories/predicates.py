"""The one query builder: the namespace is always a predicate, and every predicate holds before ranking."""

from dataclasses import field
from datetime import datetime
from typing import Any

from ...modules.memory.models import HIDDEN, Kind, MemoryFilter, Status
from ...modules.records import dataclass
from ...modules.text.scripts import key_form
from ..engine.times import to_us

VISIBLE = f"m.status NOT IN ({', '.join(repr(status.value) for status in HIDDEN)})"
"""The condition of memories that an answer may contain, whenever they hold."""
INHERITED = (
    "WITH RECURSIVE line (parent, until) AS ("
    "SELECT s.parent, CAST(e.structured ->> 'place' AS BIGINT) FROM sessions s JOIN events e ON e.session = s.id "
    "AND e.idempotency_key = s.id || '/branched' WHERE s.namespace = ? AND s.client = 'turns' AND s.key = ? "
    "UNION SELECT s.parent, least(line.until, CAST(e.structured ->> 'place' AS BIGINT)) FROM line "
    "JOIN sessions s ON s.id = line.parent JOIN events e ON e.session = s.id "
    "AND e.idempotency_key = s.id || '/branched') "
    "SELECT i.seq FROM line JOIN sessions s ON s.id = line.parent "
    "JOIN memories i ON i.namespace = ? AND i.session = s.key AND i.place <= line.until"
)
"""The turns that a session inherits from those it branched off; takes the namespace, the session, the namespace."""
SELDOM_SHOWN = f"(m.valid_to IS NOT NULL OR m.status IN ({', '.join(repr(status.value) for status in HIDDEN)}))"
"""The condition, as in its index's migration, of memories that an answer may have to leave out."""

LEFT_OUT = (
    # Not UNION alone: SQLite would merge both in order, and read the whole table in that order for the second.
    f"SELECT DISTINCT found.seq FROM (SELECT m.seq FROM memories m WHERE {SELDOM_SHOWN} AND m.namespace = ? "
    f"AND (NOT ({VISIBLE}) OR m.valid_to <= ?) UNION ALL "
    "SELECT m.seq FROM memories m WHERE /*unindexed*/m.namespace = ? AND m.expires_at <= ?) found"
)
"""The memories that an empty filter leaves out at a moment, by indexes of the few that may be: takes the namespace and
the moment, twice."""

DERIVED_FROM = "derived_from"
"""The relation from a summary to its sources."""
FOUND = "(m.source >= 'extraction:' AND m.source < 'extraction;')"
"""The condition of facts that were found in turns of conversations, by the beginning of their source."""
# Whatever its status: a fact that was archived or grew stale still tells what was said.
UNCONFIRMED = f"{FOUND} AND (m.status = '{Status.CANDIDATE}' OR m.confirmations = 0)"
"""The condition of such facts that nobody confirmed: their turns are their only evidence."""
FOUND_ABOUT = f"({FOUND} AND m.metadata ->> 'about' = ?)"
PROJECT = "coalesce(m.metadata ->> 'project', m.metadata ->> 'project_name', '')"
"""What `Memory.project` is, in SQL."""
ASIDE = "m.aside"
"""The condition of memories that a search leaves aside unless asked for: found or mined and not confirmed, or a summary
of other memories. It is a computed column, and the words of such rows have a text index of their own."""


@dataclass
class Predicates:
    """Conditions on `memories m`, joined with AND, and their parameters in order."""

    conditions: list[str] = field(default_factory=list)
    parameters: list[Any] = field(default_factory=list)

    def add(self, condition: str, *parameters: Any) -> None:
        self.conditions.append(condition)
        self.parameters.extend(parameters)

    @property
    def sql(self) -> str:
        return " AND ".join(self.conditions)


def for_memories(namespace: str, where: MemoryFilter, now: datetime | None, *, tags_lead: bool = False) -> Predicates:
    """Return the predicates of a filter within one namespace.

    With `now`, memories are left out that have expired, are hidden or no longer hold, and with `as_of` those that did
    not hold yet; without `now`, none are. With `tags_lead`, SQLite goes from the tags, if any, to their memories
    instead of over the namespace: for callers that want all of them, in no order.
    """
    predicates = Predicates()
    predicates.add("/*unindexed*/m.namespace = ?" if tags_lead and where.tags else "m.namespace = ?", namespace)
    if now is not None:
        predicates.add("(m.expires_at IS NULL OR m.expires_at > ?)", to_us(now))
        if not where.statuses:
            predicates.add(VISIBLE)
        if where.as_of is not None:
            predicates.add("coalesce(m.valid_from, m.occurred_at) <= ?", to_us(where.as_of))
        if not where.include_superseded:
            predicates.add("(m.valid_to IS NULL OR m.valid_to > ?)", to_us(where.as_of or now))
    if len(where.statuses) == 1:  # as in the index of the few that wait for somebody
        predicates.add(f"m.status = '{where.statuses[0].value}'")
    elif where.statuses:
        places = ", ".join("?" * len(where.statuses))
        predicates.add(f"m.status IN ({places})", *(status.value for status in where.statuses))
    if where.kinds:
        places = ", ".join("?" * len(where.kinds))
        predicates.add(f"m.kind IN ({places})", *(kind.value for kind in where.kinds))
    if where.memory_type is not None:
        predicates.add("m.memory_type = ?", where.memory_type.value)
    if where.min_importance > 0:
        predicates.add("m.importance >= ?", where.min_importance)
    if where.since is not None:
        predicates.add("m.occurred_at >= ?", to_us(where.since))
    if where.until is not None:
        predicates.add("m.occurred_at < ?", to_us(where.until))
    if where.found_about is not None:
        predicates.add(FOUND_ABOUT, where.found_about)
    if where.without_aside:
        predicates.add(f"NOT {ASIDE}")
    if where.session is not None and Kind.SUMMARY in where.kinds:  # a session's summary is not one of its turns
        of_it = "(m.session = ? OR (m.session IS NULL AND m.metadata ->> 'session' = ?))"
        predicates.add(of_it, where.session, where.session)
    elif where.session is not None and now is not None:  # changes are for the session's own memories
        predicates.add(f"(m.session = ? OR m.seq IN ({INHERITED}))", where.session, namespace, where.session, namespace)
    elif where.session is not None:
        predicates.add("m.session = ?", where.session)
    if where.projects:
        places = ", ".join("?" * len(where.projects))
        named = f"{PROJECT} IN ({places}) OR m.metadata ->> 'project_name' IN ({places})"
        predicates.add(f"({named})", *where.projects, *where.projects)
    if where.working_in:
        predicates.add(f"{PROJECT} IN ('', {', '.join('?' * len(where.working_in))})", *where.working_in)
    if where.source is not None:
        predicates.add("m.source = ?", where.source)
    for tag in where.tags:
        predicates.add(
            "m.seq IN (SELECT memory_seq FROM memory_tags WHERE namespace = ? AND tag = ?)", namespace, key_form(tag)
        )
    return predicates
