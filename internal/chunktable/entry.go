// Package chunktable has the two files that record which chunks of an array were written: the chunk
// table, an entry with a checksum for each chunk, and the presence map, a byte for each chunk that
// has an entry.
//
// # Two ways to the entries
//
// A process that is the only one to change the table reads and writes it by pages, which stay in
// memory: Get, Put, Publish, Clear, Write and Sync. All others read and write one entry at a time,
// past these pages: ReadEntry and WriteEntry.
//
// # Invariants
//
//  1. The table is long enough for the entry of every chunk that the principal array reaches to. It
//     grows, durably, before a chunk is written (Cover), and is cut after the principal array. So a
//     table that has lost its end is noticed (Covered), and its chunks are not taken for chunks
//     never written.
//  2. A presence byte is set after the commit that wrote the chunk is made and durable, and
//     cleared, durably, before the entry is cleared. So a byte that is set vouches for an entry,
//     after a crash too. A byte that is not set says nothing.
//  3. The head of the presence map is written after the line of the log that it names is durable.
package chunktable

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"drx/axial"
	"drx/internal/crc32c"
)

// An Entry is the record of a chunk in the table. The entry of chunk q is 16 bytes at byte 16*q,
// four little-endian 32-bit numbers:
//
//	+-----+--------+------------+-------+
//	| sum | length | generation | check |
//	+-----+--------+------------+-------+
//
// check is the CRC-32C of the chunk number (8 bytes) and the three fields before, so that an entry
// that is damaged or in the wrong place is noticed. Sixteen zeros are the entry of a chunk never
// written.
type Entry struct {
	Sum        uint32 // the CRC-32C of the stored bytes
	Length     uint32 // how many bytes are stored, 0 for a chunk never written
	Generation uint32 // the commit that wrote them; upper bits: how often they were overwritten
}

// EntrySize is the bytes of an entry.
const EntrySize = 16

// The lower bits of a generation are those of the number of the commit.
const (
	commitBits = 20
	commitMask = 1<<commitBits - 1
)

// NewEntry returns the entry of a chunk of length bytes with this checksum, written by a commit.
func NewEntry(sum uint32, length int, commit int64) Entry {
	return Entry{Sum: sum, Length: uint32(length), Generation: uint32(commit) & commitMask}
}

// Commit returns the lower bits of the number of the commit that wrote the chunk.
func (e Entry) Commit() uint32 { return e.Generation & commitMask }

// After returns e as the successor of old, the present entry of the same chunk. It differs from the
// last 4096 entries of the chunk, even if the bytes and the commit are the same as then.
func (e Entry) After(old Entry) Entry {
	if old.Length > 0 {
		e.Generation = e.Commit() | (old.Generation>>commitBits+1)<<commitBits
	}
	return e
}

// OfCommit returns e as an entry of the commit that wrote old: only the form of the chunk differs.
func (e Entry) OfCommit(old Entry) Entry {
	e.Generation = e.Generation&^commitMask | old.Commit()
	return e
}

// Earlier reports whether e belongs to an earlier commit than f. Commit numbers wrap around, so
// that the nearer of the two directions counts.
func (e Entry) Earlier(f Entry) bool {
	d := (f.Commit() - e.Commit()) & commitMask
	return 0 < d && d <= commitMask/2
}

// IsAfter reports whether e belongs to a later commit than the given one. Numbers wrap around, as
// for Earlier.
func (e Entry) IsAfter(commit int64) bool {
	return Entry{Generation: uint32(commit) & commitMask}.Earlier(e)
}

// CommitNumbers is how many commits have different numbers in entries.
const CommitNumbers = 1 << commitBits

// CommitsAfter returns how many commits after the given one that of e is, modulo CommitNumbers.
func (e Entry) CommitsAfter(commit int64) int {
	return int((e.Commit() - uint32(commit)&commitMask) & commitMask)
}

// Replaces reports whether e may be what After made of the entry old.
func (e Entry) Replaces(old Entry) bool {
	return old.Length == 0 || e.Generation&^commitMask == (old.Generation>>commitBits+1)<<commitBits
}

// Encode writes e as the entry of chunk q to the first EntrySize bytes of b.
func (e Entry) Encode(b []byte, q axial.Number) {
	if e == (Entry{}) {
		clear(b[:EntrySize])
		return
	}
	le := binary.LittleEndian
	le.PutUint32(b, e.Sum)
	le.PutUint32(b[4:], e.Length)
	le.PutUint32(b[8:], e.Generation)
	le.PutUint32(b[12:], check(b[:12], q))
}

// Decode reads the entry of chunk q from the first EntrySize bytes of b, and reports whether it is
// intact.
func Decode(b []byte, q axial.Number) (Entry, bool) {
	le := binary.LittleEndian
	e := Entry{le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])}
	if e == (Entry{}) {
		return e, le.Uint32(b[12:]) == 0
	}
	return e, e.Length > 0 && le.Uint32(b[12:]) == check(b[:12], q)
}

// check returns the last field of the entry of chunk q.
func check(fields []byte, q axial.Number) uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], uint64(q))
	return crc32c.Update(crc32c.Sum(number[:]), fields)
}

// Words are the bytes of an entry in a mapping of the table, loaded while another process may be
// writing them. Each half is loaded atomically, but the halves may belong to two entries; the check
// field shows it.
type Words [EntrySize / 8]uint64

// LoadWords loads the entry that begins at raw, which must be aligned to 8 bytes.
func LoadWords(raw []byte) Words { return LoadWordsAt(unsafe.Pointer(unsafe.SliceData(raw))) }

// LoadWordsAt is LoadWords for a pointer.
func LoadWordsAt(at unsafe.Pointer) Words {
	p := (*[EntrySize / 8]uint64)(at)
	return Words{atomic.LoadUint64(&p[0]), atomic.LoadUint64(&p[1])}
}

// Entry returns the entry, whether it is intact or not.
func (w Words) Entry() Entry {
	var b [EntrySize]byte
	binary.NativeEndian.PutUint64(b[:], w[0])
	binary.NativeEndian.PutUint64(b[8:], w[1])
	le := binary.LittleEndian
	return Entry{le.Uint32(b[:]), le.Uint32(b[4:]), le.Uint32(b[8:])}
}
