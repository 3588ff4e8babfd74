package chunktable

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync/atomic"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/vfs"
)

// A Presence is the presence map of an array, the second witness of which chunks were written: byte
// PresenceHead+q of its file is presenceByte(q) if chunk q has an entry in the chunk table, 0 if it
// has none. An entry of zeros whose presence byte is set was lost. The map begins with a Head,
// which has the length of the log.
//
// Bytes and head are synced when the array is closed and otherwise left to the system. A power cut
// may lose the last of them, so that these chunks have no second witness, but the map never claims
// too much.
//
// A nil Presence is that of an array of version 1: it vouches for nothing.
type Presence struct {
	file     vfs.File
	unsynced atomic.Bool // something was written that may not be durable
}

const (
	// PresenceMagic is how the file begins.
	PresenceMagic = "DRXPRES1"
	// PresenceHead is the offset of the first chunk's byte in the file.
	PresenceHead = 64
	// HeadBytes is the length of a Head. An Announcement has the rest of the PresenceHead bytes.
	HeadBytes   = 32
	unjournaled = 1 // the flag of Head.Unjournaled
)

// A Head is the part of a presence map that describes the log.
type Head struct {
	Commits int64   // the number of its lines
	Digits  [8]byte // the first bytes of the last line
	// Unjournaled is set while a writer without journal has the array open, and stays set if it
	// dies: then chunks may hold elements outside of the bounds that no commit has.
	Unjournaled bool
}

// presenceByte returns the presence byte of chunk q, which is never 0. It depends on q so that
// misplaced bytes are detected.
func presenceByte(q axial.Number) byte {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], uint64(q))
	return byte(1 + crc32c.Sum(number[:])%255)
}

// read fills bytes with the presence bytes of chunks from q on.
func (p *Presence) read(q axial.Number, bytes []byte) error {
	if p == nil {
		clear(bytes)
		return nil
	}
	n, err := p.file.ReadAt(bytes, PresenceHead+int64(q))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	clear(bytes[n:])
	return err
}

// Has reports whether the presence byte of chunk q is set.
func (p *Presence) Has(q axial.Number) (bool, error) {
	if p == nil {
		return false, nil
	}
	var b [1]byte
	err := p.read(q, b[:])
	return b[0] != 0, err
}

// Set sets the presence bytes of chunks, which ascend.
func (p *Presence) Set(chunks []axial.Number) error {
	return p.writeRuns(chunks, presenceByte)
}

// Clear clears the presence bytes of chunks, durably if sync says so.
func (p *Presence) Clear(chunks []axial.Number, sync bool) error {
	if p == nil || len(chunks) == 0 {
		return nil
	}
	chunks = slices.Clone(chunks)
	slices.Sort(chunks)
	size, err := p.file.Size()
	if err != nil {
		return err
	}
	// Bytes beyond the end are clear: the file does not grow for them.
	end, _ := slices.BinarySearch(chunks, axial.Number(size-PresenceHead))
	if err := p.writeRuns(chunks[:end], func(axial.Number) byte { return 0 }); err != nil || !sync {
		return err
	}
	return p.file.Sync()
}

// writeRuns writes the presence bytes of chunks, which ascend, neighbours together.
func (p *Presence) writeRuns(chunks []axial.Number, value func(axial.Number) byte) error {
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
		if _, err := p.file.WriteAt(run, PresenceHead+int64(q)+1-int64(len(run))); err != nil {
			return err
		}
		run = run[:0]
	}
	return nil
}

// Truncate cuts off the bytes of all chunks from q on, durably if sync says so.
func (p *Presence) Truncate(q axial.Number, sync bool) error {
	if p == nil {
		return nil
	}
	size, err := p.file.Size()
	if err != nil || size <= PresenceHead+int64(q) {
		return err
	}
	if err := p.file.Truncate(PresenceHead + int64(q)); err != nil || !sync {
		return err
	}
	return p.file.Sync()
}

