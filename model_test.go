package drx

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

var (
	modelSeed      = flag.Uint64("model.seed", 0, "run the one model history with this seed")
	modelHistories = flag.Int("model.histories", 1500, "number of model histories")
)

// A model is an array by its definition: all elements in one row-major buffer, which are moved to a
// new buffer whenever the array grows.
type model struct {
	lo, hi []int
	elem   int
	fill   []byte
	data   []byte
}

func newModel(lo, shape []int, fill []byte) *model {
	m := &model{lo: slices.Clone(lo), hi: slices.Clone(lo), elem: len(fill), fill: fill}
	for d, n := range shape {
		m.hi[d] += n
	}
	m.data = m.blank(m.lo, m.hi)
	return m
}

func (m *model) blank(lo, hi []int) []byte {
	n, err := nd.Product(nd.Shape(lo, hi)...)
	if err != nil {
		panic(err)
	}
	return bytes.Repeat(m.fill, n)
}

// offset returns the position of an element in a row-major buffer of the bounds.
func (m *model) offset(index, lo, hi []int) int {
	at := 0
	for d, i := range index {
		at = at*(hi[d]-lo[d]) + i - lo[d]
	}
	return at * m.elem
}

// each calls f with every index of a resolved section, in the given order of dimensions.
func each(sec nd.Section, order nd.Order, f func(index []int)) {
	dims := order.Dims(len(sec))
	lo, shape := make([]int, len(sec)), make([]int, len(sec))
	for i, d := range dims {
		shape[i] = sec[d].Len()
		if shape[i] == 0 {
			return
		}
	}
	index := make([]int, len(sec))
	for at, more := make([]int, len(sec)), true; more; more = nd.Next(at, lo, shape) {
		for i, d := range dims {
			index[d] = sec[d].Lo + at[i]*sec[d].Stride()
		}
		f(index)
	}
}

func (m *model) resize(lo, hi []int) {
	data := m.blank(lo, hi)
	both := nd.Box(m.lo, m.hi)
	for d := range both {
		both[d] = nd.Span(max(lo[d], m.lo[d]), min(hi[d], m.hi[d]))
	}
	each(both, nil, func(index []int) {
		from := m.offset(index, m.lo, m.hi)
		copy(data[m.offset(index, lo, hi):], m.data[from:from+m.elem])
	})
	m.lo, m.hi, m.data = lo, hi, data
}

func (m *model) read(sec nd.Section, order nd.Order) []byte {
	var out []byte
	each(sec, order, func(index []int) {
		at := m.offset(index, m.lo, m.hi)
		out = append(out, m.data[at:at+m.elem]...)
	})
	return out
}

func (m *model) write(sec nd.Section, order nd.Order, data []byte) {
	each(sec, order, func(index []int) {
		copy(m.data[m.offset(index, m.lo, m.hi):], data[:m.elem])
		data = data[m.elem:]
	})
}

// A history is a random sequence of operations on an array and on its model.
type history struct {
	t    *testing.T
	rng  *rand.Rand
	name string
	opts Options
	a    *Array
	m    *model

	codecs []string // of new arrays, at random; none if it is empty
	runs   bool     // elements that are written are often equal

	log []string // what was done, for the report of a failure
}

func (h *history) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func (h *history) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatalf("%v\n%v", err, h.log)
	}
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// elements returns n random elements; a bool is 0 or 1.
func (h *history) elements(n int) []byte {
	b := randomBytes(h.rng, n*h.a.DType().Size())
	if h.runs { // codecs shorten this
		elem, run := h.a.DType().Size(), 16+h.rng.IntN(64)
		for i := 0; i < n; i += run {
			first := b[i*elem : (i+1)*elem]
			copy(b[i*elem:min(n, i+run)*elem], bytes.Repeat(first, run))
		}
	}
	if h.a.DType() == dtype.Bool {
		for i := range b {
			b[i] &= 1
		}
	}
	return b
}

