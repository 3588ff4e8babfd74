package onefile

import (
	"errors"
	"io/fs"

	"drx/internal/vfs"
)

var (
	// ErrSeveral is returned for a file with several arrays that is opened as if it were one.
	ErrSeveral = errors.New("it is a file with several arrays, not one: give the name of one, as drx ls lists them")
	// ErrOneArray is returned for a file with one array that is opened as if it had several.
	ErrOneArray = errors.New("it is a file with one array, which has no other arrays in it")
)

// A Member is a file with several arrays that was opened for one of them. It has the bytes of the
// file, but the name, identity and locks of the array. Open returns the Container of that array.
type Member struct {
	vfs.File
	name   string
	stream int
}

// NewMember returns the array in a stream of a file.
func NewMember(file vfs.File, name string, stream int) *Member { return &Member{file, name, stream} }

// baseOf returns the number of the stream with the log of the array for which a file was opened.
func baseOf(file vfs.File) int {
	if m, is := file.(*Member); is {
		return m.stream
	}
	return logStream
}

// IsMember reports whether a file was opened for one of several arrays in it.
func IsMember(file vfs.File) bool { return baseOf(file) != logStream }

// Name returns the name of the array.
func (m *Member) Name() string { return m.name }

// Original returns the file, in which bytes are copied.
func (m *Member) Original() vfs.File { return m.File }

// memberID is the identity of an array in a file.
type memberID struct {
	file   any
	stream int
}

// MemberIdentity returns the identity of the array in a stream of a file whose identity is file.
func MemberIdentity(file any, stream int) any { return memberID{file, stream} }

// Identity returns the identity of the array.
func (m *Member) Identity() (any, error) {
	id, err := m.File.Identity()
	return MemberIdentity(id, m.stream), err
}

// locksPerArray is the number of locks of a file for each array: numbers 0 to 3, as in a file of
// its own. The numbers 0 to 3 of the file itself belong to the array in streams 0 and 1.
const locksPerArray = 4

// Locks returns lock number n of the array.
func (m *Member) Locks(n int) vfs.Locker { return m.File.Locks(m.stream/2*locksPerArray + n) }

// Lock acquires the lock of the array.
func (m *Member) Lock() error { return m.Locks(0).Lock() }

// LockShared acquires the lock of the array in shared mode.
func (m *Member) LockShared() error { return m.Locks(0).LockShared() }

// Unlock releases the lock of the array.
func (m *Member) Unlock() error { return m.Locks(0).Unlock() }

// Locked reports whether another open file has the lock of the array.
func (m *Member) Locked() bool { return m.Locks(0).Locked() }

// unborn reports whether the array was named, but not laid out.
func (m *Member) unborn() (bool, error) {
	c, err := openFile(m, false)
	if err != nil {
		return false, err
	}
	return !c.streams.Load().laidOut(m.stream), nil
}

// formatMember is Format for one of several arrays: it adds its streams at the end of the file.
// They are complete, durably, when it returns.
func (c *Container) formatMember(shape Shape) error {
	return c.allocate(func(s *streams) error {
		if s.stream(c.base).length > 0 {
			return &fs.PathError{Op: "create", Path: c.Name(), Err: fs.ErrExist}
		}
		if err := errors.Join(c.allowWitnesses(), c.makeRecord()); err != nil {
			return err
		}
		// One extension of the file for all of it saves syncs.
		vouches := roundUp(c.streams.Load().end+firstLogExtent, block)
		if err := c.reserve(roundUp(vouches+block, shape.Unit) + shape.Unit); err != nil {
			return err
		}
		if err := c.extend(c.base, firstLogExtent); err != nil {
			return err
		}
		if err := c.extend(witness(c.base), block); err != nil {
			return err
		}
		if err := c.makeRecord(); err != nil {
			return err
		}
		r := record{shapeKind, uint32(c.base + 1), shape.Slot, shape.Chunks, shape.Unit}
		if err := c.apply(len(c.streams.Load().records), r); err != nil {
			return err
		}
		return c.extend(c.base+1, shape.Unit)
	})
}

// memberGroup is about the size in bytes of a group of an array that shares the file with others.
// It is smaller than for a single array, because the last group must be completed, by a hole,
// before another array can grow.
const memberGroup = 2 << 20

// memberGroupBefore is memberGroup in files of earlier versions.
const memberGroupBefore = 1 << 20

// small returns the shape with groups for an array that shares the file with others.
func (s Shape) small() Shape { return s.within(memberGroup) }

// within returns the shape with groups of at most about the given number of bytes.
func (s Shape) within(bytes int64) Shape {
	s.Chunks = min(s.Chunks, vouchPage, max(1, bytes/s.Slot))
	if whole := page / gcd(s.Slot, page); whole <= s.Chunks {
		s.Chunks -= s.Chunks % whole
	}
	return s
}
