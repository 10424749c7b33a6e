-- What requests with an Idempotency-Key have changed: one that comes again changes nothing twice.
CREATE TABLE request_effects (
    principal TEXT NOT NULL,
    key       TEXT NOT NULL,
    action    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    digest    BLOB NOT NULL, -- SHA-256 of the path, the query and the body
    at        INTEGER NOT NULL,
    PRIMARY KEY (principal, key, action, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_effects_by_time ON request_effects (at);

-- How much a namespace may hold, and for how many days; NULL is any number.
ALTER TABLE namespace_policies ADD COLUMN max_memories INTEGER CHECK (max_memories > 0);
ALTER TABLE namespace_policies ADD COLUMN max_bytes INTEGER CHECK (max_bytes > 0);
ALTER TABLE namespace_policies ADD COLUMN retention_days INTEGER CHECK (retention_days > 0);
