package drx

import (
	"context"
	"errors"
	"flag"
	"fmt"
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

var patchHistories = flag.Int("patch.histories", 150, "number of histories of small changes")

// A patchHistory is a random sequence of operations, most of them small changes, on an array and on
// its model.
type patchHistory struct {
	*testing.T
	rng   *rand.Rand
	a     *Array
	m     *model
	last  *model // the model at the last commit
	r     *Array // has the files open for reading, as of some commit
	o     Options
	name  string
	cur   *Cursor[int16]
	notes []string
}

func (h *patchHistory) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatalf("%v\n%v", err, h.notes)
	}
}

func (h *patchHistory) note(format string, args ...any) {
	h.notes = append(h.notes, fmt.Sprintf(format, args...)+"; ")
}

// Small changes of every kind, mixed with commits, growth, lost changes and reopening, give the
// same result as on a model: for the writer, for readers of the files and for programs that open
// them next.
func TestPatchesBesideModel(t *testing.T) {
	for seed := range uint64(*patchHistories) {
		h := &patchHistory{T: t, rng: rand.New(rand.NewPCG(seed, 11)), name: formOf("a", seed/2), o: Options{fs: vfs.NewMem()}}
		switch {
		case seed%5 == 0:
			h.o.fs, h.name = vfs.OS, filepath.Join(t.TempDir(), h.name)
		case seed%2 == 0:
			h.o.fs = holeyFS{h.o.fs}
		}
		h.note("seed %d", seed)
		h.create()
		for range 60 {
			h.step()
		}
		h.compare()
		h.must(h.a.Close())
		h.open()
		h.must(errors.Join(h.a.Close(), h.r.Close()))
	}
}

func (h *patchHistory) create() {
	k := 1 + h.rng.IntN(3)
	spec := Spec{DType: dtype.Int16, Options: h.o}
	spec.Durability = []Durability{DurabilityFull, DurabilityFull, DurabilityNoJournal, DurabilityNone}[h.rng.IntN(4)]
	spec.Checking = []Checking{CheckFirst, CheckAlways}[h.rng.IntN(2)]
	spec.Order = append([]ElementOrder{""}, elementOrders...)[h.rng.IntN(5)]
	spec.Cache, spec.patchCost = int64(1+h.rng.IntN(3000)), 1+h.rng.IntN(4)
	for range k {
		spec.Shape = append(spec.Shape, 1+h.rng.IntN(12))
		spec.Lo = append(spec.Lo, h.rng.IntN(9)-4)
		spec.ChunkShape = append(spec.ChunkShape, 1+h.rng.IntN(6))
	}
	h.note("%+v", spec)
	var err error
	h.a, err = Create(h.name, spec)
	h.must(err)
	h.o = spec.Options
	h.m = newModel(spec.Lo, spec.Shape, h.a.FillValue())
	h.cursor()
	h.r, err = Open(h.name, Options{fs: h.o.fs})
	h.must(err)
	h.committed()
}

// committed records that the model is committed, and checks the files.
func (h *patchHistory) committed() {
	last := *h.m
	last.data = slices.Clone(last.data)
	h.last = &last
	_, err := h.r.Refresh()
	h.must(err)
	h.compareArray(h.r, h.last)
}

func (h *patchHistory) cursor() {
	var err error
	h.cur, err = NewCursor[int16](h.a)
	h.must(err)
}

func (h *patchHistory) open() {
	var err error
	h.o.Write = true
	h.a, err = Open(h.name, h.o)
	h.must(err)
	h.cursor()
	h.committed()
	h.compare()
}

func (h *patchHistory) index() []int {
	index := make([]int, len(h.m.lo))
	for d := range index {
		index[d] = h.m.lo[d] + h.rng.IntN(h.m.hi[d]-h.m.lo[d])
	}
	return index
}

func (h *patchHistory) write(index []int, v int16) {
	h.m.write(nd.Box(index, plusOne(index)), nil, dtype.Int16.Little(dtype.Bytes([]int16{v})))
}

