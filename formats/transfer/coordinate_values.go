package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"drx"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/wording"
)

// ErrOrder is wrapped by errors about coordinates that are out of order, or that repeat existing
// values.
var ErrOrder = errors.New("out of order")

// An OrderError says how the coordinate of a file is out of order with the array's.
type OrderError struct {
	Coordinate string // the variable of the file
	Reason     string
	Kind       OrderKind
}

// An OrderKind is a way of being out of order.
type OrderKind uint8

const (
	// Misplaced: the values belong elsewhere than behind those of the array.
	Misplaced OrderKind = iota
	// Unsorted: the values neither ascend nor descend, or run against the array's direction.
	Unsorted
	// Repeated: a value is in the array already, or twice in the file.
	Repeated
	// Missing: a value marks missing data, but every index that is appended needs a value.
	Missing
	// Unknown: the array lacks values that the new ones would have to follow.
	Unknown
)

// Error names the coordinate and says why it cannot be appended.
func (e *OrderError) Error() string {
	return fmt.Sprintf("coordinate %s: %s", wording.Printable(e.Coordinate), e.Reason)
}

// Unwrap makes errors.Is find ErrOrder and drx.ErrBounds.
func (*OrderError) Unwrap() []error { return []error{ErrOrder, drx.ErrBounds} }

// values are elements of a coordinate, in the order of its indices.
type values struct {
	m        *meaning.Meaning
	elements []byte
	digits   float64 // relative rounding of the coarser of two compared types; 0: of Type
}

func (v values) len() int        { return len(v.elements) / v.m.Type.Size() }
func (v values) at(i int) []byte { size := v.m.Type.Size(); return v.elements[i*size:][:size] }
func (v values) text(i int) string {
	return v.m.Format(v.at(i))
}

// isMissing reports whether an index has no value.
func (v values) isMissing(i int) bool {
	return v.m.IsMissing(v.at(i)) || v.m.Type.IsFloat() && math.IsNaN(v.m.Type.Float64(v.at(i)))
}

// next returns the first index from i on, in steps of by, that has a value; -1 if there is none.
func (v values) next(i, by int) int {
	for ; i >= 0 && i < v.len(); i += by {
		if !v.isMissing(i) {
			return i
		}
	}
	return -1
}

// ends describes the first and the last value.
func (v values) ends() string {
	first, last := v.next(0, 1), v.next(v.len()-1, -1)
	if first < 0 {
		return "no value"
	}
	return v.text(first) + " .. " + v.text(last)
}

// step compares two values: 1 if b is greater, -1 if it is less, 0 if they are equal. Adjacent
// floating-point numbers count as equal, because the same value, computed in two ways, may differ
// by that much.
func (v values) step(a, b []byte) int {
	if bytes.Equal(a, b) || areNeighbours(v.m.Type, a, b) {
		return 0
	}
	return -v.m.Order(a, b)
}

func areNeighbours(t dtype.DType, a, b []byte) bool {
	x, y := t.Float64(a), t.Float64(b)
	switch t {
	case dtype.Float64:
		return math.Nextafter(x, y) == y
	case dtype.Float32:
		return math.Nextafter32(float32(x), float32(y)) == float32(y)
	}
	return false
}

// quarter returns a quarter of the smallest step between neighbours. It limits the tolerance of
// same, so that neighbours never count as equal.
func (v values) quarter() float64 {
	least, t := math.Inf(1), v.m.Type
	for i := range v.len() - 1 {
		if step := math.Abs(t.Float64(v.at(i+1)) - t.Float64(v.at(i))); step > 0 {
			least = min(least, step)
		}
	}
	return least / 4
}

// lastDigits are the relative roundings of floating-point types.
var lastDigits = map[dtype.DType]float64{dtype.Float64: 1e-15, dtype.Float32: 1.2e-7, dtype.Float16: 1e-3, dtype.BFloat16: 8e-3}

// same reports whether value i equals another one. Floating-point numbers may differ in their last
// digits, which depend on how they were computed, but by no more than limit.
func (v values) same(i int, other []byte, limit float64) bool {
	own, t := v.at(i), v.m.Type
	if bytes.Equal(own, other) {
		return true
	}
	if !t.IsFloat() {
		return false
	}
	digits := max(v.digits, lastDigits[t])
	x, y := t.Float64(own), t.Float64(other)
	return math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= min(limit, 4*digits*max(math.Abs(x), math.Abs(y)))
}

