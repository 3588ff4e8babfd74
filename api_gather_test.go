package drx

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/nd"
)

// manyArray returns an array that grew on both sides and is partly written, the indices of all its
// elements, and their values.
func manyArray(t *testing.T, fsys vfs.FS, cache int64) (a *Array, indices []int, values []int32) {
	t.Helper()
	name := named(t, "a")
	if fsys == vfs.OS {
		name = filepath.Join(t.TempDir(), named(t, "a"))
	}
	a = mustCreateAt(t, name, Spec{DType: dtype.Int32, Shape: []int{5, 7, 3}, ChunkShape: []int{4, 3, 2}, FillValue: 7, Options: Options{fs: fsys, Cache: cache}})
	for d, how := range []axial.Side{axial.Low, axial.High, axial.Low} {
		if _, err := growtest.Extend(a, d, 6, how); err != nil {
			t.Fatal(err)
		}
	}
	written := nd.Sec(nd.Span(-4, 4), nd.Span(2, 12), nd.Span(-5, 2))
	if err := Write(a, written, sequence[int32](written)); err != nil {
		t.Fatal(err)
	}
	each(a.Bounds(), nil, func(index []int) { indices = append(indices, index...) })
	values, err := Read[int32](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a, indices, values
}

func mustCreateAt(t *testing.T, name string, spec Spec) *Array {
	t.Helper()
	a, err := Create(name, spec)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// sequence returns 1, 2, 3, ... for the elements of a section.
func sequence[T int32 | float64](sec nd.Section) []T {
	n, _ := nd.Product(sec.Shape()...)
	data := make([]T, n)
	for i := range data {
		data[i] = T(i + 1)
	}
	return data
}

// draw returns n random elements.
func draw[T any](rng *rand.Rand, n, rank int, indices []int, values []T) (at []int, want []T, which []int) {
	for range n {
		i := rng.IntN(len(values))
		which = append(which, i)
		at, want = append(at, indices[i*rank:(i+1)*rank]...), append(want, values[i])
	}
	return at, want, which
}

func TestGatherAndScatter(t *testing.T) { inBothForms(t, testGatherAndScatter) }

func testGatherAndScatter(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "system": vfs.OS} {
		for _, cache := range []int64{1, 1 << 20} {
			t.Run(name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(cache)))
				a, indices, values := manyArray(t, fsys, cache)
				check := func(a *Array, n int) {
					t.Helper()
					at, want, _ := draw(rng, n, 3, indices, values)
					got := make([]int32, n)
					if err := Gather(a, at, got); err != nil || !slices.Equal(got, want) {
						t.Fatalf("%d elements: %v, got %v, want %v", n, err, got, want)
					}
				}
				for _, n := range []int{0, 1, 100, 3*(1<<13) + 5} {
					check(a, n)
				}
				for v := range int32(5) {
					n := rng.IntN(300)
					at, src, which := draw(rng, n, 3, indices, values)
					for i := range src {
						src[i] = v<<16 + int32(i)
						values[which[i]] = src[i]
					}
					if err := Scatter(a, at, src); err != nil {
						t.Fatal(err)
					}
					check(a, 500)
					if v%2 == 0 {
						if err := a.Sync(); err != nil {
							t.Fatal(err)
						}
						check(a, 500)
					}
				}
				if err := a.Close(); err != nil {
					t.Fatal(err)
				}
				r, err := Open(a.Name(), Options{fs: fsys})
				if err != nil {
					t.Fatal(err)
				}
				for range 3 {
					check(r, 700)
				}
				if got, err := Read[int32](r, nil); err != nil || !slices.Equal(got, values) {
					t.Errorf("what was scattered is not there: %v", err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
				if fsys != vfs.OS {
					if err := fileset.Remove(fsys, a.Name()); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

func TestGatherErrors(t *testing.T) {
	a, _, _ := manyArray(t, vfs.NewMem(), 0)
	two := make([]int32, 2)
	for _, c := range []struct {
		indices []int
		want    error
	}{
		{[]int{0, 0, 0}, ErrSize},
		{[]int{0, 0, 0, 1}, ErrSize},
		{make([]int, 9), ErrSize},
		{[]int{0, 0, 0, 0, 13, 0}, ErrBounds},
		{[]int{0, 0, 0, -7, 0, 0}, ErrBounds},
	} {
		for op, err := range map[string]error{"gather": Gather(a, c.indices, two), "scatter": Scatter(a, c.indices, two)} {
			if !errors.Is(err, c.want) {
				t.Errorf("%s of %v: %v, want %v", op, c.indices, err, c.want)
			}
		}
	}
	if err := Gather(a, make([]int, 6), make([]float32, 2)); !errors.Is(err, ErrDType) {
		t.Errorf("as float32: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Gather(a, make([]int, 6), two); !errors.Is(err, ErrClosed) {
		t.Errorf("after closing: %v", err)
	}
	if a, err := Open("nowhere/a", Options{}); err == nil {
		t.Error(a)
	}
}

// Elements that are gathered while others scatter have one of the values that were written.
func TestGatherBesideScatter(t *testing.T) { inBothForms(t, testGatherBesideScatter) }

func testGatherBesideScatter(t *testing.T) {
	a, indices, values := manyArray(t, vfs.OS, 1)
	defer a.Close()
	var wg sync.WaitGroup
	for g := range 4 {
		rng := rand.New(rand.NewPCG(9, uint64(g)))
		wg.Go(func() {
			for i := range 40 {
				at, data, which := draw(rng, 200, 3, indices, values)
				var err error
				if g%2 == 0 {
					for j, w := range which {
						data[j] = int32(w)<<8 + 1<<30
					}
					err = Scatter(a, at, data)
				} else if err = Gather(a, at, data); err == nil {
					for j, w := range which {
						if data[j] != values[w] && data[j] != int32(w)<<8+1<<30 {
							t.Errorf("element %d is %d", w, data[j])
						}
					}
				}
				if err == nil && i%10 == 0 {
					err = a.Sync()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkGather reads random elements, 20,000 at a time.
func BenchmarkGather(b *testing.B) {
	a := benchArray(b)
	const n, calls = 20_000, 100
	rng := rand.New(rand.NewPCG(1, 1))
	indices, dst := make([]int, 2*n*calls), make([]float64, n)
	for i := range indices {
		indices[i] = rng.IntN(4096)
	}
	for i := 0; b.Loop(); i = (i + 1) % calls {
		if err := Gather(a, indices[2*n*i:2*n*(i+1)], dst); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/element")
}

// A cursor sees every write, by the same array or others, whichever chunk it has pinned.
func TestCursor(t *testing.T) { inBothForms(t, testCursor) }

func testCursor(t *testing.T) {
	for _, cache := range []int64{1, 1 << 20} {
		for _, fsys := range []vfs.FS{vfs.NewMem(), vfs.OS} {
			a, indices, values := manyArray(t, fsys, cache)
			rng := rand.New(rand.NewPCG(4, uint64(cache)))
			c, err := NewCursor[int32](a)
			if err != nil {
				t.Fatal(err)
			}
			at := rng.IntN(len(values))
			for step := range 4000 {
				if at += rng.IntN(7) - 3; rng.IntN(50) == 0 || at < 0 || at >= len(values) {
					at = rng.IntN(len(values))
				}
				index := indices[3*at : 3*at+3]
				switch v := int32(step) << 8; rng.IntN(40) {
				case 0, 1, 2:
					values[at], err = v, c.Set(v, index...)
				case 3:
					values[at], err = v, Set(a, v, index...)
				case 4:
					err = a.Sync()
				case 5:
					if step%10 == 0 {
						err = a.Compact(t.Context(), nil)
					}
				default:
					var got int32
					if got, err = c.At(index...); err == nil && got != values[at] {
						t.Fatalf("step %d: element %v is %d, want %d", step, index, got, values[at])
					}
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.At(0, 0); !errors.Is(err, ErrRank) {
				t.Error(err)
			}
			if _, err := c.At(0, 0, 99); !errors.Is(err, ErrBounds) {
				t.Error(err)
			}
			if _, err := a.AddDim("t"); err != nil {
				t.Fatal(err)
			}
			if v, err := c.At(append(slices.Clone(indices[:3]), 0)...); err != nil || v != values[0] {
				t.Errorf("after a new dimension: %d, %v", v, err)
			}
			if _, err := NewCursor[int64](a); !errors.Is(err, ErrDType) {
				t.Error(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := c.At(0, 0, 0, 0); !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		}
	}
}

// BenchmarkCursor reads along rows.
func BenchmarkCursor(b *testing.B) {
	a := benchArray(b)
	c, err := NewCursor[float64](a)
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		if _, err := c.At(i>>12, i&4095); err != nil {
			b.Fatal(err)
		}
		i = (i + 1) & (1<<24 - 1)
	}
}

// If the file is truncated under a reader, Gather returns an error, whichever chunk it affects.
func TestGatherFromAShortFile(t *testing.T) { inBothForms(t, testGatherFromAShortFile) }

func testGatherFromAShortFile(t *testing.T) {
	const chunks, side = 40, 1 << 13
	name := filepath.Join(t.TempDir(), named(t, "a"))
	w, err := Create(name, Spec{DType: dtype.Int32, Shape: []int{chunks * side}, ChunkShape: []int{side}})
	if err == nil {
		err = Fill(w, nil, int32(7))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Truncate(fileset.Data(name), r.Layout().Offset(chunks/2)); err != nil {
		t.Fatal(err)
	}
	got, indices := make([]int32, chunks), make([]int, chunks)
	for i := range indices {
		indices[i] = i * side
	}
	if err := Gather(r, indices[:chunks/2], got[:chunks/2]); err != nil || slices.Min(got[:chunks/2]) != 7 {
		t.Errorf("what is there: %v, %v", got, err)
	}
	if err := Gather(r, indices, got); !errors.Is(err, ErrCorrupt) {
		t.Errorf("what is gone: %v", err)
	}
}
