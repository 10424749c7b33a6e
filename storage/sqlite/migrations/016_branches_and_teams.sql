-- Branches of namespaces, and what a merge into their origins needs.
CREATE TABLE branches (
    namespace  TEXT PRIMARY KEY REFERENCES namespaces (id),
    origin     TEXT NOT NULL REFERENCES namespaces (id),
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    CHECK (namespace <> origin)
) STRICT, WITHOUT ROWID;
CREATE INDEX branches_by_origin ON branches (origin);

-- When a memory of a branch and one of its origin were last the same: after the fork, and after each merge.
CREATE TABLE branch_points (
    memory_id      TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    version        INTEGER NOT NULL,
    origin_id      TEXT NOT NULL, -- kept when that one is erased: what is erased there does not come back from here
    origin_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was merged, each proposal once.
CREATE TABLE branch_merges (
    approval   TEXT PRIMARY KEY,
    namespace  TEXT NOT NULL, -- the origin
    branch     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    created    INTEGER NOT NULL,
    changed    INTEGER NOT NULL,
    contested  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX branch_merges_by_namespace ON branch_merges (namespace, at);

-- Whether somebody else than its author has to review a merge: always, or where it changes what is watched.
CREATE TABLE governance (
    namespace TEXT PRIMARY KEY,
    review    TEXT NOT NULL CHECK (review IN ('always', 'watched'))
) STRICT, WITHOUT ROWID;
CREATE TABLE watches (
    namespace TEXT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('tag', 'slot', 'memory')),
    value     TEXT NOT NULL,
    demands   TEXT NOT NULL CHECK (demands IN ('review', 'notify')),
    PRIMARY KEY (namespace, kind, value)
) STRICT, WITHOUT ROWID;

-- The manifests of teams that were applied here: the newest of each, and the key that signs them.
CREATE TABLE teams (
    id         TEXT PRIMARY KEY,
    label      TEXT NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    signer     TEXT NOT NULL,
    digest     TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
