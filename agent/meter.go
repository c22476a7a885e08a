package agent

import (
	"unicode/utf8"

	"ibid/llm"
)

// A meter estimates tokens. A text is counted by its characters, and the count is corrected by what the provider reported
// of the last request: tokenizers differ by more than a half, and by language.
type meter struct {
	fixed    int64 // of system prompt and tools, uncorrected
	permille int64 // reported tokens to a thousand counted ones; 0: nothing was reported yet
}

// untold is the correction until a provider reports: three bytes to a token, as is reserved for a call.
const untold = 4000 / 3

// A report that is far off is of something else than the request: a provider that counts images, or that has cut it.
const leastPermille, mostPermille = 400, 4000

// corrected is a count in the provider's own tokens.
func (m *meter) corrected(counted int64) int64 {
	permille := m.permille
	if permille == 0 {
		permille = untold
	}
	return (counted*permille + 999) / 1000
}

// learn takes what a provider reported of a request whose messages were counted.
func (m *meter) learn(counted int64, u llm.Usage) {
	reported := u.In + u.CacheRead + u.CacheWrite
	if counted += m.fixed; u.Known && reported > 0 && counted > 0 {
		m.permille = min(max(reported*1000/counted, leastPermille), mostPermille)
	}
}

// perBlock is what a block costs besides its text.
const perBlock = 8

// counted is the uncorrected count of a message.
func counted(m llm.Message) int64 {
	var n int64
	for _, b := range m.Blocks {
		n += countedBlock(b)
	}
	return n
}

func countedAll(messages []llm.Message) int64 {
	var n int64
	for _, m := range messages {
		n += counted(m)
	}
	return n
}

func countedBlock(b llm.Block) int64 {
	n := perBlock + countedText(b.Text) + int64(len(b.Raw)/4)
	if b.Call != nil {
		n += countedText(b.Call.Name) + countedText(b.Call.Args)
	}
	if b.Result != nil {
		n += countedText(b.Result.Content)
	}
	return n
}

// countedText counts four characters of ASCII to a token, two of other alphabets, and one where a character is a word or
// a syllable.
func countedText(s string) int64 {
	var quarters int64
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			quarters++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if i += size; r >= 0x2e80 {
			quarters += 4
		} else {
			quarters += 2
		}
	}
	return (quarters + 3) / 4
}
