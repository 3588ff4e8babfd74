package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"drx/internal/growtest"

	"github.com/google/go-cmp/cmp"

	"drx"
	"drx/axial"
	"drx/memory"
	"drx/nd"
)

// numbered returns an array of single elements that was extended on the high side, step by step,
// each {dimension, by}. The value of an element is its position in memory, counted over all blocks.
func numbered(t *testing.T, shape []int, steps ...[2]int) *memory.Array[int32] {
	t.Helper()
	a, err := memory.New(memory.Spec[int32]{Shape: shape})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if _, err := a.Extend(s[0], s[1]); err != nil {
			t.Fatal(err)
		}
	}
	for first, block := range a.Blocks() {
		for i := range block {
			block[i] = int32(first) + int32(i)
		}
	}
	return a
}

// table prints a 2-D array as the papers' figures do.
func table(t *testing.T, a *memory.Array[int32]) string {
	t.Helper()
	data, err := a.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, v := range data {
		fmt.Fprintf(&b, "%3d", v)
		if (i+1)%a.Shape()[1] == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// The numbers must be those of Otoo and Rotem 2007, figure 1, and Otoo 2006, figure 3.
func TestTables(t *testing.T) {
	a := numbered(t, []int{1, 1}, [2]int{1, 1}, [2]int{0, 1}, [2]int{0, 1}, [2]int{1, 1}, [2]int{0, 1}, [2]int{1, 1}, [2]int{0, 1})
	want := "" +
		"  0  1  6 12\n" +
		"  2  3  7 13\n" +
		"  4  5  8 14\n" +
		"  9 10 11 15\n" +
		" 16 17 18 19\n"
	if diff := cmp.Diff(want, table(t, a)); diff != "" {
		t.Error(diff)
	}
	a = numbered(t, []int{4, 3}, [2]int{1, 2}, [2]int{0, 3}, [2]int{1, 3}, [2]int{0, 2}, [2]int{1, 2})
	want = "" +
		"  0  1  2 12 16 35 42 49 72 81\n" +
		"  3  4  5 13 17 36 43 50 73 82\n" +
		"  6  7  8 14 18 37 44 51 74 83\n" +
		"  9 10 11 15 19 38 45 52 75 84\n" +
		" 20 21 22 23 24 39 46 53 76 85\n" +
		" 25 26 27 28 29 40 47 54 77 86\n" +
		" 30 31 32 33 34 41 48 55 78 87\n" +
		" 56 57 58 59 60 61 62 63 79 88\n" +
		" 64 65 66 67 68 69 70 71 80 89\n"
	if diff := cmp.Diff(want, table(t, a)); diff != "" {
		t.Error(diff)
	}
}

// The numbers must be those of Otoo and Rotem 2007, figure 3, and Nimako 2016, figure 3.3.1.
func TestCubes(t *testing.T) {
	a := numbered(t, []int{4, 3, 1}, [2]int{2, 1}, [2]int{2, 1}, [2]int{1, 1}, [2]int{0, 2}, [2]int{2, 1})
	wantAt(t, a, map[int32][]int{7: {2, 1, 0}, 34: {3, 1, 2}, 56: {4, 2, 2}})
	a = numbered(t, []int{3, 3, 2}, [2]int{1, 2}, [2]int{0, 2}, [2]int{2, 1})
	wantAt(t, a, map[int32][]int{26: {1, 4, 0}, 29: {2, 4, 1}, 37: {3, 3, 1}, 27: {1, 4, 1}})
}

func wantAt(t *testing.T, a *memory.Array[int32], want map[int32][]int) {
	t.Helper()
	for v, index := range want {
		if got, err := a.At(index...); err != nil || got != v {
			t.Errorf("element %v is number %d, %v, want %d", index, got, err, v)
		}
	}
}

// Nimako 2016, section 4.1: chunks of 3 x 3, 4 x 5 elements; growth to 4 x 6 stays within the
// existing chunks, growth to 4 x 8 takes one more column of them.
func TestGhostRegion(t *testing.T) {
	a, err := memory.New(memory.Spec[float64]{Shape: []int{4, 5}, ChunkShape: []int{3, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ by, segments, elements int }{{1, 1, 36}, {2, 2, 54}} {
		if _, err := a.Extend(1, c.by); err != nil {
			t.Fatal(err)
		}
		if a.Grid().Segments() != c.segments || a.Allocated() != c.elements {
			t.Errorf("shape %v: %d segments, %d elements allocated, want %d and %d",
				a.Shape(), a.Grid().Segments(), a.Allocated(), c.segments, c.elements)
		}
	}
}

// TestReserve: an extension must allocate only its own memory, unless it continues the previous
// one; then the reserve must be at most as large as the memory of the steps.
func TestReserve(t *testing.T) {
	a, err := memory.New(memory.Spec[int16]{Shape: []int{10, 10}})
	if err != nil {
		t.Fatal(err)
	}
	want := 100
	for i := range 20 {
		sec, err := growtest.Extend(a, i%2, 1+i, axial.Side(i/2%2))
		if err != nil {
			t.Fatal(err)
		}
		n, _ := sec.Len()
		if want += n; a.Allocated() != want {
			t.Fatalf("%d elements allocated for %v, want %d", a.Allocated(), a.Shape(), want)
		}
	}
	steps := 0
	for range 5000 {
		sec, err := a.Extend(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := sec.Len()
		steps += n
		if got := a.Allocated() - want; got < steps || got > 2*steps {
			t.Fatalf("%d elements allocated for steps of %d", got, steps)
		}
	}
	blocks := 0
	for range a.Blocks() {
		blocks++
	}
	if blocks > 21+14 {
		t.Errorf("%d blocks", blocks)
	}
}

// TestLargestBlock: blocks must stop doubling at 64 MiB, and a slab may be larger. The test touches
// none of this memory, so that the system does not provide it.
func TestLargestBlock(t *testing.T) {
	for _, c := range []struct{ slab, most int }{{4 << 20, 64 << 20}, {80 << 20, 80 << 20}} {
		a, err := memory.New(memory.Spec[int8]{Shape: []int{1, c.slab}})
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			if _, err := a.ExtendLow(0, 1); err != nil {
				t.Fatal(err)
			}
			n, _ := a.Bounds().Len()
			if reserve := a.Allocated() - n; reserve < 0 || reserve >= c.most {
				t.Fatalf("%d bytes in reserve of %d", reserve, n)
			}
		}
		largest := 0
		for _, block := range a.Blocks() {
			largest = max(largest, len(block))
		}
		if largest != c.most {
			t.Errorf("slabs of %d: the largest block has %d bytes, want %d", c.slab, largest, c.most)
		}
		for _, i := range []int{0, -1, -2, -20, -59, -60} {
			if err := a.Set(int8(i), i, c.slab-1); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := a.Read(nd.Sec(nd.All.By(20), nd.At(c.slab-1))); err != nil || !cmp.Equal(got, []int8{-60, 0, -20, 0}) {
			t.Errorf("column %v, %v", got, err)
		}
	}
}

// TestCubical: an array must grow cubically as a file does.
func TestCubical(t *testing.T) {
	for _, how := range []axial.Side{axial.High, axial.Low} {
		a, err := memory.New(memory.Spec[int32]{Shape: []int{2, 5, 3}, ChunkShape: []int{2, 1, 3}, Dims: []string{"a", "b", "c"}})
		if err != nil {
			t.Fatal(err)
		}
		file, err := drx.Create(t.TempDir()+"/cube", scratch(a.FileSpec()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.ExtendCubical(2, 6, how)
		if err != nil {
			t.Fatal(err)
		}
		want, err := file.ExtendCubical(2, 6, how)
		if err != nil || !cmp.Equal(got, want) || !cmp.Equal(a.Bounds(), file.Bounds()) {
			t.Errorf("section %v of %v, want %v of %v, %v", got, a.Bounds(), want, file.Bounds(), err)
		}
		if diff := cmp.Diff(file.Grid().Records(), a.Grid().Records()); diff != "" {
			t.Errorf("records (-file +memory):\n%s", diff)
		}
		if err := file.Discard(); err != nil {
			t.Fatal(err)
		}
	}
}
