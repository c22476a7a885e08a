-- +goose Up
-- What was fetched, for the runs after it (FETCH-5). A body is a blob, so that a source and its copy here are kept once.
CREATE TABLE fetched (
    url         TEXT PRIMARY KEY, -- canonical; "robots:" before it where it is the rules of a host
    answered    TEXT NOT NULL DEFAULT '',
    status      BIGINT NOT NULL DEFAULT 0,
    header      BYTEA NOT NULL,   -- JSON: the fields that are read again
    sha256      TEXT NOT NULL DEFAULT '',
    size        BIGINT NOT NULL DEFAULT 0,
    failure     BYTEA,            -- JSON: why it could not be had; then there is no body
    fetched     BIGINT NOT NULL,  -- when the server last said so
    fresh_until BIGINT NOT NULL
);
CREATE INDEX fetched_age ON fetched (fetched);
CREATE INDEX fetched_sha ON fetched (sha256);
CREATE INDEX run_blob_sha ON run_blob (sha256);

-- +goose Down
DROP INDEX run_blob_sha;
DROP TABLE fetched;
