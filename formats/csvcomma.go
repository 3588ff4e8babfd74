package formats

import (
	"regexp"
	"strings"

	"drx/internal/errkind"
)

var (
	// withComma matches a number with one comma.
	withComma = regexp.MustCompile(`^[+-]?\d+,\d+([eE][+-]?\d+)?$`)
	// ofThousands matches one whose comma may separate thousands.
	ofThousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2},\d{3}$`)
)

// number parses a field, also with a decimal comma. It records commas and points that decide how
// commas are to be read. It returns the error of parseNumber.
func (t *table) number(field string) (float64, error) {
	field = strings.TrimSpace(field)
	v, err := parseNumber(field)
	switch {
	case err == nil && strings.Contains(field, "."):
		t.point = field
	case err != ErrText || t.sep == 0 || !withComma.MatchString(field):
	case ofThousands.MatchString(field):
		t.doubt = field
		return parseNumber(strings.Replace(field, ",", ".", 1))
	default:
		t.comma = field
		return parseNumber(strings.Replace(field, ",", ".", 1))
	}
	return v, err
}

// commas returns an error if commas in the table's numbers are ambiguous: if other numbers have
// points, or if every comma may separate thousands. A wrong guess would change values by a factor
// of 1000.
func (t *table) commas() error {
	some := t.comma
	if some == "" {
		some = t.doubt
	}
	switch {
	case some != "" && t.point != "":
		return errkind.Errorf(ErrTable, "%s has a comma and %s a point, and either may be the decimal sign: write all numbers with points", some, t.point)
	case t.comma == "" && t.doubt != "":
		return errkind.Errorf(ErrTable, "%s may be %s or %s, and no other number tells: write it with a point, or without the comma",
			t.doubt, strings.Replace(t.doubt, ",", ".", 1), strings.Replace(t.doubt, ",", "", 1))
	}
	return nil
}
