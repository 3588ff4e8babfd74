package strided

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/nd"
)

// plain copies element by element, as the definition of Copy says.
func plain(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	lo := make([]int, len(shape))
	for _, n := range shape {
		if n == 0 {
			return
		}
	}
	for at, more := make([]int, len(shape)), true; more; more = nd.Next(at, lo, shape) {
		d, s := 0, 0
		for i, x := range at {
			d += x * dstStride[i]
			s += x * srcStride[i]
		}
		copy(dst[d:d+elem], src[s:s+elem])
	}
}

// layout returns byte strides of a random order with random gaps, which need not be
// multiples of elem, and the number of bytes from the first element to the last.
func layout(rng *rand.Rand, shape []int, elem int) (strides []int, size int) {
	strides = make([]int, len(shape))
	step, last := elem, 0
	for _, d := range rng.Perm(len(shape)) {
		switch rng.IntN(6) {
		case 0:
			step += rng.IntN(3) * elem
		case 1:
			step += rng.IntN(20)
		}
		strides[d] = step
		last += max(0, shape[d]-1) * step
		step *= max(1, shape[d])
	}
	return strides, last + elem
}

// noise returns n random bytes that begin at any address.
func noise(rng *rand.Rand, n int) []byte {
	skip := rng.IntN(16)
	b := make([]byte, 0, skip+n+8)
	for len(b) < skip+n {
		b = binary.LittleEndian.AppendUint64(b, rng.Uint64())
	}
	return b[skip : skip+n : skip+n]
}

// A box test is a copy between random layouts.
type boxTest struct {
	shape, to, from []int
	elem, toN       int
	src             []byte
}

func (b boxTest) String() string {
	return fmt.Sprintf("shape %v elem %d dst %v src %v", b.shape, b.elem, b.to, b.from)
}

var elems = []int{1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 40, 64, 100, 300}

func randomBox(rng *rand.Rand) boxTest {
	b := boxTest{elem: elems[rng.IntN(len(elems))], shape: make([]int, rng.IntN(7))}
	buffer := 1 << 12
	for d := range b.shape {
		b.shape[d] = rng.IntN(min(buffer, 9)) + 1
		if rng.IntN(4) == 0 {
			b.shape[d] = rng.IntN(min(buffer, 80)) + 1
		}
		buffer = max(1, buffer/b.shape[d])
	}
	if len(b.shape) > 0 && rng.IntN(40) == 0 {
		b.shape[rng.IntN(len(b.shape))] = 0
	}
	b.fill(rng)
	return b
}

// fill gives b layouts and source bytes.
func (b *boxTest) fill(rng *rand.Rand) {
	b.to, b.toN = layout(rng, b.shape, b.elem)
	from, n := layout(rng, b.shape, b.elem)
	if len(from) > 0 && rng.IntN(10) == 0 {
		from[rng.IntN(len(from))] = 0
	}
	b.from, b.src = from, noise(rng, n)
}

// run compares Copy and Fill with their definitions. The bytes around the elements and around the
// buffer must not change.
func (b boxTest) run(t *testing.T, rng *rand.Rand) {
	t.Helper()
	const guard = 64
	got := noise(rng, guard+b.toN+guard)
	want := slices.Clone(got)
	inner := func(buf []byte) []byte { return buf[guard : guard+b.toN : guard+b.toN] }
	Copy(inner(got), b.to, b.src, b.from, b.shape, b.elem)
	plain(inner(want), b.to, b.src, b.from, b.shape, b.elem)
	if !bytes.Equal(got, want) {
		t.Fatalf("copy of %v differs", b)
	}
	value := b.src[:b.elem]
	if rng.IntN(4) == 0 {
		value = make([]byte, b.elem)
	}
	Fill(inner(got), b.to, b.shape, value)
	plain(inner(want), b.to, value, make([]int, len(b.shape)), b.shape, b.elem)
	if !bytes.Equal(got, want) {
		t.Fatalf("fill of %v differs", b)
	}
}

func TestCopyAndFillAgainstDefinition(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 0))
		randomBox(rng).run(t, rng)
	}
}

