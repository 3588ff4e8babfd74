package texttable

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx/dataset/cftime"
	"drx/internal/errkind"
	"drx/optionerr"
)

// The values of Options.Dates.
const (
	dayFirst   = "dmy"
	monthFirst = "mdy"
)

// Times reads the times of one column, in the standard calendar: ISO 8601 with a precision of a day
// or more, such as 2024-01-31, 2024-01-31 06:30 or 2024-01-31T06:30:15.5+01:00, also with slashes
// or points; and dates with the year last, such as 31.1.2024, 1/31/2024 1:30 PM or 31-Jan-2024.
// Times without a zone are in UTC.
type Times struct {
	order   string // of day and month; empty until a date has determined it
	shownBy string // the date that determined it; empty if an option did
	zones   [2]string
}

// Times returns a reader of the times of a column.
func (o Options) Times() *Times { return &Times{order: o.Dates} }

// Parse reads a time. The error wraps ErrTime for text that is not a time, and ErrDoubt for a date
// whose day and month are ambiguous. It wraps neither for a time that contradicts earlier ones: in
// the order of day and month, or because only some have a zone.
func (t *Times) Parse(text string) (cftime.Time, error) {
	text = strings.TrimSpace(text)
	date, clock, ok := cutDate(text)
	if !ok {
		return cftime.Time{}, errkind.Errorf(ErrTime, "%.40q %w", text, ErrTime)
	}
	year, month, day := date[0], date[1], date[2]
	if len(date[0].text) != yearDigits {
		if !date[1].word {
			if err := t.orderOf(text, date); err != nil {
				return cftime.Time{}, err
			}
		}
		year, day = date[2], date[0]
		if !date[1].word && t.order == monthFirst {
			month, day = date[0], date[1]
		}
	}
	clock, err := clock24(clock)
	if err != nil {
		return cftime.Time{}, errkind.Errorf(ErrTime, "%.40q %w", text, ErrTime)
	}
	if err := t.zone(text, clock); err != nil {
		return cftime.Time{}, err
	}
	period, err := cftime.Standard.Parse(fmt.Sprintf("%04d-%02d-%02d%s", year.n, month.n, day.n, clock))
	if err != nil {
		return cftime.Time{}, errkind.Errorf(ErrTime, "%.40q %w: %w", text, ErrTime, err)
	}
	return period.First, nil
}

// ParseTimes returns the times of a whole column, in which a later one may resolve ambiguities of
// earlier ones. The errors are those of Times.Parse.
func (o Options) ParseTimes(column []string) ([]cftime.Time, error) {
	t, times := o.Times(), make([]cftime.Time, len(column))
	var doubt error
	for range 2 { // the second time with the order that some date has determined
		doubt = nil
		for i, text := range column {
			var err error
			if times[i], err = t.Parse(text); err != nil && !errors.Is(err, ErrDoubt) {
				return nil, err
			}
			doubt = cmp.Or(doubt, err)
		}
		if doubt == nil {
			break
		}
	}
	return times, doubt
}

// UnitsOf returns the coarsest unit of seconds, microseconds and nanoseconds since 1970 in which
// all times are integers of 64 bits. The error wraps ErrTime if there is none.
func UnitsOf(times []cftime.Time) (text string, u cftime.Units, err error) {
	for _, unit := range []string{"seconds", "microseconds", "nanoseconds"} {
		text = unit + " since 1970-01-01"
		if u, err = cftime.ParseUnits(text, cftime.Standard.String()); err != nil {
			return "", u, err
		}
		if !slices.ContainsFunc(times, func(t cftime.Time) bool { _, whole := u.ValueInt(t); return !whole }) {
			return text, u, nil
		}
	}
	return "", u, errkind.Errorf(ErrTime, "times to the nanosecond over more than 500 years are no int64")
}

// yearDigits is the number of digits of a year. Years of two digits could be days.
const yearDigits = 4

// A dateField is a number in a date, or the name of a month.
type dateField struct {
	text string
	n    int
	word bool
}

