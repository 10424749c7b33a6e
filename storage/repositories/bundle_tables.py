"""The tables of a bundle, as the newest schema has them on every engine; a test holds them equal to each catalogue."""

from .bundle_rows import ReferringColumn, Table


def declared(
    name: str,
    columns: str,
    *links: tuple[str, str, str],
    numbered: bool = True,
    keyed: bool = True,
    truths: str = "",
) -> Table:
    """Return a table by its columns, and the links of these as (column, table, key)."""
    named = tuple(ReferringColumn(*link) for link in links)
    return Table(name, tuple(columns.split()), numbered, keyed, named, frozenset(truths.split()))


TABLES = (
    declared(
        "namespaces",
        "id created_at",
        numbered=False,
    ),
    declared(
        "approvals",
        "id namespace subject action payload impact reversibility sensitivity reason requested_by automatic "
        "status version created_at updated_at expires_at decided_at decided_by note attempts lease_owner "
        "lease_until finished_at result announced_at",
        ("namespace", "namespaces", "id"),
        truths="automatic",
    ),
    declared(
        "approval_events",
        "approval at status by note",
        ("approval", "approvals", "seq"),
        keyed=False,
    ),
    declared(
        "audit",
        "at namespace action subject detail",
        keyed=False,
    ),
    declared(
        "changes",
        "id namespace at action memory_id by reason before after relations approval reverted_by",
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "memories",
        "id namespace memory_type content summary tags importance metadata source content_hash occurred_at "
        "created_at updated_at accessed_at access_count version expires_at session place speaker kind status "
        "confidence trust subject attribute value slot_confidence polarity valid_from valid_to confirmations "
        "rejections",
        ("namespace", "namespaces", "id"),
        truths="polarity",
    ),
    declared(
        "attachments",
        "memory_id content_hash namespace name media_type size created_at",
        ("namespace", "namespaces", "id"),
        ("memory_id", "memories", "id"),
        numbered=False,
    ),
    declared(
        "attachment_parts",
        "content_hash part data",
        numbered=False,
    ),
    declared(
        "change_memories",
        "memory_id change",
        ("change", "changes", "seq"),
        ("memory_id", "memories", "id"),
        numbered=False,
    ),
    declared(
        "projects",
        "id namespace name location root_commit remote created_at",
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "sessions",
        "id namespace client key project parent state title started_at last_at ended_at unobserved",
        ("parent", "sessions", "id"),
        ("project", "projects", "id"),
        ("namespace", "namespaces", "id"),
        truths="unobserved",
    ),
    declared(
        "consolidations",
        "id namespace session at method summaries sources tokens_before tokens_after undone_at",
        ("session", "sessions", "id"),
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "entities",
        "id namespace type label key description ref_id source created_at",
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "entity_aliases",
        "entity namespace key label created_at",
        ("namespace", "namespaces", "id"),
        ("entity", "entities", "seq"),
        numbered=False,
    ),
    declared(
        "entity_mentions",
        "entity memory_seq namespace",
        ("namespace", "namespaces", "id"),
        ("memory_seq", "memories", "seq"),
        ("entity", "entities", "seq"),
        numbered=False,
    ),
    declared(
        "entity_relations",
        "id namespace from_entity to_entity type weight description source evidence valid_from valid_to created_at",
        ("evidence", "memories", "seq"),
        ("to_entity", "entities", "seq"),
        ("from_entity", "entities", "seq"),
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "goals",
        "id namespace title description priority urgency deadline progress status parent_goal_id tags "
        "created_at updated_at completed_at version",
        ("parent_goal_id", "goals", "id"),
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "events",
        "id namespace type action outcome success context goal_id tags occurred_at session role text "
        "structured idempotency_key",
        ("session", "sessions", "id"),
        ("goal_id", "goals", "id"),
        ("namespace", "namespaces", "id"),
        truths="success",
    ),
    declared(
        "goal_notes",
        "goal_seq seq at text",
        ("goal_seq", "goals", "seq"),
        numbered=False,
    ),
    declared(
        "insights",
        "id namespace kind job subject rule severity text priority status created_at updated_at",
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "memory_versions",
        "memory_seq version memory_type content tags importance metadata replaced_at",
        ("memory_seq", "memories", "seq"),
        numbered=False,
    ),
    declared(
        "segments",
        "id namespace summary keywords visits interactions promotions retrievals last_visit_at created_at archived_at",
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "pages",
        "id namespace session number chain gist segment analysed_at created_at",
        ("segment", "segments", "seq"),
        ("session", "sessions", "id"),
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "patterns",
        "namespace pattern_type action description suggested_action frequency last_seen",
        ("namespace", "namespaces", "id"),
        numbered=False,
    ),
    declared(
        "readings",
        "memory_seq reader version namespace",
        ("namespace", "namespaces", "id"),
        ("memory_seq", "memories", "seq"),
        numbered=False,
    ),
    declared(
        "relations",
        "from_id to_id type weight evidence created_at",
        ("to_id", "memories", "id"),
        ("from_id", "memories", "id"),
        numbered=False,
    ),
    declared(
        "sealed_memories",
        "id namespace content content_hash dimension vector created_at",
        ("namespace", "namespaces", "id"),
    ),
    declared(
        "shown_context",
        "session entry shown_at",
        ("session", "sessions", "id"),
        numbered=False,
    ),
    declared(
        "stretches",
        "session first_event last_event done memory_id",
        ("last_event", "events", "id"),
        ("first_event", "events", "id"),
        ("session", "sessions", "id"),
        truths="done",
    ),
    declared(
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
