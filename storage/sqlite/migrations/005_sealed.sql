-- Texts that only their owner can read, each with a vector that its owner made. Apart from memories, so that nothing
-- embeds them, indexes their words, or shows them beside others.
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
) STRICT;
CREATE INDEX sealed_memories_by_namespace ON sealed_memories (namespace, seq);
