package relayout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"drx/dtype"
	"drx/internal/strided"
	"drx/nd"
)

// A fake is an array in memory that counts what a file would have to move. It knows nothing
// of how relayout counts: it looks at every element asked for.
type fake struct {
	Grid
	data []byte // row-major

	mu            sync.Mutex
	last          string         // chunk read last: an array keeps one in memory
	loads, stores map[string]int // by chunk index
	partial       []string       // writes that leave a part of a chunk out
	from          *fake          // forgets the chunk that it keeps when this array is written to
	fail          func(write bool) error
	forgets       bool // the chunk read last
}

func newFake(g Grid) *fake {
	n := g.Elem
	for d := range g.Lo {
		n *= g.Hi[d] - g.Lo[d]
	}
	return &fake{Grid: g, data: make([]byte, n), loads: map[string]int{}, stores: map[string]int{}}
}

func (f *fake) view() view {
	shape := nd.Shape(f.Lo, f.Hi)
	return dense(f.data, f.Lo, shape, nil, f.Elem)
}

// chunksOf calls see with every chunk that a box touches, and whether the box has all of
// it that is within the bounds.
func (f *fake) chunksOf(b box, see func(chunk string, whole bool)) {
	lo, hi := make([]int, len(b.lo)), make([]int, len(b.lo))
	for d, c := range f.Chunk {
		lo[d], hi[d] = nd.FloorDiv(b.lo[d], c), nd.FloorDiv(b.hi[d]-1, c)+1
	}
	at := slices.Clone(lo)
	for more := true; more; more = nd.Next(at, lo, hi) {
		whole := true
		for d, c := range f.Chunk {
			whole = whole && b.lo[d] <= max(at[d]*c, f.Lo[d]) && b.hi[d] >= min((at[d]+1)*c, f.Hi[d])
		}
		see(fmt.Sprint(at), whole)
	}
}

func boxOf(sec nd.Section) box {
	lo, hi := limits(sec)
	return box{lo, hi}
}

func (f *fake) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	b := boxOf(sec)
	if len(buf) != b.size(f.Elem) {
		return fmt.Errorf("buffer of %d bytes for %v", len(buf), sec)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		if err := f.fail(false); err != nil {
			return err
		}
	}
	f.chunksOf(b, func(chunk string, whole bool) {
		if whole || f.forgets || f.last != chunk {
			f.loads[chunk]++
		}
		f.last = chunk
	})
	copyBox(dense(buf, b.lo, b.shape(), order, f.Elem), f.view(), b, f.Elem)
	return nil
}

func (f *fake) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	b := boxOf(sec)
	if len(buf) != b.size(f.Elem) {
		return fmt.Errorf("buffer of %d bytes for %v", len(buf), sec)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		if err := f.fail(true); err != nil {
			return err
		}
	}
	f.chunksOf(b, func(chunk string, whole bool) {
		f.stores[chunk]++
		if !whole {
			f.partial = append(f.partial, chunk)
		}
	})
	copyBox(f.view(), dense(buf, b.lo, b.shape(), order, f.Elem), b, f.Elem)
	if f.from != nil {
		f.from.mu.Lock()
		f.from.last = ""
		f.from.mu.Unlock()
	}
	return nil
}

func sum(counts map[string]int) (n int64) {
	for _, c := range counts {
		n += int64(c)
	}
	return n
}

// transposed returns what the target has to hold.
func transposed(src *fake, order nd.Order, dst Grid) []byte {
	want := make([]byte, len(src.data))
	shape := nd.Shape(src.Lo, src.Hi)
	v := dense(want, src.Lo, shape, order, src.Elem)
	strided.Copy(want, v.strides, src.data, src.view().strides, shape, src.Elem)
	return want
}

// randomGrids returns a problem of about so many elements at most.
func randomGrids(r *rand.Rand, elements int) (src, dst Grid, order nd.Order) {
	k := 1 + r.IntN(4)
	for _, d := range r.Perm(k) {
		order = append(order, d)
	}
	if r.IntN(3) == 0 {
		order = nil
	}
	room := elements
	src = Grid{make([]int, k), make([]int, k), make([]int, k), 1}
	dst = Grid{make([]int, k), make([]int, k), make([]int, k), 1}
	for d := range k {
		n := 1 + r.IntN(max(1, min(60, room)))
		room /= n
		src.Lo[d] = r.IntN(41) - 20
		src.Hi[d] = src.Lo[d] + n
		src.Chunk[d] = 1 + r.IntN(min(n+2, 17))
	}
	shape := order.Apply(nd.Shape(src.Lo, src.Hi))
	for d := range k {
		if r.IntN(2) == 0 {
			dst.Lo[d] = r.IntN(41) - 20
		}
		dst.Hi[d] = dst.Lo[d] + shape[d]
		dst.Chunk[d] = 1 + r.IntN(min(shape[d]+2, 17))
	}
	if r.IntN(4) == 0 { // lines of one dimension to lines of another: the need for passes
		for d, e := range order.Dims(k) {
			src.Chunk[e], dst.Chunk[d] = 1, 1
			if d == 0 {
				dst.Chunk[d] = shape[d]
			}
			if d == k-1 {
				src.Chunk[e] = shape[d]
			}
		}
	}
	return src, dst, order
}

