package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset/cftime"
	"drx/internal/errkind"
	"drx/nd"
)

// ErrValue is wrapped by errors about a value that a coordinate does not or cannot have.
var ErrValue = errors.New("wrong coordinate")

// A Method determines what a single value selects. A range always selects the values between its
// ends, and the ends.
type Method uint8

// The methods.
const (
	// Usual is Nearest for numbers and Exact for times: a date selects all times of the day that it
	// names.
	Usual Method = iota
	// Nearest selects the index nearest to the value, or to the beginning of the date. Of two
	// values at equal distance it selects the larger one.
	Nearest
	// Exact selects the indices with this value. A date that names a span, such as 2013-01, selects
	// all times in it.
	Exact
)

// methodNames are the names of the methods.
var methodNames = []string{Usual: "usual", Nearest: "nearest", Exact: "exact"}

// String returns the name of the method: usual, nearest or exact.
func (m Method) String() string { return methodNames[m] }

// ParseMethod returns the method with a name. The error wraps ErrValue.
func ParseMethod(name string) (Method, error) {
	for m, known := range methodNames {
		if name == known {
			return Method(m), nil
		}
	}
	return 0, errkind.Errorf(ErrValue, "method %q: want %s", name, strings.Join(methodNames, " or "))
}

// Select returns the indices that conditions select, see Axes.Select: "50.2", "50..60",
// "2013-01..", "50.2|55". The error wraps cube.ErrWhere for a syntax error, ErrValue for text that
// is no value and for a value or a range without indices, or drx.ErrBounds for an index that is
// selected twice.
func (c *Coordinate) Select(m Method, items []cube.Item) (cube.Indices, error) {
	var x cube.Indices
	for _, it := range items {
		found, err := c.selectItem(m, it)
		if err != nil {
			return nil, fmt.Errorf("coordinate %s: %w", c.name, err)
		}
		x = x.Append(found)
	}
	if i, twice := x.Twice(); twice {
		return nil, errkind.Errorf(drx.ErrBounds, "coordinate %s: index %d, %s, is selected twice", c.name, i, c.Text(i))
	}
	return x, nil
}

func (c *Coordinate) selectItem(m Method, it cube.Item) (cube.Indices, error) {
	if it.IsRange {
		return c.between(it.From, it.To)
	}
	first, last, err := c.parse(*it.From)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, cube.RangeHint(*it.From, func(meant cube.Item) bool {
			_, _, from := c.parse(*meant.From)
			_, _, to := c.parse(*meant.To)
			return from == nil && to == nil
		}))
	}
	if m == Nearest || m == Usual && c.units == nil {
		nearest, err := c.nearest(first)
		if err != nil {
			return nil, err
		}
		first, last = nearest, nearest
	}
	found := c.within(&first, &last)
	if found == nil {
		return nil, c.noValue(*it.From, first, last)
	}
	return found, nil
}

// noValue returns the error for a number, or a date, that matches none of the values.
func (c *Coordinate) noValue(text string, first, last value) error {
	near, err := c.nearest(first)
	if err != nil {
		return err
	}
	if c.units == nil {
		return errkind.Errorf(ErrValue, "no value is %s: the nearest is %s", text, c.text(near))
	}
	before, after := c.neighbours(first, last)
	switch {
	case before == nil:
		return errkind.Errorf(ErrValue, "no value is in %s: the first one after it is %s", text, c.text(*after))
	case after == nil:
		return errkind.Errorf(ErrValue, "no value is in %s: the last one before it is %s", text, c.text(*before))
	}
	return errkind.Errorf(ErrValue, "no value is in %s: its neighbours are %s and %s", text, c.text(*before), c.text(*after))
}

// neighbours returns the greatest value below first and the least value above last, or nil.
func (c *Coordinate) neighbours(first, last value) (before, after *value) {
	for i, v := range c.values {
		switch {
		case v.missing():
		case v.compare(first) < 0 && (before == nil || v.compare(*before) > 0):
			before = &c.values[i]
		case v.compare(last) > 0 && (after == nil || v.compare(*after) < 0):
			after = &c.values[i]
		}
	}
	return before, after
}

// between returns the indices of the values in a range; nil is an open end.
func (c *Coordinate) between(from, to *string) (cube.Indices, error) {
	var low, high *value
	for _, end := range []struct {
		text *string
		to   **value
		last bool
	}{{from, &low, false}, {to, &high, true}} {
		if end.text == nil {
			continue
		}
		first, last, err := c.parse(*end.text)
		if err != nil {
			return nil, err
		}
		*end.to = &first
		if end.last {
			*end.to = &last
		}
	}
	if low != nil && high != nil && low.compare(*high) > 0 {
		if !c.descends() {
			return nil, errkind.Errorf(ErrValue, "%s comes before %s", *to, *from)
		}
		return c.between(to, from) // swap the ends into the order of the values
	}
	found := c.within(low, high)
	if found == nil {
		least, most, ok := c.extremes()
		if !ok {
			return nil, errkind.Errorf(ErrValue, "it has no values")
		}
		return nil, errkind.Errorf(ErrValue, "no value is in %s: they go from %s to %s", rangeText(from, to), c.text(least), c.text(most))
	}
	return found, nil
}

