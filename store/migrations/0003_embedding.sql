-- +goose Up
-- What a model of embeddings made of texts, for the runs after it. A vector's numbers are rounded to bytes, the largest
-- to 127 or -127: its direction is kept, its length is not.
CREATE TABLE embedding (
    model  TEXT NOT NULL,
    sha256 TEXT NOT NULL,   -- of the text, with what the model wants before it
    size   BIGINT NOT NULL, -- numbers of the vector
    vector BYTEA NOT NULL,
    made   BIGINT NOT NULL,
    PRIMARY KEY (model, sha256)
);
CREATE INDEX embedding_made ON embedding (made);
-- postgres: ALTER TABLE embedding ALTER COLUMN vector SET STORAGE EXTERNAL;

-- +goose Down
DROP TABLE embedding;
