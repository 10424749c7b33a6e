-- Memory that matures: turns on pages, pages in segments, what is named and how it hangs together, work to do once.

ALTER TABLE embedding_generations ADD COLUMN stopped_at INTEGER; -- somebody wants the rest not to be embedded now

-- What a search leaves aside unless it is asked for: what was found or mined and nobody has confirmed, and summaries
-- that were made of other memories.
ALTER TABLE memories ADD COLUMN aside INTEGER NOT NULL GENERATED ALWAYS AS (
    (status = 'candidate' AND (source = 'procedures' OR (source >= 'extraction:' AND source < 'extraction;')))
    OR (kind = 'summary' AND source = 'consolidation')
) VIRTUAL;
CREATE INDEX memories_aside ON memories (namespace) WHERE aside;

-- Its words lie apart, so that they make no word more frequent for searches that cannot find it.
CREATE VIRTUAL TABLE memory_text_aside USING fts5 (
    summary, content, tags, tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memory_text_aside (rowid, summary, content, tags)
    SELECT t.rowid, t.summary, t.content, t.tags FROM memories m CROSS JOIN memory_text t ON t.rowid = m.seq
    WHERE m.aside;
DELETE FROM memory_text WHERE rowid IN (SELECT seq FROM memories WHERE aside);

-- The text index follows the memories, whoever writes them.
CREATE TRIGGER memories_come_with_their_words AFTER INSERT ON memories
BEGIN
    INSERT INTO memory_text (rowid, summary, content, tags) SELECT NEW.seq, NEW.summary, NEW.content,
        (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(NEW.tags)) WHERE NOT NEW.aside;
    INSERT INTO memory_text_aside (rowid, summary, content, tags) SELECT NEW.seq, NEW.summary, NEW.content,
        (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(NEW.tags)) WHERE NEW.aside;
END;
CREATE TRIGGER memories_change_their_words AFTER UPDATE OF summary, content, tags, status, kind, source ON memories
WHEN (OLD.aside, OLD.summary, OLD.content, OLD.tags) IS NOT (NEW.aside, NEW.summary, NEW.content, NEW.tags)
BEGIN
    DELETE FROM memory_text WHERE rowid = OLD.seq;
    DELETE FROM memory_text_aside WHERE rowid = OLD.seq;
    INSERT INTO memory_text (rowid, summary, content, tags) SELECT NEW.seq, NEW.summary, NEW.content,
        (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(NEW.tags)) WHERE NOT NEW.aside;
    INSERT INTO memory_text_aside (rowid, summary, content, tags) SELECT NEW.seq, NEW.summary, NEW.content,
        (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(NEW.tags)) WHERE NEW.aside;
END;
CREATE TRIGGER memories_take_their_words_along AFTER DELETE ON memories
BEGIN
    DELETE FROM memory_text WHERE rowid = OLD.seq;
    DELETE FROM memory_text_aside WHERE rowid = OLD.seq;
END;

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
) STRICT;
CREATE INDEX segments_by_namespace ON segments (namespace, archived_at);

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
) STRICT;
CREATE INDEX pages_by_segment ON pages (segment) WHERE segment IS NOT NULL;
CREATE INDEX pages_by_chain ON pages (chain);
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
CREATE INDEX pages_in_no_segment ON pages (namespace) WHERE segment IS NULL;

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
) STRICT;
CREATE INDEX turns_by_page ON turns (page);
CREATE INDEX turns_without_salience ON turns (session) WHERE salience IS NULL;
CREATE INDEX turns_unread ON turns (memory_seq) WHERE unread AND role = 'user';
CREATE INDEX turns_by_session ON turns (session, memory_seq, tokens);

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
) STRICT;
CREATE INDEX consolidations_by_session ON consolidations (session, seq);

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
) STRICT;
CREATE INDEX entities_by_key ON entities (namespace, key);
CREATE INDEX entities_by_ref ON entities (ref_id) WHERE ref_id IS NOT NULL;

CREATE TABLE entity_aliases (
    entity     INTEGER NOT NULL REFERENCES entities (seq) ON DELETE CASCADE,
    namespace  TEXT NOT NULL REFERENCES namespaces (id),
    key        TEXT NOT NULL,
    label      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, key, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_aliases_by_entity ON entity_aliases (entity);

CREATE TABLE entity_mentions (
    entity     INTEGER NOT NULL REFERENCES entities (seq) ON DELETE CASCADE,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    namespace  TEXT NOT NULL REFERENCES namespaces (id),
    PRIMARY KEY (entity, memory_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_mentions_by_memory ON entity_mentions (memory_seq);

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
) STRICT;
CREATE UNIQUE INDEX entity_relations_once ON entity_relations (from_entity, type, to_entity, coalesce(evidence, 0));
CREATE INDEX entity_relations_by_target ON entity_relations (to_entity);
CREATE INDEX entity_relations_by_evidence ON entity_relations (evidence) WHERE evidence IS NOT NULL;

CREATE INDEX entity_relations_of_names ON entity_relations (namespace, seq)
    WHERE type IN ('alias_of', 'may_be') AND evidence IS NULL;

CREATE TABLE entity_forms ( -- by which names are compared; those up to the last entity here have been
    namespace TEXT NOT NULL REFERENCES namespaces (id),
    form      TEXT NOT NULL,
    entity    INTEGER NOT NULL, -- last, as in the key: else quick_check of SQLite 3.40 sees a NULL in it
    PRIMARY KEY (namespace, form, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_forms_by_entity ON entity_forms (namespace, entity);
CREATE TRIGGER forms_go_with_their_entity AFTER DELETE ON entities
BEGIN
    DELETE FROM entity_forms WHERE namespace = OLD.namespace AND entity = OLD.seq;
END;
CREATE TRIGGER forms_go_with_their_name AFTER UPDATE OF label, key ON entities -- a secret was taken out of it
BEGIN
    DELETE FROM entity_forms WHERE namespace = OLD.namespace AND entity = OLD.seq;
END;

-- What a memory told, or stood for, goes with it, whoever deletes it: an erased text leaves no name behind.
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

CREATE TABLE readings ( -- which memories have been read for what, and at which version
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    reader     TEXT NOT NULL,
    version    INTEGER NOT NULL,
    namespace  TEXT NOT NULL REFERENCES namespaces (id),
    PRIMARY KEY (reader, memory_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX readings_by_memory ON readings (memory_seq);
CREATE INDEX readings_by_namespace ON readings (reader, namespace, memory_seq, version);

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
) STRICT;
CREATE INDEX queue_to_do ON queue (run_at) WHERE state IN ('queued', 'leased');
CREATE INDEX queue_finished ON queue (finished_at) WHERE finished_at IS NOT NULL;
