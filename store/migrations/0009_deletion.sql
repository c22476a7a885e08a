-- +goose Up
-- How many deletions the database's files were not rewritten after: they may hold traces of what was deleted. Without a row
-- they hold none.
CREATE TABLE trace (
    id        BIGINT PRIMARY KEY, -- 1
    deletions BIGINT NOT NULL,
    since     BIGINT NOT NULL
);
-- The server samples columns for its planner, in a table of its own. What people asked and read is not for it to keep; nobody
-- searches by these.
-- postgres: ALTER TABLE run ALTER COLUMN question SET STATISTICS 0, ALTER COLUMN config SET STATISTICS 0;
-- postgres: ALTER TABLE event ALTER COLUMN request SET STATISTICS 0, ALTER COLUMN outcome SET STATISTICS 0, ALTER COLUMN request_sha SET STATISTICS 0, ALTER COLUMN outcome_sha SET STATISTICS 0, ALTER COLUMN failure SET STATISTICS 0;
-- postgres: ALTER TABLE gate ALTER COLUMN hash SET STATISTICS 0, ALTER COLUMN request SET STATISTICS 0, ALTER COLUMN decision SET STATISTICS 0;
-- postgres: ALTER TABLE blob ALTER COLUMN data SET STATISTICS 0;
-- postgres: ALTER TABLE fetched ALTER COLUMN url SET STATISTICS 0, ALTER COLUMN answered SET STATISTICS 0, ALTER COLUMN header SET STATISTICS 0, ALTER COLUMN failure SET STATISTICS 0;
-- postgres: ALTER TABLE embedding ALTER COLUMN vector SET STATISTICS 0;
-- postgres: ALTER TABLE ruling ALTER COLUMN reason SET STATISTICS 0;

-- +goose Down
DROP TABLE trace;