// Every kernel for planes is run with every remainder of its blocks, with and without gaps, and
// with strides that are powers of two.
func TestPlanesAgainstDefinition(t *testing.T) {
	for _, elem := range elems {
		edges := []int{1, 3, 7, 8, 9, 15, 32, 33, 65}
		if elem > 16 {
			edges = []int{1, 2, 9, 33}
		}
		for i, rows := range edges {
			for j, cols := range edges {
				rng := rand.New(rand.NewPCG(uint64(i), uint64(j)))
				wide := 1 << 12
				b := boxTest{shape: []int{rows, cols}, to: []int{cols * elem, elem}, toN: rows * cols * elem, elem: elem}
				b.from, b.src = []int{elem, rows * elem}, noise(rng, rows*cols*elem)
				b.run(t, rng)
				if elem <= 16 && cols >= 32 {
					b.from, b.src = []int{elem, wide}, noise(rng, cols*wide)
					b.run(t, rng)
				}
				b.fill(rng)
				b.run(t, rng)
			}
		}
	}
}

func TestManyDimensions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for rank := 7; rank <= 12; rank++ {
		b := boxTest{elem: 4, shape: slices.Repeat([]int{2}, rank)}
		b.fill(rng)
		b.run(t, rng)
	}
}

func TestRepeat(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 7, 100, 5000, 30000} {
		for _, size := range []int{1, 3, 8, 16} {
			value := noise(rng, size)
			got := noise(rng, n*size)
			Repeat(got, value)
			if !bytes.Equal(got, bytes.Repeat(value, n)) {
				t.Errorf("%d values of %d bytes differ", n, size)
			}
		}
	}
}

// panics reports whether f panics with a message of this package before it changes b.
func panics(b []byte, f func()) (ok bool) {
	before := slices.Clone(b)
	defer func() {
		s, isText := recover().(string)
		ok = isText && len(s) > 9 && s[:9] == "strided: " && bytes.Equal(b, before)
	}()
	f()
	return
}

func TestRefusals(t *testing.T) {
	const n = 64
	big := math.MaxInt/2 + 1
	for _, c := range []struct {
		name             string
		to, from, shape  []int
		dst, src, elem   int
		fillToo, inRange bool
	}{
		{"last byte", []int{8}, []int{8}, []int{8}, n, n, 8, true, true},
		{"empty", []int{-8, big}, []int{big, 8}, []int{0, 9}, 0, 0, 8, true, true},
		{"one element, any stride", []int{-8}, []int{big}, []int{1}, 8, 8, 8, true, true},
		{"dst short", []int{8}, []int{8}, []int{8}, n - 1, n, 8, true, false},
		{"src short", []int{8}, []int{8}, []int{8}, n, n - 1, 8, false, false},
		{"dst stride", []int{9}, []int{8}, []int{8}, n, n, 8, true, false},
		{"src stride", []int{8}, []int{9}, []int{8}, n, n, 8, false, false},
		{"two dimensions", []int{32, 5}, []int{32, 4}, []int{2, 8}, n, n, 4, true, false},
		{"negative dst", []int{-8}, []int{8}, []int{2}, n, n, 8, true, false},
		{"negative src", []int{8}, []int{-8}, []int{3}, n, n, 8, false, false},
		{"negative extent", []int{8}, []int{8}, []int{-1}, n, n, 8, true, false},
		{"overflow", []int{big}, []int{0}, []int{3}, n, n, 8, true, false},
		{"overflow to 0", []int{big}, []int{0}, []int{5}, n, n, 8, true, false},
		{"overflow of a sum", []int{big, big}, []int{0, 0}, []int{2, 2}, n, n, 8, true, false},
		{"elements of 0", []int{8}, []int{8}, []int{2}, n, n, 0, true, false},
		{"element too large", nil, nil, nil, 7, 8, 8, true, false},
	} {
		dst, src := make([]byte, c.dst), bytes.Repeat([]byte{1}, c.src)
		if panics(dst, func() { Copy(dst, c.to, src, c.from, c.shape, c.elem) }) == c.inRange {
			t.Errorf("%s: copy panics: %v", c.name, !c.inRange)
		}
		value := bytes.Repeat([]byte{2}, c.elem)
		if c.fillToo && panics(dst, func() { Fill(dst, c.to, c.shape, value) }) == c.inRange {
			t.Errorf("%s: fill panics: %v", c.name, !c.inRange)
		}
	}
	if b := make([]byte, 3); !panics(b, func() { Repeat(b, nil) }) || !panics(b, func() {
		Copy(b, []int{1}, b, []int{1}, []int{2}, -1)
	}) {
		t.Error("no panic for an empty value or elements of -1 bytes")
	}
}

