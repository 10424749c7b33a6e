-- Times are whole microseconds since 1970-01-01 UTC; JSON columns hold UTF-8 text.

CREATE TABLE namespaces (
    id         TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE memories (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival; never used again after a delete
    id           TEXT NOT NULL UNIQUE,
    namespace    TEXT NOT NULL REFERENCES namespaces (id),
    memory_type  TEXT NOT NULL CHECK (memory_type IN ('episodic', 'semantic', 'procedural', 'working')),
    content      TEXT NOT NULL,
    summary      TEXT NOT NULL,
    tags         TEXT NOT NULL CHECK (json_valid(tags)), -- in the order given; memory_tags is its index
    importance   REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    metadata     TEXT NOT NULL CHECK (json_valid(metadata)),
    source       TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    occurred_at  INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    accessed_at  INTEGER NOT NULL,
    access_count INTEGER NOT NULL DEFAULT 0,
    version      INTEGER NOT NULL DEFAULT 1,
    expires_at   INTEGER,
    UNIQUE (namespace, content_hash)
) STRICT;
CREATE INDEX memories_by_namespace ON memories (namespace, seq);
CREATE INDEX memories_by_time ON memories (namespace, occurred_at);
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE memory_tags (
    tag        TEXT NOT NULL,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    PRIMARY KEY (tag, memory_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tags_by_memory ON memory_tags (memory_seq);

CREATE TABLE memory_versions (
    memory_seq  INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    memory_type TEXT NOT NULL,
    content     TEXT NOT NULL,
    tags        TEXT NOT NULL,
    importance  REAL NOT NULL,
    metadata    TEXT NOT NULL,
    replaced_at INTEGER NOT NULL,
    PRIMARY KEY (memory_seq, version)
) STRICT, WITHOUT ROWID;

-- rowid is memories.seq. Porter stemming over Unicode words; the headline counts more than the body.
CREATE VIRTUAL TABLE memory_text USING fts5 (
    summary, content, tags, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- One generation is one model with its weights; vectors of two generations are never compared.
CREATE TABLE embedding_generations (
    id          INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    dimension   INTEGER NOT NULL CHECK (dimension > 0),
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE embeddings (
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    generation INTEGER NOT NULL REFERENCES embedding_generations (id),
    vector     BLOB NOT NULL, -- unit length, float32, little-endian
    PRIMARY KEY (generation, memory_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX embeddings_by_memory ON embeddings (memory_seq);

-- What derived indexes must still apply, in order. Old rows may be pruned: who has missed some rebuilds.
CREATE TABLE index_outbox (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace  TEXT NOT NULL,
    memory_seq INTEGER NOT NULL,
    operation  TEXT NOT NULL CHECK (operation IN ('upsert', 'delete')),
    generation INTEGER -- of an upsert
) STRICT;

CREATE TABLE index_state (
    name       TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    applied    INTEGER NOT NULL -- the last outbox row that the index holds
) STRICT, WITHOUT ROWID;

CREATE TABLE goals (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    namespace      TEXT NOT NULL REFERENCES namespaces (id),
    title          TEXT NOT NULL,
    description    TEXT NOT NULL,
    priority       REAL NOT NULL CHECK (priority BETWEEN 0 AND 1),
    urgency        REAL NOT NULL CHECK (urgency BETWEEN 0 AND 1),
    deadline       INTEGER,
    progress       REAL NOT NULL CHECK (progress BETWEEN 0 AND 1),
    status         TEXT NOT NULL CHECK (status IN ('active', 'paused', 'completed', 'abandoned')),
    parent_goal_id TEXT REFERENCES goals (id),
    tags           TEXT NOT NULL CHECK (json_valid(tags)),
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    completed_at   INTEGER,
    version        INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX goals_by_status ON goals (namespace, status, seq);
CREATE INDEX goals_by_parent ON goals (parent_goal_id) WHERE parent_goal_id IS NOT NULL;

CREATE TABLE goal_notes (
    goal_seq INTEGER NOT NULL REFERENCES goals (seq) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    text     TEXT NOT NULL,
    PRIMARY KEY (goal_seq, seq)
) STRICT, WITHOUT ROWID;

-- Append-only raw input; a reflection is the first type of it.
CREATE TABLE events (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    namespace   TEXT NOT NULL REFERENCES namespaces (id),
    type        TEXT NOT NULL CHECK (type IN ('reflection')),
    action      TEXT NOT NULL,
    outcome     TEXT NOT NULL,
    success     INTEGER NOT NULL CHECK (success IN (0, 1)),
    context     TEXT NOT NULL,
    goal_id     TEXT REFERENCES goals (id),
    tags        TEXT NOT NULL CHECK (json_valid(tags)),
    occurred_at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_time ON events (namespace, occurred_at);

CREATE TABLE patterns (
    namespace        TEXT NOT NULL REFERENCES namespaces (id),
    pattern_type     TEXT NOT NULL CHECK (pattern_type IN ('repeated_failure', 'success_pattern', 'inefficiency')),
    action           TEXT NOT NULL,
    description      TEXT NOT NULL,
    suggested_action TEXT NOT NULL,
    frequency        INTEGER NOT NULL,
    last_seen        INTEGER NOT NULL,
    PRIMARY KEY (namespace, pattern_type, action)
) STRICT, WITHOUT ROWID;

CREATE TABLE insights (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    namespace  TEXT NOT NULL REFERENCES namespaces (id),
    kind       TEXT NOT NULL CHECK (kind IN ('insight', 'task')),
    job        TEXT NOT NULL,
    subject    TEXT NOT NULL,
    rule       TEXT NOT NULL,
    severity   TEXT NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
    text       TEXT NOT NULL,
    priority   REAL NOT NULL CHECK (priority BETWEEN 0 AND 1),
    status     TEXT NOT NULL CHECK (status IN ('open', 'acknowledged', 'done', 'dismissed')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (namespace, kind, job, subject, rule)
) STRICT;
CREATE INDEX insights_by_status ON insights (namespace, kind, status);

CREATE TABLE job_runs (
    name             TEXT PRIMARY KEY,
    interval_us      INTEGER NOT NULL,
    next_due_at      INTEGER NOT NULL,
    lease_owner      TEXT,
    lease_until      INTEGER,
    last_started_at  INTEGER,
    last_finished_at INTEGER,
    last_status      TEXT,
    last_error       TEXT,
    runs             INTEGER NOT NULL DEFAULT 0,
    failures         INTEGER NOT NULL DEFAULT 0 -- in a row
) STRICT, WITHOUT ROWID;

CREATE TABLE daemon_state (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    pid          INTEGER NOT NULL,
    version      TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL,
    stopped_at   INTEGER
) STRICT;

-- Who changed what, without the text.
CREATE TABLE audit (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    action    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    detail    TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;
CREATE INDEX audit_by_subject ON audit (subject);
