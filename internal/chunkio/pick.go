package chunkio

import (
	"sync"
	"unsafe"

	"drx/axial"
)

// pickWave is how many elements are looked at together: their loads wait for memory at the same time,
// and what is remembered of them stays in the processor's first cache.
const pickWave = 512

// Elements are elements of Size bytes: i begins at byte Within[i] of chunk Chunks[i].
type Elements struct {
	Chunks []axial.Number
	Within []int
	Size   int
	Sizes  []int                   // of each, in place of Size, for PickEach
	Skip   func(axial.Number) bool // chunks to be left out, if not nil
}

func (e *Elements) size(i int) int {
	if e.Sizes != nil {
		return e.Sizes[i]
	}
	return e.Size
}

// Pick copies elements to buf, and appends to left the numbers of those that are not to be had so, which
// is the way of most elements of many chunks: of chunks that were checked before, whose entry is the
// same before and after, and whose bytes are in place and counted already. For the others nothing is
// mapped, checked, or let go. It must be called within Guard.
func (s *Store) Pick(e Elements, buf []byte, left []int32) []int32 {
	return s.pick(&e, left, func(w *pick, from, to int) { w.copy(buf[from*e.Size:to*e.Size], e.Size) })
}

// PickEach is Pick of elements of several sizes, of which f makes what it likes: of those whose numbers are
// appended to left it does not count.
func (s *Store) PickEach(e Elements, f func(i int, bytes []byte), left []int32) []int32 {
	return s.pick(&e, left, func(w *pick, from, to int) {
		for i, bytes := range w.bytes[:w.n] {
			if bytes != nothing {
				f(from+i, unsafe.Slice((*byte)(bytes), e.size(from+i)))
			}
		}
	})
}

// pick looks for elements, a wave at a time, and calls use with those it has found.
func (s *Store) pick(e *Elements, left []int32, use func(w *pick, from, to int)) []int32 {
	if !s.Picks() {
		return appendRange(left, 0, len(e.Chunks))
	}
	w := picks.Get().(*pick)
	defer picks.Put(w)
	for from := 0; from < len(e.Chunks); from += pickWave {
		to := min(len(e.Chunks), from+pickWave)
		w.find(s, e, from, to)
		use(w, from, to)
		left = w.settle(from, left)
	}
	return left
}

// Picks reports whether Pick finds any elements: not for a writer, whose table is in memory.
func (s *Store) Picks() bool {
	return s.mapped.data != nil && !s.exclusive() && s.files.Checking != CheckAlways && !s.changes.some.Load()
}

func appendRange(list []int32, from, to int) []int32 {
	for i := from; i < to; i++ {
		list = append(list, int32(i))
	}
	return list
}

// A pick is one wave of elements. Pointers are to mappings, which stay where they are within Guard.
type pick struct {
	n       int
	entries [pickWave]unsafe.Pointer // of their chunks, in place
	words   [pickWave]words          // that were there before
	bytes   [pickWave]unsafe.Pointer // in place; nothing where they are not to be had
}

// nothing stands for the bytes of an element: no copy has to ask whether there are any.
var nothing = unsafe.Pointer(new([16]byte))

var picks = sync.Pool{New: func() any { return new(pick) }}

// find looks where elements are.
func (w *pick) find(s *Store, e *Elements, from, to int) {
	w.n = to - from
	reach := s.mapped.reach.Load()
	for i, q := range e.Chunks[from:to] {
		w.bytes[i] = nothing
		off := int64(q) * entrySize
		if off+entrySize > reach {
			continue // the table may end before it
		}
		raw := s.mapped.table.Ready(off, entrySize)
		if raw == nil || e.Skip != nil && e.Skip(q) {
			continue
		}
		at := unsafe.Pointer(unsafe.SliceData(raw))
		was := loadWordsAt(at)
		if e := was.entry(); int64(e.length) != int64(s.size) || !s.known(q, e, raw) {
			continue
		}
		w.entries[i], w.words[i] = at, was
		if bytes := s.mapped.data.Ready(int64(s.OffsetOf(q))+int64(e.Within[from+i]), e.size(from+i)); bytes != nil {
			w.bytes[i] = unsafe.Pointer(unsafe.SliceData(bytes))
		}
	}
}

// known reports whether what an entry says of its chunk can be relied on without a look at the bytes.
func (s *Store) known(q axial.Number, e entry, raw []byte) bool {
	if s.files.Checking == CheckNever {
		_, good := decode(raw, q)
		return good
	}
	return s.verified.has(q, e)
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

// copyWords copies elements as large as a W, eight loads before the first store: twice as many are on
// their way from memory then as in a loop over single elements.
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

// settle appends the elements that do not count, the first of which has number from.
func (w *pick) settle(from int, left []int32) []int32 {
	fence() // what was copied comes first
	for i, bytes := range w.bytes[:w.n] {
		if bytes == nothing || loadWordsAt(w.entries[i]) != w.words[i] {
			left = append(left, int32(from+i))
		}
	}
	return left
}
