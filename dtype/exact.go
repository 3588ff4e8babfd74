package dtype

// ExactIn reports whether every value of type t is a value of type to, so that elements can be
// converted without rounding: uint8 in int16, int16 in float32, float32 in float64 and in
// complex128, but not int32 in float32 nor int8 in uint16. It is false unless both types are valid.
func (t DType) ExactIn(to DType) bool {
	if !t.Valid() || !to.Valid() {
		return false
	}
	if to.IsComplex() {
		to = to.half()
		if t.IsComplex() {
			t = t.half()
		}
	}
	from := types[t]
	fits := t.digits() <= to.digits()
	switch types[to].kind {
	case floatKind:
		return fits && from.kind != complexKind && t.exponent() <= to.exponent()
	case intKind:
		return fits && from.kind <= uintKind
	case uintKind:
		return fits && (from.kind == boolKind || from.kind == uintKind)
	}
	return t == to // bool
}

// digits returns the number of binary digits of the largest integer up to which a real type has
// every integer.
func (t DType) digits() int {
	switch t {
	case Bool:
		return 1
	case Float16:
		return 11
	case BFloat16:
		return 8
	case Float32:
		return 24
	case Float64:
		return 53
	}
	if types[t].kind == intKind {
		return 8*t.Size() - 1
	}
	return 8 * t.Size()
}

// exponent returns the number of exponent bits of a floating-point type, and 0 for integers,
// because a floating-point type with enough digits for an integer type also has its range.
func (t DType) exponent() int {
	switch t {
	case Float16:
		return 5
	case BFloat16, Float32:
		return 8
	case Float64:
		return 11
	}
	return 0
}