func (h *history) create() {
	rng := h.rng
	k := 1 + rng.IntN(4)
	spec := Spec{DType: dtype.All()[rng.IntN(len(dtype.All()))], Options: h.opts}
	spec.Options.Cache, spec.Options.patchCost = int64(1+rng.IntN(3000)), rng.IntN(3)
	spec.Order = append([]ElementOrder{""}, elementOrders...)[rng.IntN(5)]
	spec.Align = []int{0, 0, 1, 24, 64}[rng.IntN(5)]
	spec.FillValue = []any{nil, 1, "0"}[rng.IntN(3)]
	if spec.DType.IsFloat() {
		spec.FillValue = []any{"NaN", "-Inf", 2.5, nil}[rng.IntN(4)]
	}
	for d := range k {
		spec.Shape = append(spec.Shape, rng.IntN(6))
		spec.Lo = append(spec.Lo, rng.IntN(9)-4)
		spec.ChunkShape = append(spec.ChunkShape, 1+rng.IntN(4))
		spec.Dims = append(spec.Dims, fmt.Sprintf("d%d", d))
	}
	if len(h.codecs) > 0 {
		spec.Codec = h.codecs[rng.IntN(len(h.codecs))]
	}
	if spec.Codec != "" && k <= 2 && rng.IntN(2) == 0 {
		h.enlarge(&spec)
	}
	h.opts = spec.Options
	h.note("create %+v", spec)
	a, err := Create(h.name, spec)
	h.must(err)
	h.a = a
	h.m = newModel(spec.Lo, spec.Shape, a.FillValue())
}

// enlarge gives an array chunks that are large enough for its codec, and the history elements that
// the codec shortens, or elements that it does not.
func (h *history) enlarge(spec *Spec) {
	h.runs = h.rng.IntN(3) > 0
	last, elements := len(spec.ChunkShape)-1, 1
	for _, n := range spec.ChunkShape {
		elements *= n
	}
	longer := smallChunk/(elements*spec.DType.Size()) + 1
	spec.ChunkShape[last] *= longer
	spec.Shape[last] *= longer
}

// section returns a random resolved section, strided now and then.
func (h *history) section() nd.Section {
	sec := make(nd.Section, len(h.m.lo))
	for d := range sec {
		lo := h.m.lo[d] + h.rng.IntN(h.m.hi[d]-h.m.lo[d]+1)
		sec[d] = nd.Span(lo, lo+h.rng.IntN(h.m.hi[d]-lo+1)).By(1)
		if h.rng.IntN(4) == 0 {
			sec[d].Step = 1 + h.rng.IntN(4)
		}
	}
	return sec
}

func (h *history) order() nd.Order {
	switch h.rng.IntN(3) {
	case 0:
		return nil
	case 1:
		return nd.ColMajor(len(h.m.lo))
	}
	return h.rng.Perm(len(h.m.lo))
}

func (h *history) index() []int {
	index := make([]int, len(h.m.lo))
	for d := range index {
		if h.m.hi[d] == h.m.lo[d] {
			return nil
		}
		index[d] = h.m.lo[d] + h.rng.IntN(h.m.hi[d]-h.m.lo[d])
	}
	return index
}

// step does one random operation on both.
func (h *history) step() {
	switch h.rng.IntN(15) {
	case 0, 1, 2:
		h.extend()
	case 3:
		if len(h.m.lo) < 5 {
			h.note("adddim")
			_, err := h.a.AddDim("")
			h.must(err)
			h.m.lo, h.m.hi = append(slices.Clone(h.m.lo), 0), append(slices.Clone(h.m.hi), 1)
		}
	case 4, 5, 6:
		h.write(h.section(), h.order())
	case 7:
		h.fill()
		h.set()
	case 8:
		h.reopen()
	case 9:
		h.note("sync")
		h.must(h.a.Sync())
	case 10:
		h.shrink()
	case 11:
		h.compact()
	default:
		h.compare(h.section(), h.order())
	}
}

// write writes a section.
func (h *history) write(sec nd.Section, order nd.Order) {
	n, _ := sec.Len()
	data := h.elements(n)
	h.note("write %v order %v", sec, order)
	h.must(h.a.WriteBytes(sec, data, order))
	h.m.write(sec, order, data)
}

// set changes an element.
func (h *history) set() {
	index := h.index()
	if index == nil {
		return
	}
	sec, value := make(nd.Section, len(index)), h.elements(1)
	for d, i := range index {
		sec[d] = nd.Span(i, i+1)
	}
	h.note("set %v", index)
	h.must(h.a.WriteBytes(sec, value, nil))
	h.m.write(sec, nil, value)
}

