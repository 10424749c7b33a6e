"""The hash of an entry of the audit log, as SQLite computes it, and the query for entries that have another."""

from ..repositories.audit_log import broken_everywhere
from . import dialect

ENTRY_HASH = "sha256_of(json_array({}))"
BROKEN = dialect.spelled(broken_everywhere(ENTRY_HASH))
