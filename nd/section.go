package nd

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"drx/internal/errkind"
)

// A Range selects the indices Lo, Lo+Step, ... below Hi of one dimension.
// A Step of zero means one. Lo = math.MinInt stands for the low bound of the
// array and Hi = math.MaxInt for the high one, see All, From and To.
type Range struct {
	Lo, Hi, Step int
}

// All selects a whole dimension, whatever its bounds.
var All = Range{Lo: math.MinInt, Hi: math.MaxInt}

// At selects the single index i.
func At(i int) Range { return Range{Lo: i, Hi: i + 1} }

// Span selects lo up to but not including hi.
func Span(lo, hi int) Range { return Range{Lo: lo, Hi: hi} }

// From selects lo and everything above it.
func From(lo int) Range { return Range{Lo: lo, Hi: math.MaxInt} }

// To selects everything below hi.
func To(hi int) Range { return Range{Lo: math.MinInt, Hi: hi} }

// By returns r with the given step.
func (r Range) By(step int) Range {
	r.Step = step
	return r
}

// Stride returns the step, one when it is not set.
func (r Range) Stride() int {
	if r.Step == 0 {
		return 1
	}
	return r.Step
}

// Len returns the number of indices selected. r must be resolved.
func (r Range) Len() int {
	if r.Hi <= r.Lo {
		return 0
	}
	return (r.Hi-r.Lo-1)/r.Stride() + 1
}

// String writes the range as ParseSection reads it: lo:hi, or lo:hi:step.
func (r Range) String() string {
	var b strings.Builder
	if r.Lo != math.MinInt {
		b.WriteString(strconv.Itoa(r.Lo))
	}
	b.WriteByte(':')
	if r.Hi != math.MaxInt {
		b.WriteString(strconv.Itoa(r.Hi))
	}
	if r.Stride() != 1 {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(r.Step))
	}
	return b.String()
}

// A Section is a box of indices, one Range per dimension. A dimension in which a
// single index is selected is kept: a section has the rank of its array.
type Section []Range

// Sec builds a section: nd.Sec(nd.All, nd.At(100), nd.Span(0, 64).By(2)).
func Sec(ranges ...Range) Section { return ranges }

// Box is the section [lo, hi) of bounds.
func Box(lo, hi []int) Section {
	s := make(Section, len(lo))
	for d := range s {
		s[d] = Range{Lo: lo[d], Hi: hi[d]}
	}
	return s
}

// Resolve replaces the open ends of s by the bounds [lo, hi) and the zero steps
// by one, and checks the result: the error wraps ErrRank unless s has one range
// per dimension, and ErrBounds when a range is reversed, reaches outside the
// bounds or has a negative step. An empty range inside the bounds is no error.
// A nil section selects the whole array.
func (s Section) Resolve(lo, hi []int) (Section, error) {
	if s == nil {
		s = Box(lo, hi)
	}
	if err := CheckRank("ranges", len(s), len(lo)); err != nil {
		return nil, err
	}
	out := make(Section, len(s))
	for d, r := range s {
		if r.Lo == math.MinInt {
			r.Lo = lo[d]
		}
		if r.Hi == math.MaxInt {
			r.Hi = hi[d]
		}
		r.Step = r.Stride()
		switch {
		case r.Step < 0:
			return nil, DimErrorf(d, "%w", errkind.Errorf(ErrBounds, "step %d is negative", r.Step))
		case r.Lo > r.Hi:
			return nil, DimErrorf(d, "%w", errkind.Errorf(ErrBounds, "range %d:%d is reversed", r.Lo, r.Hi))
		case r.Lo < lo[d] || r.Hi > hi[d]:
			return nil, DimErrorf(d, "%w", errkind.Errorf(ErrBounds, "range %d:%d reaches outside %d:%d", r.Lo, r.Hi, lo[d], hi[d]))
		}
		out[d] = r
	}
	return out, nil
}

// Shape returns the number of indices selected per dimension. s must be resolved.
func (s Section) Shape() []int {
	shape := make([]int, len(s))
	for d, r := range s {
		shape[d] = r.Len()
	}
	return shape
}

// Bounds returns the bounds [lo, hi) per dimension. s must be resolved.
func (s Section) Bounds() (lo, hi []int) {
	for _, r := range s {
		lo, hi = append(lo, r.Lo), append(hi, r.Hi)
	}
	return lo, hi
}

// Len returns the number of elements selected, or an error wrapping ErrOverflow.
// s must be resolved.
func (s Section) Len() (int, error) { return Product(s.Shape()...) }

// String writes the section as ParseSection reads it.
func (s Section) String() string {
	parts := make([]string, len(s))
	for d, r := range s {
		parts[d] = r.String()
	}
	return strings.Join(parts, ",")
}

// ParseSection reads a section written as one range per dimension, separated by
// commas: "2:6,3:9:2" (lo:hi, optionally :step), ":" for a whole dimension, "7"
// for a single index. Indices are those of the array, so a negative one means the
// negative index, not a distance from the end. Anything else is an error that names
// the dimension. Resolve checks whether the ranges fit an array.
func ParseSection(text string) (Section, error) {
	fields := strings.Split(text, ",")
	s := make(Section, len(fields))
	for d, field := range fields {
		r, err := parseRange(strings.TrimSpace(field))
		if err != nil {
			return nil, fmt.Errorf("section %q, %w", text, &DimError{d, err})
		}
		s[d] = r
	}
	return s, nil
}

func parseRange(text string) (Range, error) {
	parts := strings.Split(text, ":")
	numbers := [3]int{math.MinInt, math.MaxInt, 0}
	if len(parts) > 3 {
		return Range{}, fmt.Errorf("%q is not lo:hi or lo:hi:step", text)
	}
	for i, part := range parts {
		if part == "" && len(parts) > 1 {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return Range{}, fmt.Errorf("%q is not an index, lo:hi or lo:hi:step", text)
		}
		if i == 2 && n < 1 {
			return Range{}, fmt.Errorf("step %d is not positive", n)
		}
		numbers[i] = n
	}
	if len(parts) == 1 {
		if numbers[0] == math.MaxInt || numbers[0] == math.MinInt {
			return Range{}, fmt.Errorf("index %d: %w", numbers[0], ErrOverflow)
		}
		return At(numbers[0]), nil
	}
	return Range{Lo: numbers[0], Hi: numbers[1], Step: numbers[2]}, nil
}

// Contains reports whether every range of inner lies between the low and the high bound of the same
// range of s. It ignores steps. inner must have no open ends.
func (s Section) Contains(inner Section) bool {
	if len(s) != len(inner) {
		return false
	}
	for d, r := range inner {
		if r.Lo < s[d].Lo || r.Hi > s[d].Hi {
			return false
		}
	}
	return true
}
