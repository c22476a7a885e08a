-- +goose Up
-- Who may use the API. Of a token only its hash is kept; the id is the part of it that may be shown.
CREATE TABLE token (
    id        TEXT PRIMARY KEY,
    sha256    TEXT NOT NULL,
    user_name TEXT NOT NULL,
    name      TEXT NOT NULL,
    scopes    TEXT NOT NULL, -- with spaces between
    created   BIGINT NOT NULL,
    expires   BIGINT NOT NULL DEFAULT 0, -- 0: never
    revoked   BIGINT NOT NULL DEFAULT 0, -- 0: not
    used      BIGINT NOT NULL DEFAULT 0  -- last, to the minute
);
-- A run that was asked for under a key, so that asking again starts no other. It is written before its run, in one
-- transaction, and lives as long.
CREATE TABLE idempotency (
    user_name TEXT NOT NULL,
    key       TEXT NOT NULL,
    sha256    TEXT NOT NULL, -- of what was asked for
    run       TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (user_name, key)
);
CREATE INDEX idempotency_run ON idempotency (run);

-- Where users want to be told of their runs. A secret signs, so it is kept as it is.
CREATE TABLE webhook (
    id        TEXT PRIMARY KEY,
    user_name TEXT NOT NULL,
    url       TEXT NOT NULL,
    events    TEXT NOT NULL, -- with spaces between
    created   BIGINT NOT NULL,
    disabled  BIGINT NOT NULL DEFAULT 0, -- 0: not
    why       TEXT NOT NULL DEFAULT ''
);
CREATE TABLE webhook_secret (
    webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    secret  TEXT NOT NULL,
    expires BIGINT NOT NULL DEFAULT 0, -- 0: not yet replaced
    PRIMARY KEY (webhook, secret)
);
-- What was or is to be told: derived from the rows of runs, once for each webhook, run, epoch and event.
CREATE TABLE delivery (
    id          TEXT PRIMARY KEY,
    webhook     TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    run         TEXT REFERENCES run (id) ON DELETE CASCADE, -- NULL: a test
    epoch       BIGINT NOT NULL DEFAULT 0,
    event       TEXT NOT NULL,
    state       TEXT NOT NULL DEFAULT '',
    stop        TEXT NOT NULL DEFAULT '',
    at          BIGINT NOT NULL,
    attempts    BIGINT NOT NULL DEFAULT 0,
    next_at     BIGINT NOT NULL, -- 0: it is over
    lease_until BIGINT NOT NULL DEFAULT 0,
    delivered   BIGINT NOT NULL DEFAULT 0,
    status      BIGINT NOT NULL DEFAULT 0, -- of the last answer
    failure     TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX delivery_event ON delivery (webhook, run, epoch, event);
CREATE INDEX delivery_run ON delivery (run);
CREATE INDEX delivery_next ON delivery (next_at);

-- +goose Down
DROP TABLE delivery;
DROP TABLE webhook_secret;
DROP TABLE webhook;
DROP TABLE idempotency;
DROP TABLE token;
