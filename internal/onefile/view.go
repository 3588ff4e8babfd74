package onefile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync/atomic"

	"drx/internal/errkind"
	"drx/internal/vfs"
)

// A view is a member of an array as a vfs.File of its own.
type view struct {
	*Container
	member    member
	directory bool // a log that has the names, in a file with several arrays
	mirror    bool // a mirror of the directory
	fronts    bool // the presence map is in the fronts of groups, as in files of earlier versions
	closed    atomic.Bool
	found     atomic.Pointer[foundStream] // the last one, which saves the search for single elements
}

// A foundStream is the stream that a view is in, of some streams, and where its bytes are.
type foundStream struct {
	of *streams
	*stream
	number int
	runs   *vfs.Runs
}

// Log returns the log of the array, Data its principal array, Table its chunk table and Presence
// its presence map. Each is closed once.
func (c *Container) Log() vfs.File { return &logView{view: c.view(logMember)} }

// Data returns the principal array.
func (c *Container) Data() vfs.File { return c.view(dataMember) }

// Table returns the chunk table.
func (c *Container) Table() vfs.File { return c.view(tableMember) }

// Presence returns the presence map.
func (c *Container) Presence() vfs.File { return c.view(presenceMember) }

func (c *Container) view(m member) *view {
	c.views.Add(1)
	return &view{Container: c, member: m}
}

// number returns the number of the stream that the member is in.
func (v *view) number(s *streams) int {
	switch {
	case v.directory && v.mirror:
		return witness(directoryStream)
	case v.directory:
		return directoryStream
	case v.member == logMember:
		return v.base
	case v.member == presenceMember && !v.fronts && s.stream(witness(v.base)).length > 0:
		return witness(v.base)
	}
	return v.base + 1
}

func (v *view) stream() *stream { return v.now().stream }

// now returns the current stream.
func (v *view) now() *foundStream {
	now, old := v.streams.Load(), v.found.Load()
	if old != nil && old.of == now {
		return old
	}
	n := v.number(now)
	found := &foundStream{of: now, stream: now.stream(n), number: n}
	if old != nil && old.number == n && old.length == found.length { // another stream has grown
		found.runs = old.runs
	} else {
		found.runs = found.runsOf(v.member)
	}
	v.found.Store(found)
	return found
}

// Runs maps the bytes of the member to the file, as far as this process knows them.
func (v *view) Runs() *vfs.Runs { return v.now().runs }

// locate returns the position in the file of the byte at an offset, and the number of contiguous
// bytes from there. It returns false if the file has no such byte, as far as this process knows.
func (v *view) locate(off int64) (at, run int64, ok bool) {
	at, run = v.Runs().Find(off)
	return at, run, run > 0
}

// find is locate, but also checks whether another process has made the file longer.
func (v *view) find(off int64) (at, run int64, ok bool, err error) {
	if at, run, ok = v.locate(off); ok || off < 0 {
		return at, run, ok, nil
	}
	if err := v.refresh(); err != nil {
		return 0, 0, false, err
	}
	at, run, ok = v.locate(off)
	return at, run, ok, nil
}

// below returns the number of the member's bytes in front of an offset in the file.
func (v *view) below(at int64) int64 {
	s := v.stream()
	if !s.shaped() {
		return s.below(at)
	}
	return s.shape.below(v.member, s.below(at))
}

// Locate returns where the byte at an offset is, and how many from there on adjoin.
func (v *view) Locate(off int64) (file vfs.File, at, run int64, ok bool) {
	at, run, ok, err := v.find(off)
	return v.File(), at, run, ok && err == nil
}

// check returns an error for operations that no file allows.
func (v *view) check(op string, off int64, change bool) error {
	err := error(nil)
	switch {
	case v.closed.Load():
		err = fs.ErrClosed
	case change && !v.write:
		err = fs.ErrPermission
	case off < 0:
		err = fs.ErrInvalid
	default:
		return nil
	}
	return &fs.PathError{Op: op, Path: v.Name(), Err: err}
}