// carryOut runs all passes of a plan over fakes and checks every prediction.
func carryOut(t *testing.T, p *Plan, src *fake, dst Grid) {
	t.Helper()
	from := src
	for i := range p.Passes {
		pass := &p.Passes[i]
		to := newFake(pass.Target)
		to.from = from
		var count counter
		order := p.Order
		if i > 0 {
			order = nil
		}
		finished := 0
		r := &runner{
			pass: pass, src: from, dst: to, order: order, count: &count,
			finish: func(after done) error {
				if after.Steps == 0 {
					finished++
				}
				return nil
			},
			convert: unsigned(t, from.Elem, to.Elem),
		}
		if err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		srcBytes, dstBytes := int64(pass.Source.Elem*volume(pass.Source.Chunk)), int64(pass.Target.Elem*volume(pass.Target.Chunk))
		seen := Cost{sum(from.loads), sum(to.stores), sum(from.loads) * srcBytes, sum(to.stores) * dstBytes}
		if seen != pass.Cost || count.cost() != pass.Cost || count.peak != pass.Peak {
			t.Errorf("pass %d: predicted %v and peak %d, executor counted %v and %d, files saw %v",
				i, pass.Cost, pass.Peak, count.cost(), count.peak, seen)
		}
		if pass.Peak > p.Memory || len(to.partial) > 0 {
			t.Errorf("pass %d: peak %d of %d, chunks written in part: %v", i, pass.Peak, p.Memory, to.partial)
		}
		if n := volume(pass.templates()); finished != n {
			t.Errorf("pass %d: %d of %d templates finished", i, finished, n)
		}
		for chunk, n := range to.stores {
			if n != 1 {
				t.Errorf("pass %d: chunk %s written %d times", i, chunk, n)
			}
		}
		from = to
	}
	if want := clipped(transposed(src, p.Order, dst), src.Elem, dst.Elem); !slices.Equal(want, from.data) {
		t.Errorf("not the transposed source")
	}
}

// unsigned returns the converter between unsigned integers of so many bytes.
func unsigned(t *testing.T, from, to int) *converter {
	t.Helper()
	types := map[int]dtype.DType{1: dtype.Uint8, 2: dtype.Uint16, 4: dtype.Uint32, 8: dtype.Uint64, 16: dtype.Complex128}
	c, err := newConverter(types[from], types[to], true, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// clipped returns little-endian unsigned integers with another number of bytes.
func clipped(data []byte, from, to int) []byte {
	var all []byte
	for ; len(data) > 0; data = data[from:] {
		v := slices.Clone(data[:from])
		for len(v) < to {
			v = append(v, 0)
		}
		if slices.ContainsFunc(v[to:], func(b byte) bool { return b != 0 }) {
			v = slices.Repeat([]byte{255}, to)
		}
		all = append(all, v[:to]...)
	}
	return all
}

func randomFake(r *rand.Rand, g Grid) *fake {
	f := newFake(g)
	for i := range f.data {
		f.data[i] = byte(r.Uint32())
	}
	return f
}

// Whatever the shapes, chunks, bounds, order, element size and memory: the copy is right,
// and every predicted number is the counted one.
func TestPredictionsAreExact(t *testing.T) {
	passes := map[int]int{}
	staged, halved, converted := 0, 0, 0
	for seed := range trials(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		src, dst, order := randomGrids(r, 4000)
		src.Elem = []int{1, 2, 4, 8, 16}[r.IntN(5)]
		dst.Elem = src.Elem
		if r.IntN(2) == 0 && src.Elem < 16 {
			dst.Elem = []int{1, 2, 4, 8}[r.IntN(4)]
		}
		if src.Elem != dst.Elem {
			converted++
		}
		most := int64(src.Elem*volume(src.Chunk) + dst.Elem*volume(dst.Chunk))
		memory := most + int64(float64(r.IntN(8000)*src.Elem)*r.Float64()*r.Float64()*r.Float64())
		p, err := NewPlan(src, dst, order, memory)
		if err != nil {
			t.Fatalf("seed %d: a source and a target chunk did not suffice: %v", seed, err)
		}
		passes[len(p.Passes)]++
		for _, pass := range p.Passes {
			if pass.Stages > 0 {
				staged++
			}
			if pass.Stages > 0 && pass.choice.halved > 0 {
				halved++
			}
		}
		carryOut(t, p, randomFake(r, src), dst)
		if t.Failed() {
			t.Fatalf("seed %d: %v -> %v order %v memory %d: %+v", seed, src, dst, order, memory, p.Passes)
		}
	}
	t.Logf("passes: %v, staged %d, halved %d, converted %d", passes, staged, halved, converted)
	if !raceDetector && (passes[2] == 0 || staged < 5 || halved == 0 || converted < 5) {
		t.Errorf("too few interesting cases: passes %v, staged %d, halved %d", passes, staged, halved)
	}
}

// trials returns how many of n random trials to make: under the race detector, which is ten
// times slower, a fifth.
func trials(n uint64) uint64 {
	if raceDetector {
		return n / 5
	}
	return n
}
