package chunkstore

import (
	"sync"
	"unsafe"

	"drx/axial"
	"drx/internal/chunktable"
)

// pickWave is the number of elements that are processed together. Their loads wait for memory at
// the same time, and the notes on them stay in the first-level cache.
const pickWave = 512

// Elements are elements of Size bytes: i begins at byte Within[i] of chunk Chunks[i].
type Elements struct {
	Chunks []axial.Number
	Within []int
	Size   int
	Sizes  []int                   // of each element, instead of Size, for PickEach
	Skip   func(axial.Number) bool // reports chunks to leave out, if not nil
}

func (e *Elements) size(i int) int {
	if e.Sizes != nil {
		return e.Sizes[i]
	}
	return e.Size
}

// Pick copies to buf the elements whose chunk was checked before, whose bytes are mapped and
// counted as resident, and whose entry is the same before and after. It appends the indices of the
// others to remaining; it neither maps, checks nor evicts anything for them. It must be called
// within Guard.
func (s *Store) Pick(e Elements, buf []byte, remaining []int32) []int32 {
	return s.pick(&e, remaining, func(w *pick, from, to int) { w.copy(buf[from*e.Size:to*e.Size], e.Size) })
}

// PickEach is Pick for elements of several sizes. It passes them to f instead of copying them. If
// an element is appended to remaining, the caller must discard the results of f for it.
func (s *Store) PickEach(e Elements, f func(i int, bytes []byte), remaining []int32) []int32 {
	return s.pick(&e, remaining, func(w *pick, from, to int) {
		for i, bytes := range w.bytes[:w.n] {
			if bytes != nothing {
				f(from+i, unsafe.Slice((*byte)(bytes), e.size(from+i)))
			}
		}
	})
}

// pick finds elements, a wave at a time, and calls use with those it has found.
func (s *Store) pick(e *Elements, remaining []int32, use func(w *pick, from, to int)) []int32 {
	if !s.Picks() {
		for i := range e.Chunks {
			remaining = append(remaining, int32(i))
		}
		return remaining
	}
	w := picks.Get().(*pick)
	defer picks.Put(w)
	for from := 0; from < len(e.Chunks); from += pickWave {
		to := min(len(e.Chunks), from+pickWave)
		w.find(s, e, from, to)
		use(w, from, to)
		remaining = w.finish(from, remaining)
	}
	return remaining
}

// Picks reports whether Pick finds any elements.
func (s *Store) Picks() bool {
	return s.mapped.data != nil && s.role.picks() && s.files.Checking != CheckAlways && !s.overlay.some.Load()
}

// A pick is one wave of elements. The pointers are to mappings, which stay where they are within
// Guard.
type pick struct {
	n       int
	entries [pickWave]unsafe.Pointer   // of their chunks, in place
	words   [pickWave]chunktable.Words // that were there before
	bytes   [pickWave]unsafe.Pointer   // in place, or nothing
}

// nothing stands for the bytes of elements that cannot be picked, so that copying needs no branch.
var nothing = unsafe.Pointer(new([16]byte))

var picks = sync.Pool{New: func() any { return new(pick) }}

// find finds the bytes of elements.
func (w *pick) find(s *Store, e *Elements, from, to int) {
	w.n = to - from
	reach := s.mapped.reach.Load()
	for i, q := range e.Chunks[from:to] {
		w.bytes[i] = nothing
		off := int64(q) * chunktable.EntrySize
		if off+chunktable.EntrySize > reach {
			continue // the table may end before it
		}
		raw := s.mapped.table.Ready(off, chunktable.EntrySize)
		if raw == nil || e.Skip != nil && e.Skip(q) {
			continue
		}
		at := unsafe.Pointer(unsafe.SliceData(raw))
		was := chunktable.LoadWordsAt(at)
		if e := was.Entry(); int64(e.Length) != int64(s.size) || !s.known(q, e, raw) {
			continue
		}
		w.entries[i], w.words[i] = at, was
		if bytes := s.mapped.data.Ready(int64(s.OffsetOf(q))+int64(e.Within[from+i]), e.size(from+i)); bytes != nil {
			w.bytes[i] = unsafe.Pointer(unsafe.SliceData(bytes))
		}
	}
}

// known reports whether the chunk need not be checked.
func (s *Store) known(q axial.Number, e chunktable.Entry, raw []byte) bool {
	if s.files.Checking == CheckNever {
		_, good := chunktable.Decode(raw, q)
		return good
	}
	return s.verified.Has(q, e)
}

// copy copies the elements.
func (w *pick) copy(buf []byte, size int) {
	switch size {
	case 4:
		copyWords[uint32](buf, w.bytes[:w.n])
	case 8:
		copyWords[uint64](buf, w.bytes[:w.n])
	default:
		for i, bytes := range w.bytes[:w.n] {
			copy(buf[i*size:(i+1)*size], unsafe.Slice((*byte)(bytes), size))
		}
	}
}

// copyWords copies elements as large as a W, with eight loads before the first store: that keeps
// twice as many cache misses in flight as a loop over single elements.
func copyWords[W uint32 | uint64](buf []byte, from []unsafe.Pointer) {
	to := unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(buf))), len(from))
	for ; len(from) >= 8 && len(to) >= 8; from, to = from[8:], to[8:] {
		v0, v1, v2, v3 := *(*W)(from[0]), *(*W)(from[1]), *(*W)(from[2]), *(*W)(from[3])
		v4, v5, v6, v7 := *(*W)(from[4]), *(*W)(from[5]), *(*W)(from[6]), *(*W)(from[7])
		to[0], to[1], to[2], to[3] = v0, v1, v2, v3
		to[4], to[5], to[6], to[7] = v4, v5, v6, v7
	}
	for i, p := range from {
		to[i] = *(*W)(p)
	}
}

// finish appends to remaining the elements without bytes, and those whose entry has changed. The
// first element of the wave has index from.
func (w *pick) finish(from int, remaining []int32) []int32 {
	fence() // completes the copies first
	for i, bytes := range w.bytes[:w.n] {
		if bytes == nothing || chunktable.LoadWordsAt(w.entries[i]) != w.words[i] {
			remaining = append(remaining, int32(from+i))
		}
	}
	return remaining
}