// beyond reports whether a chunk from q on has its presence byte set.
func (p *Presence) beyond(q axial.Number) (bool, error) {
	if p == nil {
		return false, nil
	}
	var bytes [pageSize]byte
	for off := PresenceHead + int64(q); ; {
		from, to, err := p.file.Data(off)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for off = max(off, from); off < to; off += pageSize {
			part := bytes[:min(pageSize, to-off)]
			if err := p.read(axial.Number(off-PresenceHead), part); err != nil {
				return false, err
			}
			if slices.ContainsFunc(part, func(b byte) bool { return b != 0 }) {
				return true, nil
			}
		}
	}
}

// Head returns the head of the map. ok is false if the head was never written, or is damaged.
func (p *Presence) Head() (h Head, ok bool, err error) {
	if p == nil {
		return h, false, nil
	}
	var b [HeadBytes]byte
	if _, err := p.file.ReadAt(b[:], 0); errors.Is(err, io.EOF) {
		return h, false, nil
	} else if err != nil {
		return h, false, err
	}
	h, ok = DecodeHead(b[:])
	return h, ok, nil
}

// DecodeHead returns the head in the first HeadBytes bytes of a presence map. ok is false if there
// is none.
func DecodeHead(b []byte) (h Head, ok bool) {
	le := binary.LittleEndian
	if len(b) < HeadBytes || string(b[:8]) != PresenceMagic || le.Uint32(b[28:]) != crc32c.Sum(b[:28]) {
		return h, false
	}
	h.Commits, h.Unjournaled = int64(le.Uint64(b[8:])), le.Uint32(b[24:])&unjournaled != 0
	copy(h.Digits[:], b[16:])
	return h, true
}

// ReadHead returns the head of a presence map, and whether it says anything.
func ReadHead(file vfs.File) (h Head, ok bool, err error) {
	return (&Presence{file: file}).Head()
}

// ProvesCreation reports whether a head proves that the first line of the log was durable once. The
// head is written after that, but a writer that syncs nothing may have died in the creation.
func (h Head) ProvesCreation() bool { return h.Commits > 1 || !h.Unjournaled }

// IsUnused reports whether a presence map is left from an interrupted creation: no byte of a chunk
// is set, and its head was never written, or does not prove that the array was created.
func IsUnused(file vfs.File) (bool, error) {
	size, err := file.Size()
	if err != nil || size > PresenceHead {
		return false, err
	}
	b := make([]byte, size)
	if _, err := file.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if !slices.ContainsFunc(b, func(x byte) bool { return x != 0 }) {
		return true, nil
	}
	h, known := DecodeHead(b)
	return known && !h.ProvesCreation(), nil
}

// Names reports whether a head names the same line of the log as another one.
func (h Head) Names(other Head) bool { return h.Commits == other.Commits && h.Digits == other.Digits }

// Finished reports whether a head says that the commit with which the log ends was finished: its
// entries and their presence bytes were written before the head.
func (h Head) Finished(now Head) bool { return h.Commits >= now.Commits }

// SetHead writes the head of the map.
func (p *Presence) SetHead(h Head) error {
	if p == nil {
		return nil
	}
	b := append(make([]byte, 0, HeadBytes), PresenceMagic...)
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

// Moves reports whether the map has its position of earlier versions, and moves when its head is
// written.
func (p *Presence) Moves() bool {
	f, is := p.file.(interface{ Moves() bool })
	return is && f.Moves()
}

// Sync makes all writes durable.
func (p *Presence) Sync() error {
	if p == nil || !p.unsynced.Load() {
		return nil
	}
	if err := p.file.Sync(); err != nil {
		return err
	}
	p.unsynced.Store(false)
	return nil
}

// close closes the file, after a sync if that is asked for.
func (p *Presence) close(sync bool) error {
	if p == nil {
		return nil
	}
	var err error
	if sync {
		err = p.Sync()
	}
	return cmp.Or(err, p.file.Close())
}

// beside names the presence map in an error about another file.
func (p *Presence) beside(file string) string {
	if p == nil {
		return ""
	}
	return beside(file, p.file.Name(), "the presence map")
}

// beside names a part of the array in an error about a file: by its own file name, or by its kind,
// since all parts of an array in one file have the same name.
func beside(file, part, what string) string {
	if part == file {
		return what
	}
	return part
}
