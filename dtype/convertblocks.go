package dtype

import (
	"math"
	"unsafe"

	"drx/internal/errkind"
)

// A wide type is the intermediate type of a conversion. It represents all values of the old type.
type wide interface{ int64 | uint64 | float64 }

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// rule says how to convert values that do not fit the new type.
type rule struct {
	from, to  DType
	imaginary int // zeros to store after each element
	clip      bool
	fill      []byte // in the byte order of this machine
}

// misfit returns the error for a value that does not fit a type with the given limits.
func misfit[W wide, L integer | float32 | float64](r rule, v W, least, most L) error {
	return errkind.Errorf(ErrDType, "value %v does not fit %v, which has %v to %v", v, r.to, least, most)
}

// slice returns bytes as a slice of the elements that they represent.
func slice[T any](b []byte) []T {
	var v T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(v)))
}

// loader returns a function that loads len(block) elements from the beginning of src.
func loader[W wide](r rule) func(block []W, src []byte) {
	return map[DType]func(block []W, src []byte){
		Bool:     load[uint8, W],
		Int8:     load[int8, W],
		Int16:    load[int16, W],
		Int32:    load[int32, W],
		Int64:    load[int64, W],
		Uint8:    load[uint8, W],
		Uint16:   load[uint16, W],
		Uint32:   load[uint32, W],
		Uint64:   load[uint64, W],
		Float16:  loadHalf[F16, W],
		BFloat16: loadHalf[BF16, W],
		Float32:  load[float32, W],
		Float64:  load[float64, W],
	}[r.from]
}

func load[S integer | float32 | float64, W wide](block []W, src []byte) {
	for i, v := range slice[S](src)[:len(block)] {
		block[i] = W(v)
	}
}

func loadHalf[S interface{ Float64() float64 }, W wide](block []W, src []byte) {
	for i, v := range slice[S](src)[:len(block)] {
		block[i] = W(v.Float64())
	}
}

// storer returns a function that stores a block as elements of the new type.
func storer[W wide](r rule) func(dst []byte, block []W) error {
	return map[DType]func(dst []byte, block []W) error{
		Bool:     storeInt[uint8, W](r, 0, 1),
		Int8:     storeInt[int8, W](r, math.MinInt8, math.MaxInt8),
		Int16:    storeInt[int16, W](r, math.MinInt16, math.MaxInt16),
		Int32:    storeInt[int32, W](r, math.MinInt32, math.MaxInt32),
		Int64:    storeInt[int64, W](r, math.MinInt64, math.MaxInt64),
		Uint8:    storeInt[uint8, W](r, 0, math.MaxUint8),
		Uint16:   storeInt[uint16, W](r, 0, math.MaxUint16),
		Uint32:   storeInt[uint32, W](r, 0, math.MaxUint32),
		Uint64:   storeInt[uint64, W](r, 0, math.MaxUint64),
		Float16:  storeHalf[F16, W](r, ToF16, 65504),
		BFloat16: storeHalf[BF16, W](r, ToBF16, 0x1.fep127),
		Float32:  storeFloat[float32, W](r, math.MaxFloat32),
		Float64:  storeFloat[float64, W](r, math.MaxFloat64),
	}[r.to]
}

// storeInt returns the storer of integers with the given limits.
func storeInt[D integer, W wide](r rule, least, most D) func(dst []byte, block []W) error {
	lo, hi := limits[W](least, most)
	round := r.from.IsFloat()
	return func(dst []byte, block []W) error {
		d := slice[D](dst)[:len(block)]
		for i, v := range block {
			if round {
				v = W(math.RoundToEven(float64(v)))
			}
			if v >= lo && v <= hi {
				d[i] = D(v)
				continue
			}
			if !r.clip {
				return misfit(r, v, least, most)
			}
			switch {
			case v < lo:
				d[i] = least
			case v > hi:
				d[i] = most
			default:
				d[i] = slice[D](r.fill)[0]
			}
		}
		return nil
	}
}

// limits returns the least and greatest values of W that fit between the limits of an integer
// type.
func limits[W wide, D integer](least, most D) (lo, hi W) {
	var v W
	switch any(v).(type) {
	case int64:
		if uint64(most) > math.MaxInt64 {
			return W(least), any(int64(math.MaxInt64)).(W)
		}
	case uint64:
		return 0, W(most)
	case float64:
		if uint64(most) >= math.MaxInt64 { // float64(most) would be rounded up beyond the limit
			return W(least), W(math.Nextafter(float64(most), 0))
		}
	}
	return W(least), W(most)
}

// storeFloat returns the storer of floating-point numbers up to most.
func storeFloat[D float32 | float64, W wide](r rule, most D) func(dst []byte, block []W) error {
	return func(dst []byte, block []W) error {
		d := slice[D](dst)
		step := 1 + r.imaginary
		for i, v := range block {
			x := D(v)
			if (x > most || x < -most) && !math.IsInf(float64(v), 0) {
				if !r.clip {
					return misfit(r, v, -most, most)
				}
				x = min(max(x, -most), most)
			}
			d[i*step] = x
			if step > 1 {
				d[i*step+1] = 0
			}
		}
		return nil
	}
}

// storeHalf is storeFloat for floating-point types that Go lacks.
func storeHalf[D interface{ Float64() float64 }, W wide](r rule, to func(float64) D, most float64) func(dst []byte, block []W) error {
	return func(dst []byte, block []W) error {
		d := slice[D](dst)
		for i, v := range block {
			x := to(float64(v))
			if f := x.Float64(); (f > most || f < -most) && !math.IsInf(float64(v), 0) {
				if !r.clip {
					return misfit(r, v, -most, most)
				}
				x = to(min(max(f, -most), most))
			}
			d[i] = x
		}
		return nil
	}
}
