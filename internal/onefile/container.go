package onefile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/state"
	"drx/internal/vfs"
)

// firstLogExtent is the length of the log's first extent in bytes. With the header it is 32 KiB.
const firstLogExtent = 6 * page

// A Container is an open file with one array, or a file with several that was opened for one of
// them, see Member. Each of its views is closed separately; the last one closes the file.
type Container struct {
	base   int      // stream of the array's log; the next one has its groups
	opened vfs.File // the file under the name by which it was opened
	file   atomic.Pointer[vfs.File]
	write  bool
	fixed  bool         // it is damaged, and the header is not read again
	views  atomic.Int32 // the number of open views

	streams atomic.Pointer[streams] // nil before Format
	// alone is set while nobody else writes the array.
	alone atomic.Bool
	// relaxed means that no write must be durable before another one: after a crash of the machine
	// the file may have any of them.
	relaxed atomic.Bool

	mu      sync.Mutex // held while the header is read again or changed
	durable bool       // the header in memory is surely durable
	// reserved is a length that the file surely has, durably.
	reserved int64
	// written counts writes; synced is its value at the last successful Sync.
	written, synced atomic.Int64
}

// New returns the container for a file that is new and empty. Format must follow before anything is
// written.
func New(file vfs.File) *Container {
	c := &Container{base: baseOf(file), opened: file, write: true}
	c.file.Store(&file)
	return c
}

// exclusive reports whether nobody else changes the file, so that the header in memory equals the
// header of the file. In a file with several arrays, other arrays may grow.
func (c *Container) exclusive() bool { return c.base == logStream && c.alone.Load() }

// Open returns the container in a file that is open, for writing as well if write says so. After an
// error the file is still open. The error wraps fs.ErrNotExist if the file was never completely
// created, state.ErrCorrupt with the byte that is wrong, or state.ErrVersion.
func Open(file vfs.File, write bool) (*Container, error) {
	c, err := openFile(file, write)
	if err != nil {
		return nil, err
	}
	switch s := c.streams.Load(); {
	case s.several && c.base == logStream:
		return nil, c.named(ErrSeveral)
	case !s.laidOut(c.base):
		return nil, c.named(errUnborn)
	}
	return c, nil
}

// errUnborn is the error for an array without a commit.
var errUnborn = errkind.Errorf(fs.ErrNotExist, "empty: the array is still being created, or its creation was interrupted")

// openFile is Open for whatever the file has.
func openFile(file vfs.File, write bool) (*Container, error) {
	c := New(file)
	c.write = write
	s, err := c.readHeader()
	if err != nil {
		if unborn, unbornErr := unbornFile(file); unbornErr == nil && unborn {
			err = errUnborn
		}
		return nil, c.named(err)
	}
	c.streams.Store(s)
	if err := c.checkLength(); err != nil {
		return nil, c.named(err)
	}
	return c, nil
}

// File returns the file.
func (c *Container) File() vfs.File { return *c.file.Load() }

// Name returns the name of the file.
func (c *Container) Name() string { return c.File().Name() }

// Rename records that the file has another name now.
func (c *Container) Rename(name string) {
	f := vfs.Renamed(c.opened, name)
	c.file.Store(&f)
}

// Relax records that no write needs to be durable before another one. It has no effect if the file
// has several arrays: a damaged header would lose them all.
func (c *Container) Relax() { c.relaxed.Store(c.base == logStream) }

// named adds the name of the file to an error.
func (c *Container) named(err error) error { return errkind.InFile(c.Name(), err) }

// headerTries is how often the header is read again that another process seems to be writing.
const headerTries = 5

// readHeader reads the header. A record that another process is just writing may be torn, so it
// reads again.
func (c *Container) readHeader() (s *streams, err error) {
	if s := c.streams.Load(); s != nil && s.unchanged(c.File()) {
		return s, nil
	}
	for range headerTries {
		if s, err = knownStreams(c.File()); err == nil || !errors.Is(err, state.ErrCorrupt) {
			break
		}
	}
	return s, err
}

// refresh reads the records that others have added to the file, unless nobody else can have added
// any.
func (c *Container) refresh() error {
	if c.fixed || c.exclusive() || c.isUnchanged() {
		return nil
	}
	return c.reread()
}

// isUnchanged reports whether the file has no extents besides those that were read. It has none if
// it ends with the last of them, because a writer makes the file longer before it adds an extent
// (invariant 2). There may be other records, which a writer must know.
func (c *Container) isUnchanged() bool {
	s := c.streams.Load()
	size, err := c.File().Size()
	return err == nil && s != nil && size == s.end
}

// reread reads the header again.
func (c *Container) reread() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refreshLocked()
}

func (c *Container) refreshLocked() error {
	s, err := c.readHeader()
	if err != nil {
		return c.named(err)
	}
	if s != c.streams.Load() {
		c.durable = false // its writer may have been killed before a sync
	}
	c.streams.Store(s)
	return nil
}

// checkLength compares the file with its header. A writer makes the file longer before the header
// records that, and until then the new bytes are zeros. So a shorter file was truncated, and to a
// file with other bytes behind its last extent something was appended.
func (c *Container) checkLength() error {
	for range headerTries {
		s := c.streams.Load()
		size, err := c.File().Size()
		if err != nil {
			return err
		}
		if size < s.end {
			return corrupt("it is cut short at byte %d of %d", size, s.end)
		}
		at, err := firstNonzero(c.File(), s.end, size)
		if err != nil || at < 0 {
			return err
		}
		// A writer may have made the file longer since the header was read.
		if err := c.refreshLocked(); err != nil {
			return err
		}
		if c.streams.Load() == s {
			return corrupt("it ends at byte %d, and something was appended at byte %d", s.end, at)
		}
	}
	return nil
}

