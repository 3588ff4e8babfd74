package chunktable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/errkind"
	"drx/internal/state"
)

// An Announcement records, before the line of a commit is written, how many new entries the commit
// has. Until the presence bytes of these are set, it shows whether some are lost. It follows the
// Head of the presence map, and is not synced: it covers writers that are killed, not power cuts.
type Announcement struct {
	Digits [8]byte      // the first bytes of the line
	From   axial.Number // the chunks beyond the grid before the commit begin here
	Chunks int64        // how many of these have an entry
}

// announcementBytes are the bytes of an Announcement with its checksum.
const announcementBytes = 28

// announcement returns the announcement of the last commit that had one, and whether it is good.
func (p *Presence) announcement() (a Announcement, ok bool, err error) {
	if p == nil {
		return a, false, nil
	}
	var b [announcementBytes]byte
	if _, err := p.file.ReadAt(b[:], HeadBytes); errors.Is(err, io.EOF) {
		return a, false, nil
	} else if err != nil {
		return a, false, err
	}
	le := binary.LittleEndian
	copy(a.Digits[:], b[:])
	a.From, a.Chunks = axial.Number(le.Uint64(b[8:])), int64(le.Uint64(b[16:]))
	return a, le.Uint32(b[24:]) == crc32c.Sum(b[:24]) && a.From >= 0, nil
}

// Announce writes an announcement, unless it is about nothing and there is none for the same line.
func (p *Presence) Announce(a Announcement) error {
	if p == nil || p.Moves() {
		return nil
	}
	if a.Chunks == 0 {
		if old, ok, err := p.announcement(); err != nil || !ok || old.Digits != a.Digits {
			return err
		}
	}
	b := append(make([]byte, 0, announcementBytes), a.Digits[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(a.From))
	b = binary.LittleEndian.AppendUint64(b, uint64(a.Chunks))
	b = binary.LittleEndian.AppendUint32(b, crc32c.Sum(b))
	p.unsynced.Store(true)
	_, err := p.file.WriteAt(b, HeadBytes)
	return err
}

// CountFrom returns how many chunks from number from on have got their first entry since Vouch. All
// pages must be in the file.
func (t *Table) CountFrom(from axial.Number) (n int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.touched) == 0 {
		return 0, nil
	}
	all := t.touched[0]
	for _, r := range t.touched {
		all = pageRange{min(all.from, r.from), max(all.to, r.to)}
	}
	all.from = max(all.from, int64(from)/pageEntries)
	count := func(number int64, p *page) error {
		if kept := t.pages[number]; kept != nil {
			p = kept
		}
		n += countPage(p, axial.Number(number*pageEntries), from)
		return nil
	}
	if p := t.pages[all.from]; p != nil && all.to == all.from+1 { // the most frequent case
		return n, count(all.from, p)
	}
	err = t.eachPage(all.from, all.to, count)
	return n, err
}

// countPage returns how many chunks from one on have entries of a page that begins with chunk
// first. Damaged entries do not count: they may have been misplaced from other chunks.
func countPage(p *page, first, from axial.Number) (n int64) {
	for q := max(first, from); q < first+pageEntries; q++ {
		if e, ok := Decode(p.bytes[int(q-first)*EntrySize:], q); ok && e.Length > 0 {
			n++
		}
	}
	return n
}

// CheckAnnounced returns a LostEntriesError if entries are lost that the announcement of the last
// commit counts, and that have no presence bytes: the writer died before it set them. now describes
// the end of the log, with the line of a commit in the journal.
func (t *Table) CheckAnnounced(now Head) error {
	p := t.Presence()
	h, known, err := p.Head()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // that the map is missing is said where it is needed
	}
	if err != nil || known && h.Finished(now) {
		return err
	}
	a, ok, err := p.announcement()
	if err != nil || !ok || a.Digits != now.Digits {
		return err
	}
	limit, err := t.Entries()
	if err != nil {
		return err
	}
	found := int64(0)
	err = t.eachPage(int64(a.From)/pageEntries, int64((limit+pageEntries-1)/pageEntries), func(n int64, p *page) error {
		found += countPage(p, axial.Number(n*pageEntries), a.From)
		return nil
	})
	if err != nil || found >= a.Chunks {
		return err
	}
	// A later commit may have cleared entries since. Then the head shows that.
	if h, known, err = p.Head(); err != nil || known && h.Finished(now) {
		return err
	}
	return errkind.InFile(t.file.Name(), &LostEntriesError{Commit: now.Commits, From: a.From, Chunks: a.Chunks - found})
}

// A LostEntriesError reports that entries of the last commit are lost. It wraps state.ErrCorrupt.
type LostEntriesError struct {
	Commit int64
	From   axial.Number // their chunks are from this one on
	Chunks int64        // how many they are
}

// Error names the commit and the number of entries.
func (e *LostEntriesError) Error() string {
	return fmt.Sprintf("%d entries of chunks from %d on are lost that commit %d has written: %v", e.Chunks, e.From, e.Commit, state.ErrCorrupt)
}

// Unwrap returns state.ErrCorrupt.
func (e *LostEntriesError) Unwrap() error { return state.ErrCorrupt }
