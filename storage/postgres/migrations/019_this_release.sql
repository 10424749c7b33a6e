-- How much a store holds, to show and to limit it: memories, sealed ones too, and the bytes of their texts.
ALTER TABLE numbers ADD held bigint NOT NULL DEFAULT 0, ADD held_bytes bigint NOT NULL DEFAULT 0;
-- One row for each daemon, as several may serve a store: by a random number, where, and how far its clock is ahead.
ALTER TABLE daemon_state DROP CONSTRAINT daemon_state_id_check;
ALTER TABLE daemon_state ADD host text COLLATE "C" NOT NULL DEFAULT '', ADD skew_us bigint NOT NULL DEFAULT 0;
-- Transactions wait for each other's numbers only while they commit: until then a row of the log has a negative number,
-- and a memory or change whose number is below one that is committed already is announced, or numbered, anew.
CREATE SEQUENCE audit_waiting_seq;
CREATE OR REPLACE FUNCTION give_a_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq IS NULL THEN
        IF TG_TABLE_NAME = 'memories' THEN
            NEW.seq := nextval('memories_seq');
        ELSE
            NEW.seq := nextval('index_outbox_seq');
        END IF;
    END IF;
    RETURN NEW;
END $$;
-- The one row of a store's numbers changes once in a transaction, however many rows this adds: statements note for the
-- commit what they added or took.
CREATE FUNCTION note_for_commit(store integer, more bigint, bytes bigint, newest_memory bigint, newest_change bigint)
    RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    noted bigint[] := coalesce(nullif(current_setting('agentos.noted_' || store, true), ''), '{0,0,0,0}');
BEGIN
    PERFORM set_config('agentos.noted_' || store, ARRAY[noted[1] + more, noted[2] + bytes,
        greatest(noted[3], newest_memory), greatest(noted[4], newest_change)]::text, true);
END $$;
CREATE FUNCTION note_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_for_commit(tenant, 0, 0, 0, max(seq)) FROM touched GROUP BY tenant;
    RETURN NULL;
END $$;
CREATE TRIGGER changes_are_noted AFTER INSERT ON index_outbox REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION note_changes();
-- Returns the numbers of memories and changes that were the newest before this transaction; others wait from then on.
CREATE FUNCTION settle_the_numbers(store integer) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    noted bigint[] := nullif(current_setting('agentos.noted_' || store, true), '');
    before bigint[] := nullif(current_setting('agentos.before_' || store, true), '');
    after_it numbers;
BEGIN
    IF noted IS NULL AND before IS NOT NULL THEN
        RETURN before;
    END IF;
    IF before IS NULL THEN
        SELECT ARRAY[memories, index_outbox] INTO before FROM numbers WHERE tenant = store FOR UPDATE;
        PERFORM set_config('agentos.before_' || store, before::text, true);
    END IF;
    UPDATE numbers SET memories = greatest(memories, noted[3]), index_outbox = greatest(index_outbox, noted[4]),
        held = held + coalesce(noted[1], 0), held_bytes = held_bytes + coalesce(noted[2], 0)
        WHERE tenant = store RETURNING * INTO after_it;
    PERFORM set_config('agentos.noted_' || store, '', true);
    IF noted[1] > 0 OR noted[2] > 0 THEN
        PERFORM require_quota(store, CASE WHEN noted[1] > 0 THEN after_it.held END,
            CASE WHEN noted[2] > 0 THEN after_it.held_bytes END);
    END IF;
    RETURN before;
END $$;
CREATE FUNCTION settle_the_number() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before bigint[] := settle_the_numbers(NEW.tenant);
BEGIN
    IF TG_TABLE_NAME = 'memories' THEN
        IF NEW.seq <= before[1] THEN
            INSERT INTO index_outbox (namespace, memory_seq, operation, tenant)
                VALUES (NEW.namespace, NEW.seq, 'delete', NEW.tenant);
        END IF;
    ELSIF NEW.seq <= before[2] THEN
        UPDATE index_outbox SET seq = nextval('index_outbox_seq') WHERE seq = NEW.seq RETURNING seq INTO NEW.seq;
        UPDATE numbers SET index_outbox = greatest(index_outbox, NEW.seq) WHERE tenant = NEW.tenant;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER memories_settle_their_number AFTER INSERT ON memories DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION settle_the_number();
