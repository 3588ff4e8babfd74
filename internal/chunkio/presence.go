package chunkio

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync/atomic"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/vfs"
)

// A presenceMap is the second witness of which chunks were written: byte presenceHead+q of its
// file is presenceByte(q) if chunk q has an entry in the chunk table, 0 if it has none. An entry
// of zeros whose presence byte is set is one that the table has lost. The map begins with a Head,
// which says how long the log is.
//
// # Invariants
//
//  1. A presence byte is set after the commit that wrote the chunk is made and durable, and
//     cleared, durably, before the entry is cleared. So a byte that is set vouches for an
//     entry, after a crash too; only a byte that is missing says nothing.
//  2. The head is written after the line of the log that it names is durable.
//
// Bytes and head are synced when the array is closed and otherwise left to the system: a power
// cut may lose the last of them, and with them the second witness of these chunks, but never
// makes the map claim too much.
//
// A nil presenceMap is that of an array of version 1: it vouches for nothing.
type presenceMap struct {
	file     vfs.File
	unsynced atomic.Bool // something was written that may not be durable
}

const (
	presenceMagic = "DRXPRES1"
	presenceHead  = 64 // bytes before those of the chunks
	headBytes     = 32
	unjournaled   = 1 // the flag of Head.Unjournaled
)

// A Head is what a presence map says of the log: it has had this many lines, the last of which
// begins with these digits. Unjournaled says that a writer without journal has the array open, or
// died: chunks may hold elements outside of the bounds that no commit has.
type Head struct {
	Commits     int64
	Digits      [8]byte
	Unjournaled bool
}

// presenceByte returns the presence byte of chunk q, which is never 0. It depends on q so that
// bytes in the wrong place give themselves away.
func presenceByte(q axial.Number) byte {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], uint64(q))
	return byte(1 + crc32c.Sum(number[:])%255)
}

// read fills bytes with the presence bytes of chunks from q on.
func (p *presenceMap) read(q axial.Number, bytes []byte) error {
	if p == nil {
		clear(bytes)
		return nil
	}
	n, err := p.file.ReadAt(bytes, presenceHead+int64(q))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	clear(bytes[n:])
	return err
}

// has reports whether the presence byte of chunk q is set.
func (p *presenceMap) has(q axial.Number) (bool, error) {
	if p == nil {
		return false, nil
	}
	var b [1]byte
	err := p.read(q, b[:])
	return b[0] != 0, err
}

// set sets the presence bytes of chunks, which ascend.
func (p *presenceMap) set(chunks []axial.Number) error {
	return p.writeRuns(chunks, presenceByte)
}

// clear clears the presence bytes of chunks, durably if sync says so.
func (p *presenceMap) clear(chunks []axial.Number, sync bool) error {
	if p == nil || len(chunks) == 0 {
		return nil
	}
	chunks = slices.Clone(chunks)
	slices.Sort(chunks)
	size, err := p.file.Size()
	if err != nil {
		return err
	}
	// What lies behind the end is clear: the file is not made longer for it.
	end, _ := slices.BinarySearch(chunks, axial.Number(size-presenceHead))
	if err := p.writeRuns(chunks[:end], func(axial.Number) byte { return 0 }); err != nil || !sync {
		return err
	}
	return p.file.Sync()
}

// writeRuns writes the presence bytes of chunks, which ascend, neighbours together.
func (p *presenceMap) writeRuns(chunks []axial.Number, value func(axial.Number) byte) error {
	if p == nil {
		return nil
	}
	var run []byte
	for i, q := range chunks {
		p.unsynced.Store(true)
		run = append(run, value(q))
		if i+1 < len(chunks) && chunks[i+1] == q+1 && len(run) < pageSize {
			continue
		}
		if _, err := p.file.WriteAt(run, presenceHead+int64(q)+1-int64(len(run))); err != nil {
			return err
		}
		run = run[:0]
	}
	return nil
}

