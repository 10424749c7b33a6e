-- What a memory states, how far it is believed, and from when until when it holds.
ALTER TABLE memories ADD COLUMN kind TEXT NOT NULL DEFAULT 'note' CHECK (kind IN (
    'note', 'fact', 'preference', 'attribute', 'observation', 'summary', 'episode', 'procedure', 'rule', 'knowledge'));
UPDATE memories SET kind = 'procedure' WHERE memory_type = 'procedural';
ALTER TABLE memories ADD COLUMN status TEXT NOT NULL DEFAULT 'active' CHECK (status IN (
    'candidate', 'active', 'contested', 'stale', 'archived', 'forgotten'));
ALTER TABLE memories ADD COLUMN confidence REAL NOT NULL DEFAULT 0.7 CHECK (confidence BETWEEN 0 AND 1);
ALTER TABLE memories ADD COLUMN trust REAL NOT NULL DEFAULT 1.0 CHECK (trust BETWEEN 0 AND 1); -- of its source
ALTER TABLE memories ADD COLUMN subject TEXT; -- the slot: canonical, lower case; all of it is there or nothing is
ALTER TABLE memories ADD COLUMN attribute TEXT CHECK ((attribute IS NULL) = (subject IS NULL));
ALTER TABLE memories ADD COLUMN value TEXT CHECK (value IS NULL OR subject IS NOT NULL);
ALTER TABLE memories ADD COLUMN slot_confidence REAL
    CHECK ((slot_confidence IS NULL) = (subject IS NULL) AND slot_confidence BETWEEN 0 AND 1);
ALTER TABLE memories ADD COLUMN polarity INTEGER CHECK ((polarity IS NULL) = (subject IS NULL) AND polarity IN (0, 1));
ALTER TABLE memories ADD COLUMN valid_from INTEGER; -- NULL: since occurred_at
ALTER TABLE memories ADD COLUMN valid_to INTEGER; -- NULL: it still holds
ALTER TABLE memories ADD COLUMN confirmations INTEGER NOT NULL DEFAULT 0 CHECK (confirmations >= 0);
ALTER TABLE memories ADD COLUMN rejections INTEGER NOT NULL DEFAULT 0 CHECK (rejections >= 0);
CREATE INDEX memories_by_slot ON memories (namespace, subject, attribute) WHERE subject IS NOT NULL;
-- Those that an answer may have to leave out: few, and counted by every search by vectors.
CREATE INDEX memories_hidden ON memories (namespace, seq, status, valid_to)
    WHERE valid_to IS NOT NULL OR status IN ('archived', 'forgotten');

-- The strongest memories and the counts of a snapshot are read from this index alone.
DROP INDEX memories_by_importance;
CREATE INDEX memories_by_importance ON memories (namespace, importance, accessed_at, expires_at, status, valid_to);

CREATE TABLE relations (
    from_id    TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    to_id      TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    type       TEXT NOT NULL,
    weight     REAL NOT NULL,
    evidence   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (from_id, type, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX relations_by_target ON relations (to_id, type);

-- Every judgement, with what undo needs. Standings are JSON by memory; texts are never part of it.
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
) STRICT;
CREATE INDEX changes_by_memory ON changes (memory_id, seq);

-- Which memories a change touched.
CREATE TABLE change_memories (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    change    INTEGER NOT NULL REFERENCES changes (seq) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, change)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_memories_by_change ON change_memories (change);
