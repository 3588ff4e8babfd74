package cube

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// between returns the indices of the labels from from to to, in the order of the indices; nil is an
// open end. Labels are in order of appearance, so the range is decided by their values and not by
// their indices.
func (c *Cube) between(dim int, from, to *string) (Indices, error) {
	x := &c.axes[dim]
	values, ok := valuesOf(x.names)
	if !ok {
		return nil, errkind.Errorf(ErrLabel, "dimension %s: the range %s needs labels that are all numbers, or all dates such as 2013-01-31; "+
			"list labels instead, as in %s", c.dimName(dim), rangeText(from, to), listText(x.names))
	}
	lo, hi, err := values.ends(from, to)
	if err != nil {
		return nil, fmt.Errorf("dimension %s: %w", c.dimName(dim), err)
	}
	if from != nil && to != nil && lo.compare(hi) > 0 {
		return nil, errkind.Errorf(drx.ErrBounds, "dimension %s: %q comes before %q", c.dimName(dim), *to, *from)
	}
	var found Indices
	for i, v := range values.of {
		if (from == nil || lo.compare(v) <= 0) && (to == nil || v.compare(hi) <= 0) {
			found = found.appendRange(nd.At(x.first + i).By(1))
		}
	}
	if found == nil {
		least, most := values.extremes()
		return nil, errkind.Errorf(ErrLabel, "dimension %s: no label is in %s: they go from %q to %q",
			c.dimName(dim), rangeText(from, to), x.names[least], x.names[most])
	}
	return found, nil
}

// rangeText formats a range of labels in the syntax of conditions.
func rangeText(from, to *string) string {
	text := ".."
	if from != nil {
		text = *from + text
	}
	if to != nil {
		text += *to
	}
	return strconv.Quote(text)
}

// listText formats labels in the syntax of conditions.
func listText(names []string) string {
	return strconv.Quote(strings.Join(names[:min(2, len(names))], "|"))
}

// A value is the number or the date that a label names: the sum of whole and rest, because a
// float64 alone is too coarse.
type value struct {
	whole float64
	rest  int64
}

func (v value) compare(w value) int {
	return cmp.Or(cmp.Compare(v.whole, w.whole), cmp.Compare(v.rest, w.rest))
}

// values are the values of labels that are all numbers or all dates.
type values struct {
	of    []value
	dates bool
}

// valuesOf returns the values of labels. ok is false if they are neither all numbers nor all dates.
func valuesOf(names []string) (v values, ok bool) {
	for _, v.dates = range []bool{false, true} {
		v.of = make([]value, 0, len(names))
		for _, name := range names {
			x, _, ok := v.parse(name)
			if !ok {
				break
			}
			v.of = append(v.of, x)
		}
		if len(v.of) == len(names) {
			return v, true
		}
	}
	return v, false
}

// ends returns the values of the ends of a range, which need not be labels themselves. If the upper
// end is a day or a month, the range includes all of it.
func (v values) ends(from, to *string) (lo, hi value, err error) {
	kind := "a number"
	if v.dates {
		kind = "a date, such as 2013-01-31"
	}
	ok := true
	if from != nil {
		if lo, _, ok = v.parse(*from); !ok {
			return lo, hi, errkind.Errorf(ErrLabel, "its labels are compared by value, and %q is not %s", *from, kind)
		}
	}
	if to != nil {
		if _, hi, ok = v.parse(*to); !ok {
			return lo, hi, errkind.Errorf(ErrLabel, "its labels are compared by value, and %q is not %s", *to, kind)
		}
	}
	return lo, hi, nil
}

// extremes returns the positions of the least and the greatest value.
func (v values) extremes() (least, most int) {
	for i, x := range v.of {
		if x.compare(v.of[least]) < 0 {
			least = i
		}
		if x.compare(v.of[most]) > 0 {
			most = i
		}
	}
	return least, most
}

// parse returns the first and the last value that a text names. They differ for days and months.
func (v values) parse(text string) (first, last value, ok bool) {
	if v.dates {
		return parseDate(text)
	}
	first, ok = parseNumber(text)
	return first, first, ok
}

// parseNumber returns the value of a decimal number. Integers of 64 bits are exact.
func parseNumber(text string) (value, bool) {
	if strings.Trim(text, "+-.0123456789eE") != "" { // ParseFloat accepts "inf" and hexadecimals
		return value{}, false
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value{float64(i), i - int64(float64(i))}, true
	}
	f, err := strconv.ParseFloat(text, 64)
	return value{f, 0}, err == nil
}

// dateLayouts are the layouts of dates, each with the length of time that it names.
var dateLayouts = []struct {
	layout       string
	months, days int
}{
	{"2006-01-02", 0, 1},
	{"2006-01", 1, 0},
	{"2006-01-02T15:04", 0, 0},
	{"2006-01-02T15:04:05", 0, 0},
	{"2006-01-02 15:04", 0, 0},
	{"2006-01-02 15:04:05", 0, 0},
	{time.RFC3339, 0, 0},
}

// parseDate returns the values of the first and the last nanosecond that a date names.
func parseDate(text string) (first, last value, ok bool) {
	for _, l := range dateLayouts {
		begin, err := time.Parse(l.layout, text)
		if err != nil {
			continue
		}
		end := begin
		if l.months+l.days > 0 {
			end = begin.AddDate(0, l.months, l.days).Add(-1)
		}
		return valueOfTime(begin), valueOfTime(end), true
	}
	return first, last, false
}

func valueOfTime(t time.Time) value { return value{float64(t.Unix()), int64(t.Nanosecond())} }
