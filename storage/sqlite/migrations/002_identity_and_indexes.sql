-- Which store this is. A file beside the database holds the same id, so that a lost or exchanged one is noticed.
CREATE TABLE store_identity (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    store_id TEXT NOT NULL
) STRICT;
INSERT INTO store_identity (id, store_id) VALUES (1, lower(hex(randomblob(16))));

-- A vector is larger than an index may keep on a page: without a rowid each one took a page of its own.
CREATE TABLE embeddings_by_row (
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    generation INTEGER NOT NULL REFERENCES embedding_generations (id),
    vector     BLOB NOT NULL, -- unit length, float32, little-endian
    UNIQUE (generation, memory_seq)
) STRICT;
INSERT INTO embeddings_by_row (memory_seq, generation, vector)
    SELECT memory_seq, generation, vector FROM embeddings ORDER BY generation, memory_seq;
DROP TABLE embeddings;
ALTER TABLE embeddings_by_row RENAME TO embeddings;
CREATE INDEX embeddings_by_memory ON embeddings (memory_seq);

-- The strongest memories and the counts of a snapshot are read from this index alone.
CREATE INDEX memories_by_importance ON memories (namespace, importance, accessed_at, expires_at);
