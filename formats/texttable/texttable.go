// Package texttable reads what tables of text write in several ways: separators, encodings, numbers
// with decimal points or commas, missing values, and dates. Package formats reads tables of numbers
// with it, package cube tables with a row for each value, so that both take a field for the same.
//
// Numbers and Times learn from what they read how the others are meant, and refuse what could mean
// two things until something decides: a wrong guess would change a value by a factor of 1000, or a
// date by months.
package texttable

import (
	"errors"
	"slices"
	"strings"

	"drx/optionerr"
)

var (
	// ErrText is in errors about a field that is no number.
	ErrText = errors.New("is not a number")
	// ErrDoubt is in errors about a field that may mean two things. A later field may decide.
	ErrDoubt = errors.New("ambiguous")
	// ErrTime is in errors about a field that is no time.
	ErrTime = errors.New("is not a time")
)

// Options say how the text of a table is meant. The zero value finds out what it can.
type Options struct {
	// NA are words for missing values, beside those of Numbers.
	NA []string `json:"na,omitempty"`
	// Decimal is the decimal sign, "." or ",".
	Decimal string `json:"decimal,omitempty"`
	// Dates is the order of day, month and year where the year is last: "dmy" or "mdy".
	Dates string `json:"dates,omitempty"`
	// Separator separates the columns: one of Separators.
	Separator string `json:"separator,omitempty"`
}

// Separators are the values of Options.Separator, in the order in which they are searched for.
var Separators = []string{"tab", ";", ",", "|", "blank"}

// separatorBytes are the bytes of Separators. Blank is any number of blanks and tabs.
var separatorBytes = map[string]byte{"tab": '\t', ";": ';', "|": '|', ",": ',', "blank": Blank}

// Blank is the separator of columns with any number of blanks and tabs between them.
const Blank byte = ' '

// Check returns an optionerr.Error for a value that an option cannot have.
func (o Options) Check() error {
	switch {
	case o.Decimal != "" && o.Decimal != "." && o.Decimal != ",":
		return optionerr.Wrong("decimal", o.Decimal, "want a point or a comma")
	case o.Dates != "" && o.Dates != dayFirst && o.Dates != monthFirst:
		return optionerr.Wrong("dates", o.Dates, "want %s or %s: day or month first, before the year", dayFirst, monthFirst)
	case o.Separator != "" && !slices.Contains(Separators, o.Separator):
		return optionerr.Wrong("separator", o.Separator, "want one of %s", strings.Join(Separators, " "))
	}
	return nil
}

// SeparatorOf returns the separator of a table: that of the options, or the first of Separators
// outside of quotes in its first line.
func (o Options) SeparatorOf(line string) byte {
	if o.Separator != "" {
		return separatorBytes[o.Separator]
	}
	for _, name := range Separators {
		sep, quoted := separatorBytes[name], false
		for i := range len(line) {
			if line[i] == '"' {
				quoted = !quoted
			}
			if line[i] == sep && !quoted {
				return sep
			}
		}
	}
	return Blank
}
