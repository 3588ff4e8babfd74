package chunkstore

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/state"
)

// Usage counts the chunks and bytes of a store.
type Usage struct {
	Written   int64 // chunks ever written
	Stored    int64 // bytes stored of them: those of the chunks, or of frames
	Allocated int64 // bytes the principal array takes on the device
	Table     int64 // bytes the table and the presence map take on the device
	Journal   int64 // bytes the journals of all processes take on the device
}

// Usage counts the written chunks below limit, the number of chunks of the array. It reads the
// table, except its holes.
func (s *Store) Usage(limit axial.Number) (Usage, error) {
	var u Usage
	err := s.Each(limit, func(q axial.Number, err error) error {
		u.Written++
		if err != nil || !s.mayHaveFrames() {
			return err
		}
		c, err := s.lookupNow(q)
		u.Stored += int64(c.entry.Length)
		return err
	})
	if err != nil {
		return u, err
	}
	if !s.mayHaveFrames() {
		u.Stored = u.Written * int64(s.size)
	}
	if u.Allocated, err = s.files.Data.Allocated(); err != nil {
		return u, err
	}
	if u.Table, err = s.table.Allocated(); err != nil {
		return u, err
	}
	u.Journal, err = s.files.journalBytes()
	return u, err
}

// journalBytes returns the bytes that the journals of all processes take on the device.
func (f Files) journalBytes() (sum int64, err error) {
	if f.Journal == "" {
		return 0, nil
	}
	for i, name := range Journals(f.Journal) {
		n, err := f.allocated(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i > 0:
			return sum, nil // sharers number theirs without gaps
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

// allocated returns the bytes that a file takes on the device.
func (f Files) allocated(name string) (int64, error) {
	file, err := f.FS.OpenNoFollow(name, false)
	if err != nil {
		return 0, err
	}
	n, err := file.Allocated()
	return n, first(err, file.Close())
}

// Each calls f for each written chunk below limit, in the order of their numbers, with an error
// wrapping state.ErrCorrupt if the table entry is damaged. It stops at the first error that f
// returns.
func (s *Store) Each(limit axial.Number, f func(q axial.Number, err error) error) error {
	s.mu.Lock()
	changes := maps.Clone(s.overlay.of)
	s.mu.Unlock()
	changed := slices.Sorted(maps.Keys(changes))
	// upTo calls f for the changed chunks below q that are written.
	upTo := func(q axial.Number) error {
		for len(changed) > 0 && changed[0] < q {
			if changes[changed[0]].entry.Length > 0 {
				if err := f(changed[0], nil); err != nil {
					return err
				}
			}
			changed = changed[1:]
		}
		return nil
	}
	err := s.table.Each(limit, func(q axial.Number, err error) error {
		if err := upTo(q); err != nil {
			return err
		}
		if _, ok := changes[q]; ok {
			return nil // the next upTo calls f
		}
		if err != nil {
			err = s.role.confirmDamage(q, err)
		}
		return f(q, err)
	})
	if err != nil {
		return err
	}
	return upTo(limit)
}

// OfLostCommit reports whether chunk q was written by a commit that the log does not have.
func (s *Store) OfLostCommit(q axial.Number) (bool, error) {
	c, err := s.lookup(q)
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(c.entry.Commit()) > s.commits+1, err
}

// Table returns the chunk table, with the presence map, for those who look for damage.
func (s *Store) Table() *chunktable.Table { return s.table }

// HasPresence reports whether the array has a presence map.
func (s *Store) HasPresence() bool { return s.table.Presence() != nil }

// Suspect says that entries of chunks from q on are lost without a trace.
func (s *Store) Suspect(q axial.Number) { s.suspects, s.suspectFrom = true, q }

// ErrNoEntry is EachUnknown's error for a chunk whose entry would lie beyond the end of the chunk
// table.
var ErrNoEntry = errors.New("the chunk table ends before its entry, it cannot be checked")

// ErrEmptyEntry is EachUnknown's error for a chunk whose entry is zero although its slot has bytes
// other than zero.
var ErrEmptyEntry = errors.New("its place holds something, but its entry is empty: it was lost, or the chunk was not committed")

// EachUnknown calls f for each chunk below limit that has no entry, and of which nothing else says
// whether it was ever written, although its place is not in a hole of the principal array. (It may
// hold zeros.) The error that f gets is ErrNoEntry if the entry would lie beyond the end of the
// table, and ErrEmptyEntry if it is zero and there is no presence map, or it is one of Suspect. In
// an array that is not damaged only chunks that were not committed are unknown. EachUnknown stops
// at the first error that f returns.
func (s *Store) EachUnknown(limit axial.Number, f func(q axial.Number, err error) error) error {
	entries, err := s.table.Entries()
	var q axial.Number
	if s.HasPresence() {
		q = entries
		if s.suspects {
			q = min(q, s.suspectFrom)
		}
	}
	for err == nil && q < limit {
		var from, to int64
		if from, to, err = s.files.Data.Data(int64(s.OffsetOf(q))); errors.Is(err, io.EOF) {
			return nil
		}
		end := min(limit, axial.Number((to-1)/s.slot)+1)
		for q = max(q, axial.Number(from/s.slot)); err == nil && q < end; q++ {
			err = s.ifUnknown(q, entries, f)
		}
	}
	return err
}

// ifUnknown calls f if chunk q is unknown. entries is the length of the table.
func (s *Store) ifUnknown(q, entries axial.Number, f func(q axial.Number, err error) error) error {
	if _, ok := s.changed(q); ok {
		return nil
	}
	if q < entries {
		e, err := s.role.entry(q)
		if errors.Is(err, state.ErrCorrupt) || e.Length > 0 {
			return nil // it is one of Each
		}
		return first(err, f(q, ErrEmptyEntry))
	}
	present, err := s.table.Presence().Has(q)
	if present || err != nil {
		return err
	}
	return f(q, ErrNoEntry)
}

// ReadUnchecked fills buf, of ChunkBytes bytes, with what is in the place of chunk q, whose entry
// is lost or damaged. The error wraps state.ErrCorrupt if the file ends before it, or if chunks are
// compressed and there is no frame. It is ErrUnwritten for nothing but zeros instead of a frame.
func (s *Store) ReadUnchecked(q axial.Number, buf []byte) error {
	_, err := s.files.Data.ReadAt(buf, int64(s.OffsetOf(q)))
	if errors.Is(err, io.EOF) {
		return s.corrupt(q, "the file ends before it")
	}
	if err != nil || !s.mayHaveFrames() {
		return err
	}
	return s.decodeUnchecked(q, buf)
}

// frameZeros is how many zeros a frame may end in for decodeUnchecked to find its end.
const frameZeros = 16

// decodeUnchecked decodes the frame that buf begins with, and of which nothing says how long it is.
// Behind a frame are zeros, so that it ends where they begin, or a few bytes later. A chunk that is
// stored as it is cannot be told from a damaged frame.
func (s *Store) decodeUnchecked(q axial.Number, buf []byte) error {
	slot := bytes.Clone(buf)
	end := len(bytes.TrimRight(slot, "\x00"))
	if end == 0 {
		return ErrUnwritten
	}
	for n := end; n <= min(end+frameZeros, len(slot)-1); n++ {
		if s.files.Decoder.Decode(buf, slot[:n]) == nil {
			return nil
		}
	}
	return s.corrupt(q, "its table entry, which has its length, is lost, and its place holds no frame that can be decoded")
}
