-- One row for each daemon, as several may serve a store: by a random number, where, and how far its clock is ahead.
ALTER TABLE daemon_state DROP CONSTRAINT daemon_state_id_check;
ALTER TABLE daemon_state ADD host text COLLATE "C" NOT NULL DEFAULT '', ADD skew_us bigint NOT NULL DEFAULT 0;
