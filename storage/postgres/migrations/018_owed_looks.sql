-- Memories that got their first vector and were not compared with others yet; what was there before owes nothing.
CREATE TABLE owed_looks (
    memory_seq bigint PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    tenant integer NOT NULL DEFAULT current_tenant()
);
