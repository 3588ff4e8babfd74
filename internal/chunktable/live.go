package chunktable

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// Words are the bytes of an entry in a mapping of the table, loaded while another process may be writing them.
// Each half is loaded at once, but the halves may be of two entries; the check field tells.
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
