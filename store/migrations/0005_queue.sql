-- +goose Up
-- Runs that workers may take, and what their claim goes by.
ALTER TABLE run ADD COLUMN background BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE run ADD COLUMN claimed_seq BIGINT NOT NULL DEFAULT 0; -- next_seq at the last claim
ALTER TABLE run ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;     -- claims over a dead lease in a row, with nothing new on record
ALTER TABLE run ADD COLUMN waits_until BIGINT NOT NULL DEFAULT 0; -- somebody at a terminal waits for the run's turn
CREATE INDEX run_state ON run (state, user_name, created);
CREATE INDEX gate_state ON gate (state, expires);

-- What a user may have at once; NULL is the program's own limit. Whoever claims a run holds its user's row.
CREATE TABLE quota (
    user_name TEXT PRIMARY KEY,
    working   BIGINT,
    queued    BIGINT
);

-- +goose Down
DROP TABLE quota;
DROP INDEX gate_state;
DROP INDEX run_state;
ALTER TABLE run DROP COLUMN waits_until;
ALTER TABLE run DROP COLUMN crashes;
ALTER TABLE run DROP COLUMN claimed_seq;
ALTER TABLE run DROP COLUMN background;
