package layout

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"drx/curve"
	"drx/nd"
)

var orders = []string{"row", "col", "morton", "hilbert", "shell"}

// chunk is a random chunk: its layout, and the positions of its elements according to the curve.
type chunk struct {
	*Layout
	rng   *rand.Rand
	order string
	place curve.Order
	data  []byte
}

func randomChunk(t testing.TB, seed uint64) *chunk {
	t.Helper()
	c := &chunk{rng: rand.New(rand.NewPCG(seed, 9))}
	c.order = orders[c.rng.IntN(len(orders))]
	shape := make([]int, 1+c.rng.IntN(4))
	for d := range shape {
		shape[d] = 1 + c.rng.IntN(7)
	}
	elem := []int{1, 2, 4, 8, 16}[c.rng.IntN(5)]
	var err error
	if c.Layout, err = New(c.order, shape, elem); err != nil {
		t.Fatal(err)
	}
	if c.place, err = curve.New(c.order, shape); err != nil {
		t.Fatal(err)
	}
	for c.rng.IntN(4) == 0 {
		c.Layout = c.AddDim()
	}
	c.data = c.noise(c.place.Len() * elem)
	return c
}

func (c *chunk) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(c.rng.Uint32())
	}
	return b
}

// byteOf returns the offset of an element according to the definition.
func (c *chunk) byteOf(index []int) int {
	p, ok := c.place.Position(index[:c.place.Rank()])
	if !ok {
		panic(index)
	}
	return p * c.elem
}

// box returns a random box, and the first index and the step of each dimension.
func (c *chunk) box() (b Box, first, step []int) {
	for d, n := range c.shape {
		first, step = append(first, c.rng.IntN(n)), append(step, 1+c.rng.IntN(3))
		b.Shape = append(b.Shape, 1+c.rng.IntN((n-1-first[d])/step[d]+1))
		b.Steps = append(b.Steps, c.Strides[d]*step[d])
		b.First += first[d] * c.Strides[d]
	}
	if c.rng.IntN(3) == 0 { // all of the chunk
		b = Box{Steps: c.Strides, Shape: c.shape}
		first, step = make([]int, len(first)), slices.Repeat([]int{1}, len(step))
	}
	return b, first, step
}

// each calls f with the offsets, in the buffer and in the chunk, of every element of a box.
func (c *chunk) each(b Box, first, step, strides []int, f func(at, in int)) {
	lo, index := make([]int, len(first)), make([]int, len(first))
	for i, more := make([]int, len(first)), true; more; more = nd.Next(i, lo, b.Shape) {
		at := 0
		for d := range i {
			index[d] = first[d] + i[d]*step[d]
			at += i[d] * strides[d]
		}
		f(at, c.byteOf(index))
	}
}

// strides returns the strides of a buffer for a box, in a random order of the dimensions.
func (c *chunk) strides(b Box) []int {
	strides := nd.Order(c.rng.Perm(len(b.Shape))).Strides(b.Shape)
	for d := range strides {
		strides[d] *= c.elem
	}
	return strides
}

// Copying out, copying in and filling agree with the curve, element by element, for any box and any
// order of the buffer; no other bytes change.
func TestCopiesAgainstTheCurve(t *testing.T) {
	curves := 0
	for seed := range uint64(4000) {
		c := randomChunk(t, seed)
		b, first, step := c.box()
		strides := c.strides(b)
		from, n := c.Window(b)
		window := c.data[from : from+n]
		got := c.noise(len(c.data))
		want := slices.Clone(got)
		c.CopyOut(got, strides, window, b)
		c.each(b, first, step, strides, func(at, in int) { copy(want[at:at+c.elem], c.data[in:]) })
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %s order of %v: box %+v copied out\n%x, want\n%x", seed, c.order, c.shape, b, got, want)
		}
		want = slices.Clone(c.data)
		c.CopyIn(window, b, got, strides)
		c.each(b, first, step, strides, func(at, in int) { copy(want[in:in+c.elem], got[at:]) })
		if !bytes.Equal(c.data, want) {
			t.Fatalf("seed %d: %s order of %v: box %+v copied in\n%x, want\n%x", seed, c.order, c.shape, b, c.data, want)
		}
		value := c.noise(c.elem)
		c.Layout.Fill(window, b, value)
		c.each(b, first, step, strides, func(_, in int) { copy(want[in:], value) })
		if !bytes.Equal(c.data, want) {
			t.Fatalf("seed %d: %s order of %v: box %+v filled\n%x, want\n%x", seed, c.order, c.shape, b, c.data, want)
		}
		if c.curvePositions != nil {
			curves++
		}
	}
	if curves < 1000 {
		t.Errorf("only %d curves with a table", curves)
	}
}

func TestOffsets(t *testing.T) {
	for seed := range uint64(300) {
		c := randomChunk(t, seed)
		lo, index := make([]int, len(c.shape)), make([]int, len(c.shape))
		for more := true; more; more = nd.Next(index, lo, c.shape) {
			position := 0
			for d, i := range index {
				position += i * c.Strides[d]
			}
			if got, want := c.Offset(position), c.byteOf(index); got != want {
				t.Fatalf("seed %d: %s order of %v: element %v at byte %d, want %d", seed, c.order, c.shape, index, got, want)
			}
		}
	}
}

