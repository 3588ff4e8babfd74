// Package keep stores named values in an array, so that several values change together or not at
// all.
//
// The array has the dimensions record and byte. Record 0 has the names, as JSON; each other record
// has one value. A record begins with the length of its value, 8 bytes, little-endian. The array
// grows in both dimensions. A commit of the store is one commit of the array: after a crash all
// values are those of the last commit.
package keep

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// kind is the attribute that identifies such an array, and version is the attribute's value.
const (
	kind    = "keeps"
	version = 1
)

// pageBytes is the extent of the chunks: a value occupies a multiple of it.
const pageBytes = 16 << 10

const headerBytes = 8

// A Store holds values by name. It is not safe for concurrent use.
type Store struct {
	a    *drx.Array
	rows map[string]int
}

// Open opens the store with the given name for writing, or creates an empty one. what describes its
// contents, such as "state of a session". The errors are those of drx.Open and drx.Create, or say
// that the array is not such a store.
func Open(name, what string, o drx.Options) (*Store, error) {
	o.Write = true
	exists, err := drx.Exists(name)
	if err != nil {
		return nil, err
	}
	s := &Store{rows: map[string]int{}}
	if !exists {
		s.a, err = drx.Create(name, drx.Spec{
			DType: dtype.Uint8, Shape: []int{1, pageBytes}, ChunkShape: []int{1, pageBytes}, Dims: []string{"record", "byte"},
			Attrs: map[string]any{kind: version, "about": what}, Options: o,
		})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	if s.a, err = drx.Open(name, o); err != nil {
		return nil, err
	}
	if err := s.readNames(what); err != nil {
		return nil, errors.Join(err, s.a.Close())
	}
	return s, nil
}

func (s *Store) readNames(what string) error {
	var v int
	var about string
	_, err := s.a.Attr(kind, &v)
	_, err2 := s.a.Attr("about", &about)
	if err != nil || err2 != nil || v != version || about != what || s.a.Rank() != 2 || s.a.DType() != dtype.Uint8 {
		return fmt.Errorf("%s: this array is no %s of version %d: give another name", s.a.Name(), what, version)
	}
	data, err := s.read(0)
	if err != nil || len(data) == 0 {
		return err
	}
	if err := json.Unmarshal(data, &s.rows); err != nil {
		return fmt.Errorf("%s: the names of the records are damaged: %w", s.a.Name(), err)
	}
	return nil
}

// Name returns the name of the array.
func (s *Store) Name() string { return s.a.Name() }

// Get returns a value, or nil if there is none of that name.
func (s *Store) Get(name string) ([]byte, error) {
	row, ok := s.rows[name]
	if !ok {
		return nil, nil
	}
	return s.read(row)
}

func (s *Store) read(row int) ([]byte, error) {
	if row >= s.a.Shape()[0] {
		return nil, fmt.Errorf("%s: record %d of %d", s.a.Name(), row, s.a.Shape()[0])
	}
	var header [headerBytes]byte
	if err := s.a.ReadBytes(nd.Sec(nd.At(row), nd.Span(0, headerBytes)), header[:], nil); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(header[:])
	if most := s.a.Shape()[1] - headerBytes; n > uint64(most) {
		return nil, fmt.Errorf("%s: record %d has %d bytes, there is room for %d", s.a.Name(), row, n, most)
	}
	data := make([]byte, n)
	return data, s.a.ReadBytes(nd.Sec(nd.At(row), nd.Span(headerBytes, headerBytes+int(n))), data, nil)
}

// Put stores a value; the next Commit makes it permanent.
func (s *Store) Put(name string, data []byte) error {
	row, ok := s.rows[name]
	if !ok {
		row = s.free()
		s.rows[name] = row
	}
	return s.write(row, data)
}

// free returns the number of an unused record.
func (s *Store) free() int {
	used := make([]bool, len(s.rows)+2)
	used[0] = true
	for _, row := range s.rows {
		if row < len(used) {
			used[row] = true
		}
	}
	return slices.Index(used, false)
}

func (s *Store) write(row int, data []byte) error {
	shape := s.a.Shape()
	if more := row + 1 - shape[0]; more > 0 {
		if _, err := s.a.Extend(0, more); err != nil {
			return err
		}
	}
	if more := headerBytes + len(data) - shape[1]; more > 0 {
		if _, err := s.a.Extend(1, nd.CeilDiv(more, pageBytes)*pageBytes); err != nil {
			return err
		}
	}
	record := append(binary.LittleEndian.AppendUint64(nil, uint64(len(data))), data...)
	return s.a.WriteBytes(nd.Sec(nd.At(row), nd.Span(0, len(record))), record, nil)
}

// Delete removes a value at the next Commit. Its record is reused.
func (s *Store) Delete(name string) error {
	delete(s.rows, name)
	return nil
}

// Clear removes all values at the next Commit.
func (s *Store) Clear() { clear(s.rows) }

// Commit makes all changes durable, atomically.
func (s *Store) Commit() error {
	data, err := json.Marshal(s.rows)
	if err != nil {
		return err
	}
	if err := s.write(0, data); err != nil {
		return err
	}
	return s.a.Sync()
}

// Close closes the array. Changes since the last Commit are lost.
func (s *Store) Close() error { return s.a.Discard() }
