-- A repository, whatever folder it is in; or a folder that is in none.
CREATE TABLE projects (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    namespace   TEXT NOT NULL REFERENCES namespaces (id),
    name        TEXT NOT NULL,
    location    TEXT NOT NULL, -- the folder that its worktrees share, as last seen; outside of git the folder itself
    root_commit TEXT,
    remote      TEXT,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_by_location ON projects (namespace, location);

CREATE TABLE sessions (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    namespace    TEXT NOT NULL REFERENCES namespaces (id),
    client       TEXT NOT NULL,
    key          TEXT NOT NULL, -- what the client calls it
    project      TEXT NOT NULL REFERENCES projects (id),
    parent       TEXT REFERENCES sessions (id),
    state        TEXT NOT NULL CHECK (state IN ('active', 'completed', 'failed')),
    title        TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    ended_at     INTEGER,
    unobserved   INTEGER NOT NULL DEFAULT 0 CHECK (unobserved IN (0, 1)), -- it has events that are in no stretch
    UNIQUE (namespace, client, key)
) STRICT;
CREATE INDEX sessions_by_time ON sessions (namespace, last_at);
CREATE INDEX sessions_by_project ON sessions (project, last_at);
CREATE INDEX sessions_unobserved ON sessions (last_at) WHERE unobserved;

-- Append-only raw input of every type. One idempotency key is one event, however often it arrives.
CREATE TABLE all_events (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL UNIQUE,
    namespace       TEXT NOT NULL REFERENCES namespaces (id),
    type            TEXT NOT NULL CHECK (type IN ('turn', 'tool_call', 'reflection', 'signal', 'document')),
    action          TEXT,
    outcome         TEXT,
    success         INTEGER CHECK (success IN (0, 1)),
    context         TEXT,
    goal_id         TEXT REFERENCES goals (id),
    tags            TEXT CHECK (tags IS NULL OR json_valid(tags)),
    occurred_at     INTEGER NOT NULL,
    session         TEXT REFERENCES sessions (id),
    role            TEXT,
    text            TEXT,
    structured      TEXT CHECK (structured IS NULL OR json_valid(structured)),
    idempotency_key TEXT,
    CHECK (type <> 'reflection' OR (action IS NOT NULL AND outcome IS NOT NULL AND success IS NOT NULL
                                    AND context IS NOT NULL AND tags IS NOT NULL)),
    CHECK (type = 'reflection' OR (session IS NOT NULL AND role IS NOT NULL AND text IS NOT NULL
                                   AND structured IS NOT NULL AND idempotency_key IS NOT NULL)),
    UNIQUE (namespace, idempotency_key)
) STRICT;
INSERT INTO all_events (seq, id, namespace, type, action, outcome, success, context, goal_id, tags, occurred_at)
    SELECT seq, id, namespace, type, action, outcome, success, context, goal_id, tags, occurred_at
    FROM events ORDER BY seq;
DROP TABLE events;
ALTER TABLE all_events RENAME TO events;
CREATE INDEX events_by_time ON events (namespace, occurred_at);
CREATE INDEX events_by_session ON events (session, seq) WHERE session IS NOT NULL;

-- Which events make up an observation: fixed before it is written, so that it is written once.
CREATE TABLE stretches (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    first_event TEXT NOT NULL UNIQUE REFERENCES events (id) ON DELETE CASCADE,
    last_event  TEXT NOT NULL UNIQUE REFERENCES events (id) ON DELETE CASCADE,
    done        INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    memory_id   TEXT -- NULL also where there was nothing to observe
) STRICT;
CREATE INDEX stretches_by_session ON stretches (session, seq);
CREATE INDEX stretches_to_do ON stretches (seq) WHERE NOT done;
CREATE INDEX stretches_by_memory ON stretches (memory_id) WHERE memory_id IS NOT NULL;

-- What an agent was shown without asking, so that it is not shown again while it is still in its context.
CREATE TABLE shown_context (
    session  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    entry    TEXT NOT NULL,
    shown_at INTEGER NOT NULL,
    PRIMARY KEY (session, entry)
) STRICT, WITHOUT ROWID;
