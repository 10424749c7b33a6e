-- What the gateway has put into conversations, so that it is put in again character for character: for a while.
CREATE TABLE told_blocks (
    namespace text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL, -- of the conversation up to the message that has it
    text text COLLATE "C" NOT NULL,
    told_at bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, namespace, digest)
);
CREATE INDEX told_blocks_by_time ON told_blocks (tenant, told_at);

CREATE TABLE told_memories ( -- the memories that a block tells: with one of them the block goes
    namespace text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    memory text COLLATE "C" NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, namespace, digest, place),
    FOREIGN KEY (tenant, namespace, digest) REFERENCES told_blocks (tenant, namespace, digest) ON DELETE CASCADE
);
CREATE INDEX told_memories_by_memory ON told_memories (tenant, namespace, memory);

-- The tokens of memory in calls of models, and those that a replay of every kept conversation would have had.
ALTER TABLE spending ADD COLUMN told bigint NOT NULL DEFAULT 0;
ALTER TABLE spending ADD COLUMN replay bigint NOT NULL DEFAULT 0;