// scanPiece is the number of bytes that are read at a time in search of nonzero ones.
const scanPiece = 64 << 10

// firstNonzero returns the offset of the first byte of a range of a file that is not zero, -1 if
// there is none.
func firstNonzero(f vfs.File, from, to int64) (int64, error) {
	at := int64(-1)
	err := eachNonzero(f, from, to, func(piece []byte, off int64) error {
		at = off + int64(bytes.IndexFunc(piece, func(r rune) bool { return r != 0 }))
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return at, err
}

// errStop ends eachNonzero.
var errStop = errors.New("stop")

// eachNonzero calls f with the pieces of a range of a file that are not all zeros. It skips holes.
func eachNonzero(file vfs.File, from, to int64, f func(piece []byte, off int64) error) error {
	var buf []byte
	for from < to {
		begin, end, err := file.Data(from)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if end = min(end, to); buf == nil && begin < end {
			buf = make([]byte, min(scanPiece, end-begin))
		}
		for from = begin; from < end; {
			n, err := file.ReadAt(buf[:min(int64(len(buf)), end-from)], from)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if piece := buf[:n]; !isZero(piece) {
				if err := f(piece, from); err != nil {
					return err
				}
			}
			if from += int64(n); n == 0 {
				return nil
			}
		}
		if len(buf) < scanPiece {
			buf = nil
		}
	}
	return nil
}

// Sync makes all writes durable. It does nothing if nobody else writes the array and nothing was
// written since the last Sync.
func (c *Container) Sync() error {
	count := c.written.Load()
	if c.alone.Load() && c.synced.Load() > count {
		return nil
	}
	if err := c.File().Sync(); err != nil {
		return err
	}
	c.synced.Store(count + 1)
	return nil
}

// note notes that something was written.
func (c *Container) note() { c.written.Add(1) }

// close closes the file with the last view.
func (c *Container) close() error {
	if c.views.Add(-1) > 0 {
		return nil
	}
	return c.File().Close()
}

// Unborn reports whether the creation of a file, or of an array in it, was interrupted before its
// end. The next creation replaces it.
func Unborn(file vfs.File) (bool, error) {
	if m, is := file.(*Member); is {
		return m.unborn()
	}
	return unbornFile(file)
}

// unbornFile is Unborn for a file as a whole.
func unbornFile(file vfs.File) (bool, error) {
	size, err := file.Size()
	if err != nil || size == 0 {
		return err == nil, err
	}
	if size < headerBytes+firstLogExtent || size > maxUnborn { // its length was durable first
		return false, nil
	}
	head := make([]byte, headerBytes)
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	// Each sector of the header may have reached the disk or not. If the header is whole, the log
	// decides.
	if _, err := knownStreams(file); err == nil {
		return false, nil
	}
	for i := range 2 {
		start, records, rest := head[i*page:i*page+recordsAt], head[i*page+recordsAt:i*page+2*recordsAt], head[i*page+2*recordsAt:(i+1)*page]
		if _, err := decodeStart(start); !isZero(start) && err != nil || !isZero(rest) {
			return false, nil
		}
		for n := range recordsAt / recordBytes {
			raw := records[n*recordBytes : (n+1)*recordBytes]
			if _, ok := decodeRecord(raw, n); !ok && !isZero(raw) {
				return false, nil
			}
		}
	}
	return LacksChunks(file) // otherwise a damaged block has lost the header and the log
}

// Is reports whether a file is, or was before it was damaged, an array in one file: it is empty or
// unborn, or one copy of its header begins as a header must, or both copies begin with zeros,
// because a crash has lost them.
func Is(file vfs.File) (bool, error) {
	if unborn, err := unbornFile(file); err != nil || unborn {
		return unborn, err
	}
	head := make([]byte, page+recordsAt)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	first, second := head[:min(n, recordsAt)], head[min(n, page):n]
	word := []byte(magic[:7])
	return bytes.HasPrefix(first, word) || bytes.HasPrefix(second, word) || isZero(first) && isZero(second), nil
}

// FirstLogExtent returns the bytes of the first extent of the log, as far as the file has them,
// without reading the header, which may be damaged. It returns nil if the header begins neither as
// a header must nor with zeros, as after a crash that has lost it.
func FirstLogExtent(file vfs.File) ([]byte, error) {
	head := make([]byte, headerBytes+firstLogExtent)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for i := range 2 {
		start := head[i*page : i*page+recordsAt]
		if _, err := decodeStart(start); !isZero(start) && err != nil {
			return nil, nil
		}
	}
	return head[headerBytes:max(headerBytes, n)], nil
}

// LacksChunks reports whether a file has nothing behind the first extent of the log but the head of
// an unused presence map. It does not read the header, which may be lost.
func LacksChunks(file vfs.File) (bool, error) {
	size, err := file.Size()
	if err != nil {
		return false, err
	}
	at, err := firstNonzero(file, headerBytes+firstLogExtent, size)
	if err != nil || at < 0 {
		return err == nil, err
	}
	at -= at % page // where the head is
	if rest, err := firstNonzero(file, at+chunktable.PresenceHead, size); err != nil || rest >= 0 {
		return false, err
	}
	b := make([]byte, chunktable.PresenceHead)
	if _, err := file.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	head, err := vfs.NewMem().Create(file.Name())
	if err == nil {
		_, err = head.WriteAt(b, 0)
	}
	if err != nil {
		return false, err
	}
	return chunktable.IsUnused(head)
}

// maxUnborn is the most bytes of a file that was never completely created: header, first extent,
// presence map and head of the groups.
const maxUnborn = headerBytes + firstLogExtent + 2*block + 2*maxUnit
