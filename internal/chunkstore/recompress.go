package chunkstore

import "drx/axial"

// WrittenAfter reports whether chunk q was written by a later commit than the given one. Commits
// are identified by their number modulo 2^20.
func (s *Store) WrittenAfter(q axial.Number, commit int64) (bool, error) {
	c, err := s.lookup(q)
	return c.entry.IsAfter(commit), err
}

// Recompress stores chunk q anew, as Write does. buf, of ChunkBytes bytes, is its memory. A chunk
// that is raw, and would remain so, does not change.
func (w *Writer) Recompress(q axial.Number, buf []byte) error {
	if err := w.Check(q, buf); err != nil {
		return err
	}
	f := w.encode(buf)
	defer f.free()
	f.recoded = true
	if c, err := w.lookup(q); err == nil && w.isRaw(c.entry) && !f.isFrame {
		return nil
	}
	return w.writeForm(q, f)
}
