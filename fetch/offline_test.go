package fetch_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/fetch"
	"ibid/fetch/fetchtest"
)

const index = `{"note":"invented","documents":[
	{"url":"https://a.example/storm","file":"storm.html","content_type":"text/html","title":"Storm","kind":"html","fetched":"2025-10-01T09:00:00+02:00"},
	{"url":"https://code.example/org/meter/","dir":"meter","title":"meter"},
	{"url":"https://a.example/old","redirect":"https://a.example/storm?utm_source=x"},
	{"url":"https://a.example/loop","redirect":"https://a.example/loop2"},
	{"url":"https://a.example/loop2","redirect":"https://a.example/loop"},
	{"url":"https://a.example/gone","status":410},{"url":"https://a.example/shut","status":403},
	{"url":"https://a.example/busy","status":429},{"url":"https://a.example/broken","status":500},
	{"url":"https://a.example/over","status":503},{"url":"https://a.example/calm","status":420},{"url":"https://a.example/later","status":202},
	{"url":"https://a.example/proxy","status":407},{"url":"https://a.example/nothing","status":204},
	{"url":"https://a.example/lost","file":"lost.html"}]}`

func files(index string) fstest.MapFS {
	return fstest.MapFS{
		"index.json": {Data: []byte(index)}, "storm.html": {Data: []byte("<p>Storm.</p>"), ModTime: time.Unix(1, 0)},
		"meter/b.go": {Data: []byte("package b\n"), ModTime: time.Unix(1, 0)}, "meter/a/a.go": {Data: []byte("package a\n")}, "meter/.env": {Data: []byte("x")},
	}
}

func TestOffline(t *testing.T) {
	o, err := fetch.NewOffline(files(index))
	if err != nil {
		t.Fatal(err)
	}
	fetchtest.Run(t, fetchtest.Subject{
		Fetcher: o,
		Known:   []string{"https://a.example/storm", "https://code.example/org/meter/", "https://a.example/old"},
		Same: [][2]string{{"https://a.example/storm", "HTTPS://A.example:443/storm/?fbclid=1#top"}, {"https://a.example/old", "https://a.example/storm"},
			{"https://code.example/org/meter", "https://code.example/org/meter/"}},
		Fails: map[string]fetch.Outcome{
			"https://a.example/gone": fetch.NotFound, "https://a.example/shut": fetch.Blocked, "https://a.example/busy": fetch.RateLimited,
			"https://a.example/over": fetch.RateLimited, "https://a.example/calm": fetch.RateLimited, "https://a.example/later": fetch.RateLimited,
			"https://a.example/proxy": fetch.Blocked, "https://a.example/nothing": fetch.Empty,
			"https://a.example/broken": fetch.Failed, "https://a.example/loop": fetch.Failed, "https://a.example/lost": fetch.NotFound,
			"https://a.example/never-listed": fetch.NotFound, "https://user@a.example/storm": fetch.Refused, "file:///etc/passwd": fetch.NotFound,
		},
	})
	var listed []string
	for _, e := range o.Entries() {
		listed = append(listed, e.URL+" "+e.Title+" "+e.Kind)
	}
	want := []string{"https://a.example/storm Storm html", "https://code.example/org/meter/ meter ", "https://a.example/lost  "}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("entries -want +got\n%s", diff)
	}
	d, err := o.Fetch(t.Context(), "https://a.example/old")
	if err != nil || d.URL != "https://a.example/storm" || d.Fetched != time.Date(2025, 10, 1, 7, 0, 0, 0, time.UTC) {
		t.Errorf("after a redirect: %+v, %v", d, err)
	}
}

// A repository comes as the same bytes each time, whatever the disk says of times.
func TestOfflineRepository(t *testing.T) {
	read := func(fsys fstest.MapFS) *fetch.Document {
		o, err := fetch.NewOffline(fsys)
		if err != nil {
			t.Fatal(err)
		}
		d, err := o.Fetch(t.Context(), "https://code.example/org/meter")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	other := files(index)
	other["meter/b.go"].ModTime, other["meter/b.go"].Mode = time.Unix(9e8, 0), 0o755
	a, b := read(files(index)), read(other)
	if a.ContentType != "application/x-tar" || !bytes.Equal(a.Body, b.Body) {
		t.Errorf("type %s; equal %v", a.ContentType, bytes.Equal(a.Body, b.Body))
	}
	var got []string
	for r := tar.NewReader(bytes.NewReader(a.Body)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.Name)
	}
	if diff := cmp.Diff([]string{".env", "a/a.go", "b.go"}, got); diff != "" {
		t.Errorf("files -want +got\n%s", diff)
	}
}

func TestOfflineIndex(t *testing.T) {
	for name, c := range map[string]struct{ document, want string }{
		"escape":         {`{"url":"https://a.example/","file":"../x"}`, "inside the corpus"},
		"the whole":      {`{"url":"https://a.example/","dir":"."}`, "inside the corpus"},
		"misspelt key":   {`{"url":"https://a.example/","fille":"x"}`, "fille"},
		"no answer":      {`{"url":"https://a.example/"}`, "file, dir, redirect"},
		"two answers":    {`{"url":"https://a.example/","file":"x","status":404}`, "file, dir, redirect"},
		"bad URL":        {`{"url":"a.example","file":"x"}`, "a.example"},
		"bad time":       {`{"url":"https://a.example/","file":"x","fetched":"yesterday"}`, "yesterday"},
		"listed twice":   {`{"url":"https://a.example/x","file":"x"},{"url":"https://A.example/x/#y","file":"y"}`, "twice"},
		"not even JSON":  {`{`, "index.json"},
		"status of none": {`{"url":"https://a.example/","status":200}`, "file, dir, redirect"},
	} {
		_, err := fetch.NewOffline(files(`{"documents":[` + c.document + `]}`))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want it to name %q", name, err, c.want)
		}
	}
	if _, err := fetch.NewOffline(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "index.json") {
		t.Errorf("without an index: %v", err)
	}
}
