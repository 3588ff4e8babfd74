package chunkstore

import (
	"sync/atomic"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/crc32c"
	"drx/internal/writeq"
)

// A slotWriter writes chunks to their places in the principal array, for the roles that write.
type slotWriter struct {
	store  *Store
	writes *writeq.Queue
	shared bool // other processes make the table longer, or cut it, too
	// several says that other processes write to the principal array, too.
	several bool
	// wrote says that something was written that may not be durable. It is set after writing: if a
	// commit goes on meanwhile, that commit or the next one finds it set and syncs all of what was
	// written.
	wrote atomic.Bool
	// clears says that chunks were cleared since the last commit. The place of one may hold
	// something although the file system does not report that yet, so nothing is left out where it
	// reports a hole.
	clears atomic.Bool
}

func newSlotWriter(s *Store) *slotWriter {
	return &slotWriter{store: s, writes: writeq.New(s.files.Data)}
}

// cover makes the table long enough for chunk q.
func (p *slotWriter) cover(q axial.Number) error {
	cover := p.store.table.Cover
	if p.shared {
		cover = p.store.table.CoverLocked
	}
	return cover(q, p.store.files.Durability != None)
}

// writeSlot writes the stored bytes of chunk q, which was written before, to its place.
func (p *slotWriter) writeSlot(q axial.Number, bytes []byte) error {
	if err := p.cover(q); err != nil {
		return err
	}
	err := p.replaceSlot(q, bytes, p.writes.WriteAt)
	p.wrote.Store(true)
	return err
}

// replaceSlot writes the stored bytes of chunk q over those that it had, by write. The rest of the
// slot is given back before that: when the entry is in the table nobody asks for it any more, and a
// process that is killed later has left nothing there.
func (p *slotWriter) replaceSlot(q axial.Number, bytes []byte, write func(b []byte, off int64) error) error {
	p.store.punchRest(q, len(bytes))
	return write(bytes, int64(p.store.OffsetOf(q)))
}

// writeData writes to the principal array past the queue.
func (p *slotWriter) writeData(b []byte, off int64) error {
	_, err := p.store.files.Data.WriteAt(b, off)
	return err
}

// WriteFresh stores chunks that were never written, see ChunkWriter. Their entries go to the
// overlay.
func (p *slotWriter) WriteFresh(q axial.Number, buf []byte) error {
	return p.writeFresh(q, buf, func(q axial.Number, e chunktable.Entry) error { return p.store.setChange(q, changeInPlace(e)) })
}

// writeFresh is WriteFresh with setEntry for the entries.
func (p *slotWriter) writeFresh(q axial.Number, buf []byte, setEntry func(axial.Number, chunktable.Entry) error) error {
	f := p.store.encode(buf) // one chunk if there is a codec, see Adjoin
	defer f.free()
	return p.writeFreshForm(q, f, len(buf)/p.store.size, setEntry)
}

// writeFreshForm stores n chunks from q on in their form, a frame only of one.
func (p *slotWriter) writeFreshForm(q axial.Number, f form, n int, setEntry func(axial.Number, chunktable.Entry) error) error {
	err := p.tryWriteFresh(q, f, n, setEntry)
	if err != nil {
		p.giveBack(q, n)
	}
	return err
}

// giveBack gives back what a write that failed has written, or allocated, of n chunks that were
// never written. Those of them that have no entry are named by nothing. Abandon does it again, as
// parts of blocks may remain.
func (p *slotWriter) giveBack(q axial.Number, n int) {
	chunks := make([]axial.Number, n)
	for i := range chunks {
		chunks[i] = q + axial.Number(i)
	}
	p.store.punchUnnamed(chunks)
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	for _, q := range chunks {
		p.store.failed[q] = true
	}
}

