package chunkio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/state"
	"drx/internal/vfs"
)

// The entry of chunk q is 16 bytes at byte 16*q, four little-endian 32-bit numbers:
//
//	+-----+--------+------------+-------+
//	| sum | length | generation | check |
//	+-----+--------+------------+-------+
//
// sum is the CRC-32C of the stored bytes, length their number (0: never written),
// generation the number of the commit they belong to and, in its upper bits, how often they
// were overwritten, and check the CRC-32C of the chunk number (8 bytes) and the three fields
// before, so that an entry that is damaged or in the wrong place gives itself away. Sixteen
// zeros are the entry of a chunk never written.
type entry struct {
	sum, length, generation uint32
}

// The lower bits of a generation are the number of the commit, as far as it fits.
const (
	commitBits = 20
	commitMask = 1<<commitBits - 1
)

func (e entry) commit() uint32 { return e.generation & commitMask }

// after returns e as the entry of a chunk that has the entry old: another one than the last 4096
// that it had, though its bytes and the commit may be those of an earlier one (Store, invariant 4).
func (e entry) after(old entry) entry {
	if old.length > 0 {
		e.generation = e.commit() | (old.generation>>commitBits+1)<<commitBits
	}
	return e
}

// earlier reports whether e belongs to an earlier commit than f, as far as the numbers tell that go
// around.
func (e entry) earlier(f entry) bool {
	d := (f.commit() - e.commit()) & commitMask
	return 0 < d && d <= commitMask/2
}

// replaces reports whether e may be what after made of the entry old.
func (e entry) replaces(old entry) bool {
	return old.length == 0 || e.generation&^commitMask == (old.generation>>commitBits+1)<<commitBits
}

const (
	entrySize    = 16
	pageEntries  = 256
	pageSize     = pageEntries * entrySize
	pagesInCache = 4096 // 16 MiB of the table
	maxAhead     = 1 << 20
)

// encode writes the entry of chunk q.
func (e entry) encode(b []byte, q axial.Number) {
	if e == (entry{}) {
		clear(b[:entrySize])
		return
	}
	le := binary.LittleEndian
	le.PutUint32(b, e.sum)
	le.PutUint32(b[4:], e.length)
	le.PutUint32(b[8:], e.generation)
	le.PutUint32(b[12:], check(b[:12], q))
}

// decode reads the entry of chunk q, and reports whether it is a good one.
func decode(b []byte, q axial.Number) (entry, bool) {
	le := binary.LittleEndian
	e := entry{le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])}
	if e == (entry{}) {
		return e, le.Uint32(b[12:]) == 0
	}
	return e, e.length > 0 && le.Uint32(b[12:]) == check(b[:12], q)
}

func check(fields []byte, q axial.Number) uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], uint64(q))
	return crc32c.Update(crc32c.Sum(number[:]), fields)
}

// A table is the chunk table of a process that alone changes it, read and written by pages
// that are kept in memory.
type table struct {
	file     vfs.File
	presence *presenceMap
	mu       sync.Mutex
	pages    map[int64]*page
	covered  axial.Number // entries that the file surely has room for, see cover
	lasting  int64        // so many bytes of its length are durable
	touched  []pageRange  // pages that were changed since vouch
}

type page struct {
	bytes   [pageSize]byte
	present [pageEntries / 64]uint64 // which presence bytes are set, a bit each
	dirty   bool
	touched bool // it is in table.touched
}

func newTable(file vfs.File, presence *presenceMap) *table {
	return &table{file: file, presence: presence, pages: map[int64]*page{}}
}

// get returns the entry of chunk q, or an error wrapping state.ErrCorrupt.
func (t *table) get(q axial.Number) (entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.page(int64(q) / pageEntries)
	if err != nil {
		return entry{}, err
	}
	return t.decode(p, q)
}

func (t *table) decode(p *page, q axial.Number) (entry, error) {
	e, ok := decode(p.bytes[int(q%pageEntries)*entrySize:], q)
	switch {
	case !ok:
		return entry{}, fmt.Errorf("%s: the entry of chunk %d at byte %d is %w", t.file.Name(), q, int64(q)*entrySize, state.ErrCorrupt)
	case e.length == 0 && p.isPresent(q):
		return entry{}, lostEntry(t.file, t.presence, q)
	}
	return e, nil
}

// lostEntry is the error for an entry of zeros whose presence byte is set.
func lostEntry(table vfs.File, presence *presenceMap, q axial.Number) error {
	return fmt.Errorf("%s: the entry of chunk %d at byte %d is lost: %s says that the chunk was written: %w",
		table.Name(), q, int64(q)*entrySize, presence.name(), state.ErrCorrupt)
}

// isPresent reports whether the presence byte of chunk q, which is of this page, is set.
func (p *page) isPresent(q axial.Number) bool {
	i := q % pageEntries
	return p.present[i/64]>>(i%64)&1 != 0
}

// setPresent notes whether the presence byte of chunk q is set.
func (p *page) setPresent(q axial.Number, set bool) {
	i := q % pageEntries
	p.present[i/64] &^= 1 << (i % 64)
	if set {
		p.present[i/64] |= 1 << (i % 64)
	}
}

// put changes the entry of chunk q in memory.
func (t *table) put(q axial.Number, e entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set(q, e)
}

// set is put with the lock held.
func (t *table) set(q axial.Number, e entry) error {
	p, err := t.page(int64(q) / pageEntries)
	if err != nil {
		return err
	}
	t.change(p, q, e)
	return nil
}