CREATE CONSTRAINT TRIGGER changes_settle_their_number AFTER INSERT ON index_outbox DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION settle_the_number();
CREATE OR REPLACE FUNCTION chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.hash <> '' THEN -- a copy of a store keeps its own
        UPDATE numbers SET audit = greatest(audit, NEW.seq) WHERE tenant = NEW.tenant;
    ELSE
        NEW.seq := -nextval('audit_waiting_seq');
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION join_the_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    entry record;
    newest bigint;
    first bigint;
    before text;
BEGIN
    IF NEW.seq >= nullif(current_setting('agentos.joined_' || NEW.tenant, true), '')::bigint THEN
        RETURN NULL; -- it joined with an earlier one
    END IF;
    SELECT audit INTO first FROM numbers WHERE tenant = NEW.tenant FOR UPDATE;
    SELECT hash INTO before FROM audit_head WHERE tenant = NEW.tenant FOR UPDATE;
    newest := first;
    -- Of those that wait, nobody else's are seen.
    FOR entry IN SELECT a.ctid AS place, a.* FROM audit a WHERE a.tenant = NEW.tenant AND a.seq <= NEW.seq
        ORDER BY a.seq DESC
    LOOP
        newest := newest + 1;
        before := entry_hash(before, newest, entry.at, entry.principal, entry.door, entry.request_id,
            entry.namespace, entry.action, entry.subject, entry.detail);
        UPDATE audit SET seq = newest, hash = before WHERE ctid = entry.place;
        PERFORM set_config('agentos.joined_' || NEW.tenant, entry.seq::text, true);
    END LOOP;
    UPDATE numbers SET audit = newest WHERE tenant = NEW.tenant;
    UPDATE audit_head SET seq = newest, entries = entries + newest - first, hash = before WHERE tenant = NEW.tenant;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER entries_join_the_chain AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.seq < 0) EXECUTE FUNCTION join_the_chain();
-- A store may be bound to logins, which may act for no other store; whoever owns the tables may act for all.
ALTER TABLE tenants ADD logins text[];
CREATE INDEX tenants_by_login ON tenants USING gin (logins);
CREATE FUNCTION may_act() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE RETURN
    pg_has_role(session_user, current_user, 'MEMBER') OR coalesce((
        SELECT CASE WHEN t.logins IS NOT NULL THEN t.logins @> ARRAY[session_user::text]
            ELSE NOT EXISTS (SELECT 1 FROM tenants o WHERE o.logins @> ARRAY[session_user::text]) END
        FROM tenants t WHERE t.id = current_tenant()
    ), FALSE);
-- For imports, which find a turn by a key that is unique in all sessions.
CREATE INDEX turns_by_key ON turns (namespace, key);
-- How an action went before is looked up before each run of a tool.
CREATE INDEX events_by_action ON events (namespace, action, occurred_at) WHERE type = 'reflection';
-- The history of a namespace shows its newest judgements.
CREATE INDEX changes_by_namespace ON changes (namespace, seq);
-- The index of the tags knows the namespace, so that a filter reads no entries of others.
ALTER TABLE memory_tags NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_tags ADD namespace text COLLATE "C";
UPDATE memory_tags t SET namespace = m.namespace FROM memories m WHERE m.seq = t.memory_seq;
ALTER TABLE memory_tags ALTER namespace SET NOT NULL, DROP CONSTRAINT memory_tags_pkey,
    ADD PRIMARY KEY (tenant, namespace, tag, memory_seq);
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_tags FORCE ROW LEVEL SECURITY;
-- One process serves many stores: a key leads to its store by its prefix. One may be suspended, and limited in calls.
ALTER TABLE tenants ADD keys text[] NOT NULL DEFAULT '{}', ADD created_at timestamptz NOT NULL DEFAULT now(),
    ADD suspended_at timestamptz, ADD paused_at timestamptz, -- while its owner restores it
    ADD calls_per_minute integer, ADD max_memories bigint, ADD max_bytes bigint;
