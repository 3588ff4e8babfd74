package texttable

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"drx/dataset/meaning"
	"drx/internal/errkind"
	"drx/optionerr"
)

// The values of Options.Units.
const (
	unitsInRow = "row"
	noUnits    = "none"
)

// UnitsRows are the values of Options.Units.
var UnitsRows = []string{unitsInRow, noUnits}

// A Head is the beginning of a table: the headings, the row below them, which may have units, and
// the row after that.
type Head struct {
	Headings, Row, Next []string
	// IsValue says which columns have values, which are numbers; others may have times or labels.
	IsValue func(column int) bool
	// IsText reports whether a field is neither a number nor missing.
	IsText func(field string) bool
}

// universal are what a row of units has for times in UTC, and for times as such.
var universal = strings.Fields("UTC GMT Z UT TS")

// dateForm matches a form of dates, as yyyy-mm-dd hh:mm.
var dateForm = regexp.MustCompile(`^[yYmMdDhHsS]+([-/:. T][yYmMdDhHsS]+)+$`)

// UnitsRow returns the headings with the units in the row below them, for CutUnits, or nil if the
// row has values. It has units if there is text in it above numbers, and no number. The error wraps
// ErrDoubt if that text may be something else than units, and is an optionerr.Error if the options
// say that the row has units, and it cannot.
func (o Options) UnitsRow(t Head) (headings []string, err error) {
	if o.Units == noUnits {
		return nil, nil
	}
	if n := len(t.Headings); len(t.Row) != n || len(t.Next) != n {
		return nil, o.notUnits("want %d headings, a row of %d units and a row of %d values below them, not of %d and %d", n, n, n, len(t.Row), len(t.Next))
	}
	found, doubtful := o.Units == unitsInRow, -1
	headings = slices.Clone(t.Headings)
	for i, field := range t.Row {
		field = strings.TrimSpace(field)
		switch {
		case field == "" || field == "-" || field == "1" && t.IsValue(i):
			continue
		case !t.IsText(field):
			return nil, o.notUnits("%.40q under the heading %q is a number, or a missing value, and no units", field, t.Headings[i])
		case !t.IsText(t.Next[i]) || o.Units == unitsInRow && t.IsValue(i):
			units, known := unitsOf(field)
			if found = found || t.IsValue(i); !known && doubtful < 0 {
				doubtful = i
			}
			var wrong error
			headings[i], wrong = addUnits(t.Headings[i], units)
			err = cmp.Or(err, wrong)
		case t.IsValue(i) || isTime(field):
			return nil, o.notUnits("%.40q under the heading %q is a time, and no units", field, t.Headings[i])
		case isTime(t.Next[i]) && !slices.Contains(universal, field) && !dateForm.MatchString(field):
			err = cmp.Or(err, errkind.Errorf(ErrDoubt, "%q under %q may be a zone of times, which are in UTC without one: write UTC or nothing there, or the zone behind each time",
				field, t.Headings[i]))
		case !isTime(t.Next[i]) && doubtful < 0:
			doubtful = i
		}
	}
	switch {
	case !found:
		return nil, nil
	case err != nil:
		return nil, err
	case doubtful >= 0 && o.Units != unitsInRow:
		return nil, errkind.Of(ErrDoubt, optionerr.Errorf("column %d: %.40q under the heading %q may be its units, or a value that is no number: %v or %v says it",
			doubtful+1, strings.TrimSpace(t.Row[doubtful]), t.Headings[doubtful], optionerr.Option{Name: "units", Value: unitsInRow}, optionerr.Option{Name: "units", Value: noUnits}))
	}
	return headings, nil
}

// CheckNoUnits returns an optionerr.Error if the options say that a table has a row of units, which
// cannot be for the reason why.
func (o Options) CheckNoUnits(why string) error { return o.notUnits("%s", why) }

// notUnits returns an error if the options say that a row has units, which it has not.
func (o Options) notUnits(format string, args ...any) error {
	if o.Units != unitsInRow {
		return nil
	}
	return optionerr.Wrong("units", o.Units, format, args...)
}

// isTime reports whether a field is a time, as far as one field can show it.
func isTime(field string) bool {
	_, err := Options{}.Times().Parse(field)
	return err == nil || errors.Is(err, ErrDoubt)
}

// unitsOf returns the units that a field has, perhaps in brackets, and whether they are known.
func unitsOf(field string) (units string, known bool) {
	last := len(field) - 1
	if last > 1 && (field[0] == '[' && field[last] == ']' || field[0] == '(' && field[last] == ')') {
		return strings.TrimSpace(field[1:last]), true
	}
	return field, slices.Contains(plainUnits, field) || meaning.IsUnit(field)
}

// addUnits returns a heading with units, which must not contradict it.
func addUnits(heading, units string) (string, error) {
	name, own := CutUnits(heading)
	if own != "" && own != units {
		return "", errkind.Errorf(ErrDoubt, "the heading %q and %q under it are different units: remove one of them", heading, units)
	}
	with := WithUnits(name, units)
	if with == name {
		return "", errkind.Errorf(ErrDoubt, "%q under the heading %q cannot be units: write them in brackets behind the heading", units, heading)
	}
	return with, nil
}
