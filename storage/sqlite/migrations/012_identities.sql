-- Who may ask: principals, their keys (of which a digest alone is kept), and what they were granted.
CREATE TABLE principals (
    id         TEXT PRIMARY KEY,
    home       TEXT NOT NULL, -- the namespace of calls that name none
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
    namespace  TEXT NOT NULL,
    principal  TEXT NOT NULL REFERENCES principals (id),
    tag        TEXT NOT NULL, -- "" for all memories
    access     TEXT NOT NULL CHECK (access IN ('read', 'write', 'admin')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (principal, namespace, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE namespace_policies (
    namespace TEXT PRIMARY KEY,
    reads     TEXT NOT NULL CHECK (json_valid(reads)),
    target    TEXT
) STRICT, WITHOUT ROWID;

-- The audit log is a chain: each entry has the hash of the one before it in its own, and the last is kept apart.
ALTER TABLE audit RENAME TO audit_unchained;
DROP INDEX audit_by_subject;
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
) STRICT;
CREATE TABLE audit_head (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    seq     INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    hash    TEXT NOT NULL
) STRICT;
INSERT INTO audit_head (id, seq, entries, hash) VALUES (1, 0, 0, '');
CREATE TRIGGER audit_is_a_chain AFTER INSERT ON audit WHEN NEW.hash = '' -- a copy of a store keeps its own
BEGIN
    UPDATE audit SET hash = sha256_of(json_array(
        (SELECT hash FROM audit_head), NEW.seq, NEW.at, NEW.principal, NEW.door, NEW.request_id, NEW.namespace,
        NEW.action, NEW.subject, NEW.detail
    )) WHERE seq = NEW.seq;
    UPDATE audit_head SET seq = NEW.seq, entries = entries + 1,
        hash = (SELECT hash FROM audit WHERE seq = NEW.seq);
END;
INSERT INTO audit (seq, at, principal, door, request_id, namespace, action, subject, detail)
    SELECT seq, at, '', '', '', namespace, action, subject, detail FROM audit_unchained ORDER BY seq;
DROP TABLE audit_unchained;
CREATE INDEX audit_by_subject ON audit (subject);

-- The words of each text index, one by one, and their number by namespace: scores of one count nothing of another.
CREATE VIRTUAL TABLE memory_text_words USING fts5vocab (memory_text, instance);
CREATE VIRTUAL TABLE memory_text_aside_words USING fts5vocab (memory_text_aside, instance);
CREATE TABLE text_statistics (
    namespace TEXT NOT NULL,
    aside     INTEGER NOT NULL,
    memories  INTEGER NOT NULL,
    tokens    INTEGER NOT NULL,
    PRIMARY KEY (namespace, aside)
) STRICT, WITHOUT ROWID;
CREATE VIEW text_sizes AS -- of each memory, how many words its text index has
    SELECT m.seq, m.namespace, m.aside, tokens_of(CASE m.aside
        WHEN 0 THEN (SELECT d.sz FROM memory_text_docsize d WHERE d.id = m.seq)
        ELSE (SELECT d.sz FROM memory_text_aside_docsize d WHERE d.id = m.seq) END) AS tokens
    FROM memories m;
INSERT INTO text_statistics (namespace, aside, memories, tokens)
    SELECT namespace, aside, count(*), sum(tokens) FROM text_sizes GROUP BY namespace, aside;

DROP TRIGGER memories_come_with_their_words;
DROP TRIGGER memories_change_their_words;
DROP TRIGGER memories_take_their_words_along;
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