CREATE INDEX tenants_by_key ON tenants USING gin (keys);
DO $$
DECLARE
    one integer;
BEGIN
    FOR one IN SELECT id FROM tenants LOOP
        PERFORM set_config('agentos.tenant', one::text, true);
        UPDATE tenants SET keys = ARRAY(SELECT prefix FROM keys WHERE tenant = one) WHERE id = one;
        UPDATE numbers n SET held = found.memories, held_bytes = found.bytes FROM (
            SELECT count(*) AS memories, coalesce(sum(octet_length(content)), 0) AS bytes FROM (
                SELECT content FROM memories WHERE tenant = one UNION ALL
                SELECT content FROM sealed_memories WHERE tenant = one) all_of_them) found WHERE n.tenant = one;
    END LOOP;
    PERFORM set_config('agentos.tenant', '0', true);
END $$;
CREATE FUNCTION note_the_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE tenants t SET keys = array_append(array_remove(t.keys, NEW.prefix), NEW.prefix) WHERE t.id = NEW.tenant;
    ELSE
        UPDATE tenants t SET keys = array_remove(t.keys, OLD.prefix) WHERE t.id = OLD.tenant;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keys_lead_to_their_store AFTER INSERT OR DELETE ON keys
    FOR EACH ROW EXECUTE FUNCTION note_the_key();
