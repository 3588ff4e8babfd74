package texttable

import (
	"slices"
	"strconv"
	"strings"

	"drx/internal/errkind"
	"drx/optionerr"
)

// Numbers reads the numbers of one table, which have one decimal sign: the point, or the comma,
// which then does not separate thousands.
type Numbers struct {
	decimal byte   // 0 until a number has determined it
	shownBy string // the number that determined it; empty if an option did
	// pointDoubtful means that a point alone may separate thousands: in tables with semicolons
	// between columns the comma may be the decimal sign.
	pointDoubtful bool
	na            []string
	naNumbers     []float64 // those of na that are numbers
}

// Numbers returns a reader of the numbers of a table with the given separator of columns.
func (o Options) Numbers(separator byte) *Numbers {
	n := &Numbers{pointDoubtful: separator == ';', na: o.NA}
	if o.Decimal != "" {
		n.decimal = o.Decimal[0]
	}
	for _, word := range o.NA {
		if x, err := strconv.ParseFloat(word, 64); err == nil {
			n.naNumbers = append(n.naNumbers, x)
		}
	}
	return n
}

// Decimal returns the decimal sign of the numbers, "" until it is determined.
func (n *Numbers) Decimal() string {
	if n.decimal == 0 {
		return ""
	}
	return string(n.decimal)
}

// missing are words for missing values, in lower case.
var missing = []string{"", "na", "n/a", "nan", "-nan", "null", "none", "-", "#n/a", "#na", "<na>"}

// Parse returns a number with a decimal point and without separators of thousands, which are
// commas, points, blanks or apostrophes before each group of three digits. It returns "" for a
// missing value: an empty field, NA, N/A, NaN, null, None, #N/A, <NA> or -, in any case, or a word
// of Options.NA. It returns other text unchanged. The error wraps ErrDoubt for a number with a sign
// that may be decimal or separate thousands, and ErrText for a number whose decimal sign differs
// from earlier ones.
func (n *Numbers) Parse(field string) (string, error) {
	if n.isPlain(field) {
		return field, nil
	}
	field = strings.TrimSpace(field)
	if slices.Contains(n.na, field) || len(field) <= 4 && slices.Contains(missing, strings.ToLower(field)) {
		return "", nil
	}
	number, err := n.point(field)
	if err == nil && len(n.naNumbers) > 0 {
		if x, err := strconv.ParseFloat(number, 64); err == nil && slices.Contains(n.naNumbers, x) {
			return "", nil
		}
	}
	return number, err
}

// isPlain reports whether Parse returns a field unchanged, as for most fields.
func (n *Numbers) isPlain(field string) bool {
	if field == "" || n.naNumbers != nil {
		return false
	}
	digits := 0
	for i := range len(field) {
		switch c := field[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '-' && i == 0:
		case c == '.' && n.decimal == '.':
		default:
			return false
		}
	}
	return digits > 0 && !slices.Contains(n.na, field)
}

// groupSigns separate groups of three digits and are no decimal signs.
const groupSigns = " \u00a0\u202f'\u2019"

// point returns a number with a decimal point and without separators of thousands.
func (n *Numbers) point(field string) (string, error) {
	sign, body, exponent := cutNumber(field)
	if i := strings.IndexAny(body, groupSigns); i > 0 {
		groups := strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(groupSigns, r) })
		last := groups[len(groups)-1]
		end := strings.IndexAny(last, ".,")
		if end < 0 {
			end = len(last)
		}
		groups[len(groups)-1] = last[:end]
		if !areGroups(groups) {
			return field, nil
		}
		if body = strings.Join(groups, "") + last[end:]; end < len(last) && strings.ContainsAny(last[end+1:], ".,") {
			return field, nil
		} else if end < len(last) { // the sign behind other separators of thousands is decimal
			return n.decide(field, last[end], sign, body[:len(body)-len(last)+end], last[end+1:], exponent)
		}
	}
	commas, points := strings.Count(body, ","), strings.Count(body, ".")
	at := strings.LastIndexAny(body, ".,")
	if at < 0 || strings.Trim(body, "0123456789.,") != "" {
		return sign + body + exponent, nil
	}
	last, whole, part := body[at], body[:at], body[at+1:]
	switch {
	case commas+points == 1 && n.isDoubtful(last, whole, part, exponent):
		return n.doubt(field, last, sign, whole, part)
	case commas+points == 1:
		return n.decide(field, last, sign, whole, part, exponent)
	case commas > 0 && points > 0 && areGroups(strings.Split(whole, string(other(last)))):
		return n.decide(field, last, sign, strings.ReplaceAll(whole, string(other(last)), ""), part, exponent)
	case commas*points == 0 && areGroups(strings.Split(body, string(last))):
		return n.decide(field, other(last), sign, strings.ReplaceAll(body, string(last), ""), "", exponent)
	}
	return field, nil
}

// cutNumber splits a number into its sign, its digits with all signs among them, and its exponent.
func cutNumber(field string) (sign, body, exponent string) {
	body = strings.TrimLeft(field, "+-")
	sign = field[:len(field)-len(body)]
	if i := strings.IndexAny(body, "eE"); i >= 0 {
		body, exponent = body[:i], body[i:]
	}
	return sign, body, exponent
}

// areGroups reports whether digits are divided into thousands.
func areGroups(groups []string) bool {
	for i, g := range groups {
		if strings.Trim(g, "0123456789") != "" || len(g) > 3 || len(g) < 3 && i > 0 || len(g) == 0 {
			return false
		}
	}
	return len(groups) > 1
}

// isDoubtful reports whether the only sign in a number may separate thousands.
func (n *Numbers) isDoubtful(sign byte, whole, part, exponent string) bool {
	thousands := len(part) == 3 && len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' && exponent == ""
	return thousands && (sign == ',' || n.pointDoubtful || n.decimal == ',')
}

// other returns the separator of thousands beside a decimal sign, and the reverse.
func other(sign byte) byte {
	if sign == '.' {
		return ','
	}
	return '.'
}

// doubt handles a number whose only sign may separate thousands. Earlier or later numbers decide.
func (n *Numbers) doubt(field string, mark byte, sign, whole, part string) (string, error) {
	switch n.decimal {
	case mark:
		return sign + whole + "." + part, nil
	case other(mark):
		return sign + whole + part, nil
	}
	return "", errkind.Of(ErrDoubt, optionerr.Errorf("%s may be %s or %s, and no number before it decides: %v or %v says it", field,
		sign+whole+"."+part, sign+whole+part, optionerr.Option{Name: "decimal", Value: string(mark)}, optionerr.Option{Name: "decimal", Value: string(other(mark))}))
}

// decide returns a number with the given decimal sign, or an error if earlier numbers had the other
// sign.
func (n *Numbers) decide(field string, mark byte, sign, whole, part, exponent string) (string, error) {
	switch {
	case n.decimal == 0:
		n.decimal, n.shownBy = mark, strings.Clone(field)
	case n.decimal != mark && n.shownBy != "":
		return "", errkind.Of(ErrText, optionerr.Errorf("%s has another decimal sign than %s before it: write all numbers alike", field, n.shownBy))
	case n.decimal != mark:
		return "", errkind.Of(ErrText, optionerr.Errorf("%s does not have the decimal sign of %v", field, optionerr.Option{Name: "decimal", Value: string(n.decimal)}))
	}
	if part != "" || exponent != "" || whole == "" {
		part = "." + part
	}
	return sign + whole + part + exponent, nil
}
