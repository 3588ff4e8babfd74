package cli

import (
	"encoding/csv"
	"strings"
)

// CsvFields returns the function that quotes a text as a field of CSV. For a terminal it also
// escapes unprintable characters, which a terminal would interpret; programs get the text
// unchanged.
func CsvFields(terminal bool) func(text string) string {
	if !terminal {
		return csvField
	}
	return func(text string) string { return csvField(Escaped(text)) }
}

// csvField returns a text as a field of CSV, in quotes if necessary.
func csvField(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t,\"\r\n\\") {
		return text
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{text}) // fails only for an invalid separator
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