-- The setting is put back by hand: only a superuser may tie it to a function.
-- Refuses what is done in a store that is suspended, paused or gone. What writes holds it open until its end, so that
-- who pauses a store can wait for that (`directions` has another class of locks).
CREATE FUNCTION enter_store(store integer, writes boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    of_store tenants;
BEGIN
    IF writes THEN
        PERFORM pg_advisory_xact_lock_shared(1634169703, store);
    END IF;
    SELECT * INTO of_store FROM tenants WHERE id = store;
    IF NOT FOUND THEN
        RAISE 'this store was removed' USING ERRCODE = 'AG002';
    ELSIF of_store.suspended_at IS NOT NULL THEN
        RAISE 'this store is suspended' USING ERRCODE = 'AG001';
    ELSIF of_store.paused_at IS NOT NULL THEN
        RAISE 'this store is being restored or moved' USING ERRCODE = 'AG002';
    END IF;
END $$;
-- Pauses the store that is acted for, or ends that, and returns whether it was paused before; who does not own the
-- tables must be bound to it, and may write.
CREATE FUNCTION pause_store(wanted boolean) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    before timestamptz;
BEGIN
    IF NOT (may_act() AND has_table_privilege(session_user, 'numbers', 'UPDATE')) THEN
        RAISE 'the database user may not act for this store' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT paused_at INTO before FROM tenants WHERE id = current_tenant() FOR UPDATE;
    UPDATE tenants SET paused_at = CASE WHEN wanted THEN coalesce(paused_at, now()) END WHERE id = current_tenant();
    RETURN before IS NOT NULL;
END $$;
-- Refuses a transaction that leaves a store with more than it may hold.
CREATE FUNCTION require_quota(store integer, memories bigint, bytes bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    of_store tenants;
BEGIN
    SELECT * INTO of_store FROM tenants WHERE id = store AND paused_at IS NULL; -- a restore is not the place to say so
    IF memories > of_store.max_memories THEN
        RAISE 'this store may hold % memories', of_store.max_memories USING ERRCODE = 'AG003';
    ELSIF bytes > of_store.max_bytes THEN
        RAISE 'this store may hold % bytes of text', of_store.max_bytes USING ERRCODE = 'AG003';
    END IF;
END $$;
CREATE FUNCTION note_the_held() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM note_for_commit(tenant, sign * count(*), sign * sum(octet_length(content)),
        CASE WHEN TG_TABLE_NAME = 'memories' AND sign > 0 THEN max(seq) ELSE 0 END, 0) FROM touched GROUP BY tenant;
    RETURN NULL;
END $$;
CREATE FUNCTION note_the_size() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_for_commit(NEW.tenant, 0, octet_length(NEW.content) - octet_length(OLD.content), 0, 0);
    RETURN NULL;
END $$;
CREATE FUNCTION settle_the_held() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM settle_the_numbers(coalesce(NEW.tenant, OLD.tenant));
    RETURN NULL;
END $$;
CREATE TRIGGER memories_are_noted AFTER INSERT ON memories REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION note_the_held();
CREATE TRIGGER memories_are_noted_out AFTER DELETE ON memories REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION note_the_held();
CREATE TRIGGER sizes_are_noted AFTER UPDATE OF content ON memories
    FOR EACH ROW WHEN (octet_length(OLD.content) <> octet_length(NEW.content)) EXECUTE FUNCTION note_the_size();
CREATE TRIGGER sealed_memories_are_noted AFTER INSERT ON sealed_memories REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION note_the_held();
CREATE TRIGGER sealed_memories_are_noted_out AFTER DELETE ON sealed_memories REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION note_the_held();
CREATE CONSTRAINT TRIGGER memories_are_counted_out AFTER DELETE ON memories DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION settle_the_held();
CREATE CONSTRAINT TRIGGER memories_change_their_size AFTER UPDATE OF content ON memories DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (octet_length(OLD.content) <> octet_length(NEW.content)) EXECUTE FUNCTION settle_the_held();
CREATE CONSTRAINT TRIGGER sealed_memories_are_counted AFTER INSERT OR DELETE ON sealed_memories
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION settle_the_held();
-- Texts are counted by statement, too.
DROP TRIGGER texts_are_counted ON memory_text;
DROP FUNCTION count_texts();
CREATE FUNCTION count_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE text_statistics s SET memories = s.memories - gone.memories, tokens = s.tokens - gone.tokens
            FROM (SELECT tenant, shelf, count(*) AS memories, sum(tokens) AS tokens FROM touched GROUP BY 1, 2) gone
            WHERE s.tenant = gone.tenant AND s.shelf = gone.shelf;
    ELSE
        INSERT INTO text_statistics AS s (shelf, memories, tokens, tenant)
            SELECT shelf, count(*), sum(tokens), tenant FROM touched GROUP BY shelf, tenant ORDER BY shelf
            ON CONFLICT (tenant, shelf) DO UPDATE SET memories = s.memories + excluded.memories,
                tokens = s.tokens + excluded.tokens;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER texts_are_counted AFTER INSERT ON memory_text REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION count_texts();
CREATE TRIGGER texts_are_counted_out AFTER DELETE ON memory_text REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION count_texts();
-- The words of a memory go with it to another namespace, as sync may say.
DROP TRIGGER memories_change_their_words ON memories;
CREATE TRIGGER memories_change_their_words AFTER UPDATE ON memories FOR EACH ROW
    WHEN ((OLD.namespace, OLD.aside, OLD.summary, OLD.content, OLD.tags)
        IS DISTINCT FROM (NEW.namespace, NEW.aside, NEW.summary, NEW.content, NEW.tags))
    EXECUTE FUNCTION note_texts();
-- The stores that the user may act for, with what each holds and may.
CREATE FUNCTION stores_known() RETURNS TABLE (name text, created_at timestamptz, suspended_at timestamptz,
    paused_at timestamptz, calls_per_minute integer, max_memories bigint, max_bytes bigint, memories bigint,
    bytes bigint, keys integer, logins text[]) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    one tenants;
    before text := coalesce(nullif(current_setting('agentos.tenant', true), ''), '0');
BEGIN
    FOR one IN SELECT * FROM tenants t ORDER BY t.name LOOP
        PERFORM set_config('agentos.tenant', one.id::text, true);
        IF may_act() THEN
            SELECT n.held, n.held_bytes INTO memories, bytes FROM numbers n WHERE n.tenant = one.id;
            name := one.name;
            created_at := one.created_at;
            suspended_at := one.suspended_at;
            paused_at := one.paused_at;
            calls_per_minute := one.calls_per_minute;
            max_memories := one.max_memories;
            max_bytes := one.max_bytes;
            keys := cardinality(one.keys);
            logins := one.logins;
            RETURN NEXT;
        END IF;
    END LOOP;
    PERFORM set_config('agentos.tenant', before, true);
END $$;
-- The stores with a key of this prefix, and of this digest where one is given. Each store is looked at as itself, by a
-- login that may act for it; a superuser, whom no policy binds, may own this.
CREATE FUNCTION stores_of_key(wanted text, proof bytea)
    RETURNS TABLE (store text, number integer, is_suspended boolean, is_paused boolean, most_calls integer)
    LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    one tenants;
    before text := coalesce(nullif(current_setting('agentos.tenant', true), ''), '0');
BEGIN
    PERFORM set_config('agentos.tenant', '0', true);
    FOR one IN SELECT * FROM tenants t WHERE t.keys @> ARRAY[wanted] ORDER BY t.id LOOP
        PERFORM set_config('agentos.tenant', one.id::text, true);
        IF may_act() AND EXISTS (SELECT FROM keys k
            WHERE k.tenant = one.id AND k.prefix = wanted AND (proof IS NULL OR k.digest = proof))
        THEN
            store := one.name;
            number := one.id;
            is_suspended := one.suspended_at IS NOT NULL;
            is_paused := one.paused_at IS NOT NULL;
            most_calls := one.calls_per_minute;
            RETURN NEXT;
        END IF;
    END LOOP;
    PERFORM set_config('agentos.tenant', before, true);
END $$;
-- The stores in which something is to be done by a moment: for those that are open each due job, for the others a task,
-- what changed since the jobs ran, and what has rested for long.
CREATE FUNCTION stores_due(now_us bigint, open_ones text[], rests_us bigint) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    one tenants;
    before text := coalesce(nullif(current_setting('agentos.tenant', true), ''), '0');
    ran bigint;
    since bigint;
BEGIN
    PERFORM set_config('agentos.tenant', '0', true);
    FOR one IN SELECT * FROM tenants t WHERE t.suspended_at IS NULL AND t.paused_at IS NULL ORDER BY t.id LOOP
        PERFORM set_config('agentos.tenant', one.id::text, true);
        SELECT max(j.last_finished_at), min(j.next_due_at) FILTER (WHERE coalesce(j.lease_until, 0) <= now_us)
            INTO ran, since FROM job_runs j WHERE j.tenant = one.id;
        IF may_act() AND (
            (since <= now_us AND (one.name = ANY (open_ones) OR since <= now_us - rests_us))
            OR coalesce((SELECT a.at FROM audit a WHERE a.tenant = one.id ORDER BY a.seq DESC LIMIT 1), 0)
                > coalesce(ran, 0)
            OR EXISTS (SELECT FROM queue q WHERE q.tenant = one.id AND q.run_at <= now_us
                AND (q.state = 'queued' OR (q.state = 'leased' AND q.lease_until <= now_us))))
        THEN
            RETURN NEXT one.name;
        END IF;
    END LOOP;
    PERFORM set_config('agentos.tenant', before, true);
END $$;
-- Those of some stores that may not be used any more: suspended, or removed.
CREATE FUNCTION stores_ended(open_ones text[]) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT o.name FROM unnest(open_ones) AS o (name)
    WHERE NOT EXISTS (SELECT FROM tenants t WHERE t.name = o.name AND coalesce(t.suspended_at, t.paused_at) IS NULL)
$$;
-- What changed is read anew: a change takes its readings back to version 0, and these have an index.
ALTER TABLE readings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories NO FORCE ROW LEVEL SECURITY;
UPDATE readings r SET version = 0 FROM memories m WHERE m.seq = r.memory_seq AND m.version <> r.version;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
ALTER TABLE readings FORCE ROW LEVEL SECURITY;
CREATE INDEX readings_old ON readings (tenant, namespace, reader, memory_seq) WHERE version = 0;
CREATE FUNCTION age_readings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE readings SET version = 0 WHERE memory_seq = NEW.seq;
    RETURN NULL;
END $$;
CREATE TRIGGER readings_grow_old AFTER UPDATE ON memories FOR EACH ROW WHEN (OLD.version <> NEW.version)
    EXECUTE FUNCTION age_readings();
-- Folders of projects whose notes follow the code there.
CREATE TABLE anchored_folders (
    id text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    folder text COLLATE "C" NOT NULL,
    looked_at bigint NOT NULL DEFAULT 0, -- the number of the last memory whose text was read
    problem text COLLATE "C" NOT NULL,
    seen text COLLATE "C" NOT NULL DEFAULT '', -- how the anchored files were when all were judged
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, namespace, folder)
);
-- What code a memory is about, how that was, and what became of it: `mark` is empty where it is as it was.
CREATE TABLE anchors (
    memory_seq bigint NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    folder text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    symbol text COLLATE "C" NOT NULL,
    now_path text COLLATE "C" NOT NULL,
    now_symbol text COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    revision text COLLATE "C" NOT NULL, -- the commit
    state text COLLATE "C" NOT NULL,
    mark text COLLATE "C" NOT NULL,
    confirmations bigint NOT NULL, -- of the memory when it was marked: one that is confirmed later holds
    version bigint NOT NULL,
    is_given bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, memory_seq, folder, path, symbol)
);
CREATE INDEX anchors_by_place ON anchors (tenant, folder, now_path);
CREATE INDEX anchors_marked ON anchors (memory_seq, confirmations, mark) WHERE mark <> '';
-- Exchanges of the gateway that may be a client's own: for minutes, until what comes next shows whose they are.
CREATE TABLE held_exchanges (
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    client text COLLATE "C" NOT NULL,
    exchange text COLLATE "C" NOT NULL, -- JSON, without secrets
    held_at bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, namespace, session, key)
);
CREATE INDEX held_exchanges_by_time ON held_exchanges (tenant, held_at);
-- What acts as its owner looks nowhere else for names: a login could put tables and functions of its own before ours.
DO $$
DECLARE
    one oid;
