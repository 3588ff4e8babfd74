// Package formattest is a test suite for the readers and writers of all formats, including those
// of other packages.
package formattest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/formats"
	"drx/nd"
)

// Reader tests a reader. elements are all elements of the file, in want.Order. open opens the file
// anew each time. Reader compares all fields of Info with want except Attrs, Fill and Streamed.
func Reader(t *testing.T, open func() (formats.Reader, error), want formats.Info, elements []byte) {
	t.Helper()
	with := func(f func(r formats.Reader)) {
		t.Helper()
		r, err := open()
		if err != nil {
			t.Fatal(err)
		}
		f(r)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	with(func(r formats.Reader) {
		checkInfo(t, r.Info(), want)
		checkSection(t, r, want, elements, nil)
	})
	with(func(r formats.Reader) { checkRefused(t, r, want) })
	with(func(r formats.Reader) { checkAscending(t, r, want, elements) })
	with(func(r formats.Reader) {
		if r.Info().Streamed {
			checkNoRewind(t, r, want, elements)
			return
		}
		random := rand.New(rand.NewPCG(1, uint64(len(elements))))
		for range 30 {
			checkSection(t, r, want, elements, randomSection(random, want.Shape))
		}
	})
}

// checkInfo checks the Info of a file.
func checkInfo(t *testing.T, got, want formats.Info) {
	t.Helper()
	sameOrder := slices.Equal(got.Order.Dims(len(want.Shape)), want.Order.Dims(len(want.Shape)))
	if got.Name != want.Name || got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) || !sameOrder ||
		!slices.Equal(got.Dims, want.Dims) || !slices.Equal(got.Chunk, want.Chunk) {
		t.Errorf("the file is said to be %+v, want %+v", got, want)
	}
}

// checkSection reads a section and compares it.
func checkSection(t *testing.T, r formats.Reader, info formats.Info, elements []byte, sec nd.Section) {
	t.Helper()
	want := Pick(info, elements, sec)
	got := bytes.Repeat([]byte{0xa5}, len(want))
	if err := r.ReadSection(sec, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("section %v of %v %v, order %v: %v\ngot  % x\nwant % x", sec, info.Shape, info.DType, info.Order, err, got, want)
	}
}

// Pick returns the elements of a section, copied one by one. elements are all elements, in the
// order of info.
func Pick(info formats.Info, elements []byte, sec nd.Section) (out []byte) {
	eachElement(info, sec, func(at int) { out = append(out, elements[at:at+info.DType.Size()]...) })
	return out
}

// eachElement calls f with the byte offset of each element of a section, in the order of info.
func eachElement(info formats.Info, sec nd.Section, f func(at int)) {
	sec, err := sec.Resolve(make([]int, len(info.Shape)), info.Shape)
	if err != nil {
		panic(err)
	}
	lo, hi := make([]int, len(sec)), info.Order.Apply(sec.Shape())
	if slices.Contains(hi, 0) {
		return
	}
	dims, strides := info.Order.Dims(len(sec)), info.Order.Strides(info.Shape)
	for index, more := make([]int, len(sec)), true; more; more = len(sec) > 0 && nd.Next(index, lo, hi) {
		at := 0
		for i, d := range dims {
			at += (sec[d].Lo + index[i]) * strides[d] * info.DType.Size()
		}
		f(at)
	}
}

// randomSection returns a section that may be empty.
func randomSection(random *rand.Rand, shape []int) nd.Section {
	sec := make(nd.Section, len(shape))
	for d, n := range shape {
		lo := random.IntN(n + 1)
		sec[d] = nd.Span(lo, lo+random.IntN(n-lo+1))
		if n > lo && random.IntN(8) > 0 { // most sections are not empty
			sec[d].Hi = lo + 1 + random.IntN(n-lo)
		}
		if random.IntN(3) == 0 {
			sec[d] = nd.All
		}
	}
	return sec
}

// checkRefused checks that invalid sections return errors, and that the reader still works
// afterwards.
func checkRefused(t *testing.T, r formats.Reader, info formats.Info) {
	t.Helper()
	whole, _ := info.Bytes()
	wrong := map[error]nd.Section{nd.ErrRank: make(nd.Section, len(info.Shape)+1)}
	if len(info.Shape) > 0 {
		outside := make(nd.Section, len(info.Shape))
		outside[0] = nd.Span(0, info.Shape[0]+1)
		wrong[nd.ErrBounds] = outside
	}
	for is, sec := range wrong {
		if err := r.ReadSection(sec, nil); !errors.Is(err, is) {
			t.Errorf("section %v of %v: %v, want %v", sec, info.Shape, err, is)
		}
	}
	if len(info.Shape) > 0 && info.Shape[0] > 1 {
		steps := slices.Repeat(nd.Section{nd.All}, len(info.Shape))
		steps[0] = steps[0].By(2)
		if err := r.ReadSection(steps, nil); !errors.Is(err, nd.ErrBounds) {
			t.Errorf("section %v: %v", steps, err)
		}
	}
	if err := r.ReadSection(nil, make([]byte, whole+1)); !errors.Is(err, formats.ErrSize) {
		t.Errorf("a buffer of a byte more: %v", err)
	}
	if err := r.ReadSection(nil, make([]byte, whole)); err != nil {
		t.Error(err)
	}
}

// slowest returns the slowest varying dimension of the file, -1 for a scalar.
func slowest(info formats.Info) int {
	if len(info.Shape) == 0 {
		return -1
	}
	return info.Order.Dims(len(info.Shape))[0]
}

// checkAscending reads sections along the slowest dimension, some of which skip elements.
func checkAscending(t *testing.T, r formats.Reader, info formats.Info, elements []byte) {
	t.Helper()
	d := slowest(info)
	if d < 0 {
		checkSection(t, r, info, elements, nd.Section{})
		return
	}
	random := rand.New(rand.NewPCG(2, uint64(len(elements))))
	for lo := 0; lo < info.Shape[d]; {
		sec := slices.Repeat(nd.Section{nd.All}, len(info.Shape))
		if random.IntN(2) == 0 {
			sec = randomSection(random, info.Shape)
		}
		sec[d] = nd.Span(lo, min(lo+1+random.IntN(3), info.Shape[d]))
		checkSection(t, r, info, elements, sec)
		lo = sec[d].Hi + random.IntN(2)
	}
}

// checkNoRewind checks that a stream refuses a section before its position, and still works
// afterwards.
func checkNoRewind(t *testing.T, r formats.Reader, info formats.Info, elements []byte) {
	t.Helper()
	d := slowest(info)
	if d < 0 || info.Shape[d] < 3 || len(elements) == 0 {
		return
	}
	rows := func(lo, hi int) nd.Section {
		sec := slices.Repeat(nd.Section{nd.All}, len(info.Shape))
		sec[d] = nd.Span(lo, hi)
		return sec
	}
	checkSection(t, r, info, elements, rows(0, 2))
	if err := r.ReadSection(rows(1, 2), make([]byte, len(Pick(info, elements, rows(1, 2))))); !errors.Is(err, formats.ErrOrder) {
		t.Errorf("a section before the last one: %v", err)
	}
	checkSection(t, r, info, elements, rows(2, 3))
}
