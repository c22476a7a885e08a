-- +goose Up
-- What judges said of pairs, so that measuring one again pays for nothing twice. Runs do not use it: theirs is in the journal.
CREATE TABLE ruling (
    asked   TEXT PRIMARY KEY, -- SHA-256 over the judge's name and the request
    verdict TEXT NOT NULL,
    score   BIGINT NOT NULL,
    reason  TEXT NOT NULL,
    made    BIGINT NOT NULL
);
CREATE INDEX ruling_made ON ruling (made);

-- +goose Down
DROP TABLE ruling;
