package chunkio

import (
	"errors"
	"io"

	"drx/axial"
	"drx/internal/crc32c"
)

// Start writes pieces of a chunk that was never written, in order and without overlap, and reports
// whether it did: the other bytes of the chunk are zero, as those of a hole of the file are. It does
// not where the chunk has an entry, or something lies in its place. If there is an error the chunk
// is as before.
func (s *Store) Start(q axial.Number, pieces []Piece) (bool, error) {
	if ok, err := s.startable(q); !ok || err != nil {
		return false, err
	}
	if err := s.cover(q); err != nil {
		return false, err
	}
	if err := first(s.placePieces(q, pieces), s.reach(q)); err != nil {
		return false, err
	}
	e := s.entryWith(patchedSum(crc32c.Zeros(s.size), s.size, nil, pieces))
	s.verified.add(q, e)
	s.mu.Lock()
	s.wrote = true // last, see place
	s.mu.Unlock()
	if s.files.Durability != Full {
		return true, s.table.put(q, e) // nobody sees an entry that was not there: invariant 4
	}
	return true, s.putPlaced(q)(q, e)
}

// startable reports whether chunk q was never written and its place holds nothing but zeros.
func (s *Store) startable(q axial.Number) (bool, error) {
	fresh, err := s.Fresh(q)
	if !fresh || err != nil || !s.alone() {
		return false, err
	}
	s.mu.Lock()
	blocked := s.block != nil || len(s.cleared) > 0 // whose places may not look as if they held something, yet
	s.mu.Unlock()
	if blocked {
		return false, nil
	}
	from, _, err := s.files.Data.Data(int64(s.OffsetOf(q)))
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return err == nil && from >= int64(s.OffsetOf(q))+int64(s.size), nil
}

// reach makes the principal array long enough for chunk q, the last byte of which is zero if it
// is not. Nobody else may make it longer between the look and the write.
func (s *Store) reach(q axial.Number) error {
	return s.writing.take(func() error {
		end := int64(s.OffsetOf(q)) + int64(s.size)
		size, err := s.files.Data.Size()
		if err == nil && size < end {
			_, err = s.files.Data.WriteAt([]byte{0}, end-1)
		}
		return err
	})
}
