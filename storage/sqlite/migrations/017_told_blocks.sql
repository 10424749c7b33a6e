-- What the gateway has put into conversations, so that it is put in again character for character: for a while.
CREATE TABLE told_blocks (
    namespace TEXT NOT NULL,
    digest    TEXT NOT NULL, -- of the conversation up to the message that has it
    text      TEXT NOT NULL,
    told_at   INTEGER NOT NULL,
    PRIMARY KEY (namespace, digest)
) STRICT;
CREATE INDEX told_blocks_by_time ON told_blocks (told_at);

CREATE TABLE told_memories ( -- the memories that a block tells: with one of them the block goes
    namespace TEXT NOT NULL,
    digest    TEXT NOT NULL,
    place     INTEGER NOT NULL,
    memory    TEXT NOT NULL,
    PRIMARY KEY (namespace, digest, place),
    FOREIGN KEY (namespace, digest) REFERENCES told_blocks (namespace, digest) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX told_memories_by_memory ON told_memories (namespace, memory);

-- The tokens of memory in calls of models, and those that a replay of every kept conversation would have had.
ALTER TABLE spending ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spending ADD COLUMN replay INTEGER NOT NULL DEFAULT 0;
