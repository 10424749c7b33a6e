-- Branches of namespaces, and what a merge into their origins needs.
CREATE TABLE branches (
    namespace text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    created_by text COLLATE "C" NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, namespace),
    FOREIGN KEY (tenant, namespace) REFERENCES namespaces (tenant, id),
    FOREIGN KEY (tenant, origin) REFERENCES namespaces (tenant, id),
    CHECK (namespace <> origin)
);
CREATE INDEX branches_by_origin ON branches (tenant, origin);

-- When a memory of a branch and one of its origin were last the same: after the fork, and after each merge.
CREATE TABLE branch_points (
    memory_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    origin_id text COLLATE "C" NOT NULL,
    origin_version bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, memory_id),
    FOREIGN KEY (tenant, memory_id) REFERENCES memories (tenant, id) ON DELETE CASCADE
);

-- What was merged, each proposal once.
CREATE TABLE branch_merges (
    approval text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    branch text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    decided_by text COLLATE "C" NOT NULL,
    created bigint NOT NULL,
    changed bigint NOT NULL,
    contested bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, approval)
);
CREATE INDEX branch_merges_by_namespace ON branch_merges (tenant, namespace, at);

-- Whether somebody else than its author has to review a merge: always, or where it changes what is watched.
CREATE TABLE governance (
    namespace text COLLATE "C" NOT NULL,
    review text COLLATE "C" NOT NULL CHECK (review IN ('always', 'watched')),
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, namespace)
);
CREATE TABLE watches (
    namespace text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('tag', 'slot', 'memory')),
    value text COLLATE "C" NOT NULL,
    demands text COLLATE "C" NOT NULL CHECK (demands IN ('review', 'notify')),
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, namespace, kind, value)
);

-- The manifests of teams that were applied here: the newest of each, and the key that signs them.
CREATE TABLE teams (
    id text COLLATE "C" NOT NULL,
    label text COLLATE "C" NOT NULL,
    version bigint NOT NULL CHECK (version > 0),
    signer text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    applied_at bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, id)
);
