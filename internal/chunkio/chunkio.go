// Package chunkio moves whole chunks between memory and the two files that hold them:
// the principal array, where chunk q begins at byte q*slot, and the chunk table, which
// says of each chunk whether it was ever written and what its checksum is.
package chunkio

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"drx/axial"
	"drx/internal/meta"
	"drx/internal/vfs"
)

// ErrUnwritten is returned for a chunk that was never written: it reads as fill.
var ErrUnwritten = errors.New("chunk was never written")

// An Offset is a position in a file, in bytes.
type Offset int64

// A Store is the pair of files. It is safe for concurrent use as long as nobody else
// uses a chunk while it is being written.
type Store struct {
	data  vfs.File
	size  int   // bytes of a chunk
	slot  int64 // bytes from one chunk to the next
	table *table

	mu         sync.Mutex
	wrote      bool   // data was written since it was last synced
	generation uint32 // of the last commit
}

// Open returns the store of chunks of size bytes, slot bytes apart, in the given files.
// Generation is the number of the last commit.
func Open(data, tableFile vfs.File, size int, slot int64, generation uint32) *Store {
	return &Store{data: data, size: size, slot: slot, table: newTable(tableFile), generation: generation}
}

// SetGeneration says that a commit was made: chunks written from now on belong to the
// one after it.
func (s *Store) SetGeneration(commit uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation = commit
}

// ChunkBytes returns the bytes of a chunk.
func (s *Store) ChunkBytes() int { return s.size }

// OffsetOf returns where chunk q begins in the principal array.
func (s *Store) OffsetOf(q axial.Number) Offset { return Offset(int64(q) * s.slot) }

// Written reports whether chunk q was ever written.
func (s *Store) Written(q axial.Number) (bool, error) {
	e, err := s.table.get(q)
	return e.length > 0, err
}

// Read fills buf, of ChunkBytes bytes, with chunk q, and checks it against its checksum.
// It returns ErrUnwritten for a chunk that was never written, and an error wrapping
// meta.ErrCorrupt, naming the file, the chunk and its offset, when the bytes are not
// those that were written.
func (s *Store) Read(q axial.Number, buf []byte) error {
	e, err := s.table.get(q)
	if err != nil {
		return err
	}
	if e.length == 0 {
		return ErrUnwritten
	}
	if int64(e.length) != int64(s.size) {
		return s.corrupt(q, fmt.Sprintf("its table entry says %d bytes, chunks have %d", e.length, s.size))
	}
	if _, err := s.data.ReadAt(buf, int64(s.OffsetOf(q))); err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return s.corrupt(q, "the file ends before it")
	} else if err != nil {
		return err
	}
	if sum := crc32.Checksum(buf, castagnoli); sum != e.sum {
		return s.corrupt(q, fmt.Sprintf("its checksum is %08x, recorded is %08x", sum, e.sum))
	}
	return nil
}

func (s *Store) corrupt(q axial.Number, why string) error {
	return fmt.Errorf("%s: chunk %d at byte %d is %w: %s", s.data.Name(), q, s.OffsetOf(q), meta.ErrCorrupt, why)
}

// Write stores chunk q. Its entry reaches the table with Sync.
func (s *Store) Write(q axial.Number, buf []byte) error {
	s.mu.Lock()
	generation := s.generation + 1
	s.mu.Unlock()
	// Set last, so that of a Sync meanwhile and the next one, one sees the whole of it.
	defer s.setWrote()
	if _, err := s.data.WriteAt(buf, int64(s.OffsetOf(q))); err != nil {
		return err
	}
	return s.table.put(q, entry{sum: crc32.Checksum(buf, castagnoli), length: uint32(len(buf)), generation: generation})
}

// Sync makes everything written durable: the chunks, then their entries.
func (s *Store) Sync() error {
	s.mu.Lock()
	wrote := s.wrote
	s.wrote = false
	s.mu.Unlock()
	if !wrote {
		return nil
	}
	err := s.data.Sync()
	if err == nil {
		err = s.table.sync()
	}
	if err != nil {
		s.setWrote()
	}
	return err
}

func (s *Store) setWrote() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote = true
}

// Close closes both files.
func (s *Store) Close() error {
	return errors.Join(s.data.Close(), s.table.file.Close())
}

// Usage is what a store holds.
type Usage struct {
	Written   int64 // chunks ever written
	Allocated int64 // bytes the principal array takes on the device
	Table     int64 // bytes the table takes on the device
}

// Usage counts the written chunks below limit, the number of chunks of the array. It
// reads the table, holes left out.
func (s *Store) Usage(limit axial.Number) (Usage, error) {
	var u Usage
	err := s.Each(limit, func(q axial.Number, err error) error {
		u.Written++
		return err
	})
	if err != nil {
		return u, err
	}
	if u.Allocated, err = s.data.Allocated(); err != nil {
		return u, err
	}
	u.Table, err = s.table.file.Allocated()
	return u, err
}

// Each calls f for each written chunk below limit, in the order of their numbers, with an
// error wrapping meta.ErrCorrupt where the table entry is damaged. It stops at the first
// error f returns.
func (s *Store) Each(limit axial.Number, f func(q axial.Number, err error) error) error {
	return s.table.each(limit, f)
}
