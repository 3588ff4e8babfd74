package onefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"drx/internal/crc32c"
	"drx/internal/errkind"
	"drx/internal/vfs"
)

// The directory of a file with several arrays is a log of entries that are never changed, see
// FORMAT.md.
const (
	entryBytes    = 512 // of one copy of an entry
	entryNameAt   = 16
	maxName       = entryBytes - entryNameAt
	entriesAtOnce = 8 // entries read at a time: mostly the process has read all of them before
)

// The kinds of entries.
const (
	nameEntry   = 1 // gives a stream a name
	removeEntry = 2 // a stream loses its name
)

// An entry is one change of the names.
type entry struct {
	kind, stream uint32
	name         string // of a nameEntry
}

// encode returns the bytes of entry number n.
func (e entry) encode(n int) []byte {
	b := make([]byte, entryBytes)
	le := binary.LittleEndian
	le.PutUint32(b[4:], e.kind)
	le.PutUint32(b[8:], e.stream)
	le.PutUint32(b[12:], uint32(len(e.name)))
	copy(b[entryNameAt:], e.name)
	var number [8]byte
	le.PutUint64(number[:], uint64(n))
	le.PutUint32(b, crc32c.Update(crc32c.Sum(b[4:]), number[:]))
	return b
}

// decodeEntry returns entry number n, and whether it is intact.
func decodeEntry(b []byte, n int) (e entry, ok bool) {
	le := binary.LittleEndian
	length := le.Uint32(b[12:])
	if length > maxName {
		return entry{}, false
	}
	e = entry{le.Uint32(b[4:]), le.Uint32(b[8:]), string(b[entryNameAt : entryNameAt+length])}
	return e, bytes.Equal(e.encode(n), b)
}

// newestEntry returns entry number n, whose two copies are in b, and its state. As with records,
// the first copy is durable before the second is written.
func newestEntry(b []byte, n int) (entry, int) {
	first, firstOK := decodeEntry(b[:entryBytes], n)
	second, secondOK := decodeEntry(b[entryBytes:], n)
	switch {
	case firstOK && secondOK && first != second:
		return entry{}, damagedRecord
	case firstOK:
		return first, goodRecord
	case secondOK:
		return second, goodRecord
	case isZero(b[:entryBytes]) || isZero(b[entryBytes:]):
		return entry{}, absentRecord
	}
	return entry{}, damagedRecord
}

// A Directory has the names of the arrays in a file. It is not safe for concurrent use.
type Directory struct {
	c       *Container
	log     *view // the stream of the entries
	mirror  *view // its witness, with one copy of each
	entries int   // that were read
	streams map[string]int
	names   map[int]string
	next    int    // the lowest number of a stream that was never used
	raw     []byte // the entries that were read, both copies of each
	kept    int    // number of them that were in latestNames
}

// FormatSeveral formats a new, empty file as one with several arrays, durably. It has no array yet.
func FormatSeveral(file vfs.File) error {
	const mirror = (headerBytes + firstLogExtent + block - 1) / block * block
	raw := encodeHeader(form{several: true, witnesses: true}, []record{
		{extentKind, directoryStream, 0, headerBytes, firstLogExtent},
		{extentKind, uint32(witness(directoryStream)), 0, mirror, block},
	})
	if err := file.Truncate(mirror + block); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if _, err := file.WriteAt(raw, 0); err != nil {
		return err
	}
	return file.Sync()
}

// Several reports whether a file, which may be damaged otherwise, is one with several arrays.
func Several(file vfs.File) (bool, error) {
	head := make([]byte, page+len(magic))
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	for _, f := range []form{{several: true}, {several: true, witnesses: true}} {
		if bytes.HasPrefix(head[:n], f.word()) || n > page && bytes.HasPrefix(head[page:n], f.word()) {
			return true, nil
		}
	}
	return false, nil
}

