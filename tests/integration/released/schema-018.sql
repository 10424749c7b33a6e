-- A store of schema 18 as AgentOS wrote it before a release, as SQL: it must stay openable. Never edit it.
CREATE TABLE schema_migrations (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    checksum   TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (datetime('now'))
) STRICT
;
CREATE TABLE namespaces (
    id         TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID
;
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
    expires_at   INTEGER, session TEXT, place INTEGER CHECK ((session IS NULL) = (place IS NULL) AND place >= 0), speaker TEXT CHECK (speaker IS NULL OR session IS NOT NULL), kind TEXT NOT NULL DEFAULT 'note' CHECK (kind IN (
    'note', 'fact', 'preference', 'attribute', 'observation', 'summary', 'episode', 'procedure', 'rule', 'knowledge')), status TEXT NOT NULL DEFAULT 'active' CHECK (status IN (
    'candidate', 'active', 'contested', 'stale', 'archived', 'forgotten')), confidence REAL NOT NULL DEFAULT 0.7 CHECK (confidence BETWEEN 0 AND 1), trust REAL NOT NULL DEFAULT 1.0 CHECK (trust BETWEEN 0 AND 1), subject TEXT, attribute TEXT CHECK ((attribute IS NULL) = (subject IS NULL)), value TEXT CHECK (value IS NULL OR subject IS NOT NULL), slot_confidence REAL
    CHECK ((slot_confidence IS NULL) = (subject IS NULL) AND slot_confidence BETWEEN 0 AND 1), polarity INTEGER CHECK ((polarity IS NULL) = (subject IS NULL) AND polarity IN (0, 1)), valid_from INTEGER, valid_to INTEGER, confirmations INTEGER NOT NULL DEFAULT 0 CHECK (confirmations >= 0), rejections INTEGER NOT NULL DEFAULT 0 CHECK (rejections >= 0), aside INTEGER NOT NULL GENERATED ALWAYS AS (
    (status = 'candidate' AND (source = 'procedures' OR (source >= 'extraction:' AND source < 'extraction;')))
    OR (kind = 'summary' AND source = 'consolidation')
) VIRTUAL,
    UNIQUE (namespace, content_hash)
) STRICT
;
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
) STRICT, WITHOUT ROWID
;
CREATE TABLE embedding_generations (
    id          INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    dimension   INTEGER NOT NULL CHECK (dimension > 0),
    created_at  INTEGER NOT NULL
, stopped_at INTEGER) STRICT
;
CREATE TABLE index_outbox (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace  TEXT NOT NULL,
    memory_seq INTEGER NOT NULL,
    operation  TEXT NOT NULL CHECK (operation IN ('upsert', 'delete')),
    generation INTEGER -- of an upsert
, passages INTEGER NOT NULL DEFAULT 0 CHECK (passages >= 0)) STRICT
;
CREATE TABLE index_state (
    name       TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    applied    INTEGER NOT NULL -- the last outbox row that the index holds
) STRICT, WITHOUT ROWID
;
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
) STRICT
;
CREATE TABLE goal_notes (
    goal_seq INTEGER NOT NULL REFERENCES goals (seq) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    text     TEXT NOT NULL,
    PRIMARY KEY (goal_seq, seq)
) STRICT, WITHOUT ROWID
;
CREATE TABLE patterns (
    namespace        TEXT NOT NULL REFERENCES namespaces (id),
    pattern_type     TEXT NOT NULL CHECK (pattern_type IN ('repeated_failure', 'success_pattern', 'inefficiency')),
    action           TEXT NOT NULL,
    description      TEXT NOT NULL,
    suggested_action TEXT NOT NULL,
    frequency        INTEGER NOT NULL,
    last_seen        INTEGER NOT NULL,
    PRIMARY KEY (namespace, pattern_type, action)
) STRICT, WITHOUT ROWID
;
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
) STRICT
;
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
) STRICT, WITHOUT ROWID
;
CREATE TABLE daemon_state (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    pid          INTEGER NOT NULL,
    version      TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL,
    stopped_at   INTEGER
) STRICT
;
CREATE TABLE store_identity (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    store_id TEXT NOT NULL
) STRICT
;
CREATE TABLE "embeddings" (
    id         INTEGER PRIMARY KEY,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    part       INTEGER NOT NULL CHECK (part >= 0), -- in the order of the content, from 0, without gaps
    generation INTEGER NOT NULL REFERENCES embedding_generations (id),
    begins     INTEGER NOT NULL, -- characters of the content
    ends       INTEGER NOT NULL,
    vector     BLOB NOT NULL, -- unit length, float32, little-endian
    UNIQUE (generation, memory_seq, part)
) STRICT
;
CREATE TABLE token_signs (
    embedding INTEGER PRIMARY KEY REFERENCES embeddings (id) ON DELETE CASCADE,
    signs     BLOB NOT NULL -- dimension / 8 bytes a token
) STRICT
;
CREATE TABLE sealed_memories (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    namespace    TEXT NOT NULL REFERENCES namespaces (id),
    content      TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    dimension    INTEGER NOT NULL CHECK (dimension > 0), -- the same in all of a namespace
    vector       BLOB NOT NULL CHECK (length(vector) = 4 * dimension), -- unit length, float32, little-endian
    created_at   INTEGER NOT NULL,
    UNIQUE (namespace, content_hash)
) STRICT
;
CREATE TABLE relations (
    from_id    TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    to_id      TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    type       TEXT NOT NULL,
    weight     REAL NOT NULL,
    evidence   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (from_id, type, to_id)
) STRICT, WITHOUT ROWID
;
CREATE TABLE changes (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    namespace   TEXT NOT NULL REFERENCES namespaces (id),
    at          INTEGER NOT NULL,
    action      TEXT NOT NULL,
    memory_id   TEXT NOT NULL, -- the one that the judgement was about; it may be erased by now
    by          TEXT NOT NULL CHECK (by IN ('agent', 'human', 'job')),
    reason      TEXT NOT NULL,
    before      TEXT NOT NULL CHECK (json_valid(before)),
    after       TEXT NOT NULL CHECK (json_valid(after)),
    relations   TEXT NOT NULL CHECK (json_valid(relations)),
    approval    TEXT,
    reverted_by TEXT
) STRICT
;
CREATE TABLE change_memories (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    change    INTEGER NOT NULL REFERENCES changes (seq) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, change)
) STRICT, WITHOUT ROWID
;
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
) STRICT
;
CREATE TABLE approval_events (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    approval INTEGER NOT NULL REFERENCES approvals (seq) ON DELETE CASCADE,
    at       INTEGER NOT NULL,
    status   TEXT NOT NULL,
    by       TEXT NOT NULL,
    note     TEXT NOT NULL
) STRICT
;
CREATE TABLE projects (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    namespace   TEXT NOT NULL REFERENCES namespaces (id),
    name        TEXT NOT NULL,
    location    TEXT NOT NULL, -- the folder that its worktrees share, as last seen; outside of git the folder itself
    root_commit TEXT,
    remote      TEXT,
    created_at  INTEGER NOT NULL
) STRICT
;
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
) STRICT
;
CREATE TABLE "events" (
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
) STRICT
;
CREATE TABLE stretches (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    first_event TEXT NOT NULL UNIQUE REFERENCES events (id) ON DELETE CASCADE,
    last_event  TEXT NOT NULL UNIQUE REFERENCES events (id) ON DELETE CASCADE,
    done        INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    memory_id   TEXT -- NULL also where there was nothing to observe
) STRICT
;
CREATE TABLE shown_context (
    session  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    entry    TEXT NOT NULL,
    shown_at INTEGER NOT NULL,
    PRIMARY KEY (session, entry)
) STRICT, WITHOUT ROWID
;
CREATE TABLE usage (
    day        TEXT NOT NULL, -- ISO 8601, UTC
    namespace  TEXT NOT NULL,
    client     TEXT NOT NULL,
    tool       TEXT NOT NULL,
    calls      INTEGER NOT NULL,
    failures   INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    hits       INTEGER NOT NULL,
    used       INTEGER NOT NULL,
    PRIMARY KEY (day, namespace, client, tool)
) STRICT, WITHOUT ROWID
;
CREATE TABLE segments (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    namespace     TEXT NOT NULL REFERENCES namespaces (id),
    summary       TEXT NOT NULL,
    keywords      TEXT NOT NULL CHECK (json_valid(keywords)),
    visits        INTEGER NOT NULL DEFAULT 0 CHECK (visits >= 0), -- since the last promotion, as are interactions
    interactions  INTEGER NOT NULL DEFAULT 0 CHECK (interactions >= 0),
    promotions    INTEGER NOT NULL DEFAULT 0 CHECK (promotions >= 0),
    retrievals    INTEGER NOT NULL DEFAULT 0 CHECK (retrievals >= 0), -- of all time: the least is evicted first
    last_visit_at INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    archived_at   INTEGER
) STRICT
;
CREATE TABLE pages ( -- a question with its answers
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    namespace   TEXT NOT NULL REFERENCES namespaces (id),
    session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL CHECK (number >= 0), -- from 0 in its session
    chain       TEXT NOT NULL, -- the id of the first page of what it continues; its own when it begins
    gist        TEXT NOT NULL DEFAULT '', -- what the whole chain is about; on its first page
    segment     INTEGER REFERENCES segments (seq) ON DELETE SET NULL, -- NULL: in short-term memory
    analysed_at INTEGER, -- when it was promoted
    created_at  INTEGER NOT NULL,
    UNIQUE (session, number)
) STRICT
;
CREATE TABLE turns ( -- what makes a memory of a session a turn of it
    memory_seq INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    namespace  TEXT NOT NULL REFERENCES namespaces (id),
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    page       INTEGER NOT NULL REFERENCES pages (seq) ON DELETE CASCADE,
    role       TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    tokens     INTEGER NOT NULL CHECK (tokens >= 0),
    salience   REAL CHECK (salience BETWEEN 0 AND 1), -- NULL: not known yet
    unread     INTEGER NOT NULL DEFAULT 1 CHECK (unread IN (0, 1)), -- nobody has looked for facts in it as it is now
    key        TEXT NOT NULL,
    UNIQUE (session, key)
) STRICT
;
CREATE TABLE consolidations (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    namespace     TEXT NOT NULL REFERENCES namespaces (id),
    session       TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    at            INTEGER NOT NULL,
    method        TEXT NOT NULL CHECK (method IN ('rules', 'llm')),
    summaries     TEXT NOT NULL CHECK (json_valid(summaries)), -- ids of memories of kind summary
    sources       INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER NOT NULL,
    undone_at     INTEGER
) STRICT
;
CREATE TABLE entities (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    namespace   TEXT NOT NULL REFERENCES namespaces (id),
    type        TEXT NOT NULL,
    label       TEXT NOT NULL,
    key         TEXT NOT NULL, -- the label as it is compared
    description TEXT NOT NULL DEFAULT '',
    ref_id      TEXT, -- what it stands for: a memory, a goal
    source      TEXT NOT NULL CHECK (source IN ('rules', 'manual', 'llm')),
    created_at  INTEGER NOT NULL,
    UNIQUE (namespace, type, key)
) STRICT
;
CREATE TABLE entity_aliases (
    entity     INTEGER NOT NULL REFERENCES entities (seq) ON DELETE CASCADE,
    namespace  TEXT NOT NULL REFERENCES namespaces (id),
    key        TEXT NOT NULL,
    label      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, key, entity)
) STRICT, WITHOUT ROWID
;
CREATE TABLE entity_mentions (
    entity     INTEGER NOT NULL REFERENCES entities (seq) ON DELETE CASCADE,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    namespace  TEXT NOT NULL REFERENCES namespaces (id),
    PRIMARY KEY (entity, memory_seq)
) STRICT, WITHOUT ROWID
;
CREATE TABLE entity_relations (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    namespace   TEXT NOT NULL REFERENCES namespaces (id),
    from_entity INTEGER NOT NULL REFERENCES entities (seq) ON DELETE CASCADE,
    to_entity   INTEGER NOT NULL REFERENCES entities (seq) ON DELETE CASCADE,
    type        TEXT NOT NULL,
    weight      REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
    description TEXT NOT NULL DEFAULT '',
    source      TEXT NOT NULL CHECK (source IN ('rules', 'manual', 'llm')),
    evidence    INTEGER REFERENCES memories (seq) ON DELETE CASCADE, -- NULL: somebody said so to the graph itself
    valid_from  INTEGER,
    valid_to    INTEGER, -- NULL: it still holds
    created_at  INTEGER NOT NULL
) STRICT
;
CREATE TABLE entity_forms ( -- by which names are compared; those up to the last entity here have been
    namespace TEXT NOT NULL REFERENCES namespaces (id),
    form      TEXT NOT NULL,
    entity    INTEGER NOT NULL, -- last, as in the key: else quick_check of SQLite 3.40 sees a NULL in it
    PRIMARY KEY (namespace, form, entity)
) STRICT, WITHOUT ROWID
;
CREATE TABLE readings ( -- which memories have been read for what, and at which version
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    reader     TEXT NOT NULL,
    version    INTEGER NOT NULL,
    namespace  TEXT NOT NULL REFERENCES namespaces (id),
    PRIMARY KEY (reader, memory_seq)
) STRICT, WITHOUT ROWID
;
CREATE TABLE queue ( -- work that is done once, whoever does it
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    namespace   TEXT NOT NULL REFERENCES namespaces (id),
    type        TEXT NOT NULL,
    key         TEXT NOT NULL, -- the same work has the same key
    payload     TEXT NOT NULL CHECK (json_valid(payload)),
    state       TEXT NOT NULL CHECK (state IN ('queued', 'leased', 'done', 'dead')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    run_at      INTEGER NOT NULL,
    lease_owner TEXT,
    lease_until INTEGER,
    last_error  TEXT,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    UNIQUE (namespace, type, key)
) STRICT
;
CREATE VIRTUAL TABLE memory_text USING fts5 (summary, content, tags, parts, tokenize = 'porter ascii');
CREATE VIRTUAL TABLE memory_text_aside USING fts5 (summary, content, tags, parts, tokenize = 'porter ascii');
CREATE TABLE compounds (
    word       TEXT NOT NULL,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    PRIMARY KEY (word, memory_seq)
) STRICT, WITHOUT ROWID
;
CREATE TABLE "memory_tags" (
    tag        TEXT NOT NULL,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    PRIMARY KEY (tag, memory_seq)
) STRICT, WITHOUT ROWID
;
CREATE TABLE principals (
    id         TEXT PRIMARY KEY,
    home       TEXT NOT NULL, -- the namespace of calls that name none
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID
;
CREATE TABLE keys (
    prefix     TEXT PRIMARY KEY,
    digest     BLOB NOT NULL,
    principal  TEXT NOT NULL REFERENCES principals (id),
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('reader', 'writer', 'operator', 'owner')),
    namespaces TEXT NOT NULL CHECK (json_valid(namespaces)), -- rights by namespace, the default one first
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    used_at    INTEGER
) STRICT, WITHOUT ROWID
;
CREATE TABLE grants (
    namespace  TEXT NOT NULL,
    principal  TEXT NOT NULL REFERENCES principals (id),
    tag        TEXT NOT NULL, -- "" for all memories
    access     TEXT NOT NULL CHECK (access IN ('read', 'write', 'admin')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (principal, namespace, tag)
) STRICT, WITHOUT ROWID
;
CREATE TABLE namespace_policies (
    namespace TEXT PRIMARY KEY,
    reads     TEXT NOT NULL CHECK (json_valid(reads)),
    target    TEXT
, max_memories INTEGER CHECK (max_memories > 0), max_bytes INTEGER CHECK (max_bytes > 0), retention_days INTEGER CHECK (retention_days > 0)) STRICT, WITHOUT ROWID
;
CREATE TABLE audit (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    principal  TEXT NOT NULL DEFAULT '', -- "" before identities were kept, and of rows from a bundle
    door       TEXT NOT NULL DEFAULT '',
    request_id TEXT NOT NULL DEFAULT '',
    namespace  TEXT NOT NULL,
    action     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL CHECK (json_valid(detail)),
    hash       TEXT NOT NULL DEFAULT ''
) STRICT
;
CREATE TABLE audit_head (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    seq     INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    hash    TEXT NOT NULL
) STRICT
;
CREATE VIRTUAL TABLE memory_text_words USING fts5vocab (memory_text, instance);
CREATE VIRTUAL TABLE memory_text_aside_words USING fts5vocab (memory_text_aside, instance);
CREATE TABLE text_statistics (
    namespace TEXT NOT NULL,
    aside     INTEGER NOT NULL,
    memories  INTEGER NOT NULL,
    tokens    INTEGER NOT NULL,
    PRIMARY KEY (namespace, aside)
) STRICT, WITHOUT ROWID
;
CREATE TABLE event_handlers (
    name   TEXT PRIMARY KEY,
    cursor INTEGER NOT NULL
) STRICT, WITHOUT ROWID
;
CREATE TABLE spending (
    day       TEXT NOT NULL, -- ISO 8601, UTC
    namespace TEXT NOT NULL,
    client    TEXT NOT NULL, -- the name of the gateway's key
    model     TEXT NOT NULL,
    calls     INTEGER NOT NULL,
    estimated INTEGER NOT NULL, -- calls whose tokens the provider did not tell
    uncached  INTEGER NOT NULL,
    cached    INTEGER NOT NULL,
    written   INTEGER NOT NULL,
    output    INTEGER NOT NULL, told INTEGER NOT NULL DEFAULT 0, replay INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, namespace, client, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE request_effects (
    principal TEXT NOT NULL,
    key       TEXT NOT NULL,
    action    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    digest    BLOB NOT NULL, -- SHA-256 of the path, the query and the body
    at        INTEGER NOT NULL,
    PRIMARY KEY (principal, key, action, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE branches (
    namespace  TEXT PRIMARY KEY REFERENCES namespaces (id),
    origin     TEXT NOT NULL REFERENCES namespaces (id),
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    CHECK (namespace <> origin)
) STRICT, WITHOUT ROWID;
CREATE TABLE branch_points (
    memory_id      TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    version        INTEGER NOT NULL,
    origin_id      TEXT NOT NULL, -- kept when that one is erased: what is erased there does not come back from here
    origin_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE branch_merges (
    approval   TEXT PRIMARY KEY,
    namespace  TEXT NOT NULL, -- the origin
    branch     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    created    INTEGER NOT NULL,
    changed    INTEGER NOT NULL,
    contested  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE governance (
    namespace TEXT PRIMARY KEY,
    review    TEXT NOT NULL CHECK (review IN ('always', 'watched'))
) STRICT, WITHOUT ROWID;
CREATE TABLE watches (
    namespace TEXT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('tag', 'slot', 'memory')),
    value     TEXT NOT NULL,
    demands   TEXT NOT NULL CHECK (demands IN ('review', 'notify')),
    PRIMARY KEY (namespace, kind, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE teams (
    id         TEXT PRIMARY KEY,
    label      TEXT NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    signer     TEXT NOT NULL,
    digest     TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE told_blocks (
    namespace TEXT NOT NULL,
    digest    TEXT NOT NULL, -- of the conversation up to the message that has it
    text      TEXT NOT NULL,
    told_at   INTEGER NOT NULL,
    PRIMARY KEY (namespace, digest)
) STRICT;
CREATE TABLE told_memories ( -- the memories that a block tells: with one of them the block goes
    namespace TEXT NOT NULL,
    digest    TEXT NOT NULL,
    place     INTEGER NOT NULL,
    memory    TEXT NOT NULL,
    PRIMARY KEY (namespace, digest, place),
    FOREIGN KEY (namespace, digest) REFERENCES told_blocks (namespace, digest) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE owed_looks (
    memory_seq INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE
) STRICT;
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (1, 'initial', '187d2867e6091a0cc22127379a76c2e10d79fb8e255e8132013b7262001be1fc', '2026-11-22 08:21:09');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (2, 'identity_and_indexes', '511f384d9217b671318fa8f7a98ded578d15ffee888048c125dec46224566f87', '2026-11-22 08:21:09');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (3, 'context', '9f1f6a9c854d4b49348346c7306fcd54b34fc8bf041cda35b073ac7d9b7a9252', '2026-11-22 08:21:09');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (4, 'passages', '94df84d376a167b429e9dc94cd8b76c7e2bb72ae6e0604fc4497689567283aa7', '2026-11-22 09:45:32');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (5, 'sealed', '00ce911715498b39bc1ae7467f776654c2b244fc8150c683a13b03a88fc8990a', '2026-11-22 11:32:54');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (6, 'truth', 'eb58bb95f53ae74256de481581f1a30c8e042773a8c5c532af7a54b3a8c093da', '2026-11-22 11:32:54');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (7, 'approvals', '3bfcd65716b9861ccf3b0f527f86531b8914eb6079d23556a865d4518368e4fe', '2026-11-22 12:00:00');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (8, 'sessions', '55ad46e8aabd0163b8207955ae2a2ff7dffd97863ca345a2f63099ea231eaf9c', '2026-11-22 12:00:00');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (9, 'usage', '2e6990809ce8df56db7f179998db07e48afea155e092544d61af30aaf3dcbcf6', '2026-11-22 13:30:00');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (10, 'cognition', '2fa42865577448ae51ad7a032a89b5f1ca7e9688cab25098b518c9b669c46f3d', '2026-11-26 12:00:00');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (11, 'words', 'd0c00470e15f26ea925153c0b7fa7a7cf6c2126b5c610c62dd47620d886d3583', '2026-11-26 12:00:00');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (12, 'identities', 'b634afd7fa8180b3cfeb95aebf165994ccbd7102670a0d69fcc63979025ce207', '2026-11-26 12:00:00');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (13, 'events', '5d9211e61176e6116ab3e01548bcaa7dd8372744c252d6b502015953ac00b87e', '2026-11-26 12:00:00');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (14, 'spending', 'ace6d6a38a854f95f7d534e85c03dac3dbd200e86a5e0f94a3d8f888d121db2a', '2026-11-27 04:50:17');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (15, 'requests_and_quotas', '8d486eefab609a78aea3808dd318f1b85c7bf1effc0536b927dc7687f52958f6', '2026-11-27 08:46:34');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (16, 'branches_and_teams', '7f8e6f6aff765e8e05a40ea82cb8e99f76b5fdda15ab58e2d752a72192c7e9df', '2026-11-27 09:45:51');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (17, 'told_blocks', '90f08c4aeafdd2196a4770a4bfe6e4f70ca2f67fada7cada1ce82a8522dff784', '2026-11-27 12:44:22');
INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (18, 'owed_looks', '998080b253cf224f8be8e8d390199c7ea48398260b9b70c8aad95ab4ab12d416', '2026-11-29 03:37:51');
INSERT INTO namespaces (id, created_at) VALUES ('ada', 1772452800000000);
INSERT INTO namespaces (id, created_at) VALUES ('bob', 1772456400000000);
INSERT INTO memories (seq, id, namespace, memory_type, content, summary, tags, importance, metadata, source, content_hash, occurred_at, created_at, updated_at, accessed_at, access_count, version, expires_at, session, place, speaker, kind, status, confidence, trust, subject, attribute, value, slot_confidence, polarity, valid_from, valid_to, confirmations, rejections) VALUES (1, 'mem_e75d45dffb815e6d660d', 'ada', 'procedural', 'The team deploys on Tuesdays and Thursdays.', 'The team deploys on Tuesdays and Thursdays.', '["deploy","team"]', 0.5936, '{"source":"wiki","n":1}', 'the wiki', '311de1fb7fa148ecc3cbea9f5ff7f2bfa012585545811f86cf7245e05cf2cb6e', 1772353800000000, 1772452800000000, 1772460000000000, 1772460000000000, 1, 2, NULL, NULL, NULL, NULL, 'fact', 'active', 0.7, 1.0, 'billing service', 'reviewer', 'maria', 0.8, 1, NULL, NULL, 1, 0);
INSERT INTO memories (seq, id, namespace, memory_type, content, summary, tags, importance, metadata, source, content_hash, occurred_at, created_at, updated_at, accessed_at, access_count, version, expires_at, session, place, speaker, kind, status, confidence, trust, subject, attribute, value, slot_confidence, polarity, valid_from, valid_to, confirmations, rejections) VALUES (2, 'mem_4a5d608db34c95e9fb0a', 'ada', 'semantic', 'Maria reviews the billing service; “naïve” café 日本語', 'Maria reviews the billing service; “naïve” café 日本語', '[]', 0.4104, '{}', '', '5f4ff71a1793a65849566af11cc76e1a59095a45aedb7b96ce866f3a17cb23df', 1772456400000000, 1772456400000000, 1772456400000000, 1772460000000000, 1, 1, NULL, 'planning', 0, NULL, 'note', 'active', 0.7, 1.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO memories (seq, id, namespace, memory_type, content, summary, tags, importance, metadata, source, content_hash, occurred_at, created_at, updated_at, accessed_at, access_count, version, expires_at, session, place, speaker, kind, status, confidence, trust, subject, attribute, value, slot_confidence, polarity, valid_from, valid_to, confirmations, rejections) VALUES (4, 'mem_cbcbc21691622f770bda', 'bob', 'working', 'remember this for today', 'remember this for today', '[]', 3.59199999999999963762e-01, '{}', '', '4436528704c8baf30a3e42e0f3f101d86bb6f63956629fc78a53a5ed909a142f', 1772456400000000, 1772456400000000, 1772456400000000, 1772456400000000, 0, 1, 1772542800000000, NULL, NULL, NULL, 'note', 'active', 0.7, 1.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO memory_versions (memory_seq, version, memory_type, content, tags, importance, metadata, replaced_at) VALUES (1, 1, 'procedural', 'The team deploys on Tuesdays only.', '["deploy","team"]', 0.5936, '{"source":"wiki","n":1}', 1772460000000000);
INSERT INTO embedding_generations (id, fingerprint, dimension, created_at, stopped_at) VALUES (1, 'words-1', 64, 1772456400000000, NULL);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (1, 'ada', 1, 'upsert', 1, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (2, 'ada', 2, 'upsert', 1, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (3, 'ada', 3, 'upsert', 1, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (4, 'bob', 4, 'upsert', 1, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (5, 'ada', 1, 'delete', NULL, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (6, 'ada', 1, 'upsert', 1, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (7, 'ada', 5, 'upsert', 1, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (8, 'ada', 5, 'delete', NULL, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (9, 'ada', 3, 'delete', NULL, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (10, 'ada', 1, 'upsert', 1, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (11, 'ada', 2, 'upsert', 1, 0);
INSERT INTO index_outbox (seq, namespace, memory_seq, operation, generation, passages) VALUES (12, 'bob', 4, 'upsert', 1, 0);
INSERT INTO index_state (name, generation, applied) VALUES ('chroma', 1, 4);
INSERT INTO goals (seq, id, namespace, title, description, priority, urgency, deadline, progress, status, parent_goal_id, tags, created_at, updated_at, completed_at, version) VALUES (1, 'goal_4cf50980415f34ef7535', 'ada', 'Move to PostgreSQL 16', 'Upgrade.', 0.9, 0.5, 1772625600000000, 0.4, 'active', NULL, '[]', 1772460000000000, 1772460000000000, NULL, 2);
INSERT INTO goals (seq, id, namespace, title, description, priority, urgency, deadline, progress, status, parent_goal_id, tags, created_at, updated_at, completed_at, version) VALUES (2, 'goal_c90d9a0803b4fff31c7a', 'ada', 'Child', '', 0.2, 0.5, NULL, 1.0, 'completed', 'goal_4cf50980415f34ef7535', '[]', 1772460000000000, 1772460000000000, 1772460000000000, 2);
INSERT INTO goal_notes (goal_seq, seq, at, text) VALUES (1, 1, 1772460000000000, 'schema diff is clean');
INSERT INTO goal_notes (goal_seq, seq, at, text) VALUES (2, 1, 1772460000000000, 'done');
INSERT INTO patterns (namespace, pattern_type, action, description, suggested_action, frequency, last_seen) VALUES ('ada', 'repeated_failure', 'run tests', '''run tests'' keeps failing.', 'Stop repeating ''run tests'' as it is: find the cause first, or take another way. Its last error: timeout', 3, 1772460000000000);
INSERT INTO insights (seq, id, namespace, kind, job, subject, rule, severity, text, priority, status, created_at, updated_at) VALUES (1, 'task_aa733b11c960bf9b582e', 'ada', 'task', 'goal_events', 'lesson:goal_c90d9a0803b4fff31c7a', 'write_lesson', 'info', 'Goal completed: ''Child''. Store what it taught as a procedural memory.', 0.4, 'open', 1772460000000000, 1772460000000000);
INSERT INTO insights (seq, id, namespace, kind, job, subject, rule, severity, text, priority, status, created_at, updated_at) VALUES (2, 'ins_d08dbf2062cc175a61fa', 'ada', 'insight', 'reflection_events', 'action:run tests', 'failing_today', 'critical', '''run tests'' has failed 3 times within a day.', 0.5, 'open', 1772460000000000, 1772460000000000);
INSERT INTO insights (seq, id, namespace, kind, job, subject, rule, severity, text, priority, status, created_at, updated_at) VALUES (3, 'task_833d820d6058461ff251', 'ada', 'task', 'reflection_events', 'action:run tests', 'failing_today', 'critical', 'Find out why ''run tests'' keeps failing before trying it again.', 0.9, 'open', 1772460000000000, 1772460000000000);
INSERT INTO insights (seq, id, namespace, kind, job, subject, rule, severity, text, priority, status, created_at, updated_at) VALUES (4, 'ins_21e43dfee6ec708a3ec1', 'ada', 'insight', 'reflection_analyzer', 'action:run tests', 'repeated_failure', 'warning', '''run tests'' keeps failing. 3 failures in the window.', 0.5, 'open', 1772460000000000, 1772460000000000);
INSERT INTO insights (seq, id, namespace, kind, job, subject, rule, severity, text, priority, status, created_at, updated_at) VALUES (5, 'task_b6d07213d9b1af8b24ec', 'ada', 'task', 'reflection_analyzer', 'action:run tests', 'repeated_failure', 'warning', 'Stop repeating ''run tests'' as it is: find the cause first, or take another way. Its last error: timeout', 0.7, 'open', 1772460000000000, 1772460000000000);
INSERT INTO insights (seq, id, namespace, kind, job, subject, rule, severity, text, priority, status, created_at, updated_at) VALUES (6, 'ins_93bb62ff69fadc5b7ca6', 'ada', 'insight', 'goal_monitor', 'goal:goal_4cf50980415f34ef7535', 'due_soon', 'warning', 'Goal ''Move to PostgreSQL 16'' is due soon: 2026-03-04 12:00 UTC.', 0.5, 'open', 1772460000000000, 1772460000000000);
INSERT INTO job_runs (name, interval_us, next_due_at, lease_owner, lease_until, last_started_at, last_finished_at, last_status, last_error, runs, failures) VALUES ('goal_monitor', 3600000000, 1772463600000000, NULL, NULL, 1772460000000000, 1772460000000000, 'ok', NULL, 1, 0);
INSERT INTO job_runs (name, interval_us, next_due_at, lease_owner, lease_until, last_started_at, last_finished_at, last_status, last_error, runs, failures) VALUES ('memory_decay', 86400000000, 1772546400000000, NULL, NULL, 1772460000000000, 1772460000000000, 'ok', NULL, 1, 0);
INSERT INTO job_runs (name, interval_us, next_due_at, lease_owner, lease_until, last_started_at, last_finished_at, last_status, last_error, runs, failures) VALUES ('reflection_analyzer', 1800000000, 1772461800000000, NULL, NULL, 1772460000000000, 1772460000000000, 'ok', NULL, 1, 0);
INSERT INTO job_runs (name, interval_us, next_due_at, lease_owner, lease_until, last_started_at, last_finished_at, last_status, last_error, runs, failures) VALUES ('self_maintenance', 21600000000, 1772481600000000, NULL, NULL, 1772460000000000, 1772460000000000, 'ok', NULL, 1, 0);
INSERT INTO daemon_state (id, pid, version, started_at, heartbeat_at, stopped_at) VALUES (1, 16481, '0.1.0', 1772452800000000, 1772460000000000, NULL);
INSERT INTO store_identity (id, store_id) VALUES (1, '8bedb058e3de700ddd9bed46b3f55b7c');
INSERT INTO embeddings (id, memory_seq, part, generation, begins, ends, vector) VALUES (1, 1, 0, 1, 0, 43, X'0000000000000000000000000000000000000000539D2FBE0000000000000000539D2F3E0000000000000000539D2FBE000000000000000000000000539D2FBE0000000000000000000000000000000000000000539D2F3E0000000000000000539D2F3E539D2F3E00000000539D2F3E000000000000000000000000539D2FBE539D2FBE000000000000000000000000539D2F3E0000000000000000FEB5033F000000000000000000000000539D2FBE000000000000000000000000000000000000000000000000539D2FBE0000000000000000539DAF3E00000000539D2FBE539D2F3E539D2F3E0000000000000000539DAFBE00000000539D2F3E00000000');
INSERT INTO embeddings (id, memory_seq, part, generation, begins, ends, vector) VALUES (2, 2, 0, 1, 0, 51, X'0000000000000000000000000000000000000000000000000000000000000000ABAA2A3E00000000ABAA2A3EABAA2A3EABAA2A3EABAA2ABEABAA2A3EABAA2ABE00000000ABAA2A3E00000000ABAA2A3E000000000000000000000000ABAA2ABE0000000000000000ABAAAA3E00000000ABAA2A3EABAA2ABE000000000000000000000000ABAA2ABE00000000ABAA2A3E00000000ABAA2A3E00000000000000000000000000000000ABAAAA3E00000000ABAA2ABEABAA2A3E00000000000000000000000000000000ABAA2A3E0000000000000000ABAAAA3EABAA2ABEABAA2A3EABAA2A3EABAA2A3EABAA2A3E00000000ABAA2ABE000000000000000000000000');
INSERT INTO embeddings (id, memory_seq, part, generation, begins, ends, vector) VALUES (3, 4, 0, 1, 0, 23, X'0000000000000000000000000000003F000080BE00000000000080BE000000000000000000000000000000000000000000000000000080BE0000000000000000000080BE000000000000000000000000000000000000000000000000000000000000803E000080BE00000000000000000000000000000000000000000000803E000000000000803E00000000000080BE000080BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000080BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080BE00000000000000000000000000000000');
INSERT INTO token_signs (embedding, signs) VALUES (1, X'008004D0090004C2');
INSERT INTO token_signs (embedding, signs) VALUES (2, X'00BA5028142425E0');
INSERT INTO token_signs (embedding, signs) VALUES (3, X'1000008140000000');
INSERT INTO sealed_memories (seq, id, namespace, content, content_hash, dimension, vector, created_at) VALUES (1, 'sea_01', 'ada', 'b3BhcXVl', '0e8c08db78c94cf52f06d5809210abc536d147b9ddf5587e67ecd9b7b88fb821', 4, X'0000803F000000000000000000000000', 1772456400000000);
INSERT INTO relations (from_id, to_id, type, weight, evidence, created_at) VALUES ('mem_e75d45dffb815e6d660d', 'mem_4a5d608db34c95e9fb0a', 'relates_to', 0.5, 'similar', 1772460000000000);
INSERT INTO changes (seq, id, namespace, at, action, memory_id, by, reason, before, after, relations, approval, reverted_by) VALUES (1, 'chg_0f1e2d3c4b5a69788796', 'ada', 1772460000000000, 'confirm', 'mem_e75d45dffb815e6d660d', 'agent', 'confirmed by the caller', '{}', '{}', '[]', NULL, NULL);
INSERT INTO change_memories (memory_id, change) VALUES ('mem_e75d45dffb815e6d660d', 1);
INSERT INTO approvals (seq, id, namespace, subject, action, payload, impact, reversibility, sensitivity, reason, requested_by, automatic, status, version, created_at, updated_at, expires_at, decided_at, decided_by, note, attempts, lease_owner, lease_until, finished_at, result, announced_at) VALUES (1, 'apr_0f1e2d3c4b5a69788796', 'ada', 'mem_e75d45dffb815e6d660d', 'memory_bulk_delete', '{}', 0.9, 0.1, 0.8, 'too many', 'ada', 0, 'pending', 1, 1772460000000000, 1772460000000000, 1773064800000000, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO approval_events (seq, approval, at, status, by, note) VALUES (1, 1, 1772460000000000, 'pending', 'ada', 'too many');
INSERT INTO projects (seq, id, namespace, name, location, root_commit, remote, created_at) VALUES (1, 'prj_0f1e2d3c4b5a69788796', 'ada', 'billing', '/w/billing/.git', '9d2c7f0b5a1e4c3d8f60718293a4b5c6d7e8f901', 'example.com/team/billing', 1772460000000000);
INSERT INTO sessions (seq, id, namespace, client, key, project, parent, state, title, started_at, last_at, ended_at, unobserved) VALUES (1, 'ses_0f1e2d3c4b5a69788796', 'ada', 'claude-code', '5f0e', 'prj_0f1e2d3c4b5a69788796', NULL, 'completed', 'Fix the invoice', 1772460000000000, 1772460060000000, 1772460060000000, 0);
INSERT INTO events (seq, id, namespace, type, action, outcome, success, context, goal_id, tags, occurred_at, session, role, text, structured, idempotency_key) VALUES (1, 'act_67b465ba7c9281f1a524', 'ada', 'reflection', 'run tests', 'timeout', 0, '', 'goal_4cf50980415f34ef7535', '[]', 1772460000000000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (seq, id, namespace, type, action, outcome, success, context, goal_id, tags, occurred_at, session, role, text, structured, idempotency_key) VALUES (2, 'act_b6b8db6bbe1af1136d5f', 'ada', 'reflection', 'run tests', 'timeout', 0, '', 'goal_4cf50980415f34ef7535', '[]', 1772460000000000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (seq, id, namespace, type, action, outcome, success, context, goal_id, tags, occurred_at, session, role, text, structured, idempotency_key) VALUES (3, 'act_286c7e21171958aeca06', 'ada', 'reflection', 'run tests', 'timeout', 0, '', 'goal_4cf50980415f34ef7535', '[]', 1772460000000000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (seq, id, namespace, type, action, outcome, success, context, goal_id, tags, occurred_at, session, role, text, structured, idempotency_key) VALUES (4, 'evt_0f1e2d3c4b5a69788796', 'ada', 'turn', NULL, NULL, NULL, NULL, NULL, NULL, 1772460000000000, 'ses_0f1e2d3c4b5a69788796', 'user', 'Fix the invoice', '{}', 'claude-code:5f0e:prompt:1');
INSERT INTO events (seq, id, namespace, type, action, outcome, success, context, goal_id, tags, occurred_at, session, role, text, structured, idempotency_key) VALUES (5, 'evt_1f1e2d3c4b5a69788796', 'ada', 'tool_call', NULL, NULL, NULL, NULL, NULL, NULL, 1772460030000000, 'ses_0f1e2d3c4b5a69788796', '', '', '{"tool": "Edit", "success": true, "files_modified": ["invoice.py"]}', 'claude-code:5f0e:post-tool:toolu_1');
INSERT INTO stretches (seq, session, first_event, last_event, done, memory_id) VALUES (1, 'ses_0f1e2d3c4b5a69788796', 'evt_0f1e2d3c4b5a69788796', 'evt_1f1e2d3c4b5a69788796', 1, NULL);
INSERT INTO shown_context (session, entry, shown_at) VALUES ('ses_0f1e2d3c4b5a69788796', 'started', 1772460000000000);
INSERT INTO usage (day, namespace, client, tool, calls, failures, characters, hits, used) VALUES ('2026-03-02', 'ada', 'claude-code', 'memory_search', 3, 0, 812, 4, 1);
INSERT INTO memory_text (rowid, summary, content, tags, parts) VALUES (1, 'the team deploys on tuesdays and thursdays', 'the team deploys on tuesdays and thursdays', 'deploy team', '');
INSERT INTO memory_text (rowid, summary, content, tags, parts) VALUES (2, 'maria reviews the billing service naive cafe 日 日本 本 本語 語', 'maria reviews the billing service naive cafe 日 日本 本 本語 語', '', '');
INSERT INTO memory_text (rowid, summary, content, tags, parts) VALUES (4, 'remember this for today', 'remember this for today', '', '');
INSERT INTO memory_tags (tag, memory_seq) VALUES ('deploy', 1);
INSERT INTO memory_tags (tag, memory_seq) VALUES ('team', 1);
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (1, 1772452800000000, '', '', '', 'ada', 'memory.store', 'mem_e75d45dffb815e6d660d', '{"version": 1}', '6000cd2c79c1f192906827e91d239e54e3adb5ad2b9d26c9fcb2bd1857fc0eb2');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (2, 1772456400000000, '', '', '', 'ada', 'memory.store', 'mem_4a5d608db34c95e9fb0a', '{"version": 1}', 'db2f492d0a5bbbf0f46e47b9b33c330ac76ecce2dd13bc6af658c95453f83c2d');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (3, 1772456400000000, '', '', '', 'ada', 'memory.store', 'mem_116adbb2d3db05a1a7cf', '{"version": 1}', '52428a00195ce0349468b0bc1e5204a041eda5e47237c8823ffbd42a4ccd32a6');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (4, 1772456400000000, '', '', '', 'bob', 'memory.store', 'mem_cbcbc21691622f770bda', '{"version": 1}', 'a83b83c5936e3a3c024b00748c7495645a768727b62c8f4b9e2bd5f910c23d1d');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (5, 1772460000000000, '', '', '', 'ada', 'memory.update', 'mem_e75d45dffb815e6d660d', '{"version": 2}', '152f288ee7f0264fff9e54c43cc3c4002c7afb955573be0da06f4c2594a27683');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (6, 1772460000000000, '', '', '', 'ada', 'memory.store', 'mem_342bdc99f6be6124c3ff', '{"version": 1}', '80f3aab5b35ba4db35d65d78de046d2117161a5435bf99bba43a686042eff64f');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (7, 1772460000000000, '', '', '', 'ada', 'memory.erase', 'mem_342bdc99f6be6124c3ff', '{}', 'cdc012e944ad28ba9b43fabd22899511317b1acffa372e56b2967a6e804956bc');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (8, 1772460000000000, '', '', '', 'ada', 'memory.erase', 'mem_116adbb2d3db05a1a7cf', '{}', '0a2a4ccecfb4796684d527bebe7ab64b444f062a60b7f6822b2074ce3fd09d63');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (9, 1772460000000000, '', '', '', 'ada', 'goal.add', 'goal_4cf50980415f34ef7535', '{}', 'a3ae6021f7b911c7f6c1ef67fe3cea79041a68389724693a87762fdab89be9ae');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (10, 1772460000000000, '', '', '', 'ada', 'goal.add', 'goal_c90d9a0803b4fff31c7a', '{}', '65a66eae1c3a3f25ec4c660cde7005790cbbb438ae72069a9766c27154547695');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (11, 1772460000000000, '', '', '', 'ada', 'goal.update', 'goal_c90d9a0803b4fff31c7a', '{"status": "completed"}', '9b6adae27aaaadaf166dc48803af42e33ad61b34abf9c02cbb3363917fc0065b');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (12, 1772460000000000, '', '', '', 'ada', 'goal.update', 'goal_4cf50980415f34ef7535', '{"status": "active"}', '6b74601a7938fad4ca50731e63aac3d084459f5250ae7f7a21a349f815d323ee');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (13, 1772460000000000, '', '', '', 'ada', 'reflection.log', 'act_67b465ba7c9281f1a524', '{}', 'bdeed10881ddaca7622b4d9f83891b634796e1234d2c243bbc4cf6c9e0aca5cf');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (14, 1772460000000000, '', '', '', 'ada', 'reflection.log', 'act_b6b8db6bbe1af1136d5f', '{}', 'a3476e7a4cc8392f15301b960342960bae095e26a99c54693681093fe7b6e093');
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail, hash) VALUES (15, 1772460000000000, '', '', '', 'ada', 'reflection.log', 'act_286c7e21171958aeca06', '{}', '976b5ef2e1de8e871301f6d1b3919f3fe677fd4de2a62926d298161452ed37ef');
INSERT INTO audit_head (id, seq, entries, hash) VALUES (1, 15, 15, '976b5ef2e1de8e871301f6d1b3919f3fe677fd4de2a62926d298161452ed37ef');
INSERT INTO text_statistics (namespace, aside, memories, tokens) VALUES ('ada', 0, 2, 40);
INSERT INTO text_statistics (namespace, aside, memories, tokens) VALUES ('bob', 0, 1, 8);
INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', 4);
INSERT INTO sqlite_sequence (name, seq) VALUES ('index_outbox', 12);
INSERT INTO sqlite_sequence (name, seq) VALUES ('goals', 2);
INSERT INTO sqlite_sequence (name, seq) VALUES ('insights', 6);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sealed_memories', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approvals', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approval_events', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('projects', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sessions', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 5);
INSERT INTO sqlite_sequence (name, seq) VALUES ('stretches', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('audit', 15);
INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', 4);
INSERT INTO sqlite_sequence (name, seq) VALUES ('index_outbox', 12);
INSERT INTO sqlite_sequence (name, seq) VALUES ('goals', 2);
INSERT INTO sqlite_sequence (name, seq) VALUES ('insights', 6);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sealed_memories', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approvals', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approval_events', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('projects', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sessions', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 5);
INSERT INTO sqlite_sequence (name, seq) VALUES ('stretches', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('audit', 15);
INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', 4);
INSERT INTO sqlite_sequence (name, seq) VALUES ('index_outbox', 12);
INSERT INTO sqlite_sequence (name, seq) VALUES ('goals', 2);
INSERT INTO sqlite_sequence (name, seq) VALUES ('insights', 6);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sealed_memories', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approvals', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approval_events', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('projects', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sessions', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 5);
INSERT INTO sqlite_sequence (name, seq) VALUES ('stretches', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('audit', 15);
INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', 4);
INSERT INTO sqlite_sequence (name, seq) VALUES ('index_outbox', 12);
INSERT INTO sqlite_sequence (name, seq) VALUES ('goals', 2);
INSERT INTO sqlite_sequence (name, seq) VALUES ('insights', 6);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sealed_memories', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approvals', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approval_events', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('projects', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sessions', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 5);
INSERT INTO sqlite_sequence (name, seq) VALUES ('stretches', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('audit', 15);
INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', 4);
INSERT INTO sqlite_sequence (name, seq) VALUES ('index_outbox', 12);
INSERT INTO sqlite_sequence (name, seq) VALUES ('goals', 2);
INSERT INTO sqlite_sequence (name, seq) VALUES ('insights', 6);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sealed_memories', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approvals', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approval_events', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('projects', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('sessions', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 5);
INSERT INTO sqlite_sequence (name, seq) VALUES ('stretches', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('audit', 15);
CREATE VIEW memory_words AS -- `parts` are those of names of code, which count less than words
    SELECT seq, aside, words_of(summary) AS summary, words_of(content) AS content,
        words_of((SELECT group_concat(value, ' ') FROM json_each(tags))) AS tags, parts_of(content) AS parts
    FROM memories;
CREATE VIEW text_sizes AS -- of each memory, how many words its text index has
    SELECT m.seq, m.namespace, m.aside, tokens_of(CASE m.aside
        WHEN 0 THEN (SELECT d.sz FROM memory_text_docsize d WHERE d.id = m.seq)
        ELSE (SELECT d.sz FROM memory_text_aside_docsize d WHERE d.id = m.seq) END) AS tokens
    FROM memories m;
CREATE INDEX memories_by_namespace ON memories (namespace, seq)
;
CREATE INDEX memories_by_time ON memories (namespace, occurred_at)
;
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL
;
CREATE INDEX goals_by_status ON goals (namespace, status, seq)
;
CREATE INDEX goals_by_parent ON goals (parent_goal_id) WHERE parent_goal_id IS NOT NULL
;
CREATE INDEX insights_by_status ON insights (namespace, kind, status)
;
CREATE UNIQUE INDEX memories_by_session ON memories (namespace, session, place) WHERE session IS NOT NULL
;
CREATE INDEX memories_by_speaker ON memories (namespace, speaker) WHERE speaker IS NOT NULL
;
CREATE INDEX embeddings_by_memory ON embeddings (memory_seq, part)
;
CREATE INDEX sealed_memories_by_namespace ON sealed_memories (namespace, seq)
;
CREATE INDEX memories_by_slot ON memories (namespace, subject, attribute) WHERE subject IS NOT NULL
;
CREATE INDEX memories_hidden ON memories (namespace, seq, status, valid_to)
    WHERE valid_to IS NOT NULL OR status IN ('archived', 'forgotten')
;
CREATE INDEX memories_by_importance ON memories (namespace, importance, accessed_at, expires_at, status, valid_to)
;
CREATE INDEX relations_by_target ON relations (to_id, type)
;
CREATE INDEX changes_by_memory ON changes (memory_id, seq)
;
CREATE INDEX change_memories_by_change ON change_memories (change)
;
CREATE UNIQUE INDEX approvals_pending_once ON approvals (namespace, subject, action, automatic) WHERE status = 'pending'
;
CREATE INDEX approvals_by_status ON approvals (status, namespace)
;
CREATE INDEX approvals_by_change ON approvals (updated_at)
;
CREATE INDEX approval_events_by_approval ON approval_events (approval, seq)
;
CREATE INDEX projects_by_location ON projects (namespace, location)
;
CREATE INDEX sessions_by_time ON sessions (namespace, last_at)
;
CREATE INDEX sessions_by_project ON sessions (project, last_at)
;
CREATE INDEX sessions_unobserved ON sessions (last_at) WHERE unobserved
;
CREATE INDEX events_by_time ON events (namespace, occurred_at)
;
CREATE INDEX events_by_session ON events (session, seq) WHERE session IS NOT NULL
;
CREATE INDEX stretches_by_session ON stretches (session, seq)
;
CREATE INDEX stretches_to_do ON stretches (seq) WHERE NOT done
;
CREATE INDEX stretches_by_memory ON stretches (memory_id) WHERE memory_id IS NOT NULL
;
CREATE INDEX memories_aside ON memories (namespace) WHERE aside
;
CREATE INDEX segments_by_namespace ON segments (namespace, archived_at)
;
CREATE INDEX pages_by_segment ON pages (segment) WHERE segment IS NOT NULL
;
CREATE INDEX pages_by_chain ON pages (chain)
;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL
;
CREATE INDEX pages_in_no_segment ON pages (namespace) WHERE segment IS NULL
;
CREATE INDEX turns_by_page ON turns (page)
;
CREATE INDEX turns_without_salience ON turns (session) WHERE salience IS NULL
;
CREATE INDEX turns_unread ON turns (memory_seq) WHERE unread AND role = 'user'
;
CREATE INDEX turns_by_session ON turns (session, memory_seq, tokens)
;
CREATE INDEX consolidations_by_session ON consolidations (session, seq)
;
CREATE INDEX entities_by_key ON entities (namespace, key)
;
CREATE INDEX entities_by_ref ON entities (ref_id) WHERE ref_id IS NOT NULL
;
CREATE INDEX entity_aliases_by_entity ON entity_aliases (entity)
;
CREATE INDEX entity_mentions_by_memory ON entity_mentions (memory_seq)
;
CREATE UNIQUE INDEX entity_relations_once ON entity_relations (from_entity, type, to_entity, coalesce(evidence, 0))
;
CREATE INDEX entity_relations_by_target ON entity_relations (to_entity)
;
CREATE INDEX entity_relations_by_evidence ON entity_relations (evidence) WHERE evidence IS NOT NULL
;
CREATE INDEX entity_relations_of_names ON entity_relations (namespace, seq)
    WHERE type IN ('alias_of', 'may_be') AND evidence IS NULL
;
CREATE INDEX entity_forms_by_entity ON entity_forms (namespace, entity)
;
CREATE INDEX readings_by_memory ON readings (memory_seq)
;
CREATE INDEX readings_by_namespace ON readings (reader, namespace, memory_seq, version)
;
CREATE INDEX queue_to_do ON queue (run_at) WHERE state IN ('queued', 'leased')
;
CREATE INDEX queue_finished ON queue (finished_at) WHERE finished_at IS NOT NULL
;
CREATE INDEX compounds_by_memory ON compounds (memory_seq)
;
CREATE INDEX memory_tags_by_memory ON memory_tags (memory_seq)
;
CREATE INDEX audit_by_subject ON audit (subject)
;
CREATE INDEX request_effects_by_time ON request_effects (at);
CREATE INDEX branches_by_origin ON branches (origin);
CREATE INDEX branch_merges_by_namespace ON branch_merges (namespace, at);
CREATE INDEX told_blocks_by_time ON told_blocks (told_at);
CREATE INDEX told_memories_by_memory ON told_memories (namespace, memory);
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
CREATE TRIGGER forms_go_with_their_entity AFTER DELETE ON entities
BEGIN
    DELETE FROM entity_forms WHERE namespace = OLD.namespace AND entity = OLD.seq;
END;
CREATE TRIGGER forms_go_with_their_name AFTER UPDATE OF label, key ON entities -- a secret was taken out of it
BEGIN
    DELETE FROM entity_forms WHERE namespace = OLD.namespace AND entity = OLD.seq;
END;
CREATE TRIGGER entities_go_with_their_memory AFTER DELETE ON memories
BEGIN
    DELETE FROM entities WHERE ref_id = OLD.id;
END;
CREATE TRIGGER entities_go_with_their_last_mention AFTER DELETE ON entity_mentions
BEGIN
    DELETE FROM entities WHERE seq = OLD.entity AND source <> 'manual'
        AND NOT EXISTS (SELECT 1 FROM entity_mentions m WHERE m.entity = OLD.entity)
        AND NOT EXISTS (SELECT 1 FROM entity_relations r WHERE r.from_entity = OLD.entity AND r.source = 'manual')
        AND NOT EXISTS (SELECT 1 FROM entity_relations r WHERE r.to_entity = OLD.entity AND r.source = 'manual');
END;
CREATE TRIGGER audit_is_a_chain AFTER INSERT ON audit WHEN NEW.hash = '' -- a copy of a store keeps its own
BEGIN
    UPDATE audit SET hash = sha256_of(json_array(
        (SELECT hash FROM audit_head), NEW.seq, NEW.at, NEW.principal, NEW.door, NEW.request_id, NEW.namespace,
        NEW.action, NEW.subject, NEW.detail
    )) WHERE seq = NEW.seq;
    UPDATE audit_head SET seq = NEW.seq, entries = entries + 1,
        hash = (SELECT hash FROM audit WHERE seq = NEW.seq);
END;
CREATE TRIGGER memories_come_with_their_words AFTER INSERT ON memories
BEGIN
    INSERT INTO memory_text (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND NOT aside;
    INSERT INTO memory_text_aside (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND aside;
    INSERT INTO compounds (word, memory_seq) SELECT value, NEW.seq FROM json_each(compounds_of(NEW.content));
    INSERT INTO text_statistics (namespace, aside, memories, tokens)
        SELECT namespace, aside, 1, tokens FROM text_sizes WHERE seq = NEW.seq
        ON CONFLICT (namespace, aside) DO UPDATE SET memories = memories + 1, tokens = tokens + excluded.tokens;
END;
CREATE TRIGGER memories_change_their_words AFTER UPDATE OF summary, content, tags, status, kind, source ON memories
WHEN (OLD.aside, OLD.summary, OLD.content, OLD.tags) IS NOT (NEW.aside, NEW.summary, NEW.content, NEW.tags)
BEGIN
    UPDATE text_statistics SET memories = memories - 1, tokens = tokens - tokens_of(CASE OLD.aside
        WHEN 0 THEN (SELECT sz FROM memory_text_docsize WHERE id = OLD.seq)
        ELSE (SELECT sz FROM memory_text_aside_docsize WHERE id = OLD.seq) END)
        WHERE namespace = OLD.namespace AND aside = OLD.aside;
    DELETE FROM memory_text WHERE rowid = OLD.seq;
    DELETE FROM memory_text_aside WHERE rowid = OLD.seq;
    DELETE FROM compounds WHERE memory_seq = OLD.seq;
    INSERT INTO memory_text (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND NOT aside;
    INSERT INTO memory_text_aside (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND aside;
    INSERT INTO compounds (word, memory_seq) SELECT value, NEW.seq FROM json_each(compounds_of(NEW.content));
    INSERT INTO text_statistics (namespace, aside, memories, tokens)
        SELECT namespace, aside, 1, tokens FROM text_sizes WHERE seq = NEW.seq
        ON CONFLICT (namespace, aside) DO UPDATE SET memories = memories + 1, tokens = tokens + excluded.tokens;
END;
CREATE TRIGGER memories_take_their_words_along AFTER DELETE ON memories
BEGIN
    UPDATE text_statistics SET memories = memories - 1, tokens = tokens - tokens_of(CASE OLD.aside
        WHEN 0 THEN (SELECT sz FROM memory_text_docsize WHERE id = OLD.seq)
        ELSE (SELECT sz FROM memory_text_aside_docsize WHERE id = OLD.seq) END)
        WHERE namespace = OLD.namespace AND aside = OLD.aside;
    DELETE FROM memory_text WHERE rowid = OLD.seq;
    DELETE FROM memory_text_aside WHERE rowid = OLD.seq;
    DELETE FROM compounds WHERE memory_seq = OLD.seq;
END;
