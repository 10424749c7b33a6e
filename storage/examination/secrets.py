"""A quick look for secrets in the newest memories; `agentos scrub` examines everything."""

import json
from collections import Counter

from ...modules.health.models import Check, Finding, Severity, ok
from ...modules.redaction.rules import kinds as kinds_of_secrets
from ...modules.text.counting import memories_counted
from .overview import Reader

NEWEST = 300
MAX_CHARS = 8_000
"""Characters examined of each memory, for a second of work at most."""


def checks(reader: Reader, needs: tuple[str, ...]) -> list[Check]:
    """Return the one check, which needs others."""
    return [Check("rows.secrets", lambda: look_for_secrets(reader), needs)]


def look_for_secrets(reader: Reader) -> Finding:
    """Check that nothing in the newest memories looks like a secret."""
    rows = reader.rows(
        f"SELECT substr(content, 1, {MAX_CHARS}), tags, metadata, source FROM memories ORDER BY seq DESC LIMIT {NEWEST}"
    )
    kinds, memories = Counter[str](), 0
    for content, tags, metadata, source in rows:
        found = kinds_of_secrets([content, json.loads(tags), json.loads(metadata), source])
        memories += bool(found)
        kinds.update(found)
    if not memories:
        return ok(f"no secrets in the newest {memories_counted(len(rows))}")
    listed = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(5))
    message = f"what looks like secrets stands in {memories} of the newest {memories_counted(len(rows))}: {listed}"
    return Finding(Severity.WARNING, message, "agentos scrub", {"memories": memories, "kinds": dict(kinds)})