// OpenDirectory reads the directory of a file with several arrays. The file stays open, and is not
// closed by the Directory. The error is that of Open, or wraps ErrOneArray for a file with one
// array.
func OpenDirectory(file vfs.File, write bool) (*Directory, error) {
	c, err := openFile(file, write)
	if err != nil {
		return nil, err
	}
	if !c.streams.Load().several {
		return nil, errkind.InFile(file.Name(), ErrOneArray)
	}
	d, before := newDirectory(c), c.streams.Load()
	d.recall()
	for range headerTries {
		if err = d.refresh(); err != nil {
			return nil, c.named(err)
		}
		if err = d.checkRest(); err == nil {
			break
		}
	}
	if err == nil {
		err = d.checkStreams(before)
	}
	if err != nil {
		return nil, c.named(err)
	}
	d.keep()
	if write {
		err = d.complete()
	}
	return d, c.named(err)
}

// latestNames caches the directory that this process has opened last, as latestSeveral does the
// header. It is immutable.
var latestNames atomic.Pointer[Directory]

// recall adopts the entries of the latest directory, if those of this one begin with the same
// bytes.
func (d *Directory) recall() {
	l := latestNames.Load()
	if l == nil || int64(len(l.raw)) > d.log.capacity() {
		return
	}
	raw := make([]byte, len(l.raw))
	if n, err := d.log.ReadAt(raw, 0); n == len(raw) && (err == nil || errors.Is(err, io.EOF)) && bytes.Equal(raw, l.raw) {
		d.raw, d.entries, d.kept, d.next = raw, l.entries, l.entries, l.next
		d.streams, d.names = maps.Clone(l.streams), maps.Clone(l.names)
	}
}

// keep makes the directory the latest one, unless it was recalled or is too long.
func (d *Directory) keep() {
	if d.entries == d.kept || len(d.raw) > mostKept {
		return
	}
	d.kept = d.entries
	latestNames.Store(&Directory{raw: slices.Clip(d.raw), entries: d.entries, next: d.next, streams: maps.Clone(d.streams), names: maps.Clone(d.names)})
}

// newDirectory returns a directory without entries; they are read later.
func newDirectory(c *Container) *Directory {
	return &Directory{c: c, log: &view{Container: c, directory: true}, mirror: &view{Container: c, directory: true, mirror: true}, streams: map[string]int{}, names: map[int]string{}, next: 2}
}

// Stream returns the number of the stream of an array, 0 if there is no array of that name.
func (d *Directory) Stream(name string) int { return d.streams[name] }

// Names returns the names of the arrays, sorted.
func (d *Directory) Names() []string { return slices.Sorted(maps.Keys(d.streams)) }

// refresh reads the entries that were added.
func (d *Directory) refresh() error {
	buf := make([]byte, 2*entryBytes*entriesAtOnce)
	for {
		n, err := d.log.ReadAt(buf, d.end())
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for rest := buf[:n]; ; rest = rest[2*entryBytes:] {
			if len(rest) < 2*entryBytes {
				if n < len(buf) {
					return nil
				}
				break
			}
			e, state, err := d.newest(rest[:2*entryBytes])
			if err != nil {
				return err
			}
			if state == absentRecord {
				return nil
			}
			if state == damagedRecord {
				return corrupt("entry %d of its directory, at byte %d of that, is damaged", d.entries, d.end())
			}
			if err := d.add(e); err != nil {
				return corrupt("entry %d of its directory, at byte %d of that: %v", d.entries, d.end(), err)
			}
			d.note(e)
		}
	}
}

// newest returns the next entry, whose two copies in the directory are in b, and its state. If the
// directory has lost the entry, it reads it from the mirror.
func (d *Directory) newest(b []byte) (entry, int, error) {
	e, state := newestEntry(b, d.entries)
	if state == goodRecord {
		return e, state, nil
	}
	copy := make([]byte, entryBytes)
	n, err := d.mirror.ReadAt(copy, int64(d.entries)*entryBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return e, state, err
	}
	if n < len(copy) || isZero(copy) {
		return e, state, nil
	}
	if e, ok := decodeEntry(copy, d.entries); ok {
		return e, goodRecord, nil
	}
	return e, damagedRecord, nil
}

