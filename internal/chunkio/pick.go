package chunkio

import (
	"encoding/binary"
	"sync"

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
	Skip   func(axial.Number) bool // chunks to be left out, if not nil
}

// Pick copies elements to buf, and appends to left the numbers of those that are not to be had so, which
// is the way of most elements of many chunks: of chunks that were checked before, whose entry is the
// same before and after, and whose bytes are in place and counted already. For the others nothing is
// mapped, checked, or let go. It must be called within Guard.
func (s *Store) Pick(e Elements, buf []byte, left []int32) []int32 {
	if !s.Picks() {
		return appendRange(left, 0, len(e.Chunks))
	}
	w := picks.Get().(*pick)
	defer picks.Put(w)
	for from := 0; from < len(e.Chunks); from += pickWave {
		to := min(len(e.Chunks), from+pickWave)
		w.find(s, &e, from, to)
		w.copy(buf[from*e.Size:to*e.Size], e.Size)
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

// A pick is one wave of elements.
type pick struct {
	n       int
	entries [pickWave][]byte // of their chunks, in place
	words   [pickWave]words  // that were there before
	bytes   [pickWave][]byte // in place; nothing where they are not to be had
}

// nothing stands for the bytes of an element: no copy has to ask whether there are any.
var nothing = make([]byte, 16)

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
		was := load(raw)
		if e := was.entry(); int64(e.length) != int64(s.size) || !s.known(q, e, raw) {
			continue
		}
		w.entries[i], w.words[i] = raw, was
		if bytes := s.mapped.data.Ready(int64(s.OffsetOf(q))+int64(e.Within[from+i]), e.Size); bytes != nil {
			w.bytes[i] = bytes
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
		w.copy4(buf)
	case 8:
		w.copy8(buf)
	default:
		for i, bytes := range w.bytes[:w.n] {
			copy(buf[i*size:(i+1)*size], bytes)
		}
	}
}

// copy8 copies elements of 8 bytes, eight loads before the first store: twice as many are on their
// way from memory then as in a loop over single elements.
func (w *pick) copy8(buf []byte) {
	le, b := binary.LittleEndian, w.bytes[:w.n]
	for ; len(b) >= 8; b, buf = b[8:], buf[64:] {
		v0, v1, v2, v3 := le.Uint64(b[0]), le.Uint64(b[1]), le.Uint64(b[2]), le.Uint64(b[3])
		v4, v5, v6, v7 := le.Uint64(b[4]), le.Uint64(b[5]), le.Uint64(b[6]), le.Uint64(b[7])
		le.PutUint64(buf, v0)
		le.PutUint64(buf[8:], v1)
		le.PutUint64(buf[16:], v2)
		le.PutUint64(buf[24:], v3)
		le.PutUint64(buf[32:], v4)
		le.PutUint64(buf[40:], v5)
		le.PutUint64(buf[48:], v6)
		le.PutUint64(buf[56:], v7)
	}
	for i, bytes := range b {
		le.PutUint64(buf[8*i:], le.Uint64(bytes))
	}
}

// copy4 is copy8 of elements of 4 bytes.
func (w *pick) copy4(buf []byte) {
	le, b := binary.LittleEndian, w.bytes[:w.n]
	for ; len(b) >= 8; b, buf = b[8:], buf[32:] {
		v0, v1, v2, v3 := le.Uint32(b[0]), le.Uint32(b[1]), le.Uint32(b[2]), le.Uint32(b[3])
		v4, v5, v6, v7 := le.Uint32(b[4]), le.Uint32(b[5]), le.Uint32(b[6]), le.Uint32(b[7])
		le.PutUint32(buf, v0)
		le.PutUint32(buf[4:], v1)
		le.PutUint32(buf[8:], v2)
		le.PutUint32(buf[12:], v3)
		le.PutUint32(buf[16:], v4)
		le.PutUint32(buf[20:], v5)
		le.PutUint32(buf[24:], v6)
		le.PutUint32(buf[28:], v7)
	}
	for i, bytes := range b {
		le.PutUint32(buf[4*i:], le.Uint32(bytes))
	}
}

// settle appends the elements that do not count, the first of which has number from.
func (w *pick) settle(from int, left []int32) []int32 {
	fence() // what was copied comes first
	for i, bytes := range w.bytes[:w.n] {
		if &bytes[0] == &nothing[0] || load(w.entries[i]) != w.words[i] {
			left = append(left, int32(from+i))
		}
	}
	return left
}
