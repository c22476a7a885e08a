package fetch

import "errors"

// maxMoves bounds the sites that a page may lead through.
const maxMoves = 3

// Follow reads a URL, and where its page Moved to another site reads on there, as long as may says so and at most three
// times. What read returned last is returned.
func Follow[T any](url string, may func(location string) bool, read func(url string) (T, error)) (T, error) {
	got, err := read(url)
	for range maxMoves {
		e := (*Unavailable)(nil)
		if !errors.As(err, &e) || e.Outcome != Moved || !may(e.Location) {
			break
		}
		got, err = read(e.Location)
	}
	return got, err
}
