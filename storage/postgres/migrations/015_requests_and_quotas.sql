-- What requests with an Idempotency-Key have changed: one that comes again changes nothing twice.
CREATE TABLE request_effects (
    principal text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    at bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, principal, key, action, subject)
);
CREATE INDEX request_effects_by_time ON request_effects (tenant, at);

-- How much a namespace may hold, and for how many days; NULL is any number.
ALTER TABLE namespace_policies ADD COLUMN max_memories bigint CHECK (max_memories > 0);
ALTER TABLE namespace_policies ADD COLUMN max_bytes bigint CHECK (max_bytes > 0);
ALTER TABLE namespace_policies ADD COLUMN retention_days bigint CHECK (retention_days > 0);