// rangeText returns a range in the syntax of conditions.
func rangeText(from, to *string) string {
	text := ".."
	if from != nil {
		text = *from + text
	}
	if to != nil {
		text += *to
	}
	return text
}

// within returns the indices of the values from low to high; nil is an open end.
func (c *Coordinate) within(low, high *value) (found cube.Indices) {
	for i, v := range c.values {
		if !v.missing() && (low == nil || low.compare(v) <= 0) && (high == nil || v.compare(*high) <= 0) {
			found = found.Append(cube.Indices{nd.At(c.first + i).By(1)})
		}
	}
	return found
}

// descends reports whether the last value is below the first.
func (c *Coordinate) descends() bool {
	var first *value
	for i := range c.values {
		if !c.values[i].missing() {
			first = &c.values[i]
			break
		}
	}
	for i := len(c.values) - 1; first != nil && i >= 0; i-- {
		if v := c.values[i]; !v.missing() {
			return v.compare(*first) < 0
		}
	}
	return false
}

// extremes returns the least and the greatest value, or false if there are none.
func (c *Coordinate) extremes() (least, most value, ok bool) {
	for _, v := range c.values {
		switch {
		case v.missing():
		case !ok:
			least, most, ok = v, v, true
		case v.compare(least) < 0:
			least = v
		case v.compare(most) > 0:
			most = v
		}
	}
	return least, most, ok
}

// nearest returns the value nearest to v; of two at equal distance the larger one.
func (c *Coordinate) nearest(v value) (value, error) {
	best, found := value{}, false
	for _, x := range c.values {
		if x.missing() {
			continue
		}
		if !found {
			best, found = x, true
			continue
		}
		switch c.compareDistances(v, x, best) {
		case -1:
			best = x
		case 0:
			if best.compare(x) < 0 {
				best = x
			}
		}
	}
	if !found {
		return best, errkind.Errorf(ErrValue, "it has no values")
	}
	return best, nil
}

// compareDistances compares the distances of x and of y to v.
func (c *Coordinate) compareDistances(v, x, y value) int {
	if c.units != nil {
		return timeDistance(v, x).Compare(timeDistance(v, y))
	}
	return cmp.Compare(distance(v, x), distance(v, y))
}

func distance(v, w value) float64 { return math.Abs((v.whole - w.whole) + float64(v.rest-w.rest)) }

// timeDistance returns the exact time between two moments.
func timeDistance(v, w value) cftime.Time {
	if v.compare(w) < 0 {
		v, w = w, v
	}
	return v.time().Sub(w.time())
}

// parse returns the first and the last value that a text names. They differ only for dates.
func (c *Coordinate) parse(text string) (first, last value, err error) {
	if c.units != nil {
		p, err := c.units.Calendar.Parse(text)
		if err != nil {
			return first, last, errkind.Errorf(ErrValue, "it has times, in the calendar %v: %w", c.units.Calendar, err)
		}
		return valueOfTime(p.First), valueOfTime(p.Last), nil
	}
	first, ok := c.parseNumber(text)
	if ok {
		return first, first, nil
	}
	why := ""
	if c.refused != nil {
		why = fmt.Sprintf(" (its %v)", c.refused)
	}
	return first, last, errkind.Errorf(ErrValue, "it has numbers%s, and %q is not one", why, text)
}

// parseNumber returns the value of a decimal number, rounded to the type of a floating-point
// coordinate: the text 50.2 means the float32 that was stored for it.
func (c *Coordinate) parseNumber(text string) (value, bool) {
	if strings.Trim(text, "+-.0123456789eE") != "" { // ParseFloat accepts "inf" and hexadecimals
		return value{}, false
	}
	if !c.scaled && c.dtype.IsFloat() {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return value{}, false
		}
		b, err := c.dtype.EncodeValue(f)
		return value{whole: c.float(b)}, err == nil
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return valueOfInt(i), true
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return valueOfUint(u), true
	}
	f, err := strconv.ParseFloat(text, 64)
	return value{whole: f}, err == nil
}

// float returns the number in an element of a floating-point type.
func (c *Coordinate) float(b []byte) float64 {
	if len(b) != c.dtype.Size() {
		return math.NaN()
	}
	return c.dtype.Float64(b)
}
