-- Which store this is. A file beside the database holds the same id, so that a lost or exchanged one is noticed.
CREATE TABLE store_identity (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    store_id TEXT NOT NULL
) STRICT;
INSERT INTO store_identity (id, store_id) VALUES (1, lower(hex(randomblob(16))));
