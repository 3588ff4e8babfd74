package pexta

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// nameAttr is the attribute with the name that a program has given to an array.
const nameAttr = "pexta_name"

// An Info describes an array.
type Info struct {
	Type       dtype.DType
	Shape      []int // extents, in elements
	ChunkShape []int // extents of a chunk, in elements
	Name, File string
	Mode       Mode
}

// An array is an open disk array.
type array struct {
	file, name string
	mode       Mode
	comm       par.Comm
	disk       *drxmp.Array
	cache      int64 // bytes of memory for its chunks

	// The number of requests so far that change the array, and the number of the last committed
	// one.
	changes, committed int
}

// Open opens an existing array, collective over the procs of c, which must stay open as long as the
// array. The error wraps par.ErrArgument, drx.ErrDType, drx.ErrRank or ErrTooMany, or is that of
// drx.Open: fs.ErrNotExist for a missing file.
func (s *Session) Open(c par.Comm, file string, m Mode) (Handle, error) {
	file, err := s.opening(c, "open", file, m)
	if err != nil {
		return 0, err
	}
	cache := s.share()
	disk, err := drxmp.Open(c, file, drxmp.Options{Options: s.drxOptions(m, cache), Engine: drxmp.Direct})
	if err != nil {
		return 0, err
	}
	a := &array{file: file, mode: m, comm: c, disk: disk, cache: cache}
	a.name = storedName(disk.Attrs()[nameAttr])
	err = checkType(disk.DType())
	if err == nil {
		err = checkRank(len(disk.Shape()))
	}
	if err != nil { // the same on all procs
		_ = disk.Discard() // err is what the caller needs
		return 0, a.errorf("open", err)
	}
	return s.add(a), nil
}

// nameValue returns the attribute value for a name: text, or the numbers of its bytes if it is not
// UTF-8, which JSON cannot represent.
func nameValue(name string) any {
	if utf8.ValidString(name) {
		return name
	}
	numbers := make([]int, len(name))
	for i := range len(name) {
		numbers[i] = int(name[i])
	}
	return numbers
}

// storedName is the inverse of nameValue. It returns "" for any other value, which another program
// may have set.
func storedName(value []byte) (name string) {
	if json.Unmarshal(value, &name) == nil {
		return name
	}
	var numbers []uint16
	if json.Unmarshal(value, &numbers) != nil {
		return ""
	}
	b := make([]byte, len(numbers))
	for i, n := range numbers {
		b[i] = byte(n)
	}
	return string(b)
}

// opening begins Create and Open: it returns the file name given by proc 0.
func (s *Session) opening(c par.Comm, op, file string, m Mode) (string, error) {
	err := s.admit()
	if err == nil {
		err = m.check()
	}
	if err == nil && file == "" {
		err = errkind.Errorf(par.ErrArgument, "file name %q: may not be empty", file)
	}
	if err := agreeOn(c, file, op, err); err != nil {
		return "", err
	}
	names, err := c.AllGather([]byte(file))
	if err != nil {
		return "", err
	}
	return drx.BaseName(string(names[0])), nil
}

// drxOptions returns the options of an array with cache bytes of memory for its chunks. The session
// has goroutines of its own.
func (s *Session) drxOptions(m Mode, cache int64) drx.Options {
	return drx.Options{Write: m.writes(), Cache: cache, Goroutines: 1, Durability: s.options.Durability}
}

// share returns the bytes of memory for chunks of the next array: a part of the half of the
// session's memory that is for chunks, minus what the open arrays have. Thus any number of arrays
// together never exceed that half. At least one byte means one chunk.
func (s *Session) share() int64 {
	left, more := s.options.MaxMemory/2, usualArrays
	for _, a := range s.arrays {
		left -= a.cache
	}
	if s.options.MaxArrays > 0 {
		more = s.options.MaxArrays - len(s.arrays)
	}
	return max(1, left/int64(max(1, more)))
}

// usualArrays is the number of further arrays for which share leaves memory if their number is not
// limited.
const usualArrays = 8

// Close ends all requests on an array, commits what they have written, and closes the files,
// collective. It returns the first error; the array is closed all the same, unless procs close
// different ones: ErrHandle or par.ErrDisagree.
func (s *Session) Close(h Handle) error {
	a, err := s.array("close", h)
	if err != nil {
		return err
	}
	if err := a.agree("close", nil); errors.Is(err, ErrHandle) || errors.Is(err, par.ErrDisagree) {
		return err
	}
	return s.close(h, a)
}

func (s *Session) close(h Handle, a *array) error {
	var first error
	for _, r := range s.of(a) {
		if err := s.finish(r); first == nil {
			first = err
		}
		s.remove(r)
	}
	delete(s.arrays, h)
	if err := a.disk.Close(); first == nil {
		first = err
	}
	return first
}

// Delete ends all requests on an array, closes the files without a commit and removes them,
// collective. The array may have been opened in any mode. The error is that of drx.Remove; the
// array is closed all the same, unless it is ErrHandle or par.ErrDisagree.
func (s *Session) Delete(h Handle) error {
	a, err := s.array("delete", h)
	if err != nil {
		return err
	}
	if err := a.agree("delete", nil); err != nil {
		if errors.Is(err, par.ErrFailed) {
			_ = s.close(h, a) // its error is err
		}
		return err
	}
	for _, r := range s.of(a) {
		s.drain(r)
		s.remove(r)
	}
	delete(s.arrays, h)
	err = a.disk.Discard()
	if err == nil && a.comm.Proc() == 0 {
		err = drx.Remove(a.file)
	}
	return a.agree("delete", err)
}

// Inquire describes an array as this session sees it, local. Changes by other programs appear after
// Refresh.
func (s *Session) Inquire(h Handle) (Info, error) {
	a, err := s.array("inquire", h)
	if err != nil {
		return Info{}, err
	}
	return Info{a.disk.DType(), a.disk.Shape(), a.disk.ChunkShape(), a.name, a.file, a.mode}, nil
}

// Refresh updates an array that is open for reading to the last commit of other programs, and
// returns the result of Inquire, collective. While an array is open for writing, others cannot
// write to it.
func (s *Session) Refresh(h Handle) (Info, error) {
	a, err := s.array("inquire", h)
	if err != nil {
		return Info{}, err
	}
	if err := a.refresh(); err != nil {
		return Info{}, err
	}
	return s.Inquire(h)
}

func (a *array) refresh() error {
	if err := a.agree("refresh", nil); err != nil || a.mode.writes() {
		return err
	}
	if _, err := a.disk.Refresh(); err != nil {
		return err
	}
	return a.errorf("refresh", checkRank(len(a.disk.Shape())))
}

// whole returns the section of all elements.
func whole(shape []int) nd.Section { return nd.Box(make([]int, len(shape)), shape) }
