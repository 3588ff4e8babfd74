package wording

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable returns the name of an array, a dimension or an attribute in a form that is safe to
// print: it is quoted if it has characters that a terminal would interpret or that are invisible.
func Printable(name string) string {
	if Escaped(name) == name {
		return name
	}
	return strconv.Quote(name)
}

// Escaped escapes the unprintable characters of a text in the syntax of Go: \x1b.
func Escaped(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[0]), 16))
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[n:]
	}
	return b.String()
}
