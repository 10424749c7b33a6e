-- How often tools are called, and what their answers cost: statistics, by day.
CREATE TABLE usage (
    day        TEXT NOT NULL, -- ISO 8601, UTC
    namespace  TEXT NOT NULL,
    client     TEXT NOT NULL,
    tool       TEXT NOT NULL,
    calls      INTEGER NOT NULL,
    failures   INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    hits       INTEGER NOT NULL,
    used       INTEGER NOT NULL,
    PRIMARY KEY (day, namespace, client, tool)
) STRICT, WITHOUT ROWID;
