package memory_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"drx/internal/growtest"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/memory"
	"drx/nd"
)

// wander extends, adds dimensions and sets elements at random.
func wander(t *testing.T, a *memory.Array[float32], rng *rand.Rand, steps int) {
	t.Helper()
	for range steps {
		var err error
		if rng.IntN(6) == 0 && a.Rank() < 5 {
			_, err = a.AddDim("")
		} else {
			_, err = growtest.Extend(a, rng.IntN(a.Rank()), 1+rng.IntN(5), axial.Side(rng.IntN(2)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	scribble(t, a, rng)
}

// scribble writes random values to a random box.
func scribble(t *testing.T, a *memory.Array[float32], rng *rand.Rand) {
	t.Helper()
	sec := a.Bounds()
	for d, r := range sec {
		sec[d].Lo += rng.IntN(r.Len() + 1)
		sec[d].Hi = sec[d].Lo + rng.IntN(r.Hi-sec[d].Lo+1)
	}
	n, _ := sec.Len()
	data := make([]float32, n)
	for i := range data {
		data[i] = rng.Float32()
	}
	if err := a.Write(sec, data); err != nil {
		t.Fatal(err)
	}
}

// randomArray returns an array with a random shape, some of whose extents are zero.
func randomArray(t *testing.T, rng *rand.Rand) *memory.Array[float32] {
	t.Helper()
	k := 1 + rng.IntN(3)
	spec := memory.Spec[float32]{FillValue: -1, Dims: []string{"x", "y", "z"}[:k]}
	for range k {
		spec.Shape = append(spec.Shape, rng.IntN(5))
		spec.Lo = append(spec.Lo, rng.IntN(9)-4)
		spec.ChunkShape = append(spec.ChunkShape, 1+rng.IntN(3))
	}
	a, err := memory.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// same compares bounds, elements and the numbers of all chunks.
func same(t *testing.T, file *drx.Array, a *memory.Array[float32]) {
	t.Helper()
	if !slices.Equal(file.Bounds(), a.Bounds()) {
		t.Fatalf("bounds of the file %v, of the array %v", file.Bounds(), a.Bounds())
	}
	want, err := a.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := drx.Read[float32](file, nil)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v: the file is %v, %v, the array %v", file.Bounds(), got, err, want)
	}
	grid, other := a.Grid(), file.Grid()
	if grid.Chunks() != other.Chunks() {
		t.Fatalf("%d chunks in the file, %d in the array", other.Chunks(), grid.Chunks())
	}
	index := make([]int, a.Rank())
	for q := range grid.Chunks() {
		grid.Index(q, index)
		if p, ok := other.Number(index); !ok || p != q {
			t.Fatalf("chunk %v has number %d, %v in the file, %d in the array", index, p, ok, q)
		}
	}
}

// scratch removes the options that make a file survive a crash.
func scratch(spec drx.Spec) drx.Spec {
	spec.Durability = drx.DurabilityNone
	return spec
}

// TestRoundTrip: an array is stored in a file with its initial state, loaded, extended and stored
// in the same file again. The numbers of chunks must stay the same.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 9))
		a := randomArray(t, rng)
		wander(t, a, rng, rng.IntN(9))
		file, err := drx.Create(filepath.Join(t.TempDir(), "a"), scratch(a.FileSpec()))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Store(file, nil); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same(t, file, a)
		b, err := memory.Load[float32](file, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same(t, file, b)
		if !slices.Equal(b.ChunkShape(), a.ChunkShape()) || b.FillValue() != -1 || !slices.Equal(b.Dims(), a.Dims()) {
			t.Fatalf("seed %d: chunks %v, fill value %v, names %v", seed, b.ChunkShape(), b.FillValue(), b.Dims())
		}
		wander(t, b, rng, rng.IntN(9))
		if err := b.Store(file, nil); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same(t, file, b)
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStrangers: a file with another history and other chunks must get the elements nevertheless.
func TestStrangers(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 10))
		a := randomArray(t, rng)
		wander(t, a, rng, 6)
		k := 1 + rng.IntN(a.Rank())
		spec := drx.Spec{DType: dtype.Float32, Shape: slices.Repeat([]int{2}, k), ChunkShape: slices.Repeat([]int{2}, k), FillValue: -1}
		spec.Lo = make([]int, k)
		for d, r := range a.Bounds()[:k] {
			spec.Lo[d] = r.Lo
			spec.Shape[d] = min(2, r.Len())
		}
		file, err := drx.Create(filepath.Join(t.TempDir(), "a"), scratch(spec))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Store(file, nil); err != nil {
			t.Fatal(err)
		}
		// Dimensions that were added to the file may have more indices: they begin with index 0.
		want, err := a.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) > 0 {
			got, err := drx.Read[float32](file, a.Bounds())
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%v: the file is %v, %v, the array %v", a.Bounds(), got, err, want)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// bigFile creates a file of more than one panel, with values that follow from the indices.
func bigFile(t *testing.T) (*drx.Array, func(i, j int) float64) {
	t.Helper()
	value := func(i, j int) float64 { return float64(i*10_000 + j) }
	file, err := drx.Create(filepath.Join(t.TempDir(), "big"), scratch(drx.Spec{
		DType: dtype.Float64, Shape: []int{1000, 1500}, Lo: []int{-300, 7}, ChunkShape: []int{64, 100},
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Discard() })
	data := make([]float64, 0, 1000*1500)
	for i := range 1000 {
		for j := range 1500 {
			data = append(data, value(i-300, j+7))
		}
	}
	if err := drx.Write(file, nil, data); err != nil {
		t.Fatal(err)
	}
	return file, value
}

// TestSections: parts of files are loaded and stored, with steps and over several panels.
func TestSections(t *testing.T) {
	file, value := bigFile(t)
	part := nd.Sec(nd.Span(-299, 680), nd.Span(8, 1501))
	a, err := memory.Load[float64](file, part)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := part.Resolve([]int{-300, 7}, []int{700, 1507}); !slices.Equal(a.Bounds(), nd.Section{{Lo: -299, Hi: 680}, {Lo: 8, Hi: 1501}}) {
		t.Fatalf("bounds %v, want %v", a.Bounds(), got)
	}
	for i := -299; i < 680; i += 7 {
		for j := 8; j < 1501; j += 3 {
			if v, err := a.At(i, j); err != nil || v != value(i, j) {
				t.Fatalf("element (%d, %d) is %v, %v", i, j, v, err)
			}
		}
	}
	for _, step := range []int{1, 3, 70} {
		sec := nd.Sec(nd.Span(-200, 600).By(step), nd.Span(10, 1400).By(2))
		if err := drx.Fill(file, nil, 0.5); err != nil {
			t.Fatal(err)
		}
		if err := a.Store(file, sec); err != nil {
			t.Fatal(err)
		}
		data, err := drx.Read[float64](file, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n, v := range data {
			i, j := n/1500-300, n%1500+7
			want := 0.5
			if i >= -200 && i < 600 && j >= 10 && j < 1400 && (i+200)%step == 0 && j%2 == 0 {
				want = value(i, j)
			}
			if v != want {
				t.Fatalf("step %d: element (%d, %d) is %v, want %v", step, i, j, v, want)
			}
		}
	}
}

// TestFileErrors: Load and Store must refuse these calls before they change anything.
func TestFileErrors(t *testing.T) {
	file, _ := bigFile(t)
	cube, err := memory.New(memory.Spec[float64]{Shape: []int{2, 2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	row, _ := memory.New(memory.Spec[float64]{Shape: []int{2}})
	ints, _ := memory.New(memory.Spec[int64]{Shape: []int{2, 2000}})
	for _, c := range []struct {
		name string
		do   func() error
		want error
	}{
		{"type", func() error { _, err := memory.Load[float32](file, nil); return err }, drx.ErrDType},
		{"steps", func() error { _, err := memory.Load[float64](file, nd.Sec(nd.All, nd.All.By(2))); return err }, drx.ErrBounds},
		{"bounds", func() error { _, err := memory.Load[float64](file, nd.Sec(nd.All, nd.Span(0, 8))); return err }, drx.ErrBounds},
		{"type of the file", func() error { return ints.Store(file, nil) }, drx.ErrDType},
		{"more dimensions", func() error { return row.Store(file, nil) }, drx.ErrRank},
		{"section", func() error { return cube.Store(file, nd.Sec(nd.All)) }, drx.ErrRank},
	} {
		if err := c.do(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if !slices.Equal(file.Shape(), []int{1000, 1500}) {
		t.Errorf("the file's shape is %v", file.Shape())
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Load[float64](file, nil); !errors.Is(err, drx.ErrClosed) {
		t.Errorf("closed file: %v", err)
	}
}
