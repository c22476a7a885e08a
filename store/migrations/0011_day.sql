-- +goose Up
-- What users' runs of a day cost that were deleted since: a day's limit knows of them. Rows of days that are over are taken out.
CREATE TABLE spent (
    user_name TEXT NOT NULL,
    day       BIGINT NOT NULL, -- its beginning, UTC
    usd       BIGINT NOT NULL, -- in millionths
    PRIMARY KEY (user_name, day)
);
-- The trace that the request of a run belongs to, as the traceparent of W3C Trace Context; what works on it takes part in that.
ALTER TABLE run ADD COLUMN trace TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE run DROP COLUMN trace;
DROP TABLE spent;
