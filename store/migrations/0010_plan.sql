-- +goose Up
-- What a person put in the place of the arguments that a gate shows, before it is decided (plans).
ALTER TABLE gate ADD COLUMN edited BYTEA;

-- +goose Down
ALTER TABLE gate DROP COLUMN edited;