func (h *patchHistory) step() {
	v := int16(h.rng.Uint32())
	switch h.rng.IntN(15) {
	case 0, 1:
		i := h.index()
		h.note("set %v", i)
		h.must(Set(h.a, v, i...))
		h.write(i, v)
	case 2, 3:
		i := h.index()
		h.note("cursor %v", i)
		h.must(h.cur.Set(v, i...))
		h.write(i, v)
	case 4, 5:
		h.scatter()
	case 6, 7:
		h.section()
	case 8:
		h.note("sync")
		h.must(h.a.Sync())
		h.committed()
	case 9:
		h.note("close")
		h.must(h.a.Close())
		h.open()
	case 10:
		h.resize()
	case 12:
		h.beside()
	case 11:
		if h.rng.IntN(4) == 0 {
			h.note("compact")
			h.must(h.a.Compact(context.Background(), nil))
			h.committed()
		}
	default:
		i := h.index()
		want := h.m.read(nd.Box(i, plusOne(i)), nil)
		got, err := At[int16](h.a, i...)
		again, err2 := h.cur.At(i...)
		h.must(errors.Join(err, err2))
		if g := dtype.Int16.Little(dtype.Bytes([]int16{got})); !slices.Equal(g, want) || again != got {
			h.Fatalf("%v is %x or %d, want %x\n%v", i, g, again, want, h.notes)
		}
		if h.rng.IntN(2) == 0 {
			h.compare()
		}
	}
}

func (h *patchHistory) scatter() {
	n := h.rng.IntN(6)
	var indices []int
	var src []int16
	for range n {
		i, v := h.index(), int16(h.rng.Uint32())
		indices, src = append(indices, i...), append(src, v)
		h.write(i, v)
	}
	h.note("scatter %v", indices)
	h.must(Scatter(h.a, indices, src))
	clear(src) // Scatter must not refer to it
}

func (h *patchHistory) section() {
	sec := make(nd.Section, len(h.m.lo))
	for d := range sec {
		lo := h.m.lo[d] + h.rng.IntN(h.m.hi[d]-h.m.lo[d]+1)
		sec[d] = nd.Span(lo, min(h.m.hi[d], lo+h.rng.IntN(5))).By(1 + h.rng.IntN(2)*h.rng.IntN(4))
	}
	order := nd.Order(h.rng.Perm(len(sec)))
	n, err := sec.Len()
	h.must(err)
	data := randomBytes(h.rng, n*2)
	h.m.write(sec, order, data)
	h.note("write %v %v", sec, order)
	h.must(h.a.WriteBytes(sec, data, order))
	clear(data)
}

func (h *patchHistory) resize() {
	d := h.rng.IntN(len(h.m.lo))
	lo, hi := slices.Clone(h.m.lo), slices.Clone(h.m.hi)
	how, low := axial.High, h.rng.IntN(2) == 0
	if low {
		how = axial.Low
	}
	by := 1 + h.rng.IntN(4)
	shrink := h.rng.IntN(2) == 0 && by < hi[d]-lo[d]
	change := by
	if shrink {
		change = -by
	}
	if low {
		lo[d] -= change
	} else {
		hi[d] += change
	}
	h.note("grow %d by %d low %v", d, change, low)
	if shrink {
		h.must(growtest.Shrink(h.a, d, by, how))
	} else {
		_, err := growtest.Extend(h.a, d, by, how)
		h.must(err)
	}
	h.m.resize(lo, hi)
}

func (h *patchHistory) compare() {
	h.Helper()
	h.compareArray(h.a, h.m)
	r, err := h.a.Verify(context.Background(), nil)
	h.must(err)
	if !r.Good() {
		h.Fatalf("%+v\n%v", r, h.notes)
	}
}

// beside checks the files while the writer has them open: with a journal they have the last commit.
func (h *patchHistory) beside() {
	if h.o.Durability != DurabilityFull {
		return
	}
	r, err := Open(h.name, Options{fs: h.o.fs, Checking: CheckAlways})
	h.must(err)
	h.compareArray(r, h.last)
	h.must(r.Close())
}

func (h *patchHistory) compareArray(a *Array, m *model) {
	h.Helper()
	want := m.read(nd.Box(m.lo, m.hi), nil)
	got := make([]byte, len(want))
	h.must(a.ReadBytes(nil, got, nil))
	if !slices.Equal(got, want) {
		h.Fatalf("got  %x\nwant %x\n%v", got, want, h.notes)
	}
}