// way returns 1 if the values ascend strictly, -1 if they descend, 0 if there are fewer than two.
// Missing values are skipped. broken is the first index that breaks the direction, -1 if none does.
func (v values) way() (way, broken int) {
	for last, i := v.next(0, 1), 0; last >= 0; last = i {
		if i = v.next(last+1, 1); i < 0 {
			break
		}
		step := v.step(v.at(last), v.at(i))
		if way == 0 {
			way = step
		}
		if step == 0 || step != way {
			return 0, i
		}
	}
	return way, -1
}

// indices returns the index of each value by its bytes.
func (v values) indices() map[string]int {
	at := make(map[string]int, v.len())
	for i := range v.len() {
		if !v.isMissing(i) {
			at[string(v.at(i))] = i
		}
	}
	return at
}

// repeated finds the first value of got that also occurs in v: i is its index in got, here its
// index in v.
func (v values) repeated(got values) (i, here int, ok bool) {
	at := v.indices()
	for i := range got.len() {
		if k, has := at[string(got.at(i))]; has && !got.isMissing(i) {
			return i, k, true
		}
	}
	return 0, 0, false
}

// checkOwn returns why the values of a file are out of order among themselves, and "" if they are
// in order.
func (v values) checkOwn() (reason string, kind OrderKind) {
	_, broken := v.way()
	if broken < 0 {
		return "", 0
	}
	before := v.next(broken-1, -1)
	if v.step(v.at(before), v.at(broken)) == 0 {
		return fmt.Sprintf("value %d is %s, which is there twice", broken, v.text(broken)), Repeated
	}
	return fmt.Sprintf("value %d is %s and follows %s: the values neither ascend nor descend", broken, v.text(broken), v.text(before)), Unsorted
}

// checkFollows returns why got cannot follow the values v, or precede them if low: it runs in the
// other direction, repeats a value or lies elsewhere. The reason is "" if it can. begin is the
// first index of v, and name the name of its array.
func (v values) checkFollows(got values, low bool, begin int, name string) (reason string, kind OrderKind) {
	way, broken := v.way()
	if broken >= 0 { // v has no direction to continue: only repetitions are wrong
		if i, k, ok := v.repeated(got); ok {
			return alreadyThere(got.text(i), name, begin+k), Repeated
		}
		if i, repeats := got.twice(); repeats {
			return fmt.Sprintf("value %d is %s, which is there twice", i, got.text(i)), Repeated
		}
		return "", 0
	}
	if reason, kind = got.checkOwn(); reason != "" {
		return reason, kind
	}
	own, _ := got.way()
	from, to := v.next(v.len()-1, -1), got.next(0, 1)
	if low {
		from, to = v.next(0, 1), got.next(got.len()-1, -1)
	}
	if from < 0 || to < 0 {
		return "", 0
	}
	step := v.step(v.at(from), got.at(to))
	if low {
		step = -step
	}
	if way == 0 {
		way = own
	}
	if way == 0 { // one value here, one there
		if way = step; v.m.Times != nil {
			way = 1
		}
	}
	if step == way && step != 0 && (own == 0 || own == way) {
		return "", 0
	}
	if i, k, ok := v.repeated(got); ok {
		return alreadyThere(got.text(i), name, begin+k), Repeated
	}
	if step == 0 {
		return alreadyThere(got.text(to), name, begin+from), Repeated
	}
	if own != 0 && own != way {
		return fmt.Sprintf("is reversed: %s %s, %s of %s %s", got.ends(), course(own), v.ends(), name, course(way)), Unsorted
	}
	verb := map[bool]string{false: "follow", true: "precede"}[low]
	return fmt.Sprintf("%s does not %s %s of %s", got.ends(), verb, v.ends(), name), Misplaced
}

// twice returns the first index whose value occurs at a lower index, too.
func (v values) twice() (int, bool) {
	seen := make(map[string]bool, v.len())
	for i := range v.len() {
		if seen[string(v.at(i))] && !v.isMissing(i) {
			return i, true
		}
		seen[string(v.at(i))] = true
	}
	return 0, false
}

func alreadyThere(value, name string, index int) string {
	return fmt.Sprintf("%s is in %s already, at index %d", value, name, index)
}

func course(way int) string { return map[int]string{1: "ascends", -1: "descends"}[way] }
