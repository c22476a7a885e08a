-- +goose Up
-- What a person put in the place of the arguments that a gate shows, before it is decided (plans).
ALTER TABLE gate ADD COLUMN edited BYTEA;
-- postgres: ALTER TABLE gate ALTER COLUMN edited SET STATISTICS 0;

-- +goose Down
ALTER TABLE gate DROP COLUMN edited;