// truncate cuts off the bytes of all chunks from q on, durably if sync says so.
func (p *presenceMap) truncate(q axial.Number, sync bool) error {
	if p == nil {
		return nil
	}
	size, err := p.file.Size()
	if err != nil || size <= presenceHead+int64(q) {
		return err
	}
	if err := p.file.Truncate(presenceHead + int64(q)); err != nil || !sync {
		return err
	}
	return p.file.Sync()
}

// beyond reports whether a chunk from q on has its presence byte set.
func (p *presenceMap) beyond(q axial.Number) (bool, error) {
	if p == nil {
		return false, nil
	}
	var bytes [pageSize]byte
	for off := presenceHead + int64(q); ; {
		from, to, err := p.file.Data(off)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for off = max(off, from); off < to; off += pageSize {
			part := bytes[:min(pageSize, to-off)]
			if err := p.read(axial.Number(off-presenceHead), part); err != nil {
				return false, err
			}
			if slices.ContainsFunc(part, func(b byte) bool { return b != 0 }) {
				return true, nil
			}
		}
	}
}

// head returns what the map says of the log, and whether it says anything: not if its head was
// never written, or is damaged.
func (p *presenceMap) head() (h Head, ok bool, err error) {
	if p == nil {
		return h, false, nil
	}
	var b [headBytes]byte
	if _, err := p.file.ReadAt(b[:], 0); errors.Is(err, io.EOF) {
		return h, false, nil
	} else if err != nil {
		return h, false, err
	}
	le := binary.LittleEndian
	if string(b[:8]) != presenceMagic || le.Uint32(b[28:]) != crc32c.Sum(b[:28]) {
		return h, false, nil
	}
	h.Commits, h.Unjournaled = int64(le.Uint64(b[8:])), le.Uint32(b[24:])&unjournaled != 0
	copy(h.Digits[:], b[16:])
	return h, true, nil
}

// ReadHead returns the head of a presence map, and whether it says anything.
func ReadHead(file vfs.File) (h Head, ok bool, err error) {
	return (&presenceMap{file: file}).head()
}

// IsUnused reports whether a presence map is that of an array that was created and no more, as far as that
// came: it has no byte of a chunk, and its head is that of the first commit, or was never written.
func IsUnused(file vfs.File) (bool, error) {
	size, err := file.Size()
	if err != nil || size > presenceHead {
		return false, err
	}
	b := make([]byte, size)
	if _, err := file.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if !slices.ContainsFunc(b, func(x byte) bool { return x != 0 }) {
		return true, nil
	}
	h, known, err := ReadHead(file)
	return known && h.Commits <= 1, err
}

// Names reports whether a head names the same line of the log as another one.
func (h Head) Names(other Head) bool { return h.Commits == other.Commits && h.Digits == other.Digits }

// setHead writes what the map says of the log.
func (p *presenceMap) setHead(h Head) error {
	if p == nil {
		return nil
	}
	b := append(make([]byte, 0, headBytes), presenceMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Commits))
	b = append(b, h.Digits[:]...)
	var flags uint32
	if h.Unjournaled {
		flags |= unjournaled
	}
	b = binary.LittleEndian.AppendUint32(b, flags)
	b = binary.LittleEndian.AppendUint32(b, crc32c.Sum(b))
	p.unsynced.Store(true)
	_, err := p.file.WriteAt(b, 0)
	return err
}

// sync makes durable what was written.
func (p *presenceMap) sync() error {
	if p == nil || !p.unsynced.Load() {
		return nil
	}
	if err := p.file.Sync(); err != nil {
		return err
	}
	p.unsynced.Store(false)
	return nil
}

// close closes the file, after a last sync if that is asked for.
func (p *presenceMap) close(sync bool) error {
	if p == nil {
		return nil
	}
	var err error
	if sync {
		err = p.sync()
	}
	return first(err, p.file.Close())
}

// name is the name of the file, for errors.
func (p *presenceMap) name() string {
	if p == nil {
		return ""
	}
	return p.file.Name()
}
