package drx

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// stridedArray creates an array of rank 3 whose elements are their row-major positions plus one.
func stridedArray(t *testing.T, order ElementOrder) (*Array, []int32) {
	t.Helper()
	a := mustCreate(t, Spec{DType: dtype.Int32, Shape: []int{9, 7, 10}, ChunkShape: []int{4, 4, 4}, Order: order, Options: inMemory()})
	values := make([]int32, 9*7*10)
	for i := range values {
		values[i] = int32(i + 1)
	}
	if err := Write(a, nil, values); err != nil {
		t.Fatal(err)
	}
	return a, values
}

// Random sections are read and written with random strides, with the same result as a loop over the
// elements.
func TestStrided(t *testing.T) { inBothForms(t, testStrided) }

func testStrided(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, order := range []ElementOrder{"row", "col", "hilbert"} {
		a, values := stridedArray(t, order)
		for round := range 200 {
			sec, strides, size := stridedSection(rng, a.Shape())
			want := slices.Repeat([]int32{-1}, size)
			eachStrided(sec, strides, func(index []int, at int) { want[at] = values[(index[0]*7+index[1])*10+index[2]] })
			got := slices.Repeat([]int32{-1}, size)
			if err := ReadStrided(a, sec, got, strides); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s order, section %v, strides %v: %v, wrong elements", order, sec, strides, err)
			}
			byBytes := bytes.Repeat([]byte{255}, 4*size)
			inBytes := slices.Clone(strides)
			for d := range inBytes {
				inBytes[d] *= 4
			}
			if err := a.ReadStrided(sec, byBytes, inBytes); err != nil || !bytes.Equal(byBytes, a.DType().Little(dtype.Bytes(want))) {
				t.Fatalf("%s order, section %v, strides %v in bytes: %v, wrong elements", order, sec, inBytes, err)
			}
			for i := range got {
				got[i] = int32(1000*round + i)
			}
			eachStrided(sec, strides, func(index []int, at int) { values[(index[0]*7+index[1])*10+index[2]] = got[at] })
			var err error
			if round%2 == 0 {
				err = WriteStrided(a, sec, got, strides)
			} else {
				err = a.WriteStrided(sec, a.DType().Little(dtype.Bytes(got)), inBytes)
			}
			if all, readErr := Read[int32](a, nil); errors.Join(err, readErr) != nil || !slices.Equal(all, values) {
				t.Fatalf("%s order, section %v, strides %v: %v, %v, wrong elements written", order, sec, strides, err, readErr)
			}
		}
	}
}

// stridedSection returns a random section, strides for which its elements do not overlap, and the
// length of a buffer.
func stridedSection(rng *rand.Rand, shape []int) (sec nd.Section, strides []int, size int) {
	sec, strides = make(nd.Section, len(shape)), make([]int, len(shape))
	for d, n := range shape {
		lo := rng.IntN(n)
		sec[d] = nd.Range{Lo: lo, Hi: lo + 1 + rng.IntN(n-lo), Step: 1 + rng.IntN(3)}
	}
	size = 1
	for _, d := range rng.Perm(len(shape)) {
		strides[d] = size + rng.IntN(3)
		size += strides[d] * (sec[d].Len() - 1)
	}
	return sec, strides, size + rng.IntN(3)
}

// eachStrided calls f with the indices of a section and their positions in a buffer.
func eachStrided(sec nd.Section, strides []int, f func(index []int, at int)) {
	shape, zero := sec.Shape(), make([]int, len(sec))
	position, index := make([]int, len(sec)), make([]int, len(sec))
	for more := true; more; more = nd.Next(position, zero, shape) {
		at := 0
		for d, p := range position {
			index[d] = sec[d].Lo + p*sec[d].Stride()
			at += p * strides[d]
		}
		f(index, at)
	}
}

// A stride of zero writes one element along its dimension.
func TestStrideZero(t *testing.T) { inBothForms(t, testStrideZero) }

