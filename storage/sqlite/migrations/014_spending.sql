-- What calls to models through the gateway cost in tokens: statistics, by day.
CREATE TABLE spending (
    day       TEXT NOT NULL, -- ISO 8601, UTC
    namespace TEXT NOT NULL,
    client    TEXT NOT NULL, -- the name of the gateway's key
    model     TEXT NOT NULL,
    calls     INTEGER NOT NULL,
    estimated INTEGER NOT NULL, -- calls whose tokens the provider did not tell
    uncached  INTEGER NOT NULL,
    cached    INTEGER NOT NULL,
    written   INTEGER NOT NULL,
    output    INTEGER NOT NULL,
    PRIMARY KEY (day, namespace, client, model)
) STRICT, WITHOUT ROWID;
