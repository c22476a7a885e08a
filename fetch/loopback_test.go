package fetch

import "testing"

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.8.8.8": true, "::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example": false, "127.0.0.1.example": false, "::1%lo": false, "10.0.0.1": false, "0.0.0.0": false, "::": false, "0x7f.1": false} {
		if Loopback(host) != want {
			t.Errorf("%q: %t", host, !want)
		}
	}
}
