package diff

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"time"

	"drx/dataset/cftime"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/nd"
)

// A run compares consecutive elements of a box.
type run struct {
	*comparison
	tally
	sec    nd.Section
	dims   []int // in the order of the elements, the slowest first
	va, vb []float64
}

// blockElements is the number of elements that are decoded at a time.
const blockElements = 1024

// compare compares elements; first is the number of the first one in the box.
func (r *run) compare(a, b []byte, first int) {
	sizeA, sizeB := r.comparison.a.DType.Size(), r.comparison.b.DType.Size()
	for n := len(a) / sizeA; n > 0; {
		k := min(n, blockElements)
		x, y := a[:k*sizeA], b[:k*sizeB]
		r.compared += int64(k)
		if r.namesA != nil || !r.identical || !bytes.Equal(x, y) {
			r.block(x, y, first)
		}
		a, b, first, n = a[k*sizeA:], b[k*sizeB:], first+k, n-k
	}
}

// block compares some elements.
func (r *run) block(a, b []byte, first int) {
	sizeA, sizeB := r.comparison.a.DType.Size(), r.comparison.b.DType.Size()
	var each func(x, y []byte) verdict
	switch {
	case r.namesA != nil:
		each = r.names
	case r.comparison.a.DType.IsComplex():
		each = r.complexes
	case r.comparison.scale.times:
		each = r.times
	case r.wide:
		each = r.integers
	default:
		r.numbers(a, b, first)
		return
	}
	for i := range len(a) / sizeA {
		x, y := a[i*sizeA:][:sizeA], b[i*sizeB:][:sizeB]
		if v := each(x, y); !v.same {
			r.note(v, first+i, x, y)
		}
	}
}

// A verdict says whether two elements are the same and, if not, by how much they differ.
type verdict struct {
	same, missing bool
	by, relative  float64
}

// judge compares two numbers. NaN is missing.
func (r *run) judge(x, y float64) verdict {
	if x == y {
		return verdict{same: true}
	}
	if math.IsNaN(x) || math.IsNaN(y) {
		return verdict{same: math.IsNaN(x) && math.IsNaN(y), missing: true, by: math.NaN()}
	}
	return r.within(math.Abs(x-y), x, y)
}

// rounding is the error that scaling may add to a value, relative to the numbers it is computed
// from. Smaller differences do not count.
const rounding = 4e-15

// within compares a difference with the tolerances.
func (r *run) within(by, x, y float64) verdict {
	larger := max(math.Abs(x), math.Abs(y))
	limit := r.atol + r.rtol*math.Abs(y)
	if !r.comparison.scale.exact {
		limit += rounding * max(larger, math.Abs(r.comparison.scale.shift))
	}
	v := verdict{by: by, relative: by / larger, same: by <= limit && !math.IsInf(larger, 0)}
	if math.IsInf(larger, 0) {
		v.relative = math.Inf(1)
	}
	return v
}

// numbers compares real numbers.
func (r *run) numbers(a, b []byte, first int) {
	sizeA, sizeB := r.comparison.a.DType.Size(), r.comparison.b.DType.Size()
	r.va, r.vb = r.ma.Decode(r.va, a), r.mb.Decode(r.vb, b)
	s := r.comparison.scale
	for i, x := range r.va {
		y := r.vb[i]
		if s.factor != 1 || s.shift != 0 {
			y = y*s.factor + s.shift
		}
		if x == y {
			continue
		}
		if v := r.judge(x, y); !v.same {
			r.note(v, first+i, a[i*sizeA:][:sizeA], b[i*sizeB:][:sizeB])
		}
	}
}

// complexes compares complex numbers. A missing part makes the number missing.
func (r *run) complexes(x, y []byte) verdict {
	a, b := complexOf(r.comparison.a.DType, x), complexOf(r.comparison.b.DType, y)
	isNaN := func(c complex128) bool { return math.IsNaN(real(c)) || math.IsNaN(imag(c)) }
	switch {
	case a == b:
		return verdict{same: true}
	case isNaN(a) || isNaN(b):
		return verdict{same: isNaN(a) && isNaN(b), missing: true, by: math.NaN()}
	}
	modulus := func(c complex128) float64 { return math.Hypot(real(c), imag(c)) }
	return r.within(modulus(a-b), modulus(a), modulus(b))
}

func complexOf(t dtype.DType, element []byte) complex128 {
	half := dtype.Float32
	if t.Size() == 16 {
		half = dtype.Float64
	}
	return complex(half.Float64(element[:half.Size()]), half.Float64(element[half.Size():]))
}

// names compares strings.
func (r *run) names(x, y []byte) verdict {
	return verdict{same: r.nameOf(r.namesA, r.comparison.a.DType, x) == r.nameOf(r.namesB, r.comparison.b.DType, y), by: math.NaN()}
}

func (r *run) nameOf(names []string, t dtype.DType, element []byte) string {
	if i := int(t.Float64(element)); i >= 0 && i < len(names) {
		return names[i]
	}
	return ""
}

