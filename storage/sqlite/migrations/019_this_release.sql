-- One row for each daemon, as several may serve a store: by a random number, where, and how far its clock is ahead.
ALTER TABLE daemon_state RENAME TO one_daemon;
CREATE TABLE daemon_state (
    id           INTEGER PRIMARY KEY,
    host         TEXT NOT NULL DEFAULT '',
    pid          INTEGER NOT NULL,
    version      TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL,
    stopped_at   INTEGER,
    skew_us      INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO daemon_state (id, pid, version, started_at, heartbeat_at, stopped_at)
    SELECT id, pid, version, started_at, heartbeat_at, stopped_at FROM one_daemon;
DROP TABLE one_daemon;
-- For imports, which find a turn by a key that is unique in all sessions.
CREATE INDEX turns_by_key ON turns (namespace, key);
-- How an action went before is looked up before each run of a tool.
CREATE INDEX events_by_action ON events (namespace, action, occurred_at) WHERE type = 'reflection';
-- The history of a namespace shows its newest judgements.
CREATE INDEX changes_by_namespace ON changes (namespace, seq);
-- The index of the tags knows the namespace, so that a filter reads no entries of others.
CREATE TABLE tags_of_namespaces (
    namespace  TEXT NOT NULL,
    tag        TEXT NOT NULL,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    PRIMARY KEY (namespace, tag, memory_seq)
) STRICT, WITHOUT ROWID;
INSERT INTO tags_of_namespaces (namespace, tag, memory_seq)
    SELECT m.namespace, t.tag, t.memory_seq FROM memory_tags t JOIN memories m ON m.seq = t.memory_seq;
DROP TABLE memory_tags;
ALTER TABLE tags_of_namespaces RENAME TO memory_tags;
CREATE INDEX memory_tags_by_memory ON memory_tags (memory_seq);
-- What changed is read anew: a change takes its readings back to version 0, and these have an index.
UPDATE readings SET version = 0 WHERE version <> (SELECT m.version FROM memories m WHERE m.seq = readings.memory_seq);
CREATE INDEX readings_old ON readings (namespace, reader, memory_seq) WHERE version = 0;
CREATE TRIGGER readings_grow_old AFTER UPDATE OF version ON memories WHEN NEW.version <> OLD.version
BEGIN
    UPDATE readings SET version = 0 WHERE memory_seq = NEW.seq;
END;
-- Folders of projects whose notes follow the code there.
CREATE TABLE anchored_folders (
    id        TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    project   TEXT NOT NULL,
    folder    TEXT NOT NULL,
    looked_at INTEGER NOT NULL DEFAULT 0, -- the number of the last memory whose text was read
    problem   TEXT NOT NULL,
    seen      TEXT NOT NULL DEFAULT '', -- how the anchored files were when all were judged
    UNIQUE (namespace, folder)
) STRICT, WITHOUT ROWID;
-- What code a memory is about, how that was, and what became of it: `mark` is empty where it is as it was.
CREATE TABLE anchors (
    memory_seq    INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    folder        TEXT NOT NULL,
    path          TEXT NOT NULL,
    symbol        TEXT NOT NULL,
    now_path      TEXT NOT NULL,
    now_symbol    TEXT NOT NULL,
    body          TEXT NOT NULL CHECK (json_valid(body)),
    revision      TEXT NOT NULL, -- the commit
    state         TEXT NOT NULL,
    mark          TEXT NOT NULL,
    confirmations INTEGER NOT NULL, -- of the memory when it was marked: one that is confirmed later holds
    version       INTEGER NOT NULL,
    is_given      INTEGER NOT NULL,
    PRIMARY KEY (memory_seq, folder, path, symbol)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchors_by_place ON anchors (folder, now_path);
CREATE INDEX anchors_marked ON anchors (memory_seq, confirmations, mark) WHERE mark <> '';
-- Exchanges of the gateway that may be a client's own: for minutes, until what comes next shows whose they are.
CREATE TABLE held_exchanges (
    namespace TEXT NOT NULL,
    session   TEXT NOT NULL,
    key       TEXT NOT NULL,
    client    TEXT NOT NULL,
    exchange  TEXT NOT NULL, -- JSON, without secrets
    held_at   INTEGER NOT NULL,
    PRIMARY KEY (namespace, session, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_exchanges_by_time ON held_exchanges (held_at);
-- How often agents were told nothing, and how often something they were told was used.
ALTER TABLE usage ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN helpful INTEGER NOT NULL DEFAULT 0;
-- What agents asked, for ninety days: how many memories each question was given, and how many of these were used.
CREATE TABLE questions (
    id        TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    asked_at  INTEGER NOT NULL,
    client    TEXT NOT NULL,
    tool      TEXT NOT NULL,
    question  TEXT NOT NULL, -- without secrets, sealed under the server key
    hits      INTEGER NOT NULL,
    used      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_by_time ON questions (namespace, asked_at);
CREATE INDEX questions_by_text ON questions (namespace, question, asked_at);
CREATE INDEX questions_by_age ON questions (asked_at);
-- What people did in the dashboard, for a week: the page that each act led to, and the form that undoes it.
CREATE TABLE deeds (
    id        TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    principal TEXT NOT NULL,
    session   TEXT NOT NULL,
    done_at   INTEGER NOT NULL,
    done      TEXT NOT NULL,
    path      TEXT NOT NULL,
    address   TEXT NOT NULL,
    undo      TEXT, -- JSON
    undone_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX deeds_by_principal ON deeds (namespace, principal, done_at);
CREATE INDEX deeds_by_session ON deeds (namespace, session, done_at);
CREATE INDEX deeds_by_age ON deeds (done_at);
-- Memories that nobody has confirmed yet: few, and counted for each page of the dashboard.
CREATE INDEX memories_unsure ON memories (namespace, status, occurred_at, expires_at, valid_to)
    WHERE status = 'candidate';
-- What the agents got no answer to is looked up among little else.
CREATE INDEX questions_unanswered ON questions (namespace, asked_at) WHERE hits = 0;
-- Counters are of quarters of an hour, so that they are told by the days of any zone; a day before is as of its noon.
CREATE TABLE quarterly_usage (
    at         INTEGER NOT NULL,
    namespace  TEXT NOT NULL,
    client     TEXT NOT NULL,
    tool       TEXT NOT NULL,
    calls      INTEGER NOT NULL,
    failures   INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    hits       INTEGER NOT NULL,
    used       INTEGER NOT NULL,
    unanswered INTEGER NOT NULL DEFAULT 0,
    helpful    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (at, namespace, client, tool)
) STRICT, WITHOUT ROWID;
INSERT INTO quarterly_usage SELECT unixepoch(day, '+12 hours') * 1000000, namespace, client, tool, calls, failures,
    characters, hits, used, unanswered, helpful FROM usage;
DROP TABLE usage;
ALTER TABLE quarterly_usage RENAME TO usage;
CREATE TABLE quarterly_spending (
    at        INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    client    TEXT NOT NULL, -- the name of the gateway's key
    model     TEXT NOT NULL,
    calls     INTEGER NOT NULL,
    estimated INTEGER NOT NULL, -- calls whose tokens the provider did not tell
    uncached  INTEGER NOT NULL,
    cached    INTEGER NOT NULL,
    written   INTEGER NOT NULL,
    output    INTEGER NOT NULL,
    told      INTEGER NOT NULL DEFAULT 0,
    replay    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (at, namespace, client, model)
) STRICT, WITHOUT ROWID;
INSERT INTO quarterly_spending SELECT unixepoch(day, '+12 hours') * 1000000, namespace, client, model, calls,
    estimated, uncached, cached, written, output, told, replay FROM spending;
DROP TABLE spending;
ALTER TABLE quarterly_spending RENAME TO spending;
-- The words of each namespace by themselves, so that a search of one costs what it holds, whatever the store does.
DROP TRIGGER memories_come_with_their_words;
DROP TRIGGER memories_change_their_words;
DROP TRIGGER memories_take_their_words_along;
CREATE TABLE numbered_statistics ( -- a shelf is what a namespace has in one of the text indexes
    shelf     INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    aside     INTEGER NOT NULL,
    memories  INTEGER NOT NULL,
    tokens    INTEGER NOT NULL,
    UNIQUE (namespace, aside)
) STRICT;
INSERT INTO numbered_statistics (namespace, aside, memories, tokens)
    SELECT namespace, aside, memories, tokens FROM text_statistics;
DROP TABLE text_statistics;
ALTER TABLE numbered_statistics RENAME TO text_statistics;
CREATE TABLE postings ( -- a word of a memory, weighted by where it stands, and how many words the memory has
    shelf      INTEGER NOT NULL,
    word       TEXT NOT NULL,
    memory_seq INTEGER NOT NULL,
    weight     REAL NOT NULL,
    tokens     INTEGER NOT NULL,
    PRIMARY KEY (shelf, word, memory_seq)
) STRICT, WITHOUT ROWID;
DROP TABLE compounds;
CREATE TABLE compounds (
    shelf      INTEGER NOT NULL,
    word       TEXT NOT NULL,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    PRIMARY KEY (shelf, word, memory_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX compounds_by_memory ON compounds (memory_seq);
CREATE VIEW memory_postings AS -- what each memory should have in `postings`
    SELECT s.shelf, w.value ->> 0 AS word, t.seq AS memory_seq, w.value ->> 1 AS weight, z.tokens FROM (
        SELECT rowid AS seq, json_array(summary, content, tags, parts) AS texts FROM memory_text UNION ALL
        SELECT rowid, json_array(summary, content, tags, parts) FROM memory_text_aside
    ) t CROSS JOIN text_sizes z ON z.seq = t.seq
    CROSS JOIN text_statistics s ON s.namespace = z.namespace AND s.aside = z.aside
    CROSS JOIN json_each(weights_of(t.texts)) w;
CREATE VIEW memory_compounds AS -- what each memory should have in `compounds`
    SELECT s.shelf, c.value AS word, m.seq AS memory_seq FROM memories m
    CROSS JOIN text_statistics s ON s.namespace = m.namespace AND s.aside = m.aside
    CROSS JOIN json_each(compounds_of(m.content)) c;
INSERT INTO postings (shelf, word, memory_seq, weight, tokens)
    SELECT shelf, word, memory_seq, weight, tokens FROM memory_postings ORDER BY shelf, word, memory_seq;
INSERT INTO compounds (shelf, word, memory_seq) SELECT shelf, word, memory_seq FROM memory_compounds;
CREATE TRIGGER memories_come_with_their_words AFTER INSERT ON memories
BEGIN
    INSERT INTO memory_text (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND NOT aside;
    INSERT INTO memory_text_aside (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND aside;
    INSERT INTO text_statistics (namespace, aside, memories, tokens)
        SELECT namespace, aside, 1, tokens FROM text_sizes WHERE seq = NEW.seq
        ON CONFLICT (namespace, aside) DO UPDATE SET memories = memories + 1, tokens = tokens + excluded.tokens;
    INSERT INTO postings (shelf, word, memory_seq, weight, tokens)
        SELECT shelf, word, memory_seq, weight, tokens FROM memory_postings WHERE memory_seq = NEW.seq;
    INSERT INTO compounds (shelf, word, memory_seq)
        SELECT shelf, word, memory_seq FROM memory_compounds WHERE memory_seq = NEW.seq;
END;
CREATE TRIGGER memories_change_their_words
AFTER UPDATE OF namespace, summary, content, tags, status, kind, source ON memories
WHEN (OLD.namespace, OLD.aside, OLD.summary, OLD.content, OLD.tags)
    IS NOT (NEW.namespace, NEW.aside, NEW.summary, NEW.content, NEW.tags)
BEGIN
    UPDATE text_statistics SET memories = memories - 1, tokens = tokens - tokens_of(CASE OLD.aside
        WHEN 0 THEN (SELECT sz FROM memory_text_docsize WHERE id = OLD.seq)
        ELSE (SELECT sz FROM memory_text_aside_docsize WHERE id = OLD.seq) END)
        WHERE namespace = OLD.namespace AND aside = OLD.aside;
    DELETE FROM postings WHERE memory_seq = OLD.seq
        AND shelf = (SELECT shelf FROM text_statistics WHERE namespace = OLD.namespace AND aside = OLD.aside)
        AND word IN (SELECT w.value ->> 0 FROM (
            SELECT json_array(summary, content, tags, parts) AS texts FROM memory_text WHERE rowid = OLD.seq UNION ALL
            SELECT json_array(summary, content, tags, parts) FROM memory_text_aside WHERE rowid = OLD.seq
        ) t CROSS JOIN json_each(weights_of(t.texts)) w);
    DELETE FROM postings WHERE memory_seq = OLD.seq -- of a damaged text index, which does not say its words: slow
        AND shelf = (SELECT shelf FROM text_statistics WHERE namespace = OLD.namespace AND aside = OLD.aside
            AND NOT EXISTS (SELECT 1 FROM memory_text WHERE rowid = OLD.seq)
            AND NOT EXISTS (SELECT 1 FROM memory_text_aside WHERE rowid = OLD.seq));
    DELETE FROM memory_text WHERE rowid = OLD.seq;
    DELETE FROM memory_text_aside WHERE rowid = OLD.seq;
    DELETE FROM compounds WHERE memory_seq = OLD.seq;
    INSERT INTO memory_text (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND NOT aside;
    INSERT INTO memory_text_aside (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND aside;
    INSERT INTO text_statistics (namespace, aside, memories, tokens)
        SELECT namespace, aside, 1, tokens FROM text_sizes WHERE seq = NEW.seq
        ON CONFLICT (namespace, aside) DO UPDATE SET memories = memories + 1, tokens = tokens + excluded.tokens;
    INSERT INTO postings (shelf, word, memory_seq, weight, tokens)
        SELECT shelf, word, memory_seq, weight, tokens FROM memory_postings WHERE memory_seq = NEW.seq;
    INSERT INTO compounds (shelf, word, memory_seq)
        SELECT shelf, word, memory_seq FROM memory_compounds WHERE memory_seq = NEW.seq;
END;
CREATE TRIGGER memories_take_their_words_along AFTER DELETE ON memories
BEGIN
    UPDATE text_statistics SET memories = memories - 1, tokens = tokens - tokens_of(CASE OLD.aside
        WHEN 0 THEN (SELECT sz FROM memory_text_docsize WHERE id = OLD.seq)
        ELSE (SELECT sz FROM memory_text_aside_docsize WHERE id = OLD.seq) END)
        WHERE namespace = OLD.namespace AND aside = OLD.aside;
    DELETE FROM postings WHERE memory_seq = OLD.seq
        AND shelf = (SELECT shelf FROM text_statistics WHERE namespace = OLD.namespace AND aside = OLD.aside)
        AND word IN (SELECT w.value ->> 0 FROM (
            SELECT json_array(summary, content, tags, parts) AS texts FROM memory_text WHERE rowid = OLD.seq UNION ALL
            SELECT json_array(summary, content, tags, parts) FROM memory_text_aside WHERE rowid = OLD.seq
        ) t CROSS JOIN json_each(weights_of(t.texts)) w);
    DELETE FROM postings WHERE memory_seq = OLD.seq -- of a damaged text index, which does not say its words: slow
        AND shelf = (SELECT shelf FROM text_statistics WHERE namespace = OLD.namespace AND aside = OLD.aside
            AND NOT EXISTS (SELECT 1 FROM memory_text WHERE rowid = OLD.seq)
            AND NOT EXISTS (SELECT 1 FROM memory_text_aside WHERE rowid = OLD.seq));
    DELETE FROM memory_text WHERE rowid = OLD.seq;
    DELETE FROM memory_text_aside WHERE rowid = OLD.seq;
    DELETE FROM compounds WHERE memory_seq = OLD.seq;
END;
-- Where this device stands among those that sync with it: one row, none without sync.
CREATE TABLE sync_place (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    place TEXT NOT NULL CHECK (json_valid(place))
) STRICT;
-- What sync knows of each record, and how it left it in the store: `mark` is NULL where it is not there.
CREATE TABLE sync_records (
    kind       TEXT NOT NULL,
    id         TEXT NOT NULL,
    parent     TEXT NOT NULL,
    written    TEXT NOT NULL CHECK (json_valid(written)),
    state      TEXT NOT NULL, -- JSON; empty where it was erased here, which is not told yet
    mark       TEXT,
    expires_at INTEGER
) STRICT;
CREATE UNIQUE INDEX sync_records_by_id ON sync_records (kind, id);
CREATE INDEX sync_records_by_mark ON sync_records (kind, id, mark, expires_at);
CREATE INDEX sync_records_by_parent ON sync_records (kind, parent) WHERE parent <> '';
-- What is erased is nowhere kept. Where a deletion may not be final, as by an end date, what was seen stays known.
CREATE TRIGGER sync_forgets_memories AFTER DELETE ON memories
BEGIN
    UPDATE sync_records SET mark = '', expires_at = OLD.expires_at,
        state = CASE WHEN OLD.expires_at IS NULL THEN '' ELSE json_set(state, '$.entries', json_array()) END
    WHERE kind = 'memory' AND id = OLD.id AND state <> '';
END;
CREATE TRIGGER sync_forgets_relations AFTER DELETE ON relations
BEGIN
    UPDATE sync_records SET mark = '', state = json_set(state, '$.entries', json_array())
    WHERE kind = 'relation' AND id = OLD.from_id || ' ' || OLD.type || ' ' || OLD.to_id AND state <> '';
END;
CREATE TRIGGER sync_forgets_goals AFTER DELETE ON goals
BEGIN
    UPDATE sync_records SET mark = '', state = '' WHERE kind = 'goal' AND id = OLD.id;
END;
CREATE TRIGGER sync_forgets_reflections AFTER DELETE ON events WHEN OLD.type = 'reflection'
BEGIN
    UPDATE sync_records SET mark = '', state = '' WHERE kind = 'reflection' AND id = OLD.id;
END;
-- Lessons that prove themselves: how each stands. `digest` is of its wording, from which evidence counts.
CREATE TABLE lesson_states (
    memory_seq INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    namespace  TEXT NOT NULL,
    digest     TEXT NOT NULL DEFAULT '', -- empty while its runs were not read yet
    since      INTEGER NOT NULL,
    told       INTEGER NOT NULL DEFAULT 0,
    told_at    INTEGER,
    state      TEXT NOT NULL DEFAULT 'unproven',
    verdict    TEXT NOT NULL DEFAULT 'unknown', -- of the last look, which was at so many runs
    looked     INTEGER NOT NULL DEFAULT 0,
    note       TEXT NOT NULL DEFAULT '',
    state_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX lesson_states_by_namespace ON lesson_states (namespace, state);
-- When a session was told a lesson first, in each way.
CREATE TABLE lesson_tellings (
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    way        TEXT NOT NULL,
    told_at    INTEGER NOT NULL,
    PRIMARY KEY (session, memory_seq, way)
) STRICT, WITHOUT ROWID;
CREATE INDEX lesson_tellings_by_memory ON lesson_tellings (memory_seq);
-- The runs of a lesson's tool that count: of a session at most one for each place and each way of telling.
CREATE TABLE lesson_runs (
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    told       TEXT NOT NULL,
    place      TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    followed   INTEGER CHECK (followed IN (0, 1)),
    ran_at     INTEGER NOT NULL,
    PRIMARY KEY (memory_seq, session, told, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX lesson_runs_by_session ON lesson_runs (session);
-- Up to which event runs were read.
CREATE TABLE lesson_reading (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    event INTEGER NOT NULL
) STRICT;
-- The files of memories. Their bytes are kept once, in parts, whoever has them, and go with the last who has them.
CREATE TABLE attachments (
    memory_id    TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    content_hash TEXT NOT NULL CHECK (length(content_hash) = 64), -- SHA-256 of the bytes
    namespace    TEXT NOT NULL REFERENCES namespaces (id),
    name         TEXT NOT NULL,
    media_type   TEXT NOT NULL,
    size         INTEGER NOT NULL CHECK (size > 0),
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (memory_id, content_hash)
) STRICT;
CREATE INDEX attachments_by_content ON attachments (content_hash);
CREATE INDEX attachments_by_namespace ON attachments (namespace, created_at, size);
CREATE TABLE attachment_parts (
    content_hash TEXT NOT NULL,
    part         INTEGER NOT NULL CHECK (part >= 0),
    data         BLOB NOT NULL,
    PRIMARY KEY (content_hash, part)
) STRICT;
CREATE TRIGGER attachments_take_their_bytes AFTER DELETE ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE content_hash = OLD.content_hash)
BEGIN
    DELETE FROM attachment_parts WHERE content_hash = OLD.content_hash;
END;
CREATE TRIGGER sync_forgets_attachments AFTER DELETE ON attachments
BEGIN
    UPDATE sync_records SET mark = '', state = json_set(state, '$.entries', json_array())
    WHERE kind = 'attachment' AND id = OLD.memory_id || ' ' || OLD.content_hash AND state <> '';
END;