// note keeps the bytes of the latest entry, as they are if both copies are whole.
func (d *Directory) note(e entry) {
	raw := e.encode(d.entries - 1)
	d.raw = append(append(d.raw, raw...), raw...)
}

// end returns where in the stream the next entry is.
func (d *Directory) end() int64 { return int64(d.entries) * 2 * entryBytes }

// checkRest returns an error if there are bytes behind the last entry: then entries are missing,
// unless another process has just added one.
func (d *Directory) checkRest() error {
	at, err := firstNonzero(d.log, d.end()+2*entryBytes, d.log.capacity())
	if err != nil || at < 0 {
		return err
	}
	return corrupt("entry %d of its directory, at byte %d of that, is missing", d.entries, d.end())
}

// checkStreams returns an error if the file has bytes of an array that the directory never had. An
// array gets its name, durably, before its first extent: so the last entries are lost, with all
// their copies. before is what the header said before the directory was read.
func (d *Directory) checkStreams(before *streams) error {
	if n := d.nameless(before); n != 0 {
		return corrupt("entry %d of its directory, or a later one, is lost: it has an array in stream %d, and no name for it", d.entries, n)
	}
	return nil
}

// nameless returns the number of a stream with an array whose entry is lost, 0 if there is none.
func (d *Directory) nameless(s *streams) int {
	for n := range s.list {
		if log := n % maxStreams &^ 1; log >= d.next {
			return log
		}
	}
	return 0
}

// add makes the next change of the names.
func (d *Directory) add(e entry) error {
	n := int(e.stream)
	switch {
	case n < 2 || n >= maxStreams || n%2 == 1:
		return corrupt("stream %d, which no array has", n)
	case e.kind == nameEntry:
		if err := checkName(e.name); err != nil {
			return err
		}
		delete(d.names, d.streams[e.name]) // an array that had the name before has none any more
		delete(d.streams, d.names[n])
		d.streams[e.name], d.names[n] = n, e.name
	case e.kind == removeEntry && e.name == "":
		delete(d.streams, d.names[n])
		delete(d.names, n)
	default:
		return corrupt("kind %d is unknown", e.kind)
	}
	d.next = max(d.next, n+2)
	d.entries++
	return nil
}

// checkName returns an error wrapping fs.ErrInvalid for a name that no array in a file can have.
func checkName(name string) error {
	switch {
	case len(name) > maxName:
		return errkind.Errorf(fs.ErrInvalid, "the name %.20q... has %d bytes, the limit in a file is %d", name, len(name), maxName)
	case name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || name == "." || name == ".." || path.Clean("/" + name)[1:] != name:
		return errkind.Errorf(fs.ErrInvalid, "%q is no name of an array in a file", name)
	}
	return nil
}

// Create gives a new array a name and returns the number of its stream, which nobody else uses. The
// error wraps fs.ErrExist, or fs.ErrInvalid for an impossible name.
func (d *Directory) Create(name string) (stream int, err error) {
	err = d.change(func() (entry, error) {
		if d.streams[name] != 0 {
			return entry{}, fs.ErrExist
		}
		stream = d.next
		for n := range d.c.streams.Load().list {
			n %= maxStreams // a witness has the number of its stream
			stream = max(stream, n+2-n%2)
		}
		if stream >= maxStreams {
			return entry{}, fmt.Errorf("%d arrays were made in it, which is the limit: copy it", stream/2-1)
		}
		return entry{nameEntry, uint32(stream), name}, nil
	})
	return stream, err
}

// Rename gives an array another name. An array that had that name is removed at the same moment.
// The error wraps fs.ErrNotExist if there is no array of the old name.
func (d *Directory) Rename(from, to string) error {
	return d.change(func() (entry, error) {
		if d.streams[from] == 0 {
			return entry{}, fs.ErrNotExist
		}
		return entry{nameEntry, uint32(d.streams[from]), to}, nil
	})
}