// times compares moments that count in different units. The difference is in the units of A.
func (r *run) times(x, y []byte) verdict {
	ta, okA := momentOf(r.ma, x)
	tb, okB := momentOf(r.mb, y)
	if !okA || !okB {
		return verdict{same: okA == okB, missing: true, by: math.NaN()}
	}
	apart := ta
	if apart = ta.Sub(tb); ta.Compare(tb) < 0 {
		apart = tb.Sub(ta)
	}
	if apart.Day == 0 && apart.Nanos <= int64(time.Millisecond) { // rounding of float64 days
		return verdict{same: true}
	}
	u := r.ma.Times
	a, b := u.Value(ta), u.Value(tb)
	return r.within(math.Abs(a-b), a, b)
}

func momentOf(m *meaning.Meaning, element []byte) (t cftime.Time, ok bool) {
	if m.IsMissing(element) {
		return t, false
	}
	var err error
	if n := m.Number(); !m.IsPacked() && !n.IsFloat() && n != dtype.Uint64 {
		neg, size := integerOf(n, element)
		whole := int64(size)
		if neg {
			whole = -whole
		}
		t, err = m.Times.TimeOf(whole)
	} else {
		t, err = m.Times.Time(m.Value(element))
	}
	return t, err == nil
}

// integers compares numbers if at least one is of an integer type that float64 would round.
func (r *run) integers(x, y []byte) verdict {
	missA, missB := r.isMissing(r.ma, x), r.isMissing(r.mb, y)
	if missA || missB {
		return verdict{same: missA && missB, missing: true, by: math.NaN()}
	}
	a, b := r.ma.Number(), r.mb.Number()
	if a.IsFloat() || b.IsFloat() {
		f, isA := b.Float64(y), false
		whole, t := x, a
		if a.IsFloat() {
			f, isA, whole, t = a.Float64(x), true, y, b
		}
		by, g := fromInteger(f, t, whole), t.Float64(whole)
		switch {
		case by == 0:
			return verdict{same: true}
		case isA:
			return r.within(by, f, g)
		}
		return r.within(by, g, f)
	}
	negA, sizeA := integerOf(a, x)
	negB, sizeB := integerOf(b, y)
	if sizeA == sizeB && (negA == negB || sizeA == 0) {
		return verdict{same: true}
	}
	by := float64(max(sizeA, sizeB) - min(sizeA, sizeB))
	if negA != negB {
		by = float64(sizeA) + float64(sizeB)
	}
	return r.within(by, a.Float64(x), b.Float64(y))
}

func (r *run) isMissing(m *meaning.Meaning, element []byte) bool {
	return m.IsMissing(element) || math.IsNaN(m.Number().Float64(element))
}

// integerOf returns the sign and the modulus of an integer.
func integerOf(t dtype.DType, element []byte) (negative bool, size uint64) {
	var b [8]byte
	copy(b[:], element)
	u := binary.LittleEndian.Uint64(b[:])
	signed := slices.Contains([]dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64}, t)
	unused := 64 - 8*t.Size()
	if n := int64(u<<unused) >> unused; signed && n < 0 {
		return true, -uint64(n)
	}
	return false, u
}

// fromInteger returns the difference between a floating-point number and an integer element. It is
// exact if the floating-point number is an integer, too.
func fromInteger(f float64, t dtype.DType, element []byte) float64 {
	negative, size := integerOf(t, element)
	if f != math.Trunc(f) || math.Abs(f) >= 1<<64 || f != 0 && (f < 0) != negative {
		return math.Abs(f - t.Float64(element))
	}
	whole := uint64(math.Abs(f))
	return float64(max(whole, size) - min(whole, size))
}

// note counts an element that differs, and keeps it if its difference is the largest so far.
func (r *run) note(v verdict, number int, x, y []byte) {
	r.different++
	if v.missing {
		r.missing++
	}
	r.maxRelative = max(r.maxRelative, v.relative)
	if r.index != nil && (math.IsNaN(v.by) || v.by <= r.largest) { // elements ascend
		return
	}
	r.largest, r.relative, r.index = v.by, v.relative, r.indexOf(number)
	r.tally.a, r.tally.b = r.text(r.ma, r.namesA, r.comparison.a.DType, x), r.text(r.mb, r.namesB, r.comparison.b.DType, y)
}

// indexOf returns the index of an element by its number in the box.
func (r *run) indexOf(number int) []int {
	index := make([]int, len(r.sec))
	for _, d := range slices.Backward(r.dims) {
		n := r.sec[d].Len()
		index[d] = r.sec[d].Lo + number%n
		number /= n
	}
	return index
}

func (r *run) text(m *meaning.Meaning, names []string, t dtype.DType, element []byte) string {
	if names != nil {
		return strconv.Quote(r.nameOf(names, t, element))
	}
	if t.IsFloat() && math.IsNaN(t.Float64(element)) {
		return "NaN" // whatever its bits
	}
	return m.Format(element)
}
