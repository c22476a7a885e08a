-- +goose Up
-- What users want to be remembered across runs: datasets of snippets, and the entities and facts that were drawn from them.
CREATE TABLE kb_dataset (
    id           TEXT PRIMARY KEY,
    user_name    TEXT NOT NULL,
    name         TEXT NOT NULL,
    epoch        BIGINT NOT NULL DEFAULT 0,     -- of the worker that absorbs
    lease_owner  TEXT NOT NULL DEFAULT '',
    lease_until  BIGINT NOT NULL DEFAULT 0,
    next_snippet BIGINT NOT NULL DEFAULT 1,
    next_entity  BIGINT NOT NULL DEFAULT 1,
    next_fact    BIGINT NOT NULL DEFAULT 1,
    version      BIGINT NOT NULL DEFAULT 0,     -- rises with each snippet that was absorbed
    created      BIGINT NOT NULL
);
CREATE UNIQUE INDEX kb_dataset_name ON kb_dataset (user_name, name);

-- The queue, and what became of it: nothing is taken out. origin is the same for the same thing remembered twice.
CREATE TABLE kb_snippet (
    dataset  TEXT NOT NULL REFERENCES kb_dataset (id) ON DELETE CASCADE,
    seq      BIGINT NOT NULL,
    origin   TEXT NOT NULL,
    state    TEXT NOT NULL,                     -- queued, absorbed
    text     TEXT NOT NULL,
    claim    TEXT NOT NULL DEFAULT '',
    label    TEXT NOT NULL,                     -- user, source, approved
    url      TEXT NOT NULL DEFAULT '',
    title    TEXT NOT NULL DEFAULT '',
    source   TEXT NOT NULL DEFAULT '',          -- of kb_source, where it is kept
    locator  TEXT NOT NULL DEFAULT '',          -- of the span, where one is told
    run      TEXT NOT NULL DEFAULT '',
    model    TEXT NOT NULL DEFAULT '',          -- that is to read it; '': rules
    absorbed TEXT NOT NULL DEFAULT '',          -- who did
    failure  TEXT NOT NULL DEFAULT '',          -- why the model did not
    facts    BIGINT NOT NULL DEFAULT 0,         -- that were drawn from it
    spent_tokens BIGINT NOT NULL DEFAULT 0,
    spent_usd    BIGINT NOT NULL DEFAULT 0,
    created  BIGINT NOT NULL,
    done     BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (dataset, seq)
);
CREATE UNIQUE INDEX kb_snippet_origin ON kb_snippet (dataset, origin);
CREATE INDEX kb_snippet_state ON kb_snippet (dataset, state, seq);

-- Sources as they were read, so that a later run can read the very same: the reading as JSON, the bytes as a blob.
CREATE TABLE kb_source (
    dataset TEXT NOT NULL REFERENCES kb_dataset (id) ON DELETE CASCADE,
    id      TEXT NOT NULL,                      -- SHA-256 of the reading
    url     TEXT NOT NULL,                      -- canonical
    title   TEXT NOT NULL,
    sha256  TEXT NOT NULL,                      -- of the bytes
    fetched BIGINT NOT NULL,
    size    BIGINT NOT NULL,
    reading BYTEA NOT NULL,
    PRIMARY KEY (dataset, id)
);
CREATE INDEX kb_source_url ON kb_source (dataset, url);
CREATE INDEX kb_source_sha ON kb_source (sha256);
-- postgres: ALTER TABLE kb_source ALTER COLUMN reading SET STORAGE EXTERNAL;

CREATE TABLE kb_entity (
    dataset TEXT NOT NULL REFERENCES kb_dataset (id) ON DELETE CASCADE,
    n       BIGINT NOT NULL,
    gist    TEXT NOT NULL,                      -- by which it is the same one: its words without their forms
    name    TEXT NOT NULL,                      -- as it was first written
    PRIMARY KEY (dataset, n)
);
CREATE UNIQUE INDEX kb_entity_gist ON kb_entity (dataset, gist);

CREATE TABLE kb_fact (
    dataset     TEXT NOT NULL REFERENCES kb_dataset (id) ON DELETE CASCADE,
    n           BIGINT NOT NULL,
    gist        TEXT NOT NULL,
    kind        TEXT NOT NULL,                  -- definition, figure, relation, statement
    entity      BIGINT NOT NULL DEFAULT 0,      -- of kb_entity; 0: none is told
    relation    TEXT NOT NULL DEFAULT '',
    target      BIGINT NOT NULL DEFAULT 0,
    description TEXT NOT NULL,
    created     BIGINT NOT NULL,
    PRIMARY KEY (dataset, n)
);
CREATE UNIQUE INDEX kb_fact_gist ON kb_fact (dataset, gist);

-- Where a fact is from: one row for each snippet that says it.
CREATE TABLE kb_support (
    dataset TEXT NOT NULL REFERENCES kb_dataset (id) ON DELETE CASCADE,
    fact    BIGINT NOT NULL,
    snippet BIGINT NOT NULL,
    quote   TEXT NOT NULL,
    source  TEXT NOT NULL DEFAULT '',
    locator TEXT NOT NULL DEFAULT '',           -- of the span that holds the quote; '': it is not kept
    PRIMARY KEY (dataset, fact, snippet)
);

CREATE TABLE kb_report (
    dataset  TEXT NOT NULL REFERENCES kb_dataset (id) ON DELETE CASCADE,
    run      TEXT NOT NULL,
    question TEXT NOT NULL,
    markdown TEXT NOT NULL,
    created  BIGINT NOT NULL,
    PRIMARY KEY (dataset, run)
);

-- As for runs, the server keeps no samples of what is remembered.
-- postgres: ALTER TABLE kb_snippet ALTER COLUMN origin SET STATISTICS 0, ALTER COLUMN text SET STATISTICS 0, ALTER COLUMN claim SET STATISTICS 0, ALTER COLUMN url SET STATISTICS 0, ALTER COLUMN title SET STATISTICS 0, ALTER COLUMN failure SET STATISTICS 0;
-- postgres: ALTER TABLE kb_source ALTER COLUMN url SET STATISTICS 0, ALTER COLUMN title SET STATISTICS 0, ALTER COLUMN reading SET STATISTICS 0;
-- postgres: ALTER TABLE kb_entity ALTER COLUMN name SET STATISTICS 0;
-- postgres: ALTER TABLE kb_fact ALTER COLUMN relation SET STATISTICS 0, ALTER COLUMN description SET STATISTICS 0;
-- postgres: ALTER TABLE kb_support ALTER COLUMN quote SET STATISTICS 0;
-- postgres: ALTER TABLE kb_report ALTER COLUMN question SET STATISTICS 0, ALTER COLUMN markdown SET STATISTICS 0;

-- +goose Down
DROP TABLE kb_report;
DROP TABLE kb_support;
DROP TABLE kb_fact;
DROP TABLE kb_entity;
DROP TABLE kb_source;
DROP TABLE kb_snippet;
DROP TABLE kb_dataset;
