package render

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestFrame(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	in := bufio.NewReaderSize(strings.NewReader("one\x00\x00"+long+"\x00two\x00"+long[:200]+"\x00cut"), 16)
	for _, want := range []string{"one", "", "", "two", long[:200]} {
		if got, err := frame(in, 200); err != nil || string(got) != want {
			t.Errorf("%.20q, %v; want %.20q", got, err, want)
		}
	}
	if got, err := frame(in, 200); !errors.Is(err, io.EOF) || got != nil {
		t.Errorf("at the end: %q, %v", got, err)
	}
}

// FuzzMessages lets a browser say anything: a page is never in a state that harms the program, and all ends with the
// browser.
func FuzzMessages(f *testing.F) {
	const attached = `{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"targetId":"T","type":"page"}}}` + "\x00"
	f.Add([]byte(attached + `{"method":"Fetch.requestPaused","sessionId":"S","params":{"requestId":"1","frameId":"T","resourceType":"Document","request":{"url":"https://www.here.example/","method":"GET","headers":{"Accept":"*/*"}}}}` + "\x00"))
	f.Add([]byte(attached + `{"method":"Fetch.requestPaused","params":{"request":{"url":"http://elsewhere.example/","method":"POST"}}}` + "\x00" + `{"id":1,"result":{}}` + "\x00"))
	f.Add([]byte(attached + attached + `{"method":"Inspector.targetCrashed","sessionId":"S"}` + "\x00" + `{"method":"Page.loadEventFired","sessionId":"S"}` + "\x00"))
	f.Add([]byte(`{"id":1,"error":{"message":"no"}}` + "\x00" + `{"method":"Page.javascriptDialogOpening","params":[]}` + "\x00{"))
	c := newCity()
	c.page("www.here.example/", "<p>Text")
	r, err := New(Config{Client: c})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p := newPage(ctx, r.config, "https://www.here.example/")
		l := newLink(bytes.NewReader(said), io.Discard, 1<<10, p.event)
		if settled, err := p.load(ctx, l); settled && err != nil {
			t.Errorf("settled, and %v", err)
		}
		if _, err := p.snapshot(ctx, l, true); err == nil {
			t.Error("a document out of nothing")
		}
		<-l.gone
		p.tasks.Wait()
	})
}
