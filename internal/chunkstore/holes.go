package chunkstore

import (
	"slices"

	"drx/axial"
)

// sparseBlock is the least unit that file systems allocate.
const sparseBlock = 4096

// withBlocks returns chunks with all that have a block of the file in common with them.
func (s *Store) withBlocks(chunks []axial.Number) []axial.Number {
	var all []axial.Number
	for _, q := range chunks {
		first, last := int64(s.OffsetOf(q)), int64(s.OffsetOf(q+1))-1
		for n := (first &^ (sparseBlock - 1)) / s.slot; n <= (last|(sparseBlock-1))/s.slot; n++ {
			all = append(all, axial.Number(n))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// punchUnnamed punches those of the given chunks that have an entry neither in the overlay nor in
// the table.
func (s *Store) punchUnnamed(chunks []axial.Number) {
	s.punch(slices.DeleteFunc(chunks, func(q axial.Number) bool {
		c, err := s.lookup(q)
		return err != nil || c.entry.Length > 0
	}))
}

// punch frees the bytes of chunks, which nobody reads. A file system that cannot do that is no
// error: the next writer of a chunk overwrites its bytes.
func (s *Store) punch(chunks []axial.Number) {
	slices.Sort(chunks)
	chunks = slices.Compact(chunks)
	for len(chunks) > 0 {
		n := 1 // neighbours go together
		for n < len(chunks) && chunks[n] == chunks[0]+axial.Number(n) {
			n++
		}
		_ = s.files.Data.Punch(int64(s.OffsetOf(chunks[0])), int64(n)*s.slot)
		chunks = chunks[n:]
	}
}