// capacity returns the number of the member's bytes that have a position in the file.
func (v *view) capacity() int64 {
	s := v.stream()
	if !s.shaped() {
		return s.length
	}
	return s.shape.below(v.member, s.length)
}

// Size returns the capacity of the member in bytes.
func (v *view) Size() (int64, error) {
	if err := v.check("size", 0, false); err != nil {
		return 0, err
	}
	if err := v.refresh(); err != nil {
		return 0, err
	}
	return v.capacity(), nil
}

// ReadAt reads bytes.
func (v *view) ReadAt(b []byte, off int64) (int, error) {
	if err := v.check("read", off, false); err != nil {
		return 0, err
	}
	done := 0
	for done < len(b) {
		at, run, ok, err := v.find(off + int64(done))
		if err != nil {
			return done, err
		}
		if !ok {
			return done, io.EOF
		}
		n, err := v.File().ReadAt(b[done:done+int(min(run, int64(len(b)-done)))], at)
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// WriteAt writes bytes. The file grows for them.
func (v *view) WriteAt(b []byte, off int64) (int, error) {
	if err := v.check("write", min(off, math.MaxInt64-int64(len(b))-off), true); err != nil || len(b) == 0 {
		return 0, err
	}
	if off == 0 && v.Moves() {
		if err := v.move(); err != nil {
			return 0, err
		}
	}
	all := len(b)
	b = v.trim(b, off)
	if err := v.growTo(off + int64(len(b))); err != nil {
		return 0, err
	}
	defer v.note()
	done := 0
	for done < len(b) {
		at, run, ok := v.locate(off + int64(done))
		if !ok {
			return done, errkind.Errorf(fs.ErrInvalid, "%s: byte %d has no place", v.Name(), off+int64(done))
		}
		n, err := v.File().WriteAt(b[done:done+int(min(run, int64(len(b)-done)))], at)
		if done += n; err != nil {
			return done, err
		}
	}
	return all, nil
}

// trim removes zeros beyond the end of the table from bytes to be written: the pages of a small
// array's table are longer than its space, and the file need not grow for them.
func (v *view) trim(b []byte, off int64) []byte {
	if v.member != tableMember {
		return b
	}
	has := max(0, min(int64(len(b)), v.capacity()-off))
	return b[:max(has, int64(len(bytes.TrimRight(b, "\x00"))))]
}

// growTo extends the member to at least size bytes.
func (v *view) growTo(size int64) error {
	if _, _, ok := v.locate(size - 1); ok || size == 0 {
		return nil
	}
	now := v.now()
	switch {
	case v.member == logMember || isWitness(now.number):
		return v.growLog(now.number, size)
	case v.member == presenceMember: // behind the head, see chunktable.PresenceHead
		return v.growTable(size-1-v.stream().shape.below(presenceMember, v.stream().shape.Unit), false)
	case v.member == tableMember:
		return v.growTable((size-1)/v.entryBytes(), false)
	}
	return v.growTable((size-1)/v.stream().shape.Slot, false)
}

// entryBytes returns the bytes of an entry of the chunk table.
func (v *view) entryBytes() int64 {
	s := v.stream().shape
	per, _ := s.per(tableMember)
	return per / max(1, s.Chunks)
}

func (v *view) growTable(q int64, sync bool) error {
	_, err := v.cover(q, 0, sync)
	return err
}

// Cover makes space for chunk q, of an array whose number of chunks is "of", in table, presence map
// and principal array at once, and returns the number of chunks for which there is space then. With
// sync that is durable.
func (v *view) Cover(q, of int64, sync bool) (int64, error) {
	if err := v.check("extend", q, true); err != nil {
		return 0, err
	}
	return v.cover(q, of, sync)
}

// eachRun calls f for the ranges of the file that hold n bytes from off, as far as they exist.
func (v *view) eachRun(off, n int64, f func(at, n int64) error) error {
	for n > 0 {
		at, run, ok := v.locate(off)
		if !ok {
			return nil
		}
		run = min(run, n)
		if err := f(at, run); err != nil {
			return err
		}
		off, n = off+run, n-run
	}
	return nil
}

// Punch returns the space of n bytes to the file system; they are zeros then.
func (v *view) Punch(off, n int64) error {
	if err := v.check("punch", min(off, n), true); err != nil {
		return err
	}
	defer v.note()
	return v.eachRun(off, n, v.File().Punch)
}

// Allocate advises the file system to allocate space. Errors are ignored.
func (v *view) Allocate(off, n int64) {
	_ = v.eachRun(off, n, func(at, n int64) error { v.File().Allocate(at, n); return nil })
}

// zero sets n bytes from off to zero, the last ones first: if the process is killed in between, the
// rest begins at off, where the search for the log's end finds it. It punches them, which needs no
// space, and writes zeros only where that has no effect.
func (v *view) zero(off, n int64) error {
	var runs [][2]int64
	_ = v.eachRun(off, n, func(at, n int64) error { runs = append(runs, [2]int64{at, n}); return nil })
	for _, run := range slices.Backward(runs) {
		if err := v.File().Punch(run[0], run[1]); err != nil {
			return err
		}
	}
	at, err := firstNonzero(v, off, off+n)
	if at < 0 || err != nil {
		return err
	}
	for end := off + n; end > at; {
		from := max(at, (end-1)&^(page-1))
		if _, err := v.WriteAt(make([]byte, end-from), from); err != nil {
			return err
		}
		end = from
	}
	return nil
}

// Truncate sets the bytes from size on to zero. They keep their positions. Those of the principal
// array may stay where the file system cannot punch them.
func (v *view) Truncate(size int64) error {
	if err := v.check("truncate", size, true); err != nil {
		return err
	}
	if err := v.growIfShort(size); err != nil {
		return err
	}
	end, err := v.Size()
	if err != nil {
		return err
	}
	defer v.note()
	return eachNonzero(v, size, end, func(piece []byte, off int64) error {
		if v.member == dataMember {
			return v.eachRun(off, int64(len(piece)), v.File().Punch)
		}
		return v.zero(off, int64(len(piece)))
	})
}

// growIfShort extends the member if it is shorter.
func (v *view) growIfShort(size int64) error {
	if size <= v.capacity() {
		return nil
	}
	return v.growTo(size)
}

// Data returns the next range that may hold other bytes than zeros.
func (v *view) Data(off int64) (from, to int64, err error) {
	if err := v.check("seek", off, false); err != nil {
		return 0, 0, err
	}
	for {
		at, _, ok, err := v.find(off)
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			return 0, 0, io.EOF
		}
		begin, end, err := v.File().Data(at)
		if err != nil {
			return 0, 0, err
		}
		// The bytes before begin are zeros. If the range has nothing of this member, go on behind
		// it.
		if from, to = max(off, v.below(begin)), v.below(end); from < to {
			return from, to, nil
		}
		off = to
	}
}

// Allocated returns how many bytes of the member are no holes.
func (v *view) Allocated() (sum int64, err error) {
	for off := int64(0); ; {
		from, to, err := v.Data(off)
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		sum, off = sum+to-from, to
	}
}

// Sync makes all writes to the file durable, by whichever view.
func (v *view) Sync() error {
	if err := v.check("sync", 0, false); err != nil {
		return err
	}
	return v.Container.Sync()
}

// Close closes the view.
func (v *view) Close() error {
	if err := v.check("close", 0, false); err != nil {
		return err
	}
	v.closed.Store(true)
	return v.close()
}

// Identity returns the identity of the file.
func (v *view) Identity() (any, error) { return v.File().Identity() }

// Access returns the mode and owner of the file.
func (v *view) Access() (vfs.Access, error) { return v.File().Access() }

// Map is for the file as a whole, see Locate.
func (v *view) Map(int64, int) (vfs.Mapping, error) {
	return nil, &fs.PathError{Op: "map", Path: v.Name(), Err: errors.ErrUnsupported}
}