func testStrideZero(t *testing.T) {
	a, _ := stridedArray(t, "row")
	sec := nd.Sec(nd.At(1), nd.Span(0, 3), nd.Span(2, 9))
	if err := WriteStrided(a, sec, []int32{5, 6, 7}, []int{0, 1, 0}); err != nil {
		t.Fatal(err)
	}
	got, err := Read[int32](a, sec)
	want := append(append(slices.Repeat([]int32{5}, 7), slices.Repeat([]int32{6}, 7)...), slices.Repeat([]int32{7}, 7)...)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestStridesThatAreRefused(t *testing.T) {
	a, _ := stridedArray(t, "row")
	const huge = 1 << 62
	for what, c := range map[string]struct {
		sec     nd.Section
		size    int
		strides []int
		want    error
	}{
		"too few strides":       {nil, 630, []int{70, 10}, ErrSize},
		"too many strides":      {nil, 630, []int{70, 10, 1, 1}, ErrSize},
		"one element too short": {nil, 629, []int{70, 10, 1}, ErrSize},
		"negative":              {nil, 630, []int{70, 10, -1}, ErrSize},
		"beyond an int":         {nil, 630, []int{huge, 10, 1}, ErrSize},
		"a sum beyond an int":   {nil, 630, []int{huge / 8, huge / 6, huge / 10}, ErrSize},
		"out of bounds":         {nd.Sec(nd.At(9), nd.All, nd.All), 630, []int{70, 10, 1}, ErrBounds},
		"no elements":           {nd.Sec(nd.Span(3, 3), nd.All, nd.All), 0, []int{70, 10, 1}, nil},
		"one element":           {nd.Sec(nd.At(3), nd.At(2), nd.At(1)), 1, []int{huge / 8, 10, 1}, nil},
		"enough":                {nil, 630, []int{70, 10, 1}, nil},
	} {
		data := make([]int32, c.size)
		if err := ReadStrided(a, c.sec, data, c.strides); !errors.Is(err, c.want) {
			t.Errorf("%s: read: %v, want %v", what, err, c.want)
		}
		if err := WriteStrided(a, c.sec, data, c.strides); !errors.Is(err, c.want) {
			t.Errorf("%s: write: %v, want %v", what, err, c.want)
		}
	}
	if err := ReadStrided(a, nil, make([]float32, 630), []int{70, 10, 1}); !errors.Is(err, ErrDType) {
		t.Errorf("another type: %v", err)
	}
}

// A section is read into a matrix with longer rows: in the terms of Fortran and BLAS, with a
// leading dimension.
func ExampleReadStrided() {
	a, err := Create("matrix", Spec{DType: dtype.Float64, Shape: []int{4, 4}, Options: inMemory()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	_ = Write(a, nd.Sec(nd.At(1), nd.All), []float64{1, 2, 3, 4})
	const leading = 5
	block := make([]float64, 2*leading)
	err = ReadStrided(a, nd.Sec(nd.Span(1, 3), nd.Span(0, 2)), block, []int{leading, 1})
	fmt.Println(block, err)
	// Output: [1 2 0 0 0 0 0 0 0 0] <nil>
}

// grownBeforehand returns the name of an array with a hundred extensions by a chunk of 128 KiB,
// each committed. The last chunk is written.
func grownBeforehand(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), named(t, "a"))
	a, err := Create(name, Spec{
		DType: dtype.Float64, Shape: []int{128, 128}, ChunkShape: []int{128, 128}, Options: Options{Durability: DurabilityNone},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if _, err := a.Extend(i%2, 128); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	last := a.Bounds()
	for d := range last {
		last[d].Lo = last[d].Hi - 128
	}
	if err := Fill(a, last, 1.5); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// An array from which only one element is read is not mapped for that; one from which more is read
// is mapped.
func TestReopenWithoutMapping(t *testing.T) {
	name := grownBeforehand(t)
	a, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	last := a.Shape()
	for d := range last {
		last[d]--
	}
	for i, want := range []bool{false, true} {
		reads := 1 + 99*i
		for range reads {
			if v, err := At[float64](a, last...); err != nil || v != 1.5 {
				t.Fatal(v, err)
			}
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip("the system does not tell what is mapped")
		}
		if got := strings.Contains(string(maps), name+dataExt); got != want {
			t.Errorf("after %d elements: mapped %v, want %v", reads, got, want)
		}
	}
}

// A reader of an array that was closed reads the head of the presence map once, and no more of the
// file. Opening the file for each query took a fifth of the time of an Open.
func TestReopenAsksOnceForTheHead(t *testing.T) {
	disk, opened := vfs.NewMem(), 0
	fsys := vfstest.Faulty{FS: disk, Fail: func(op vfstest.Op, name string) error {
		if op == vfstest.OpOpen && name == "a"+presenceExt {
			opened++
		}
		return nil
	}}
	a, err := Create("a", Spec{DType: dtype.Float64, Shape: []int{4}, ChunkShape: []int{4}, Options: Options{fs: fsys}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Write(a, nil, []float64{1, 2, 3, 4}), a.SetAttr("x", 1), a.Close()); err != nil {
		t.Fatal(err)
	}
	opened = 0
	if a, err = Open("a", Options{fs: fsys}); err != nil {
		t.Fatal(err)
	}
	if v, err := At[float64](a, 3); err != nil || v != 4 || opened != 1 {
		t.Errorf("read %v, %v; the presence map was opened %d times, want 1", v, err, opened)
	}
	if _, err := a.Refresh(); err != nil || opened != 2 {
		t.Errorf("refresh: %v; the presence map was opened %d times, want 2", err, opened)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkReopen opens an array after a hundred extensions and reads one element.
func BenchmarkReopen(b *testing.B) {
	name := grownBeforehand(b)
	b.ReportAllocs()
	for b.Loop() {
		a, err := Open(name, Options{})
		if err != nil {
			b.Fatal(err)
		}
		last := a.Shape()
		for d := range last {
			last[d]--
		}
		if v, err := At[float64](a, last...); err != nil || v != 1.5 {
			b.Fatal(v, err)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
