package par

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// offsets lists where the bytes of a layout lie, in their order.
func offsets(l Layout) []int {
	if len(l.Count) == 0 {
		var all []int
		for i := range l.Bytes {
			all = append(all, l.Offset+i)
		}
		return all
	}
	var all []int
	for i := range l.Count[0] {
		all = append(all, offsets(Layout{l.Offset + i*l.Stride[0], l.Bytes, l.Count[1:], l.Stride[1:]})...)
	}
	return all
}

func drawLayout(t *rapid.T, name string) Layout {
	n := rapid.IntRange(0, 3).Draw(t, name+" dims")
	return Layout{
		Offset: rapid.IntRange(0, 9).Draw(t, name+" offset"),
		Bytes:  rapid.IntRange(0, 6).Draw(t, name+" bytes"),
		Count:  rapid.SliceOfN(rapid.IntRange(0, 4), n, n).Draw(t, name+" count"),
		Stride: rapid.SliceOfN(rapid.IntRange(0, 20), n, n).Draw(t, name+" stride"),
	}
}

// TestLayout compares with the list of all bytes.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t, "layout")
		all := offsets(l)
		if l.Size() != len(all) {
			t.Fatalf("size %d of %v, want %d", l.Size(), l, len(all))
		}
		size := rapid.IntRange(0, 150).Draw(t, "size")
		fits := len(all) == 0 || slices.Max(all) < size
		if err := l.Check(size); (err == nil) != fits || !fits && !errors.Is(err, ErrArgument) {
			t.Fatalf("%v in %d bytes: %v, fits is %v", l, size, err, fits)
		}
		s := l.Simple()
		if !slices.Equal(offsets(s), all) {
			t.Fatalf("%v made simple is %v", l, s)
		}
		for i := 1; i < len(all); i++ {
			if all[i] != all[i-1]+1 {
				return
			}
		}
		if len(s.Count) > 0 {
			t.Fatalf("%v is contiguous, made simple it is %v", l, s)
		}
	})
}

// TestEachRun: the runs of two layouts are their bytes, in order.
func TestEachRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawLayout(t, "a"), drawLayout(t, "b")
		n := min(a.Size(), b.Size())
		if n == 0 {
			return
		}
		all, ball := offsets(a), offsets(b)
		if len(all) != n { // make them equally long: the longer as single bytes is not a layout
			b = Contiguous(3, len(all))
			ball = offsets(b)
		} else if len(ball) != n {
			a = Contiguous(5, len(ball))
			all = offsets(a)
		}
		at, calls := 0, 0
		eachRun(a, b, func(i, j, k int) {
			calls++
			for x := range k {
				if all[at] != i+x || ball[at] != j+x {
					t.Fatalf("%v and %v: byte %d is at %d and %d, got %d and %d", a, b, at, all[at], ball[at], i+x, j+x)
				}
				at++
			}
		})
		if at != len(all) || calls == 0 {
			t.Fatalf("%v and %v: %d bytes of %d in %d runs", a, b, at, len(all), calls)
		}
	})
}

func TestLayoutRefused(t *testing.T) {
	for _, l := range []Layout{
		{Offset: -1, Bytes: 1},
		{Bytes: -1},
		{Offset: math.MaxInt, Bytes: 1},
		{Bytes: 1, Count: []int{1}},
		{Bytes: 1, Count: []int{-1}, Stride: []int{1}},
		{Bytes: 1, Count: []int{2}, Stride: []int{-1}},
		{Bytes: 1, Count: []int{math.MaxInt}, Stride: []int{2}},
		{Bytes: 8, Count: []int{math.MaxInt / 2}, Stride: []int{0}},
		{Bytes: 1, Count: []int{2, 2}, Stride: []int{math.MaxInt, math.MaxInt}},
	} {
		if err := l.Check(math.MaxInt); !errors.Is(err, ErrArgument) {
			t.Errorf("%v: %v", l, err)
		}
	}
	for _, l := range []Layout{{Offset: 4, Bytes: 8}, {Bytes: 4}, {Bytes: 8, Count: []int{3}, Stride: []int{12}}} {
		if err := l.CheckElements(8); !errors.Is(err, ErrArgument) {
			t.Errorf("%v: %v", l, err)
		}
		if err := l.CheckElements(4); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckPieces(t *testing.T) {
	b := make([]byte, 4)
	for _, c := range []struct {
		good   bool
		pieces []Piece
	}{
		{true, nil},
		{true, []Piece{{0, b}, {4, b}, {8, nil}, {8, b}}},
		{false, []Piece{{-1, nil}}},
		{false, []Piece{{0, b}, {3, b}}},
		{false, []Piece{{4, b}, {0, b}}},
		{false, []Piece{{math.MaxInt64, b}}},
		{true, []Piece{{math.MaxInt64 - 4, b}}},
	} {
		if err := CheckPieces(c.pieces); (err == nil) != c.good || !c.good && !errors.Is(err, ErrArgument) {
			t.Errorf("%v: %v", c.pieces, err)
		}
	}
}

func TestCheckFlag(t *testing.T) {
	for flag, good := range map[int]bool{0: true, rdwr: true, rdwr | create: true, create: false, 1: false, rdwr | 1<<20: false} {
		if err := CheckFlag(flag); (err == nil) != good {
			t.Errorf("flag %#x: %v", flag, err)
		}
	}
}
