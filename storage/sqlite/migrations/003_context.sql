-- A memory may belong to a conversation: its place there is given by arrival, from 0, and never changes.
ALTER TABLE memories ADD COLUMN session TEXT;
ALTER TABLE memories ADD COLUMN place INTEGER CHECK ((session IS NULL) = (place IS NULL) AND place >= 0);
-- Derived from a content that begins with "Name: "; of conversations only.
ALTER TABLE memories ADD COLUMN speaker TEXT CHECK (speaker IS NULL OR session IS NOT NULL);
CREATE UNIQUE INDEX memories_by_session ON memories (namespace, session, place) WHERE session IS NOT NULL;
CREATE INDEX memories_by_speaker ON memories (namespace, speaker) WHERE speaker IS NOT NULL;
