package extract

import "bytes"

// Sizes of the evidence for a guess, in bytes.
const (
	maxGuess = 256 << 10 // of a document
	maxWords = 8 << 10   // of words with a byte above ASCII
	maxPlain = 4 << 10   // of words of ASCII letters alone
	fewBytes = 400       // above ASCII
)

// evidenceWords are the words of a document, as bytes of an unknown encoding.
type evidenceWords struct {
	high  [][]byte // with bytes above ASCII
	plain [][]byte
	size  int // bytes above ASCII
}

// wordsOf takes the words out of a text or a page. What stands in tags, comments and scripts counts where there is little
// else: the text of a page may be English, and only its comments Korean.
func wordsOf(body []byte) evidenceWords {
	body = body[:min(len(body), maxGuess)]
	w := split(shownBytes(body))
	if w.size < fewBytes {
		if all := split(body); all.size > w.size {
			return all
		}
	}
	return w
}

// split cuts at bytes that belong to no character of any charset here.
func split(text []byte) evidenceWords {
	var w evidenceWords
	size, plain := 0, 0
	times := map[string]int{} // each word was seen: what a template repeats tells nothing new
	for len(text) > 0 && size < maxWords {
		n, high := 0, 0
		for n < len(text) && !betweenWords(text[n]) {
			if text[n] >= 0x80 {
				high++
			}
			n++
		}
		word := text[:n]
		times[string(word)]++
		switch {
		case times[string(word)] > 3:
		case high > 0:
			w.high = append(w.high, word)
			w.size += high
			size += n
		case n > 1 && plain < maxPlain && ascii(word):
			w.plain = append(w.plain, word)
			plain += n
		}
		text = text[min(n+1, len(text)):]
	}
	return w
}

// betweenWords reports whether a byte parts words, and is never the second one of a character.
func betweenWords(c byte) bool { return c < 0x30 || c >= ':' && c <= '?' }

func ascii(word []byte) bool {
	for _, c := range word {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return true
}

// shownBytes cuts tags, comments, scripts and styles out of a page, by bytes that mean the same in all charsets here.
func shownBytes(body []byte) []byte {
	if bytes.IndexByte(body, '<') < 0 {
		return body
	}
	var out []byte
	for {
		i := bytes.IndexByte(body, '<')
		if i < 0 || i+1 == len(body) {
			return append(out, body...)
		}
		out = append(append(out, body[:i]...), ' ')
		body = body[i:]
		end := ">"
		for _, raw := range [...]struct{ start, end string }{{"<!--", "-->"}, {"<script", "</script"}, {"<style", "</style"}} {
			if len(body) >= len(raw.start) && bytes.EqualFold(body[:len(raw.start)], []byte(raw.start)) {
				end = raw.end
			}
		}
		n := indexFold(body, end)
		if n < 0 {
			return out
		}
		body = body[n+len(end):]
	}
}

// indexFold is bytes.Index for a lower-case ASCII text, in any case.
func indexFold(s []byte, low string) int {
	for i := 0; i+len(low) <= len(s); i++ {
		if s[i]|0x20 == low[0]|0x20 && bytes.EqualFold(s[i:i+len(low)], []byte(low)) {
			return i
		}
	}
	return -1
}
