-- +goose Up
-- Times are milliseconds since 1970, UTC. Ids come from the program. Nothing here is queried inside JSON, so that the
-- same statements serve SQLite and PostgreSQL.
CREATE TABLE run (
    id             TEXT PRIMARY KEY,
    user_name      TEXT NOT NULL,
    question       TEXT NOT NULL,
    state          TEXT NOT NULL,
    stop           TEXT NOT NULL DEFAULT '',
    model          TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    config         BYTEA NOT NULL,
    parent         TEXT NOT NULL DEFAULT '',
    fork_at        BIGINT NOT NULL DEFAULT 0,
    live           BOOLEAN NOT NULL DEFAULT FALSE,
    epoch          BIGINT NOT NULL DEFAULT 0,
    lease_owner    TEXT NOT NULL DEFAULT '',
    lease_until    BIGINT NOT NULL DEFAULT 0,
    stop_asked     BOOLEAN NOT NULL DEFAULT FALSE,
    cancel_asked   BOOLEAN NOT NULL DEFAULT FALSE,
    next_seq       BIGINT NOT NULL DEFAULT 1,
    created        BIGINT NOT NULL,
    updated        BIGINT NOT NULL
);
CREATE INDEX run_created ON run (created);

-- One row for each effect (intent, then done or failed) and for each note. lane is the first element of the key.
CREATE TABLE event (
    run             TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    seq             BIGINT NOT NULL,
    key             TEXT NOT NULL,
    kind            TEXT NOT NULL,
    state           TEXT NOT NULL,
    epoch           BIGINT NOT NULL,
    started         BIGINT NOT NULL,
    took            BIGINT NOT NULL DEFAULT 0,
    request_sha     TEXT NOT NULL DEFAULT '',
    request_base    BIGINT NOT NULL DEFAULT 0, -- seq of the event whose request this one goes on from; 0: none
    request_same    BIGINT NOT NULL DEFAULT 0, -- bytes at the beginning that are the same as there
    request_size    BIGINT NOT NULL DEFAULT 0,
    request         BYTEA,
    outcome_sha     TEXT NOT NULL DEFAULT '',
    outcome_size    BIGINT NOT NULL DEFAULT 0,
    outcome         BYTEA,
    failure         TEXT NOT NULL DEFAULT '',
    doubts          BIGINT NOT NULL DEFAULT 0, -- how often this effect was found begun and not ended
    copied          TEXT NOT NULL DEFAULT '',  -- the run whose recorded outcome this is
    reserved_steps  BIGINT NOT NULL DEFAULT 0,
    reserved_searches BIGINT NOT NULL DEFAULT 0,
    reserved_reads  BIGINT NOT NULL DEFAULT 0,
    reserved_tokens BIGINT NOT NULL DEFAULT 0,
    reserved_millis BIGINT NOT NULL DEFAULT 0,
    reserved_usd    BIGINT NOT NULL DEFAULT 0,
    spent_steps     BIGINT NOT NULL DEFAULT 0,
    spent_searches  BIGINT NOT NULL DEFAULT 0,
    spent_reads     BIGINT NOT NULL DEFAULT 0,
    spent_tokens    BIGINT NOT NULL DEFAULT 0,
    spent_millis    BIGINT NOT NULL DEFAULT 0,
    spent_usd       BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (run, seq)
);
CREATE UNIQUE INDEX event_key ON event (run, key, kind);
-- Bodies are compressed already.
-- postgres: ALTER TABLE event ALTER COLUMN request SET STORAGE EXTERNAL, ALTER COLUMN outcome SET STORAGE EXTERNAL;

CREATE TABLE blob (
    sha256 TEXT PRIMARY KEY,
    size   BIGINT NOT NULL,
    data   BYTEA NOT NULL
);
-- postgres: ALTER TABLE blob ALTER COLUMN data SET STORAGE EXTERNAL;
-- Which run holds which blob, so that an export is complete and a deletion knows what is still wanted.
CREATE TABLE run_blob (
    run    TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (run, sha256)
);

CREATE TABLE gate (
    id       TEXT PRIMARY KEY,
    run      TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    key      TEXT NOT NULL,
    hash     TEXT NOT NULL,
    request  BYTEA NOT NULL,
    state    TEXT NOT NULL, -- pending, allowed, denied
    decision BYTEA,
    created  BIGINT NOT NULL,
    decided  BIGINT NOT NULL DEFAULT 0,
    expires  BIGINT NOT NULL
);
CREATE UNIQUE INDEX gate_request ON gate (run, key, hash);
-- The last transaction of each writer, in it: what tells after a lost answer whether a commit happened.
-- postgres: CREATE TABLE committed (id TEXT PRIMARY KEY, n BIGINT NOT NULL, at BIGINT NOT NULL);

-- +goose Down
-- postgres: DROP TABLE committed;
DROP TABLE gate;
DROP TABLE run_blob;
DROP TABLE blob;
DROP TABLE event;
DROP TABLE run;