BEGIN
    FOR one IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', one::regprocedure, current_schema());
    END LOOP;
END $$;
-- How often agents were told nothing, and how often something they were told was used.
ALTER TABLE usage ADD COLUMN unanswered BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN helpful BIGINT NOT NULL DEFAULT 0;
-- What agents asked, for ninety days: how many memories each question was given, and how many of these were used.
CREATE TABLE questions (
    id text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    asked_at bigint NOT NULL,
    client text COLLATE "C" NOT NULL,
    tool text COLLATE "C" NOT NULL,
    question text COLLATE "C" NOT NULL, -- without secrets, sealed under the server key
    hits bigint NOT NULL,
    used bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, id)
);
CREATE INDEX questions_by_time ON questions (tenant, namespace, asked_at);
CREATE INDEX questions_by_text ON questions (tenant, namespace, question, asked_at);
CREATE INDEX questions_by_age ON questions (tenant, asked_at);
-- What people did in the dashboard, for a week: the page that each act led to, and the form that undoes it.
CREATE TABLE deeds (
    id text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    principal text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    done_at bigint NOT NULL,
    done text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    undo text COLLATE "C", -- JSON
    undone_at bigint,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, id)
);
CREATE INDEX deeds_by_principal ON deeds (tenant, namespace, principal, done_at);
CREATE INDEX deeds_by_session ON deeds (tenant, namespace, session, done_at);
CREATE INDEX deeds_by_age ON deeds (tenant, done_at);
-- Memories that nobody has confirmed yet: few, and counted for each page of the dashboard.
CREATE INDEX memories_unsure ON memories (tenant, namespace, status, occurred_at, expires_at, valid_to)
    WHERE status = 'candidate';