func (p *slotWriter) tryWriteFresh(q axial.Number, f form, n int, setEntry func(axial.Number, chunktable.Entry) error) error {
	if err := p.store.Fits(q + axial.Number(n)); err != nil {
		return err
	}
	entries := make([]chunktable.Entry, n)
	for i := range entries {
		one := f
		one.bytes = f.bytes[i*p.store.size : min(len(f.bytes), (i+1)*p.store.size)]
		entries[i] = p.store.entryOfForm(one)
	}
	if err := p.cover(q + axial.Number(len(entries)-1)); err != nil {
		return err
	}
	write := p.writeSparse
	if f.isFrame {
		write = p.writeFrame
	}
	if err := write(q, f.bytes); err != nil {
		return err
	}
	for _, e := range entries {
		p.store.verified.Add(q, e)
		if err := setEntry(q, e); err != nil {
			return err
		}
		q++
	}
	return nil
}

// writeFrame writes the frame of chunk q, which was never written, to its place. The file reaches
// to the end of the chunk all the same. What a process that was killed may have left in the rest of
// the slot is given back.
func (p *slotWriter) writeFrame(q axial.Number, frame []byte) error {
	defer p.wrote.Store(true)
	if err := p.writes.WriteAt(frame, int64(p.store.OffsetOf(q))); err != nil {
		return err
	}
	longer, err := p.extend(q)
	if err == nil && (longer && p.several || !p.isClean(q)) {
		p.store.punchRest(q, len(frame))
	}
	return err
}

// isClean reports whether the slot of chunk q has nothing but what this process has written there
// just now: no commit has the chunk, so that the file ended before it when this process began.
func (p *slotWriter) isClean(q axial.Number) bool {
	s := p.store
	s.mu.Lock()
	defer s.mu.Unlock()
	return q >= s.committed && !s.failed[q] && !p.clears.Load()
}

// writePieces writes pieces of chunk q to its place. The caller sets wrote afterwards.
func (p *slotWriter) writePieces(q axial.Number, pieces []Piece) error {
	return p.writes.Do(func() error {
		for _, piece := range pieces {
			if _, err := p.store.files.Data.WriteAt(piece.Bytes, int64(p.store.OffsetOf(q))+int64(piece.At)); err != nil {
				return err
			}
		}
		return nil
	})
}

// extend makes the principal array long enough for chunk q, the last byte of which is then zero,
// and reports whether it was shorter. It goes by way of the queue, so that no other goroutine makes
// the file longer between the look and the write. If another process may, a byte is written:
// setting the length could take from the file what that process has just written behind it.
func (p *slotWriter) extend(q axial.Number) (longer bool, err error) {
	err = p.writes.Do(func() error {
		end := int64(p.store.OffsetOf(q)) + int64(p.store.size)
		size, err := p.store.files.Data.Size()
		if err != nil || size >= end {
			return err
		}
		longer = true
		if p.several {
			return p.writeData([]byte{0}, end-1)
		}
		return p.store.files.Data.Truncate(end)
	})
	return longer, err
}

// syncIfWritten calls f, which makes durable what was written, if anything was since the last call
// that succeeded.
func (p *slotWriter) syncIfWritten(f func() error) error {
	if !p.wrote.Swap(false) {
		return nil
	}
	err := f()
	if err != nil {
		p.wrote.Store(true)
	}
	return err
}

// syncData makes the principal array durable. After a failure no chunk counts as verified: the
// system may have given up what it could not write, and read something older again.
func (s *Store) syncData() error {
	err := s.files.Data.Sync()
	if err != nil {
		s.verified.Forget()
	}
	return err
}

// setChange puts a change of chunk q into the overlay.
func (s *Store) setChange(q axial.Number, c change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block != nil {
		return errUnfinished
	}
	s.overlay.set(q, c)
	return nil
}

// hasChanges reports whether the overlay has anything.
func (s *Store) hasChanges() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.overlay.of) > 0
}

// entryOf returns the entry that a chunk with these stored bytes gets now.
func (s *Store) entryOf(stored []byte) chunktable.Entry {
	return s.entryWith(crc32c.Sum(stored), len(stored))
}

// entryOfForm returns the entry that a chunk in this form gets now.
func (s *Store) entryOfForm(f form) chunktable.Entry {
	if f.sum != nil {
		return s.entryWith(*f.sum, len(f.bytes))
	}
	return s.entryOf(f.bytes)
}

// entryWith returns the entry that a chunk of length stored bytes, with this checksum, gets now.
func (s *Store) entryWith(sum uint32, length int) chunktable.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return chunktable.NewEntry(sum, length, s.commits+1)
}