// Remove removes the name of an array. Its bytes stay. The error wraps fs.ErrNotExist.
func (d *Directory) Remove(name string) error {
	return d.change(func() (entry, error) {
		if d.streams[name] == 0 {
			return entry{}, fs.ErrNotExist
		}
		return entry{removeEntry, uint32(d.streams[name]), ""}, nil
	})
}

// directoryLock is the byte that a process locks to add an entry.
const directoryLock = allocationLock - 1

// change adds the entry that f returns, durably, under the lock of the names.
func (d *Directory) change(f func() (entry, error)) (err error) {
	unlock, err := d.c.File().LockRange(directoryLock, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := errors.Join(d.c.reread(), d.refresh()); err != nil {
		return d.c.named(err)
	}
	e, err := f()
	if err == nil && e.kind == nameEntry {
		err = checkName(e.name)
	}
	if err != nil {
		return err
	}
	return d.append(e)
}

// append writes an entry. What was written before it, by whomever, is durable first.
func (d *Directory) append(e entry) error {
	end, raw := d.end(), e.encode(d.entries)
	if err := d.log.growTo(end + 2*entryBytes); err != nil {
		return err
	}
	if err := d.addMissing(); err != nil {
		return err
	}
	if err := d.c.addWitness(directoryStream, int64(d.entries+1)*entryBytes); err != nil {
		return err
	}
	if err := d.c.Sync(); err != nil {
		return err
	}
	if err := d.clearTorn(end); err != nil {
		return err
	}
	if _, err := d.log.WriteAt(raw, end); err != nil {
		return err
	}
	if err := d.c.Sync(); err != nil {
		return err
	}
	if err := d.add(e); err != nil {
		return err
	}
	if _, err := d.log.WriteAt(raw, end+entryBytes); err != nil {
		return err
	}
	if _, err := d.mirror.WriteAt(raw, int64(d.entries-1)*entryBytes); err != nil {
		return err
	}
	d.note(e)
	d.keep()
	return nil
}

// complete adds missing entries to the mirror: a file of an earlier version has no mirror, and a
// crash may have lost the last entries.
func (d *Directory) complete() error {
	if mirrored, err := d.mirrored(d.entries); err != nil || mirrored {
		return err
	}
	unlock, err := d.c.File().LockRange(directoryLock, 1)
	if err != nil {
		return err
	}
	return errors.Join(d.refresh(), d.addMissing(), unlock())
}

// mirrored reports whether the mirror has entry number entries-1, and therefore all before it.
func (d *Directory) mirrored(entries int) (bool, error) {
	if entries == 0 {
		return true, nil
	}
	b := make([]byte, entryBytes)
	n, err := d.mirror.ReadAt(b, int64(entries-1)*entryBytes)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n == len(b) && bytes.Equal(b, d.raw[len(d.raw)-entryBytes:]), err
}

// addMissing is complete under the lock of the names. It writes the last entry last, because that
// one shows that the others are there.
func (d *Directory) addMissing() error {
	if mirrored, err := d.mirrored(d.entries); err != nil || mirrored {
		return err
	}
	if err := d.c.addWitness(directoryStream, int64(d.entries)*entryBytes); err != nil {
		return err
	}
	var all []byte
	for raw := d.raw; len(raw) > 0; raw = raw[2*entryBytes:] {
		all = append(all, raw[entryBytes:2*entryBytes]...)
	}
	last := len(all) - entryBytes
	if _, err := d.mirror.WriteAt(all[:last], 0); err != nil {
		return err
	}
	if err := d.c.Sync(); err != nil {
		return err
	}
	_, err := d.mirror.WriteAt(all[last:], int64(last))
	return err
}

// clearTorn removes the remains of an entry whose writing a crash has interrupted, so that they
// cannot be mistaken for the second copy of another entry.
func (d *Directory) clearTorn(end int64) error {
	b := make([]byte, 2*entryBytes)
	if _, err := d.log.ReadAt(b, end); err != nil || isZero(b) {
		return err
	}
	if err := d.log.zero(end, 2*entryBytes); err != nil {
		return err
	}
	return d.c.Sync()
}