-- What the agents got no answer to is looked up among little else.
CREATE INDEX questions_unanswered ON questions (tenant, namespace, asked_at) WHERE hits = 0;
-- What a store held when its removal began, for the certificate at its end, however often it is cut off.
ALTER TABLE tenants ADD removal jsonb;
-- Counters are of quarters of an hour, so that they are told by the days of any zone; a day before is as of its noon.
ALTER TABLE usage ALTER COLUMN day TYPE bigint
    USING (day::date - DATE '1970-01-01')::bigint * 86400000000 + 43200000000;
ALTER TABLE usage RENAME COLUMN day TO at;
ALTER TABLE spending ALTER COLUMN day TYPE bigint
    USING (day::date - DATE '1970-01-01')::bigint * 86400000000 + 43200000000;
ALTER TABLE spending RENAME COLUMN day TO at;
-- Where this device stands among those that sync with it: one row, none without sync.
CREATE TABLE sync_place (
    id bigint NOT NULL CHECK (id = 1),
    place text COLLATE "C" NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, id)
);
-- What sync knows of each record, and how it left it in the store: `mark` is NULL where it is not there.
CREATE TABLE sync_records (
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    written text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL, -- JSON; empty where it was erased here, which is not told yet
    mark text COLLATE "C",
    expires_at bigint,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, kind, id)
);
CREATE INDEX sync_records_by_parent ON sync_records (tenant, kind, parent) WHERE parent <> '';
-- What is erased is nowhere kept. Where a deletion may not be final, as by an end date, what was seen stays known.
CREATE FUNCTION sync_forgets_memory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sync_records SET mark = '', expires_at = OLD.expires_at,
        state = CASE WHEN OLD.expires_at IS NULL THEN '' ELSE jsonb_set(state::jsonb, '{entries}', '[]')::text END
    WHERE tenant = OLD.tenant AND kind = 'memory' AND id = OLD.id AND state <> '';
    RETURN NULL;
