-- What is not done before a human says yes. The rules that matter most hold here too, whatever code writes the rows:
-- who asked does not decide, what was decided does not change any more, and a status becomes what it may become.
CREATE TABLE approvals (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    namespace     TEXT NOT NULL REFERENCES namespaces (id),
    subject       TEXT NOT NULL,
    action        TEXT NOT NULL,
    payload       TEXT NOT NULL CHECK (json_valid(payload)), -- ids, never a memory's text
    impact        REAL NOT NULL CHECK (impact BETWEEN 0 AND 1),
    reversibility REAL NOT NULL CHECK (reversibility BETWEEN 0 AND 1),
    sensitivity   REAL NOT NULL CHECK (sensitivity BETWEEN 0 AND 1),
    reason        TEXT NOT NULL,
    requested_by  TEXT NOT NULL,
    automatic     INTEGER NOT NULL CHECK (automatic IN (0, 1)), -- AgentOS does it, else whoever asked
    status        TEXT NOT NULL CHECK (
        status IN ('pending', 'approved', 'rejected', 'expired', 'executing', 'done', 'failed')
    ),
    version       INTEGER NOT NULL DEFAULT 1, -- rises when what is asked for changes
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    decided_at    INTEGER,
    decided_by    TEXT CHECK (decided_by <> requested_by),
    note          TEXT,
    attempts      INTEGER NOT NULL DEFAULT 0,
    lease_owner   TEXT,
    lease_until   INTEGER,
    finished_at   INTEGER,
    result        TEXT,
    announced_at  INTEGER -- when a webhook was told
) STRICT;
CREATE UNIQUE INDEX approvals_pending_once ON approvals (namespace, subject, action, automatic) WHERE status = 'pending';
CREATE INDEX approvals_by_status ON approvals (status, namespace);
CREATE INDEX approvals_by_change ON approvals (updated_at);

CREATE TRIGGER approvals_become_what_they_may BEFORE UPDATE OF status ON approvals
WHEN NEW.status <> OLD.status AND NOT (
    (OLD.status = 'pending' AND NEW.status IN ('approved', 'rejected', 'expired'))
    OR (OLD.status = 'approved' AND NEW.status = 'executing')
    OR (OLD.status = 'executing' AND NEW.status IN ('done', 'failed'))
)
BEGIN
    SELECT RAISE(ABORT, 'an approval cannot become that');
END;

CREATE TRIGGER approvals_stay_as_decided
BEFORE UPDATE OF id, namespace, subject, action, payload, requested_by, automatic ON approvals
WHEN OLD.status <> 'pending' OR NEW.status <> 'pending'
BEGIN
    SELECT RAISE(ABORT, 'what was decided about does not change');
END;

-- What happened to each, kept for good.
CREATE TABLE approval_events (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    approval INTEGER NOT NULL REFERENCES approvals (seq) ON DELETE CASCADE,
    at       INTEGER NOT NULL,
    status   TEXT NOT NULL,
    by       TEXT NOT NULL,
    note     TEXT NOT NULL
) STRICT;
CREATE INDEX approval_events_by_approval ON approval_events (approval, seq);
