package memory_test

import (
	"slices"
	"testing"

	"drx/internal/growtest"

	"pgregory.net/rapid"

	"drx/axial"
	"drx/memory"
	"drx/nd"
)

// A model is the array by its definition: the value of each index within the bounds that was ever
// set.
type model struct {
	lo, hi []int
	fill   int32
	values map[string]int32
}

func key(index []int) string {
	b := make([]byte, 0, 4*len(index))
	for _, i := range index {
		b = append(b, byte(i), byte(i>>8), byte(i>>16), ',')
	}
	return string(b)
}

func (m *model) at(index []int) int32 {
	if v, ok := m.values[key(index)]; ok {
		return v
	}
	return m.fill
}

func (m *model) holds(index []int) bool {
	for d, i := range index {
		if i < m.lo[d] || i >= m.hi[d] {
			return false
		}
	}
	return true
}

// each calls f with every index of a resolved section, in the given order of dimensions.
func each(sec nd.Section, order nd.Order, f func(index []int)) {
	dims := order.Dims(len(sec))
	lo, shape := make([]int, len(sec)), make([]int, len(sec))
	for i, d := range dims {
		if shape[i] = sec[d].Len(); shape[i] == 0 {
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

// read returns what Read should return.
func (m *model) read(sec nd.Section, order nd.Order) []int32 {
	data := []int32{}
	each(sec, order, func(index []int) { data = append(data, m.at(index)) })
	return data
}

func (m *model) write(sec nd.Section, data []int32, order nd.Order) {
	i := 0
	each(sec, order, func(index []int) {
		m.values[key(index)] = data[i]
		i++
	})
}

// forget removes the values outside of the bounds.
func (m *model) forget() {
	kept := map[string]int32{}
	each(nd.Box(m.lo, m.hi), nil, func(index []int) {
		if v, ok := m.values[key(index)]; ok {
			kept[key(index)] = v
		}
	})
	m.values = kept
}

// A heldElement is an element whose address is known.
type heldElement struct {
	index []int
	at    *int32
}

// A history is an array, its model, and the addresses of some elements.
type history struct {
	t     *rapid.T
	a     *memory.Array[int32]
	m     *model
	held  []heldElement
	stamp int32
}

func newHistory(t *rapid.T) *history {
	k := rapid.IntRange(1, 3).Draw(t, "rank")
	ints := func(lo, hi int, label string) []int {
		return rapid.SliceOfN(rapid.IntRange(lo, hi), k, k).Draw(t, label)
	}
	spec := memory.Spec[int32]{Shape: ints(0, 4, "shape"), Lo: ints(-5, 5, "lo"), FillValue: rapid.Int32Range(-1, 1).Draw(t, "fill")}
	if rapid.Bool().Draw(t, "chunked") {
		spec.ChunkShape = ints(1, 4, "chunk")
	}
	a, err := memory.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	m := &model{lo: spec.Lo, hi: slices.Clone(spec.Lo), fill: spec.FillValue, values: map[string]int32{}}
	for d, n := range spec.Shape {
		m.hi[d] += n
	}
	return &history{t: t, a: a, m: m}
}

func (h *history) small() bool {
	n, _ := nd.Product(nd.Shape(h.m.lo, h.m.hi)...)
	return n < 80
}

func (h *history) extend(t *rapid.T) {
	if !h.small() {
		t.Skip("large enough")
	}
	dim, by := rapid.IntRange(0, len(h.m.lo)-1).Draw(t, "dim"), rapid.IntRange(1, 5).Draw(t, "by")
	low := rapid.Bool().Draw(t, "low")
	want := nd.Box(slices.Clone(h.m.lo), slices.Clone(h.m.hi))
	how := axial.High
	if low {
		how = axial.Low
		h.m.lo[dim] -= by
		want[dim] = nd.Span(h.m.lo[dim], want[dim].Lo)
	} else {
		h.m.hi[dim] += by
		want[dim] = nd.Span(want[dim].Hi, h.m.hi[dim])
	}
	got, err := growtest.Extend(h.a, dim, by, how)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("extend: %v, %v, want %v", got, err, want)
	}
}

func (h *history) shrink(t *rapid.T) {
	dim := rapid.IntRange(0, len(h.m.lo)-1).Draw(t, "dim")
	extent := h.m.hi[dim] - h.m.lo[dim]
	if extent == 0 {
		t.Skip("nothing to take")
	}
	by := rapid.IntRange(1, extent).Draw(t, "by")
	how := axial.High
	if rapid.Bool().Draw(t, "low") {
		how = axial.Low
		h.m.lo[dim] += by
	} else {
		h.m.hi[dim] -= by
	}
	if err := growtest.Shrink(h.a, dim, by, how); err != nil {
		t.Fatal(err)
	}
	h.m.forget()
	h.held = slices.DeleteFunc(h.held, func(e heldElement) bool { return nd.CheckIndex(e.index, h.m.lo, h.m.hi) != nil })
}

func (h *history) addDim(t *rapid.T) {
	if len(h.m.lo) >= 4 {
		t.Skip("rank is high enough")
	}
	if d, err := h.a.AddDim(""); err != nil || d != len(h.m.lo) {
		t.Fatalf("dimension %d, %v", d, err)
	}
	h.m.lo, h.m.hi = append(h.m.lo, 0), append(h.m.hi, 1)
	values := map[string]int32{}
	for k, v := range h.m.values {
		values[k+"\x00\x00\x00,"] = v
	}
	h.m.values = values
	for i := range h.held {
		h.held[i].index = append(slices.Clone(h.held[i].index), 0)
	}
}

// section draws a section of the array, sometimes with steps, and an order.
func (h *history) section(t *rapid.T) (nd.Section, nd.Order) {
	sec := make(nd.Section, len(h.m.lo))
	dims := make([]int, len(sec))
	for d := range sec {
		lo := rapid.IntRange(h.m.lo[d], h.m.hi[d]).Draw(t, "from")
		sec[d] = nd.Span(lo, rapid.IntRange(lo, h.m.hi[d]).Draw(t, "to")).By(rapid.SampledFrom([]int{1, 1, 2, 3, 7}).Draw(t, "step"))
		dims[d] = d
	}
	if rapid.Bool().Draw(t, "row-major") {
		return sec, nil
	}
	return sec, rapid.Permutation(dims).Draw(t, "order")
}

func (h *history) write(t *rapid.T) {
	sec, order := h.section(t)
	n, _ := sec.Len()
	data := make([]int32, n)
	for i := range data {
		h.stamp++
		data[i] = h.stamp
	}
	if err := h.a.Write(sec, data, order); err != nil {
		t.Fatal(err)
	}
	h.m.write(sec, data, order)
}

func (h *history) fill(t *rapid.T) {
	sec, _ := h.section(t)
	h.stamp++
	if err := h.a.Fill(sec, h.stamp); err != nil {
		t.Fatal(err)
	}
	n, _ := sec.Len()
	h.m.write(sec, slices.Repeat([]int32{h.stamp}, n), nil)
}

func (h *history) read(t *rapid.T) {
	sec, order := h.section(t)
	got, err := h.a.Read(sec, order)
	if want := h.m.read(sec, order); err != nil || !slices.Equal(got, want) {
		t.Fatalf("section %v in order %v: %v, %v, want %v", sec, order, got, err, want)
	}
}

// hold gets the address of an element, and sets the element through it.
func (h *history) hold(t *rapid.T) {
	index := make([]int, len(h.m.lo))
	for d := range index {
		if h.m.lo[d] == h.m.hi[d] {
			t.Skip("no elements")
		}
		index[d] = rapid.IntRange(h.m.lo[d], h.m.hi[d]-1).Draw(t, "index")
	}
	p, err := h.a.Pointer(index...)
	if err != nil {
		t.Fatal(err)
	}
	h.stamp++
	*p = h.stamp
	h.m.values[key(index)] = h.stamp
	h.held = append(h.held, heldElement{index, p})
}

// check compares the whole array with the model, in all ways of reading.
func (h *history) check(t *rapid.T) {
	all := h.a.Bounds()
	if want := nd.Box(h.m.lo, h.m.hi); !slices.Equal(all, want) {
		t.Fatalf("bounds %v, want %v", all, want)
	}
	want := h.m.read(all, nil)
	if got, err := h.a.Read(nil); err != nil || !slices.Equal(got, want) {
		t.Fatalf("the array is %v, %v, want %v", got, err, want)
	}
	var points []int
	i := 0
	each(all, nil, func(index []int) {
		points = append(points, index...)
		if got, err := h.a.At(index...); err != nil || got != want[i] {
			t.Fatalf("element %v is %d, %v, want %d", index, got, err, want[i])
		}
		i++
	})
	got := make([]int32, len(want))
	if err := h.a.Gather(points, got); err != nil || !slices.Equal(got, want) {
		t.Fatalf("gathered %v, %v, want %v", got, err, want)
	}
	for _, e := range h.held {
		if p, err := h.a.Pointer(e.index...); err != nil || p != e.at {
			t.Fatalf("element %v has moved: %v", e.index, err)
		}
	}
}

// checkWalks compares Chunks and Blocks with the model and with F*.
func (h *history) checkWalks(t *rapid.T) {
	chunk, grid := h.a.ChunkShape(), h.a.Grid()
	perChunk, _ := nd.Product(chunk...)
	met := 0
	var addresses []*int32
	for index, data := range h.a.Chunks() {
		if q, ok := grid.Number(index); !ok || int(q) != met || len(data) != perChunk {
			t.Fatalf("chunk %v of %d elements has number %d, %v, want %d", index, len(data), q, ok, met)
		}
		addresses = append(addresses, &data[0])
		met++
		lo, hi := make([]int, len(chunk)), make([]int, len(chunk))
		for d, c := range chunk {
			lo[d], hi[d] = index[d]*c, (index[d]+1)*c
		}
		i := 0
		each(nd.Box(lo, hi), nil, func(at []int) {
			if h.m.holds(at) && data[i] != h.m.at(at) {
				t.Fatalf("element %v is %d in its chunk, want %d", at, data[i], h.m.at(at))
			}
			i++
		})
	}
	if met != int(grid.Chunks()) {
		t.Fatalf("%d chunks, want %d", met, grid.Chunks())
	}
	next := 0
	for first, block := range h.a.Blocks() {
		if int(first) != next || &block[0] != addresses[first] {
			t.Fatalf("a block begins with chunk %d, want %d", first, next)
		}
		next += len(block) / perChunk
	}
	if next != met {
		t.Fatalf("blocks of %d chunks, want %d", next, met)
	}
}

// TestHistories compares random histories with the model.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		h.check(t)
		defer h.checkWalks(t)
		t.Repeat(map[string]func(*rapid.T){
			"":        h.check,
			"extend":  h.extend,
			"extend2": h.extend,
			"shrink":  h.shrink,
			"addDim":  h.addDim,
			"write":   h.write,
			"fill":    h.fill,
			"read":    h.read,
			"hold":    h.hold,
			"walk":    h.checkWalks,
		})
	})
}