// A buffer is dense if copying a whole chunk to it copies the bytes unchanged.
func TestDense(t *testing.T) {
	dense := 0
	for seed := range uint64(2000) {
		c := randomChunk(t, seed)
		b := Box{Steps: c.Strides, Shape: c.shape}
		strides := c.strides(b)
		if !c.Dense(strides) {
			continue
		}
		dense++
		out := make([]byte, len(c.data))
		c.CopyOut(out, strides, c.data, b)
		if !bytes.Equal(out, c.data) {
			t.Fatalf("seed %d: %s order of %v is not dense in strides %v", seed, c.order, c.shape, strides)
		}
	}
	if dense < 100 {
		t.Errorf("only %d dense buffers", dense)
	}
	for order, want := range map[string]bool{"row": true, "col": false, "morton": false, "hilbert": false} {
		l, err := New(order, []int{1, 4, 1, 4}, 2)
		if err != nil || l.Dense([]int{0, 8, 0, 2}) != want {
			t.Errorf("%s: dense in row-major order: %v, %v", order, !want, err)
		}
	}
}

// A new dimension of extent one moves no element, and shares the table.
func TestAddDim(t *testing.T) {
	for _, order := range orders {
		l, err := New(order, []int{5, 3, 6}, 4)
		if err != nil {
			t.Fatal(err)
		}
		longer, err := New(order, []int{5, 3, 6, 1}, 4)
		if err != nil {
			t.Fatal(err)
		}
		added := l.AddDim()
		if len(added.Strides) != 4 || len(l.Strides) != 3 || !slices.Equal(added.shape, longer.shape) {
			t.Errorf("%s: strides %v, shape %v", order, added.Strides, added.shape)
		}
		for e := range 5 * 3 * 6 {
			if p := e * l.unit(); added.Offset(p) != longer.Offset(p) || added.Offset(p) != l.Offset(p) {
				t.Errorf("%s: position %d at byte %d, want %d and %d", order, p, added.Offset(p), longer.Offset(p), l.Offset(p))
			}
		}
		if l.curvePositions != nil && &l.curvePositions()[0] != &added.curvePositions()[0] {
			t.Errorf("%s: the table is computed twice", order)
		}
	}
}

// A chunk with one dimension has only one curve, which needs no table.
func TestLines(t *testing.T) {
	for _, order := range orders {
		for _, shape := range [][]int{{1}, {9}, {1, 9, 1}, {1, 1}} {
			l, err := New(order, shape, 8)
			if err != nil || l.curvePositions != nil || l.Offset(16) != 16 {
				t.Errorf("%s order of %v has a table, %v", order, shape, err)
			}
		}
	}
}

// A table is computed when it is first needed, and only once, even if several goroutines need it at
// the same time.
func TestTableIsLazy(t *testing.T) {
	l, err := New("hilbert", []int{1 << 15, 1 << 15}, 1) // a table of 4 GiB, if it were computed
	if err != nil {
		t.Fatal(err)
	}
	b := Box{Steps: l.AddDim().Strides, Shape: []int{2, 2, 1}}
	if from, n := l.Window(b); from != 0 || n != 1<<30 || l.Dense([]int{1 << 15, 1}) {
		t.Errorf("window of %d bytes at %d", n, from)
	}
	if l, err = New("morton", []int{64, 64}, 1); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if at := l.Offset(64*63 + 63); at != 64*64-1 {
				t.Errorf("the last element is at byte %d", at)
			}
		})
	}
	wg.Wait()
}

func TestRefusals(t *testing.T) {
	for _, order := range []string{"morton", "hilbert", "shell"} {
		if _, err := New(order, []int{1 << 16, 1 << 15}, 1); !errors.Is(err, nd.ErrOverflow) {
			t.Errorf("%s order of 2^31 elements: error %v", order, err)
		}
	}
	if _, err := New("row", []int{1 << 16, 1 << 15}, 1); err != nil {
		t.Error(err)
	}
	if _, err := New("peano", []int{3, 3}, 1); err == nil {
		t.Error("an order that does not exist")
	}
	if _, err := New("hilbert", []int{3, 0}, 1); !errors.Is(err, nd.ErrBounds) {
		t.Errorf("an extent of 0: %v", err)
	}
}

// BenchmarkCopyOut copies boxes out of a chunk of 256 x 256 float64, to a buffer in row- and
// in column-major order.
func BenchmarkCopyOut(b *testing.B) {
	for _, order := range []string{"row", "col", "morton", "hilbert"} {
		l, err := New(order, []int{256, 256}, 8)
		if err != nil {
			b.Fatal(err)
		}
		chunk := make([]byte, 256*256*8)
		for _, edge := range []int{3, 16, 64, 256} {
			buf := make([]byte, edge*edge*8)
			box := Box{First: (256 - edge) / 2 * (l.Strides[0] + l.Strides[1]), Steps: l.Strides, Shape: []int{edge, edge}}
			for name, strides := range map[string][]int{"row": {edge * 8, 8}, "col": {8, edge * 8}} {
				b.Run(fmt.Sprintf("%s/%d/to-%s", order, edge, name), func(b *testing.B) {
					b.SetBytes(int64(len(buf)))
					for b.Loop() {
						from, n := l.Window(box)
						l.CopyOut(buf, strides, chunk[from:from+n], box)
					}
				})
			}
		}
	}
}
