package claim

// A Basis is what a claim rests on: a quote and what stands around it, read for as many claims as are held against it.
// Several may hold claims against one at once.
type Basis struct {
	quote         *text
	context       *text // title, heading, heads of the table
	around        *text // before and after the quote
	before, after *text // of those, what belongs to the quote's sentence; nil if nothing does
	voice         string
}

// On reads a quote.
func On(quote string, c Context) *Basis {
	b := &Basis{
		quote:   read(clip(quote, MaxQuote)),
		context: read(clip(c.Title+"\n"+c.Heading+"\n"+c.Table, MaxQuote)),
		around:  read(clipFront(c.Before, MaxQuote/2) + "\n" + clip(c.After, MaxQuote/2)),
		voice:   c.Voice,
	}
	if !b.quote.beginsSentence(c.Before) {
		b.before = lastPart(c.Before)
	}
	if !b.quote.ends() {
		b.after = firstPart(c.After)
	}
	return b
}

// A Checker holds claims against quotes and reads each quote once, where it is asked about it again. Its zero value is
// ready. It is not for several at once.
type Checker struct {
	read  map[Question]*Basis // by what they are read of, without a claim
	bytes int
}

// maxKept is of how many bytes of text a Checker keeps what it has read, which takes some thirty times as many.
const maxKept = 256 << 10

// Check is what the package's Check is.
func (k *Checker) Check(claim, quote string, c Context) []Verdict {
	q := Question{Quote: quote, Context: c}
	b := k.read[q]
	if b == nil {
		b = On(quote, c)
		n := len(quote) + len(c.Title) + len(c.Heading) + len(c.Table) + len(c.Before) + len(c.After)
		if k.bytes += n; k.read == nil || k.bytes > maxKept {
			k.read, k.bytes = make(map[Question]*Basis), n
		}
		k.read[q] = b
	}
	return b.Check(claim)
}