// compact compacts, and checks that only chunks within the bounds remain.
func (h *history) compact() {
	h.note("compact")
	before := h.writtenInside()
	attrs := h.a.Attrs()
	done := int64(0)
	h.must(h.a.Compact(context.Background(), func(n, total int64) {
		if done++; n != done || n > total {
			h.t.Fatalf("progress %d of %d, want %d\n%v", n, total, done, h.log)
		}
	}))
	h.compare(nil, nil)
	u, err := h.a.Usage()
	h.must(err)
	chunks := 1
	for d, c := range h.a.ChunkShape() {
		chunks *= nd.CeilDiv(h.m.hi[d], c) - nd.FloorDiv(h.m.lo[d], c)
		if h.m.lo[d] == h.m.hi[d] {
			chunks = 0
		}
	}
	if n := h.a.Grid().Segments(); n > 1 || (n == 1) != (chunks > 0) || u.Chunks != int64(chunks) || u.Written != before {
		h.t.Fatalf("%d segments, usage %+v, want %d chunks, %d written\n%v", n, u, chunks, before, h.log)
	}
	if u.UncommittedOp != 0 || !maps.EqualFunc(h.a.Attrs(), attrs, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		h.t.Fatalf("attributes %s, want %s, usage %+v\n%v", h.a.Attrs(), attrs, u, h.log)
	}
	h.checkBlank()
}

// writtenInside counts the written chunks that lie within the bounds.
func (h *history) writtenInside() (n int64) {
	s := h.a.state.Load()
	each(nd.Box(s.Grid.Lo(), s.Grid.Hi()), nil, func(chunk []int) {
		for d, i := range chunk {
			if i*s.Chunk[d] >= s.Hi[d] || (i+1)*s.Chunk[d] <= s.Lo[d] || s.Lo[d] == s.Hi[d] {
				return
			}
		}
		q, ok := s.Grid.Number(chunk)
		if !ok {
			h.t.Fatalf("no chunk %v\n%v", chunk, h.log)
		}
		written, err := h.a.Written(q)
		h.must(err)
		if written {
			n++
		}
	})
	return n
}

func (h *history) shrink() {
	dim := h.rng.IntN(len(h.m.lo))
	extent := h.m.hi[dim] - h.m.lo[dim]
	if extent == 0 {
		return
	}
	by := 1 + h.rng.IntN(extent)
	lo, hi := slices.Clone(h.m.lo), slices.Clone(h.m.hi)
	side := axial.High
	if h.rng.IntN(2) == 0 {
		side = axial.Low
		lo[dim] += by
	} else {
		hi[dim] -= by
	}
	h.note("shrink %d by %d side %d", dim, by, side)
	h.must(growtest.Shrink(h.a, dim, by, side))
	h.m.resize(lo, hi)
}

func (h *history) extend() {
	dim, by := h.rng.IntN(len(h.m.lo)), 1+h.rng.IntN(4)
	if n, _ := nd.Product(nd.Shape(h.m.lo, h.m.hi)...); n > 20_000 {
		return
	}
	side := axial.High
	extend := func() (nd.Section, error) { return growtest.Extend(h.a, dim, by, side) }
	lo, hi := slices.Clone(h.m.lo), slices.Clone(h.m.hi)
	low := h.rng.IntN(2) == 0
	move := func(d, by int) {
		if low {
			lo[d] -= by
		} else {
			hi[d] += by
		}
	}
	move(dim, by)
	if low {
		side = axial.Low
	}
	if edge := slices.Max(nd.Shape(lo, hi)); h.rng.IntN(8) == 0 && len(lo) < 4 {
		extend = func() (nd.Section, error) { return h.a.ExtendCubical(dim, by, side) }
		for d, n := range nd.Shape(lo, hi) {
			move(d, edge-n)
		}
	}
	h.note("extend %d to %v, %v", dim, lo, hi)
	added, err := extend()
	h.must(err)
	want := nd.Box(lo, hi)
	if low {
		want[dim].Hi = h.m.lo[dim]
	} else {
		want[dim].Lo = h.m.hi[dim]
	}
	if !slices.Equal(added, want) {
		h.t.Fatalf("extension added %v, want %v\n%v", added, want, h.log)
	}
	h.m.resize(lo, hi)
}

func (h *history) fill() {
	sec := h.section()
	value := h.elements(1)
	if h.rng.IntN(3) == 0 {
		value = h.a.FillValue()
	}
	h.note("fill %v with %x", sec, value)
	h.must(h.a.FillBytes(sec, value))
	n, _ := sec.Len()
	h.m.write(sec, nil, bytes.Repeat(value, n))
}

// reopen closes the array and opens it again, after checking the files.
func (h *history) reopen() {
	h.note("reopen")
	h.verify()
	h.must(h.a.Close())
	h.opts.Write = true
	a, err := Open(h.name, h.opts)
	h.must(err)
	h.a = a
	h.compare(nil, nil)
}

