"""The tables of a bundle, as the newest schema has them on every engine; a test holds them equal to each catalogue."""

from .bundle_rows import Link, Table


def _table(
    name: str,
    columns: str,
    *links: tuple[str, str, str],
    numbered: bool = True,
    keyed: bool = True,
    truths: str = "",
) -> Table:
    named = tuple(Link(*link) for link in links)
    return Table(name, tuple(columns.split()), numbered, keyed, named, frozenset(truths.split()))


TABLES = (
    _table(
        "namespaces",
        "id created_at",
        numbered=False,
    ),
    _table(
        "approvals",
        "id namespace subject action payload impact reversibility sensitivity reason requested_by automatic "
        "status version created_at updated_at expires_at decided_at decided_by note attempts lease_owner "
        "lease_until finished_at result announced_at",
        ("namespace", "namespaces", "id"),
        truths="automatic",
    ),
    _table(
        "approval_events",
        "approval at status by note",
        ("approval", "approvals", "seq"),
        keyed=False,
    ),
    _table(
        "audit",
        "at namespace action subject detail",
        keyed=False,
    ),
    _table(
        "changes",
        "id namespace at action memory_id by reason before after relations approval reverted_by",
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "memories",
        "id namespace memory_type content summary tags importance metadata source content_hash occurred_at "
        "created_at updated_at accessed_at access_count version expires_at session place speaker kind status "
        "confidence trust subject attribute value slot_confidence polarity valid_from valid_to confirmations "
        "rejections",
        ("namespace", "namespaces", "id"),
        truths="polarity",
    ),
    _table(
        "change_memories",
        "memory_id change",
        ("change", "changes", "seq"),
        ("memory_id", "memories", "id"),
        numbered=False,
    ),
    _table(
        "projects",
        "id namespace name location root_commit remote created_at",
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "sessions",
        "id namespace client key project parent state title started_at last_at ended_at unobserved",
        ("parent", "sessions", "id"),
        ("project", "projects", "id"),
        ("namespace", "namespaces", "id"),
        truths="unobserved",
    ),
    _table(
        "consolidations",
        "id namespace session at method summaries sources tokens_before tokens_after undone_at",
        ("session", "sessions", "id"),
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "entities",
        "id namespace type label key description ref_id source created_at",
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "entity_aliases",
        "entity namespace key label created_at",
        ("namespace", "namespaces", "id"),
        ("entity", "entities", "seq"),
        numbered=False,
    ),
    _table(
        "entity_mentions",
        "entity memory_seq namespace",
        ("namespace", "namespaces", "id"),
        ("memory_seq", "memories", "seq"),
        ("entity", "entities", "seq"),
        numbered=False,
    ),
    _table(
        "entity_relations",
        "id namespace from_entity to_entity type weight description source evidence valid_from valid_to created_at",
        ("evidence", "memories", "seq"),
        ("to_entity", "entities", "seq"),
        ("from_entity", "entities", "seq"),
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "goals",
        "id namespace title description priority urgency deadline progress status parent_goal_id tags "
        "created_at updated_at completed_at version",
        ("parent_goal_id", "goals", "id"),
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "events",
        "id namespace type action outcome success context goal_id tags occurred_at session role text "
        "structured idempotency_key",
        ("session", "sessions", "id"),
        ("goal_id", "goals", "id"),
        ("namespace", "namespaces", "id"),
        truths="success",
    ),
    _table(
        "goal_notes",
        "goal_seq seq at text",
        ("goal_seq", "goals", "seq"),
        numbered=False,
    ),
    _table(
        "insights",
        "id namespace kind job subject rule severity text priority status created_at updated_at",
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "memory_versions",
        "memory_seq version memory_type content tags importance metadata replaced_at",
        ("memory_seq", "memories", "seq"),
        numbered=False,
    ),
    _table(
        "segments",
        "id namespace summary keywords visits interactions promotions retrievals last_visit_at created_at archived_at",
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "pages",
        "id namespace session number chain gist segment analysed_at created_at",
        ("segment", "segments", "seq"),
        ("session", "sessions", "id"),
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "patterns",
        "namespace pattern_type action description suggested_action frequency last_seen",
        ("namespace", "namespaces", "id"),
        numbered=False,
    ),
    _table(
        "readings",
        "memory_seq reader version namespace",
        ("namespace", "namespaces", "id"),
        ("memory_seq", "memories", "seq"),
        numbered=False,
    ),
    _table(
        "relations",
        "from_id to_id type weight evidence created_at",
        ("to_id", "memories", "id"),
        ("from_id", "memories", "id"),
        numbered=False,
    ),
    _table(
        "sealed_memories",
        "id namespace content content_hash dimension vector created_at",
        ("namespace", "namespaces", "id"),
    ),
    _table(
        "shown_context",
        "session entry shown_at",
        ("session", "sessions", "id"),
        numbered=False,
    ),
    _table(
        "stretches",
        "session first_event last_event done memory_id",
        ("last_event", "events", "id"),
        ("first_event", "events", "id"),
        ("session", "sessions", "id"),
        truths="done",
    ),
    _table(
        "turns",
        "memory_seq namespace session page role tokens salience unread key",
        ("page", "pages", "seq"),
        ("session", "sessions", "id"),
        ("namespace", "namespaces", "id"),
        ("memory_seq", "memories", "seq"),
        numbered=False,
        truths="unread",
    ),
)
"""Each after those that its rows refer to: every table that can neither be derived nor belongs to one machine."""
