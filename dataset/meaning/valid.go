package meaning

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// DescribeValid returns a sentence for people if the valid range of from, in the units of to,
// differs from that of to, otherwise "". Values outside of the range are converted all the same,
// because they are still values here; but other programs read the attributes of the target and
// treat them as missing. target names the target in the text.
func DescribeValid(from, to *Meaning, target string) string {
	given, ok := from.validIn(to)
	there, _ := to.validIn(to)
	if !ok || sameLimit(given[0], there[0]) && sameLimit(given[1], there[1]) {
		return ""
	}
	return fmt.Sprintf("valid values (valid_min, valid_max, valid_range) are %s, and stay %s in %s: one outside of that is kept, but other programs may take it for missing",
		rangeText(given), rangeText(there), target)
}

// validIn returns the valid range in the units of another meaning, infinite where nothing limits
// it. ok is false if the units cannot be converted or a meaning depends on the index.
func (m *Meaning) validIn(to *Meaning) (valid [2]float64, ok bool) {
	valid = [2]float64{math.Inf(-1), math.Inf(1)}
	c := &Conversion{from: m, to: to, factor: 1}
	if m.Valid == nil || m.Indices() > 0 || to.Indices() > 0 {
		return valid, m.Indices() == 0 && to.Indices() == 0
	}
	if c.setUnits() != nil {
		return valid, false
	}
	for i, x := range m.Valid {
		if math.IsInf(x, 0) {
			continue
		}
		if m.otherSign && isSigned(m.Type) && x < 0 { // given with the sign of the type
			x += math.Ldexp(1, 8*m.Type.Size())
		}
		if m.Scale != nil {
			x = x*m.Scale[0] + m.Offset[0]
		}
		if !c.times {
			valid[i] = x*c.factor + c.shift
		} else if t, err := m.Times.Time(x); err == nil {
			valid[i] = to.Times.Value(t)
		}
	}
	if valid[0] > valid[1] { // a negative scale reverses them
		slices.Reverse(valid[:])
	}
	return valid, true
}

// sameLimit reports whether two limits are equal within the precision of a float32.
func sameLimit(x, y float64) bool {
	return x == y || !math.IsInf(x, 0) && !math.IsInf(y, 0) && math.Abs(x-y) <= 1e-6*max(math.Abs(x), math.Abs(y))
}

// rangeText describes a valid range for people.
func rangeText(valid [2]float64) string {
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }
	low, high := text(valid[0]), text(valid[1])
	switch {
	case math.IsInf(valid[0], -1) && math.IsInf(valid[1], 1):
		return "not limited"
	case math.IsInf(valid[0], -1):
		return "at most " + high
	case math.IsInf(valid[1], 1):
		return "at least " + low
	}
	return low + " to " + high
}
