package usage

import (
	"fmt"
	"strconv"
	"strings"

	"drx/optionerr"
)

// WithFlags returns an error of a library in which options are called by their flags.
func WithFlags(err error) error { return optionerr.Rename(err, Flag) }

// Flag returns an option of a library in the form of a flag on a command line.
func Flag(o optionerr.Option) string {
	if o.Name == "section" && o.Value == nil {
		return "--at or --section"
	}
	flag := "--" + o.Name
	switch v := o.Value.(type) {
	case nil, bool:
		return flag
	case []string:
		return flag + " " + strings.Join(words(v), " "+flag+" ")
	case []int:
		parts := make([]string, len(v))
		for i, n := range v {
			parts[i] = strconv.Itoa(n)
		}
		return flag + " " + strings.Join(parts, ",")
	default:
		return flag + " " + words([]string{fmt.Sprint(v)})[0]
	}
}

// words returns texts as words of a command line: in quotes where it would divide or change them.
func words(texts []string) []string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		if quoted[i] = text; text == "" || strings.ContainsAny(text, "\"'\\ ") || strconv.Quote(text) != `"`+text+`"` {
			quoted[i] = strconv.Quote(text)
		}
	}
	return quoted
}
