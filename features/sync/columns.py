"""The rows of a store that are synced, as SQL: where they are, what tells that one has changed, and its columns."""

from collections.abc import Mapping
from typing import Any, cast

from .kinds import ATTACHMENT, KINDS, RELATION
from .models import Fields, Kind

_HERE = "NOT IN (SELECT namespace FROM branches)"
TABLE = {
    "memory": "memories",
    "goal": "goals",
    "relation": "relations",
    "reflection": "events",
    "attachment": "attachments",
}
JOINS = {
    "relation": "JOIN memories f ON f.id = x.from_id JOIN memories t ON t.id = x.to_id",
    "attachment": "JOIN memories f ON f.id = x.memory_id",
}
SYNCED = {
    "memory": f"x.session IS NULL AND x.namespace {_HERE}",
    "goal": "TRUE",
    "relation": f"f.session IS NULL AND t.session IS NULL AND f.namespace {_HERE}",
    "reflection": "x.type = 'reflection'",
    "attachment": f"f.session IS NULL AND f.namespace {_HERE}",
}
"""Which rows of each kind are synced: a turn of a conversation belongs to its session, a branch to its store."""

KEY = {RELATION.name: ("from_id", "type", "to_id"), ATTACHMENT.name: ("memory_id", "content_hash")}
"""The columns that make the id of a record that has none."""

ID = {kind: " || ' ' || ".join(f"x.{one}" for one in KEY.get(kind, ("id",))) for kind in KINDS}
ORDER = {kind: ", ".join(f"x.{one}" for one in KEY.get(kind, ("seq",))) for kind in KINDS}


def _mark(*parts: str) -> str:
    return " || ' ' || ".join(parts)


MARK = {
    "memory": _mark(
        *(f"x.{one}" for one in "version updated_at status confidence trust importance".split()),
        *(f"x.{one}" for one in "confirmations rejections".split()),
        *(f"coalesce(x.{one}, 0)" for one in "expires_at valid_from valid_to".split()),
        *(f"length(x.{one})" for one in "content tags metadata".split()),
        *(f"coalesce(x.{one}, '')" for one in "attribute value".split()),
        "(SELECT coalesce(sum(length(v.content)), 0) FROM memory_versions v WHERE v.memory_seq = x.seq)",
    ),
    "goal": _mark(
        *(f"x.{one}" for one in "version updated_at status progress priority urgency".split()),
        *(f"length(x.{one})" for one in "title description tags".split()),
        "coalesce(x.parent_goal_id, '')",
        "(SELECT coalesce(sum(length(n.text)), 0) FROM goal_notes n WHERE n.goal_seq = x.seq)",
    ),
    "relation": _mark("x.weight", "x.created_at", "length(x.evidence)"),
    "reflection": _mark("x.occurred_at", *(f"length(x.{one})" for one in "action outcome context tags".split())),
    "attachment": _mark("x.created_at", "x.size", "x.media_type", "length(x.name)"),
}
"""What differs once a row has changed. Where it differs for another reason, the row is only looked at again."""

TEXTS = frozenset("content summary source title description evidence action outcome context name".split())
JSON = frozenset({"tags", "metadata"})
TRUTHS = frozenset({"polarity", "success"})


MATCH = {kind: " AND ".join(f"x.{one} = ?" for one in KEY.get(kind, ("id",))) for kind in KINDS}
HISTORY: Mapping[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "memory": (
        "memory_versions",
        "memory_seq",
        ("version", "memory_type", "content", "tags", "importance", "metadata", "replaced_at"),
        ("version",),
    ),
    "goal": ("goal_notes", "goal_seq", ("at", "text"), ("at", "text")),
}
"""The table of the history of a kind, its owner, its columns, and its order."""


def columns_of(kind: Kind) -> tuple[str, ...]:
    groups = [column for columns in kind.groups.values() for column in columns]
    return (*kind.text, *groups, *kind.counts, *kind.peaks)


def key_of(kind: str, name: str) -> tuple[str, ...]:
    """Return the columns that a record is found by."""
    if kind not in KEY:
        return (name,)
    first, _, rest = name.partition(" ")
    if kind == ATTACHMENT.name:
        return first, rest
    type_, _, to_id = rest.rpartition(" ")
    return first, type_, to_id


def rows_of(kind: str, known: str = "") -> str:
    """Return the synced rows of a kind, joined with what is known of them."""
    return f"{TABLE[kind]} x {JOINS.get(kind, '')} {known} WHERE {SYNCED[kind]}"


def known_of(kind: str) -> str:
    return f"LEFT JOIN sync_records r ON r.kind = '{kind}' AND r.id = {ID[kind]}"


def stored(column: str, value: Any) -> Any:
    return bool(value) if column in TRUTHS and value is not None else value


def as_row(name: str, fields: Fields) -> Any:
    """Return a memory as a row of its table, with what does not come from other devices."""
    local: dict[str, Any] = dict.fromkeys(
        ("session", "place", "speaker", "likely_successor", "code_mark", "seq", "content_hash")
    )
    given = {column: stored(column, value) for column, value in fields.items()}
    return cast("Any", local | given | {"id": name, "accessed_at": fields["created_at"], "access_count": 0})