func (h *history) verify() {
	h.t.Helper()
	r, err := h.a.Verify(context.Background(), nil)
	h.must(err)
	if !r.Good() {
		h.t.Fatalf("verify: %+v\n%v", r, h.log)
	}
	u, err := h.a.Usage()
	h.must(err)
	if u.Written != r.Written || u.Written > u.Chunks {
		h.t.Fatalf("usage %+v, verify %+v\n%v", u, r, h.log)
	}
}

func (h *history) compare(sec nd.Section, order nd.Order) {
	h.t.Helper()
	if !slices.Equal(h.a.Bounds(), nd.Box(h.m.lo, h.m.hi)) {
		h.t.Fatalf("bounds %v, want %v\n%v", h.a.Bounds(), nd.Box(h.m.lo, h.m.hi), h.log)
	}
	if sec == nil {
		sec = h.a.Bounds()
	}
	want := h.m.read(sec, order)
	got := randomBytes(h.rng, len(want))
	h.must(h.a.ReadBytes(sec, got, order))
	if !bytes.Equal(got, want) {
		h.t.Fatalf("section %v order %v:\ngot  %x\nwant %x\n%v", sec, order, got, want, h.log)
	}
	if index := h.index(); index != nil {
		h.compareElement(index)
	}
}

// compareElement compares one element, read by itself, and reads the file at its computed offset.
func (h *history) compareElement(index []int) {
	want := h.m.read(nd.Box(index, plusOne(index)), nil)
	got := make([]byte, h.m.elem)
	h.must(h.a.ReadBytes(nd.Box(index, plusOne(index)), got, nil))
	chunk, q, offset, err := h.a.Layout().Locate(index...)
	h.must(err)
	l := h.a.Layout()
	placed := l.Offset(q) <= offset && offset < l.Offset(q)+l.SlotBytes
	if l.Codec != "none" { // compressed elements have no offset
		placed = offset == -1
	}
	if n, ok := h.a.Grid().Number(chunk); !ok || n != q || !placed {
		h.t.Fatalf("element %v in chunk %v number %d at byte %d\n%v", index, chunk, q, offset, h.log)
	}
	if !bytes.Equal(got, want) {
		h.t.Fatalf("element %v is %x, want %x\n%v", index, got, want, h.log)
	}
}

func plusOne(index []int) []int {
	out := slices.Clone(index)
	for d := range out {
		out[d]++
	}
	return out
}

// checkBlank checks in the file itself that elements outside the bounds of written chunks have the
// fill value, because they become visible when the array grows.
func (h *history) checkBlank() {
	h.must(h.a.Sync())
	s := h.a.state.Load()
	if s.WidestLo != nil {
		return // old values may stay in a chunk until its bounds grow again
	}
	index := make([]int, len(s.Lo))
	buf := make([]byte, s.ChunkBytes)
	for q := range s.Grid.Chunks() {
		if h.a.store.Read(q, buf) != nil {
			continue
		}
		s.Grid.Index(q, index)
		lo := make([]int, len(index))
		for within, more := make([]int, len(index)), true; more; more = nd.Next(within, lo, s.Chunk) {
			position, inside := 0, true
			for d, i := range within {
				position += i * s.Strides[d]
				global := index[d]*s.Chunk[d] + i
				inside = inside && global >= s.Lo[d] && global < s.Hi[d]
			}
			at := s.Offset(position)
			if !inside && !bytes.Equal(buf[at:at+h.m.elem], s.Fill) {
				h.t.Fatalf("chunk %v element %v, outside the bounds, holds %x\n%v", index, within, buf[at:at+h.m.elem], h.log)
			}
		}
	}
}

func (h *history) run() {
	h.create()
	if h.a.state.Load().ChunkBytes >= smallChunk {
		h.write(nd.Box(h.m.lo, h.m.hi), nil)
	}
	for range 5 + h.rng.IntN(20) {
		h.step()
	}
	h.compare(nil, h.order())
	h.checkBlank()
	h.reopen()
	h.must(h.a.Close())
}

// TestModel runs random histories against the model, in memory and on disk.
func TestModel(t *testing.T) {
	first, last := uint64(1), uint64(*modelHistories)
	if *modelSeed != 0 {
		first, last = *modelSeed, *modelSeed
	}
	for seed := first; seed <= last; seed++ {
		h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 42)), codecs: historyCodecs, name: formOf("array", seed)}
		h.opts.fs = vfs.NewMem()
		if seed%50 == 0 {
			h.opts.fs = vfs.OS
			h.name = filepath.Join(t.TempDir(), h.name)
		}
		h.note("repeat with -model.seed=%d\n", seed)
		h.run()
	}
	if last-first >= 1000 {
		wantEncoded(t, 10)
	}
}
