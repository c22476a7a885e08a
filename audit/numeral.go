package audit

import (
	"fmt"
	"strings"
	"unicode"

	"ibid/evidence"
)

// numeralSign reports whether a reader takes a sign of Unicode for a figure that is neither a digit nor read as a number here:
// a circled, bracketed, lowered or Roman one ("⑲", "⑴", "₁₉", "Ⅻ"). Raised ones and fractions are read.
func numeralSign(r rune) bool {
	return r > 0x7F && unicode.In(r, unicode.No, unicode.Nl) && !strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r) && !(r >= 0xBC && r <= 0xBE) && !(r >= 0x2150 && r <= 0x215F) && r != 0x2189
}

// checkNumerals refuses figures in such signs, which nothing could be held against, unless the cited words write them so.
// What is lowered behind a letter is part of a formula: "CO₂".
func (c *checker) checkNumerals(b *block, s statement, cites []evidence.Citation) {
	before := ' '
	for _, r := range s.text {
		if numeralSign(r) && !unicode.IsLetter(before) && !strings.ContainsRune(c.joint(cites).names, unicode.ToLower(r)) {
			c.failAt(b, s.Range, Failure{Code: ClaimMismatch, Claim: s.text, Text: string(r),
				Message: fmt.Sprintf("The figure %q is written with a sign that the cited words do not have. Write it in digits.", r)})
			return
		}
		if !invisible(r) {
			before = r
		}
	}
}
