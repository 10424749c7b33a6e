-- A memory has a vector for each passage of its content: one, or overlapping ones that cover a long content.
CREATE TABLE embedded_passages (
    id         INTEGER PRIMARY KEY,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    part       INTEGER NOT NULL CHECK (part >= 0), -- in the order of the content, from 0, without gaps
    generation INTEGER NOT NULL REFERENCES embedding_generations (id),
    begins     INTEGER NOT NULL, -- characters of the content
    ends       INTEGER NOT NULL,
    vector     BLOB NOT NULL, -- unit length, float32, little-endian
    UNIQUE (generation, memory_seq, part)
) STRICT;
INSERT INTO embedded_passages (memory_seq, part, generation, begins, ends, vector)
    SELECT e.memory_seq, 0, e.generation, 0, length(m.content), e.vector
    FROM embeddings e JOIN memories m ON m.seq = e.memory_seq ORDER BY e.generation, e.memory_seq;
DROP TABLE embeddings;
ALTER TABLE embedded_passages RENAME TO embeddings;
CREATE INDEX embeddings_by_memory ON embeddings (memory_seq, part);

-- For late interaction: the sign bits of the vectors of a passage's tokens. Apart, so that vectors are read alone.
CREATE TABLE token_signs (
    embedding INTEGER PRIMARY KEY REFERENCES embeddings (id) ON DELETE CASCADE,
    signs     BLOB NOT NULL -- dimension / 8 bytes a token
) STRICT;

-- How many passages a change took away: the index cannot ask for them any more.
ALTER TABLE index_outbox ADD COLUMN passages INTEGER NOT NULL DEFAULT 0 CHECK (passages >= 0);
