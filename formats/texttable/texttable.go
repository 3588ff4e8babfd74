// Package texttable reads the elements of text tables that are written in several ways: separators,
// encodings, numbers with decimal points or commas, missing values, and dates. Package formats
// reads tables of numbers with it, package cube tables with one row per value, so both interpret a
// field in the same way.
//
// Numbers and Times learn the conventions of a table from its fields. They refuse ambiguous fields
// until another field decides, because a wrong guess would change a value by a factor of 1000, or a
// date by months.
package texttable

import (
	"errors"
	"slices"
	"strings"

	"drx/optionerr"
)

var (
	// ErrText is wrapped by errors for a field that is not a number.
	ErrText = errors.New("is not a number")
	// ErrDoubt is wrapped by errors for an ambiguous field. A later field may decide.
	ErrDoubt = errors.New("ambiguous")
	// ErrTime is wrapped by errors for a field that is not a time.
	ErrTime = errors.New("is not a time")
)

// Options describe the conventions of a table. By default they are detected.
type Options struct {
	// NA are words for missing values, in addition to those of Numbers.
	NA []string `json:"na,omitempty"`
	// Decimal is the decimal sign, "." or ",".
	Decimal string `json:"decimal,omitempty"`
	// Dates is the order of day, month and year if the year is last: "dmy" or "mdy".
	Dates string `json:"dates,omitempty"`
	// Separator separates the columns: one of Separators.
	Separator string `json:"separator,omitempty"`
	// Units says whether the row below the headings has units: one of UnitsRows.
	Units string `json:"units,omitempty"`
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
	case o.Units != "" && !slices.Contains(UnitsRows, o.Units):
		return optionerr.Wrong("units", o.Units, "want %s, or nothing", strings.Join(UnitsRows, " or "))
	}
	return nil
}

// RefuseAll returns an optionerr.Error if an option is given, except those of the given names. It
// is for data that are no table of text, which the options would not change.
func (o Options) RefuseAll(except ...string) error {
	for _, given := range []struct {
		name  string
		value string
	}{{"na", strings.Join(o.NA, ",")}, {"decimal", o.Decimal}, {"dates", o.Dates}, {"separator", o.Separator}, {"units", o.Units}} {
		if given.value != "" && !slices.Contains(except, given.name) {
			return optionerr.Wrong(given.name, given.value, "says how a table of text is meant, and this is none: leave the option out")
		}
	}
	return nil
}

// SeparatorOf returns the separator of a table: that of the options, or the first of Separators
// that occurs outside of quotes in the table's first line.
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
