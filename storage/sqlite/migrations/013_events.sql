-- How far each handler of events has been given the log of changes (audit): the last entry that was queued for it.
CREATE TABLE event_handlers (
    name   TEXT PRIMARY KEY,
    cursor INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
