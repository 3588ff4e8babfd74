package cli

import (
	"drx/internal/wording"
)

// FormatInts formats integers in the form that ParseInts accepts.
func FormatInts(ints []int) string { return wording.Ints(ints) }

// OrList formats a list for a sentence: a, b or c.
func OrList(list []string) string { return wording.Or(list) }

// FormatShape formats extents for people: 10 x 12.
func FormatShape(extents []int) string { return wording.Shape(extents) }

// Truncated shortens a value for a list, since an attribute may hold thousands of labels. "drx attr
// A NAME" prints the whole value.
func Truncated(value string) string {
	const most = 80
	runes := 0
	for i := range value {
		if runes++; runes > most {
			return value[:i] + "..."
		}
	}
	return value
}

// Percent formats a share. It says 100 % only if part equals whole.
func Percent(part, whole float64) string { return wording.Percent(part, whole) }

// Printable returns the name of an array, a dimension or an attribute in a form that is safe to
// print: it is quoted if it has characters that a terminal would interpret or that are invisible.
func Printable(name string) string { return wording.Printable(name) }

// Escaped escapes the unprintable characters of a text in the syntax of Go: \x1b.
func Escaped(text string) string { return wording.Escaped(text) }

// ByteSize formats a number of bytes for people: 1.5 MiB.
func ByteSize(n int64) string { return wording.Bytes(n) }
