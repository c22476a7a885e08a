package llm

import (
	"bytes"
	"iter"
)

// A StreamEvent is one message of an event stream. Data belongs to the stream: it is read, not changed.
type StreamEvent struct {
	Name  string
	Data  []byte
	Whole bool // false: the stream ended inside this event, so its data may be cut
}

// StreamEvents reads an event stream as the HTML standard frames it (§9.2.6): lines end with LF, CR or both, comments are
// skipped, several data lines are one text. Unlike there, an event that the end of the stream cuts off is given too, as
// not Whole: servers forget the last empty line. A line "error: …", which some servers send, is data named error.
func StreamEvents(stream []byte) iter.Seq[StreamEvent] {
	return func(yield func(StreamEvent) bool) {
		rest := bytes.TrimPrefix(stream, byteOrderMark)
		var e StreamEvent
		for len(rest) > 0 {
			var line []byte
			line, rest = cutLine(rest)
			if len(line) == 0 {
				e.Whole = true
				if e.Data != nil && !yield(e) {
					return
				}
				e = StreamEvent{}
				continue
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "event":
				e.Name = string(value)
			case "error":
				e.Name = "error"
				e.addData(value)
			case "data":
				e.addData(value)
			}
		}
		if e.Data != nil {
			yield(e)
		}
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// addData takes the first line as it lies in the stream; a second one makes a copy.
func (e *StreamEvent) addData(line []byte) {
	if e.Data == nil {
		e.Data = append([]byte{}, line[:0]...)
		if len(line) > 0 {
			e.Data = line[:len(line):len(line)]
		}
		return
	}
	e.Data = append(append(e.Data, '\n'), line...)
}

func cutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexAny(b, "\r\n")
	if i < 0 {
		return b, nil
	}
	line, rest = b[:i], b[i+1:]
	if b[i] == '\r' && len(rest) > 0 && rest[0] == '\n' {
		rest = rest[1:]
	}
	return line, rest
}

// IsStream says whether an answer is an event stream; servers send one or the other whatever was asked for.
func IsStream(answer []byte) bool {
	start := bytes.TrimLeft(bytes.TrimPrefix(answer, byteOrderMark), " \t\r\n")
	return len(start) > 0 && start[0] != '{' && start[0] != '[' && start[0] != '<'
}