// cutDate splits a text into the three fields of its date, with the same separator between them,
// and the time of day. The year is the first field or the last one.
func cutDate(text string) (date [3]dateField, clock string, ok bool) {
	var sep byte
	for i := range date {
		f := &date[i]
		end := 0
		for end < len(text) && !strings.ContainsRune("-/. ,", rune(text[end])) && (i < 2 || text[end] != 'T') {
			end++
		}
		f.text, text = text[:end], text[end:]
		var err error
		if f.n, err = strconv.Atoi(f.text); err != nil || f.text[0] < '0' || len(f.text) > yearDigits {
			if f.n = monthOf(f.text); f.n == 0 || i != 1 {
				return date, "", false
			}
			f.word = true
		}
		if i == 2 {
			break
		}
		if text == "" || i == 1 && text[0] != sep || text[0] == ' ' && i == 0 && len(f.text) > 2 {
			return date, "", false
		}
		sep, text = text[0], text[1:]
	}
	years := 0
	for i, f := range date {
		if len(f.text) == yearDigits && !f.word {
			if years++; i == 1 {
				return date, "", false
			}
		} else if len(f.text) > 2 && !f.word {
			return date, "", false
		}
	}
	blanks := sep == ' ' && !date[1].word // "1 2 2024" is three numbers
	return date, text, years == 1 && !blanks && sep != ',' && (text == "" || text[0] == ' ' || text[0] == 'T')
}

// months are the English names of months.
var months = strings.Fields("january february march april may june july august september october november december")

// monthOf returns the number of the month whose English name, or its first three letters, is text;
// 0 for other texts.
func monthOf(text string) int {
	text = strings.ToLower(text)
	for m, name := range months {
		if text == name || text == name[:3] {
			return m + 1
		}
	}
	return 0
}

// orderOf decides whether the day or the month is first in a date with the year last.
func (t *Times) orderOf(text string, date [3]dateField) error {
	first, second := date[0].n, date[1].n
	order := ""
	switch {
	case first > 12 && second > 12:
		return errkind.Errorf(ErrTime, "%.40q %w", text, ErrTime)
	case first > 12:
		order = dayFirst
	case second > 12:
		order = monthFirst
	case t.order == "" && first != second:
		iso := func(month, day dateField) string { return fmt.Sprintf("%04d-%02d-%02d", date[2].n, month.n, day.n) }
		return errkind.Of(ErrDoubt, optionerr.Errorf("%s may be %s or %s, and no date before it decides: %v or %v says it", text,
			iso(date[1], date[0]), iso(date[0], date[1]), optionerr.Option{Name: "dates", Value: dayFirst}, optionerr.Option{Name: "dates", Value: monthFirst}))
	}
	switch {
	case order == "" || order == t.order:
	case t.order == "":
		t.order, t.shownBy = order, strings.Clone(text)
	case t.shownBy == "":
		return optionerr.Errorf("%s has another order than %v", text, optionerr.Option{Name: "dates", Value: t.order})
	default:
		return optionerr.Errorf("%s has another order of day and month than %s before it", text, t.shownBy)
	}
	return nil
}

// clock24 returns a time of day with hours from 0 to 23; one with AM or PM has hours up to 12.
func clock24(clock string) (string, error) {
	upper := strings.ToUpper(strings.TrimRight(clock, " "))
	half := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(upper, "AM"), "PM"), " ")
	if half == upper || upper == "" {
		return upper, nil
	}
	hours, rest, _ := strings.Cut(half[1:], ":")
	n, err := strconv.Atoi(strings.TrimSpace(hours))
	if err != nil || n < 1 || n > 12 {
		return "", ErrTime
	}
	n %= 12
	if strings.HasSuffix(upper, "PM") {
		n += 12
	}
	if rest != "" {
		rest = ":" + rest
	}
	return fmt.Sprintf("T%02d%s", n, rest), nil
}

// zone returns an error if some times have a zone and others do not.
func (t *Times) zone(text, clock string) error {
	if clock == "" {
		return nil
	}
	zoned := 0
	if strings.ContainsAny(clock, "+-Z") || strings.HasSuffix(clock, "UTC") || strings.HasSuffix(clock, "GMT") {
		zoned = 1
	}
	if without := t.zones[1-zoned]; without != "" {
		with := text
		if zoned == 0 {
			with, without = without, text
		}
		return optionerr.Errorf("%s has a zone and %s has none, so it is not certain when that was: write all times alike", with, without)
	}
	if t.zones[zoned] == "" {
		t.zones[zoned] = strings.Clone(text)
	}
	return nil
}
