-- The text index holds words as AgentOS cuts them, of every script; FTS5 splits at the spaces between them alone. What
-- cuts is AgentOS's own (text_functions.py): a program that does not have it cannot write a text that nobody finds.
DROP TRIGGER memories_come_with_their_words;
DROP TRIGGER memories_change_their_words;
DROP TRIGGER memories_take_their_words_along;
DROP TABLE memory_text;
DROP TABLE memory_text_aside;

CREATE VIEW memory_words AS -- `parts` are those of names of code, which count less than words
    SELECT seq, aside, words_of(summary) AS summary, words_of(content) AS content,
        words_of((SELECT group_concat(value, ' ') FROM json_each(tags))) AS tags, parts_of(content) AS parts
    FROM memories;
-- rowid is memories.seq. Porter stemming; the headline counts more than the body.
CREATE VIRTUAL TABLE memory_text USING fts5 (summary, content, tags, parts, tokenize = 'porter ascii');
CREATE VIRTUAL TABLE memory_text_aside USING fts5 (summary, content, tags, parts, tokenize = 'porter ascii');
INSERT INTO memory_text (rowid, summary, content, tags, parts)
    SELECT seq, summary, content, tags, parts FROM memory_words WHERE NOT aside;
INSERT INTO memory_text_aside (rowid, summary, content, tags, parts)
    SELECT seq, summary, content, tags, parts FROM memory_words WHERE aside;

-- Words so long that they may be made of others, for queries that have one of these.
CREATE TABLE compounds (
    word       TEXT NOT NULL,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    PRIMARY KEY (word, memory_seq)
) STRICT, WITHOUT ROWID;
INSERT INTO compounds (word, memory_seq)
    SELECT c.value, m.seq FROM memories m, json_each(compounds_of(m.content)) c;
CREATE INDEX compounds_by_memory ON compounds (memory_seq);

-- The index of the tags holds them as they are compared: composed, without case.
CREATE TABLE memory_tags_as_compared (
    tag        TEXT NOT NULL,
    memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    PRIMARY KEY (tag, memory_seq)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO memory_tags_as_compared (tag, memory_seq) SELECT tag_of(t.tag), t.memory_seq FROM memory_tags t;
DROP TABLE memory_tags;
ALTER TABLE memory_tags_as_compared RENAME TO memory_tags;
CREATE INDEX memory_tags_by_memory ON memory_tags (memory_seq);

-- The text index follows the memories, whoever writes them.
CREATE TRIGGER memories_come_with_their_words AFTER INSERT ON memories
BEGIN
    INSERT INTO memory_text (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND NOT aside;
    INSERT INTO memory_text_aside (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND aside;
    INSERT INTO compounds (word, memory_seq) SELECT value, NEW.seq FROM json_each(compounds_of(NEW.content));
END;
CREATE TRIGGER memories_change_their_words AFTER UPDATE OF summary, content, tags, status, kind, source ON memories
WHEN (OLD.aside, OLD.summary, OLD.content, OLD.tags) IS NOT (NEW.aside, NEW.summary, NEW.content, NEW.tags)
BEGIN
    DELETE FROM memory_text WHERE rowid = OLD.seq;
    DELETE FROM memory_text_aside WHERE rowid = OLD.seq;
    DELETE FROM compounds WHERE memory_seq = OLD.seq;
    INSERT INTO memory_text (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND NOT aside;
    INSERT INTO memory_text_aside (rowid, summary, content, tags, parts)
        SELECT seq, summary, content, tags, parts FROM memory_words WHERE seq = NEW.seq AND aside;
    INSERT INTO compounds (word, memory_seq) SELECT value, NEW.seq FROM json_each(compounds_of(NEW.content));
END;
CREATE TRIGGER memories_take_their_words_along AFTER DELETE ON memories
BEGIN
    DELETE FROM memory_text WHERE rowid = OLD.seq;
    DELETE FROM memory_text_aside WHERE rowid = OLD.seq;
    DELETE FROM compounds WHERE memory_seq = OLD.seq;
END;
