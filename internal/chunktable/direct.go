package chunktable

import (
	"errors"
	"fmt"
	"io"

	"drx/axial"
	"drx/internal/errkind"
	"drx/internal/state"
	"drx/internal/vfs"
)

// readTries is how often an entry is read that another process seems to be writing.
const readTries = 3

// ReadEntry reads the entry of chunk q from the file, past the pages in memory. It reads again if
// another process seems to be writing the entry: no system promises to write 16 bytes at once. The
// error wraps state.ErrCorrupt if the entry is damaged, or lost.
func (t *Table) ReadEntry(q axial.Number) (Entry, error) {
	var b [EntrySize]byte
	var lost bool
	for range readTries {
		if err := t.readBytes(q, b[:]); err != nil {
			return Entry{}, err
		}
		e, ok := Decode(b[:], q)
		if ok && e.Length > 0 {
			return e, nil
		}
		if lost = ok; !ok {
			continue
		}
		// The presence byte is set after the entry is written, and cleared before the entry is. If
		// it is set now and the entry is still zero when it is read again, the entry was lost.
		if present, err := t.Presence().Has(q); err != nil || !present {
			return e, err
		}
	}
	if lost {
		return Entry{}, lostEntry(t.file, t.Presence(), q)
	}
	return Entry{}, damagedEntry(t.file, q)
}

// damagedEntry returns the error for an entry whose check field is wrong.
func damagedEntry(table vfs.File, q axial.Number) error {
	file, at := vfs.Locate(table, int64(q)*EntrySize)
	return errkind.InFile(file.Name(), fmt.Errorf("the entry of chunk %d at byte %d is %w", q, at, state.ErrCorrupt))
}

// lostEntry returns the error for an entry of zeros whose presence byte is set.
func lostEntry(table vfs.File, presence *Presence, q axial.Number) error {
	file, at := vfs.Locate(table, int64(q)*EntrySize)
	return errkind.InFile(file.Name(), errkind.Errorf(state.ErrCorrupt, "the entry of chunk %d at byte %d is lost: %s says that the chunk was written", q, at, presence.beside(file.Name())))
}

// readBytes reads the bytes of the entry of chunk q. Beyond the end of the table they are zero, or
// it is an error if the principal array reaches to the chunk (invariant 1). The table grows first,
// so it is read once more after the length of the principal array is known.
func (t *Table) readBytes(q axial.Number, b []byte) error {
	var size int64
	for range 2 {
		clear(b)
		_, err := t.file.ReadAt(b, int64(q)*EntrySize)
		if !errors.Is(err, io.EOF) {
			return err
		}
		if size > int64(q)*t.slot {
			return errkind.InFile(t.file.Name(), errkind.Errorf(state.ErrCorrupt, "its end is missing: the entry of chunk %d is at byte %d", q, int64(q)*EntrySize))
		}
		if size, err = t.data.Size(); err != nil || size <= int64(q)*t.slot {
			return err
		}
	}
	return nil
}

// WriteEntry writes the entry of chunk q to the file, past the pages in memory.
func (t *Table) WriteEntry(q axial.Number, e Entry) error {
	var b [EntrySize]byte
	e.Encode(b[:], q)
	return t.WriteBytes(q, b)
}

// WriteBytes is WriteEntry for an entry that is encoded already.
func (t *Table) WriteBytes(q axial.Number, entry [EntrySize]byte) error {
	_, err := t.file.WriteAt(entry[:], int64(q)*EntrySize)
	return err
}
