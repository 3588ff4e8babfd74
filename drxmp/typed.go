package drxmp

import (
	"drx/dtype"
	"drx/nd"
)

// ReadAll reads a section into data, dense and row-major or in the order given, while the other
// procs read theirs, collective. A nil section is the zone of this proc, which lies in memory as
// Zone.Shape says; a proc that has nothing to read takes part with an empty section. T must be the
// Go type of the array's element type. The error wraps drx.ErrDType, ErrRank, ErrBounds, ErrSize,
// ErrClosed or ErrCorrupt; data may have changed then.
func ReadAll[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	return readAll(a, sec, data, order)()
}

// WriteAll writes a section from data, laid out as ReadAll describes, while the other procs write
// theirs, collective. Sections of two procs must not overlap. All procs see what was written
// when it returns; it becomes durable with Sync. What others own is sent to them, which takes up to
// three times its bytes in memory meanwhile. The error wraps drx.ErrReadOnly too; some chunks
// may have been written then.
func WriteAll[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	return writeAll(a, sec, data, order)()
}

// StartReadAll is ReadAll in the background, collective. Other collective calls on the array wait
// for it; data belongs to it until Wait has returned.
func StartReadAll[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) *Request {
	return startRequest(readAll(a, sec, data, order))
}

// StartWriteAll is WriteAll in the background, collective, see StartReadAll.
func StartWriteAll[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) *Request {
	return startRequest(writeAll(a, sec, data, order))
}

// Read reads a section, as ReadAll does, without the other procs: what they have written in a
// collective call or before a Sync, and what this one has written. What others write alone
// meanwhile may be there or not.
func Read[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	o, err := checkType[T](a, order)
	if err != nil {
		return a.errorf("read", err)
	}
	buf := dtype.Bytes(data)
	err = a.ReadBytes(sec, buf, o)
	a.dtype.ToLittle(buf) // and from it: the same swap
	return err
}

// Write writes a section, as WriteAll does, without the other procs. They see it after the next
// Sync or WriteAll. Until then what lies outside of this proc's zone is kept in memory, as only
// its owner changes a chunk; of two procs that write the same elements one wins. After an error some
// of this proc's zone may have been written, and nothing of others'; the array goes on, and the same
// call again writes all of it. After an error of a commit, however, Write too returns that until Sync
// has succeeded.
func Write[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	o, err := checkType[T](a, order)
	if err != nil {
		return a.errorf("write", err)
	}
	return a.WriteBytes(sec, a.dtype.Little(dtype.Bytes(data)), o)
}

// StartRead is Read in the background: after what StartRead and StartWrite have begun before on this
// proc. Sync, Close, Extend and other calls that change zones or bounds wait for it; Read, Write,
// ReadAll and WriteAll do not.
func StartRead[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) *Request {
	t := a.own.take()
	return startRequest(func() error { return t.do(func() error { return Read(a, sec, data, order...) }) })
}

// StartWrite is Write in the background, see StartRead.
func StartWrite[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) *Request {
	t := a.own.take()
	return startRequest(func() error { return t.do(func() error { return Write(a, sec, data, order...) }) })
}

func readAll[T dtype.Element](a *Array, sec nd.Section, data []T, order []nd.Order) func() error {
	o, err := checkType[T](a, order)
	buf := dtype.Bytes(data)
	read := a.startReadAll(err, sec, buf, o)
	return func() error {
		err := read()
		a.dtype.ToLittle(buf) // and from it: the same swap
		return err
	}
}

func writeAll[T dtype.Element](a *Array, sec nd.Section, data []T, order []nd.Order) func() error {
	o, err := checkType[T](a, order)
	return a.startWriteAll(err, sec, a.dtype.Little(dtype.Bytes(data)), o)
}
