package chunkstore

import (
	"bytes"
	"errors"
	"io"

	"drx/axial"
)

// A chunk at the border of an array often ends in zeros: elements beyond the bounds, where the fill
// value is zero. When it is written for the first time, whole blocks of zeros at its end are left
// out, so that they take no space. A chunk that is overwritten is written as a whole: some file
// systems report a hole where bytes are still on their way.

// leastHole is the least hole that is left at the end of a chunk, and leastHoleInRun between two
// chunks that one write would write together.
const leastHole, leastHoleInRun = 2 * sparseBlock, 64 << 10

// writeSparse is write for chunks that were never written. It leaves out zeros at their ends where
// the file has a hole.
func (p *slotWriter) writeSparse(q axial.Number, buf []byte) error {
	defer p.wrote.Store(true)
	size, begin := p.store.size, int64(p.store.OffsetOf(q))
	written, hole := 0, 0
	for end := size; end <= len(buf); end += size {
		least := int64(leastHoleInRun)
		if end == len(buf) {
			least = leastHole
		}
		if p.clears.Load() {
			break
		}
		if hole = p.store.holeAtEnd(buf[end-size:end], begin+int64(end), least); hole == 0 {
			continue
		}
		if err := p.writes.WriteAt(buf[written:end-hole], begin+int64(written)); err != nil {
			return err
		}
		written = end
	}
	if hole == 0 {
		return p.writes.WriteAt(buf[written:], begin+int64(written))
	}
	_, err := p.extend(q + axial.Number(len(buf)/size-1))
	return err
}

// holeAtEnd returns how many bytes of a chunk that ends at an offset of the principal array need
// not be written, 0 if they are less than least: they are zeros, and a hole in the file.
func (s *Store) holeAtEnd(chunk []byte, end, least int64) int {
	first := end - int64(zerosAtEnd(chunk))
	first += -first & (sparseBlock - 1)
	if end-first < least {
		return 0
	}
	from, _, err := s.files.Data.Data(first)
	if errors.Is(err, io.EOF) || err == nil && from >= end {
		return int(end - first)
	}
	return 0
}

var zeros [sparseBlock]byte

// zerosAtEnd returns the number of zeros at the end of b, or somewhat less.
func zerosAtEnd(b []byte) int {
	n := 0
	for n < len(b) {
		step := min(len(zeros), len(b)-n)
		if !bytes.Equal(b[len(b)-n-step:len(b)-n], zeros[:step]) {
			break
		}
		n += step
	}
	return n
}