END $$;
CREATE TRIGGER sync_forgets_memories AFTER DELETE ON memories FOR EACH ROW EXECUTE FUNCTION sync_forgets_memory();
CREATE FUNCTION sync_forgets_relation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sync_records SET mark = '', state = jsonb_set(state::jsonb, '{entries}', '[]')::text
    WHERE tenant = OLD.tenant AND kind = 'relation' AND id = OLD.from_id || ' ' || OLD.type || ' ' || OLD.to_id
        AND state <> '';
    RETURN NULL;
END $$;
CREATE TRIGGER sync_forgets_relations AFTER DELETE ON relations FOR EACH ROW EXECUTE FUNCTION sync_forgets_relation();
CREATE FUNCTION sync_forgets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sync_records SET mark = '', state = '' WHERE tenant = OLD.tenant AND kind = TG_ARGV[0] AND id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER sync_forgets_goals AFTER DELETE ON goals FOR EACH ROW EXECUTE FUNCTION sync_forgets('goal');
CREATE TRIGGER sync_forgets_reflections AFTER DELETE ON events FOR EACH ROW
    WHEN (OLD.type = 'reflection') EXECUTE FUNCTION sync_forgets('reflection');
-- Lessons that prove themselves: how each stands. `digest` is of its wording, from which evidence counts.
CREATE TABLE lesson_states (
    memory_seq bigint NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    namespace text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL DEFAULT '', -- empty while its runs were not read yet
    since bigint NOT NULL,
    told bigint NOT NULL DEFAULT 0,
    told_at bigint,
    state text COLLATE "C" NOT NULL DEFAULT 'unproven',
    verdict text COLLATE "C" NOT NULL DEFAULT 'unknown', -- of the last look, which was at so many runs
    looked bigint NOT NULL DEFAULT 0,
    note text COLLATE "C" NOT NULL DEFAULT '',
    state_at bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, memory_seq)
);
CREATE INDEX lesson_states_by_namespace ON lesson_states (tenant, namespace, state);
CREATE INDEX lesson_states_by_memory ON lesson_states (memory_seq);
-- When a session was told a lesson first, in each way.
CREATE TABLE lesson_tellings (
    session text COLLATE "C" NOT NULL,
    memory_seq bigint NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    way text COLLATE "C" NOT NULL,
    told_at bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, session, memory_seq, way),
    FOREIGN KEY (tenant, session) REFERENCES sessions (tenant, id) ON DELETE CASCADE
);
CREATE INDEX lesson_tellings_by_memory ON lesson_tellings (memory_seq);
-- The runs of a lesson's tool that count: of a session at most one for each place and each way of telling.
CREATE TABLE lesson_runs (
    memory_seq bigint NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    session text COLLATE "C" NOT NULL,
    told text COLLATE "C" NOT NULL,
    place text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    followed boolean,
    ran_at bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, memory_seq, session, told, place),
    FOREIGN KEY (tenant, session) REFERENCES sessions (tenant, id) ON DELETE CASCADE
);
CREATE INDEX lesson_runs_by_session ON lesson_runs (tenant, session);
CREATE INDEX lesson_runs_by_memory ON lesson_runs (memory_seq);
-- Up to which event runs were read.
CREATE TABLE lesson_reading (
    id bigint NOT NULL CHECK (id = 1),
    event bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, id)
);
-- The files of memories. Their bytes are kept once, in parts, whoever has them, and go with the last who has them.
CREATE TABLE attachments (
    memory_id text COLLATE "C" NOT NULL,
    content_hash text COLLATE "C" NOT NULL CHECK (length(content_hash) = 64), -- SHA-256 of the bytes
    namespace text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    media_type text COLLATE "C" NOT NULL,
    size bigint NOT NULL CHECK (size > 0),
    created_at bigint NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, memory_id, content_hash),
    FOREIGN KEY (tenant, memory_id) REFERENCES memories (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, namespace) REFERENCES namespaces (tenant, id)
);
CREATE INDEX attachments_by_content ON attachments (tenant, content_hash);
CREATE INDEX attachments_by_namespace ON attachments (tenant, namespace, created_at, size);
CREATE TABLE attachment_parts (
    content_hash text COLLATE "C" NOT NULL,
    part bigint NOT NULL CHECK (part >= 0),
    data bytea NOT NULL,
    tenant integer NOT NULL DEFAULT current_tenant(),
    PRIMARY KEY (tenant, content_hash, part)
);
ALTER TABLE attachment_parts ALTER data SET STORAGE EXTERNAL; -- most files are compressed already
-- Whoever attaches the same bytes holds the same lock, so that they do not go while somebody counts on them.
CREATE FUNCTION attachments_take_their_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('attachment ' || OLD.content_hash, OLD.tenant));
    IF NOT EXISTS (SELECT 1 FROM attachments WHERE tenant = OLD.tenant AND content_hash = OLD.content_hash) THEN
        DELETE FROM attachment_parts WHERE tenant = OLD.tenant AND content_hash = OLD.content_hash;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER attachments_take_their_bytes AFTER DELETE ON attachments
    FOR EACH ROW EXECUTE FUNCTION attachments_take_their_bytes();
CREATE FUNCTION sync_forgets_attachment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sync_records SET mark = '', state = jsonb_set(state::jsonb, '{entries}', '[]')::text
    WHERE tenant = OLD.tenant AND kind = 'attachment' AND id = OLD.memory_id || ' ' || OLD.content_hash AND state <> '';
    RETURN NULL;
END $$;
CREATE TRIGGER sync_forgets_attachments AFTER DELETE ON attachments
    FOR EACH ROW EXECUTE FUNCTION sync_forgets_attachment();