func TestCopyAllocatesNothing(t *testing.T) {
	dst, src := make([]byte, 64*4096), make([]byte, 64*4096)
	row, col, far := []int{512, 8}, []int{8, 512}, []int{8, 4096}
	for _, from := range [][]int{row, col, far} {
		if n := testing.AllocsPerRun(10, func() { Copy(dst, row, src, from, []int{64, 64}, 8) }); n != 0 {
			t.Errorf("%v allocations from strides %v", n, from)
		}
	}
	eight := []int{2, 2, 2, 2, 2, 2, 2, 2}
	to := []int{3000, 1400, 600, 250, 100, 40, 16, 3}
	if n := testing.AllocsPerRun(10, func() { Copy(dst, to, src, to, eight, 1) }); n != 0 {
		t.Errorf("%v allocations for eight dimensions", n)
	}
}

// FuzzCopy takes a box from the input: the size of an element, then an extent and both
// strides per dimension. Copy must do what its definition says or panic as it promises
// when the definition leaves the buffers.
func FuzzCopy(f *testing.F) {
	f.Add([]byte{8, 9, 72, 8, 9, 8, 72})
	f.Add([]byte{1, 40, 40, 1, 40, 1, 40})
	f.Add([]byte{4, 2, 100, 200, 3, 30, 4, 5, 4, 20})
	f.Add([]byte{3, 255, 255, 255, 2, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 1+3*6 {
			return
		}
		var to, from, shape []int
		total, toEnd, fromEnd := 1, 0, 0
		elem := int(in[0])
		for in = in[1:]; len(in) >= 3; in = in[3:] {
			n, d, s := int(in[0])%65, int(int8(in[1]))*8+int(in[1])%8, int(int8(in[2]))*8+int(in[2])%8
			to, from, shape = append(to, d), append(from, s), append(shape, n)
			total *= n
			if n > 1 && (d < 0 || s < 0) {
				toEnd = math.MinInt / 2
			}
			toEnd, fromEnd = toEnd+max(0, n-1)*d, fromEnd+max(0, n-1)*s
		}
		if total > 1<<12 {
			return
		}
		const size = 1 << 13
		fits := total == 0 || elem > 0 && toEnd >= 0 && fromEnd >= 0 && toEnd+elem <= size && fromEnd+elem <= size
		rng := rand.New(rand.NewPCG(uint64(elem), 0))
		src, got := noise(rng, size), noise(rng, size)
		want := slices.Clone(got)
		if !fits {
			if !panics(got, func() { Copy(got, to, src, from, shape, elem) }) {
				t.Fatalf("no panic for shape %v elem %d dst %v src %v", shape, elem, to, from)
			}
			return
		}
		if !disjoint(to, shape, elem) {
			src = bytes.Repeat([]byte{7}, size) // which element wins is not specified
		}
		Copy(got, to, src, from, shape, elem)
		plain(want, to, src, from, shape, elem)
		if !bytes.Equal(got, want) {
			t.Fatalf("shape %v elem %d dst %v src %v differ", shape, elem, to, from)
		}
	})
}

// disjoint reports whether no two elements share bytes, computed from the strides alone.
func disjoint(stride, shape []int, elem int) bool {
	order := make([]int, len(stride))
	for d := range order {
		order[d] = d
	}
	slices.SortFunc(order, func(a, b int) int { return stride[a] - stride[b] })
	for _, d := range order {
		if shape[d] < 2 {
			continue
		}
		if stride[d] < elem {
			return false
		}
		elem += (shape[d] - 1) * stride[d]
	}
	return true
}
