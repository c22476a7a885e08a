package city

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"
)

func redirect(status int, to string) served {
	return served{behave: func(_ *City, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to, status)
	}}
}

func bytesReplace(shape, text string) []byte { return []byte(strings.Replace(shape, "%s", text, 1)) }

// bombSize is what the gzip bomb unpacks to, in bytes.
const bombSize = 256 << 20

// addBroken serves pages whose transfer is broken, on purpose or not.
func (w *web) addBroken() {
	behave := func(host string, f func(c *City, w http.ResponseWriter, r *http.Request)) {
		w.put(host, "/report", served{behave: f})
		w.found = append(w.found, document{url: "http://" + host + "/report", title: "A report on what makes agent runs expensive, at " + host, text: "Agent runs and their cost."})
	}
	behave("bomb.example", func(_ *City, w http.ResponseWriter, _ *http.Request) {
		member := zip(bytes.Repeat([]byte(" "), 1<<20))
		w.Header().Set("Content-Type", htmlType)
		w.Header().Set("Content-Encoding", "gzip")
		for range bombSize >> 20 { // members follow one another in a gzip stream
			if _, err := w.Write(member); err != nil {
				return
			}
		}
	})
	behave("endless.example", func(c *City, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", htmlType)
		part := []byte(strings.Repeat("<p>Agent runs are expensive, and so on without end.</p>\n", 512))
		for r.Context().Err() == nil {
			select {
			case <-c.done:
				return
			default:
			}
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	})
	behave("slow.example", func(c *City, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", htmlType)
		flush := http.NewResponseController(w)
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte("<p>drip")); err != nil {
				return
			}
			_ = flush.Flush()
			c.pause(r, 100*time.Millisecond)
			select {
			case <-c.done:
				return
			default:
			}
		}
	})
	behave("busy.example", func(_ *City, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		http.Error(w, "Too Many Requests", http.StatusTooManyRequests)
	})
	behave("short.example", func(_ *City, w http.ResponseWriter, _ *http.Request) {
		body := article("Short", "<p>The body of this page is promised longer than it is: agent runs are expensive.</p>")
		w.Header().Set("Content-Type", htmlType)
		w.Header().Set("Content-Length", fmt.Sprint(len(body)+500))
		_, _ = w.Write(body)
		hangUp(w)
	})
	behave("packed.example", func(_ *City, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", htmlType)
		w.Header().Set("Content-Encoding", "compress") // what nobody asked for and nobody reads
		_, _ = w.Write([]byte("\x1f\x9d\x90<\x84\x88\x83 $"))
	})
}
