package strided

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/nd"
)

// tableTest is a box in a buffer of any layout whose elements are in another buffer as a table
// says.
type tableTest struct {
	rng           *rand.Rand
	elem          int
	shape, stride []int
	buf           []byte
	table         []int32
	step          []int
	tabled        []byte // the elements in the order of the table
}

func newTableTest(seed uint64) *tableTest {
	rng := rand.New(rand.NewPCG(seed, 3))
	b := &tableTest{rng: rng, elem: elems[rng.IntN(len(elems))], shape: make([]int, rng.IntN(5))}
	for d := range b.shape {
		b.shape[d] = 1 + rng.IntN(6)
	}
	size, reach := 0, 0
	b.stride, size = layout(rng, b.shape, b.elem)
	b.step, reach = layout(rng, b.shape, 1)
	b.buf = noise(rng, size+rng.IntN(9))
	n := reach + rng.IntN(9)
	for _, place := range rng.Perm(n) {
		b.table = append(b.table, int32(place))
	}
	b.tabled = noise(rng, n*b.elem+rng.IntN(b.elem))
	return b
}

// each calls f, for every element, with its offsets in the buffer and in the table's order, as the
// definition says.
// definition says.
func (b *tableTest) each(f func(at, tabled int)) {
	lo := make([]int, len(b.shape))
	for i, more := make([]int, len(b.shape)), true; more; more = nd.Next(i, lo, b.shape) {
		at, entry := 0, 0
		for d, x := range i {
			at += x * b.stride[d]
			entry += x * b.step[d]
		}
		f(at, int(b.table[entry])*b.elem)
	}
}

func TestGatherAndScatterAgainstDefinition(t *testing.T) {
	for seed := range uint64(3000) {
		b := newTableTest(seed)
		want := slices.Clone(b.buf)
		b.each(func(at, tabled int) { copy(want[at:at+b.elem], b.tabled[tabled:]) })
		Gather(b.buf, b.stride, b.tabled, b.table, b.step, b.shape, b.elem)
		if !bytes.Equal(b.buf, want) {
			t.Fatalf("seed %d: gather of %v elements of %d bytes differs", seed, b.shape, b.elem)
		}
		b.buf = noise(b.rng, len(b.buf))
		want = slices.Clone(b.tabled)
		b.each(func(at, tabled int) { copy(want[tabled:tabled+b.elem], b.buf[at:]) })
		Scatter(b.tabled, b.table, b.step, b.buf, b.stride, b.shape, b.elem)
		if !bytes.Equal(b.tabled, want) {
			t.Fatalf("seed %d: scatter of %v elements of %d bytes differs", seed, b.shape, b.elem)
		}
		b.stride = make([]int, len(b.shape)) // one element, repeated
		b.each(func(_, tabled int) { copy(want[tabled:tabled+b.elem], b.buf) })
		Scatter(b.tabled, b.table, b.step, b.buf[:b.elem], b.stride, b.shape, b.elem)
		if !bytes.Equal(b.tabled, want) {
			t.Fatalf("seed %d: scatter of one element to %v of %d bytes differs", seed, b.shape, b.elem)
		}
	}
}

// Boxes that lead outside are refused, whatever their elements, and before anything is copied
// unless it is the table that leads outside.
func TestTableRefusals(t *testing.T) {
	for _, elem := range elems {
		for _, c := range []struct {
			name                  string
			buf, tabled           int // elements
			table                 []int32
			stride, step, extents []int
			ok                    bool
		}{
			{"good", 6, 6, []int32{5, 0, 4, 1, 3, 2}, []int{2, 1}, []int{2, 1}, []int{3, 2}, true},
			{"backwards in the table", 6, 6, []int32{5, 0, 4, 1, 3, 2}, []int{2, 1}, []int{2, -1}, []int{3, 2}, false},
			{"buffer short", 5, 6, []int32{5, 0, 4, 1, 3, 2}, []int{2, 1}, []int{2, 1}, []int{3, 2}, false},
			{"table short", 6, 6, []int32{5, 0, 4, 1, 3}, []int{2, 1}, []int{2, 1}, []int{3, 2}, false},
			{"no table", 6, 6, nil, []int{2, 1}, []int{2, 1}, []int{1, 1}, false},
			{"no buffer", 0, 6, []int32{0}, []int{2, 1}, []int{2, 1}, []int{1, 1}, false},
			{"place too high", 6, 5, []int32{5, 0, 4, 1, 3, 2}, []int{2, 1}, []int{2, 1}, []int{3, 2}, false},
			{"place negative", 6, 6, []int32{5, 0, -4, 1, 3, 2}, []int{2, 1}, []int{2, 1}, []int{3, 2}, false},
			{"nothing to copy", 0, 0, nil, []int{2, 1}, []int{2, 1}, []int{3, 0}, true},
			{"negative extent", 6, 6, []int32{5}, []int{2, 1}, []int{2, 1}, []int{-3, 1}, false},
		} {
			strides := slices.Clone(c.stride)
			for d := range strides {
				strides[d] *= elem
			}
			buf, tabled := make([]byte, c.buf*elem), make([]byte, c.tabled*elem)
			if panics(buf, func() { Gather(buf, strides, tabled, c.table, c.step, c.extents, elem) }) == c.ok {
				t.Errorf("gather, %s, elements of %d bytes: panics: %v", c.name, elem, !c.ok)
			}
			if panics(tabled, func() { Scatter(tabled, c.table, c.step, buf, strides, c.extents, elem) }) == c.ok {
				t.Errorf("scatter, %s, elements of %d bytes: panics: %v", c.name, elem, !c.ok)
			}
		}
	}
	if !panics(nil, func() { Gather(nil, nil, nil, nil, nil, nil, 0) }) {
		t.Error("no panic for elements of 0 bytes")
	}
}

// Gather and Scatter allocate nothing for boxes of few dimensions.
func TestTableAllocations(t *testing.T) {
	table, buf, tabled := []int32{3, 1, 2, 0}, make([]byte, 32), make([]byte, 32)
	stride, step, shape := []int{8, 16}, []int{2, 1}, []int{2, 2}
	n := testing.AllocsPerRun(100, func() {
		Gather(buf, stride, tabled, table, step, shape, 8)
		Scatter(tabled, table, step, buf, stride, shape, 8)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
