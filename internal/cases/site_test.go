package cases

import (
	"testing"

	"ibid/fetch/sites"
)

// siteOps are the operations of the bank that site code answers.
var siteOps = map[string]func(*testing.T, failureCase){"video_id": videoIDs}

// videoIDs finds the id of each URL of a map; null means that there is none.
func videoIDs(t *testing.T, c failureCase) {
	var want map[string]*string
	c.json(t, "urls", &want)
	if len(want) == 0 {
		t.Fatal("no URLs")
	}
	for url, id := range want {
		got, ok := sites.VideoID(url)
		switch {
		case id == nil && ok:
			t.Errorf("%s: %q, want none", url, got)
		case id != nil && got != *id:
			t.Errorf("%s: %q, want %q", url, got, *id)
		}
	}
}