// change changes the entry of chunk q in its page. The presence byte of one that becomes zero has
// been cleared before.
func (t *table) change(p *page, q axial.Number, e entry) {
	e.encode(p.bytes[int(q%pageEntries)*entrySize:], q)
	p.dirty = true
	if e.length == 0 {
		p.setPresent(q, false)
		return
	}
	t.touch(int64(q)/pageEntries, p)
}

// publish is put, and writes the entry to the file too if there is one that it takes the place of: if
// not, nobody sees the chunk yet.
func (t *table) publish(q axial.Number, e entry) error {
	t.mu.Lock() // so that nobody writes the page in between
	defer t.mu.Unlock()
	if _, err := t.page(int64(q) / pageEntries); err != nil {
		return err
	}
	var b [entrySize]byte
	if _, err := t.file.ReadAt(b[:], int64(q)*entrySize); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := t.set(q, e); err != nil || b == [entrySize]byte{} {
		return err
	}
	e.encode(b[:], q)
	_, err := t.file.WriteAt(b[:], int64(q)*entrySize)
	return err
}

// clear makes the entries of chunks those of chunks never written; all of them, or none if
// there is an error. So all their pages are read first, and stay for once.
func (t *table) clear(chunks []axial.Number) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range chunks {
		if n := int64(q) / pageEntries; t.pages[n] == nil {
			if _, err := t.load(n); err != nil {
				return err
			}
		}
	}
	for _, q := range chunks {
		t.change(t.pages[int64(q)/pageEntries], q, entry{})
	}
	return nil
}

// page returns page n of the file, from memory or read.
func (t *table) page(n int64) (*page, error) {
	if p := t.pages[n]; p != nil {
		return p, nil
	}
	if len(t.pages) >= pagesInCache {
		if err := t.makeRoom(); err != nil {
			return nil, err
		}
	}
	return t.load(n)
}

// load reads page n of the file.
func (t *table) load(n int64) (*page, error) {
	p := new(page)
	if err := t.read(n, p); err != nil {
		return nil, err
	}
	t.pages[n] = p
	return p, nil
}

// read reads page n of the file. Its presence bytes come first: one that is set then vouches for an
// entry that was written before.
func (t *table) read(n int64, p *page) error {
	var present [pageEntries]byte
	if err := t.presence.read(axial.Number(n*pageEntries), present[:]); err != nil {
		return err
	}
	for i, b := range present {
		p.setPresent(axial.Number(i), b != 0)
	}
	m, err := t.file.ReadAt(p.bytes[:], n*pageSize)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	clear(p.bytes[m:])
	return err
}

// makeRoom drops a half of the pages, the changed ones written first. Which half does
// not matter much: a page is read again in microseconds.
func (t *table) makeRoom() error {
	if err := t.flush(); err != nil {
		return err
	}
	for n := range t.pages {
		if len(t.pages) <= pagesInCache/2 {
			break
		}
		delete(t.pages, n)
	}
	return nil
}

// flush writes the changed pages, in file order.
func (t *table) flush() error {
	var dirty []int64
	for n, p := range t.pages {
		if p.dirty {
			dirty = append(dirty, n)
		}
	}
	slices.Sort(dirty)
	for _, n := range dirty {
		p := t.pages[n]
		if _, err := t.file.WriteAt(p.bytes[:], n*pageSize); err != nil {
			return err
		}
		p.dirty = false
	}
	return nil
}

// cover makes the file long enough for the entry of chunk q, and for some more so that this
// is rare; sync says whether to make that durable. (What was long enough at first may not be
// durable either: whoever did that may have been killed.)
func (t *table) cover(q axial.Number, sync bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q < t.covered {
		return nil
	}
	size, err := t.file.Size()
	if err != nil {
		return err
	}
	if end := (int64(q)/pageEntries + 1) * pageSize; size < end {
		size = end + min(end/4, maxAhead)/pageSize*pageSize
		if err := t.file.Truncate(size); err != nil {
			return err
		}
		t.lasting = 0
	}
	if sync && t.lasting < size {
		if err := t.file.Sync(); err != nil {
			return err
		}
		t.lasting = size
	}
	t.covered = axial.Number(size / entrySize)
	return nil
}

// forget drops all that is known of the file; no page may be changed: the file is.
func (t *table) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.pages)
	t.touched = nil
	t.covered = 0
}

// write writes the changed pages.
func (t *table) write() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.flush()
}

func (t *table) sync() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.flush(); err != nil {
		return err
	}
	return t.file.Sync()
}

// each calls f for each written chunk below limit, see Store.Each. Changed pages are
// written first, so that the file has them all.
func (t *table) each(limit axial.Number, f func(axial.Number, error) error) error {
	t.mu.Lock()
	err := t.flush()
	t.mu.Unlock()
	if err != nil {
		return err
	}
	return t.eachPage(0, int64((limit+pageEntries-1)/pageEntries), func(n int64, p *page) error {
		return t.eachOf(p, axial.Number(n*pageEntries), limit, f)
	})
}

// eachOf calls f for the written chunks of one page, which begins with chunk q, those whose entries
// are lost among them.
func (t *table) eachOf(p *page, q, limit axial.Number, f func(axial.Number, error) error) error {
	for i := range min(axial.Number(pageEntries), limit-q) {
		e, err := t.decode(p, q+i)
		if e.length == 0 && err == nil {
			continue
		}
		if err := f(q+i, err); err != nil {
			return err
		}
	}
	return nil
}
