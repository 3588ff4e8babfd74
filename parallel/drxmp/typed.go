package drxmp

import (
	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// ReadAll reads a section into data while the other procs read theirs, collective. data is dense,
// row-major or in the given order, and has the length of the section. A nil section is the zone of
// this proc, with the extents of Zone.Shape; a proc that reads nothing passes an empty section. T
// must be the Go type of the array's element type. The error wraps drx.ErrDType, ErrRank,
// ErrBounds, ErrSize, ErrClosed or ErrCorrupt; then data may have changed.
func ReadAll[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	return typedReadAll(a, sec, data, order).run()
}

// WriteAll writes a section from data, laid out as for ReadAll, while the other procs write theirs,
// collective. The sections of two procs must not overlap. When WriteAll returns, all procs see the
// written elements; they become durable with Sync. Elements in chunks of other procs are sent to
// them, which takes up to three times their bytes in memory. The errors are those of ReadAll, or
// wrap drx.ErrReadOnly; then some chunks may have been written.
func WriteAll[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	return typedWriteAll(a, sec, data, order).run()
}

// StartReadAll is ReadAll in the background, collective. Other collective calls on the array wait
// for it. data must not be used until Wait has returned.
func StartReadAll[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) *Request {
	return startRequest(typedReadAll(a, sec, data, order).run)
}

// StartWriteAll is WriteAll in the background, collective, see StartReadAll.
func StartWriteAll[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) *Request {
	return startRequest(typedWriteAll(a, sec, data, order).run)
}

// Read reads a section, as ReadAll does, without the other procs. It sees what this proc has
// written, and what others have written in collective calls or before a Sync. It may or may not see
// what others have written by Write since.
func Read[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	o, err := checkType[T](a, order)
	if err != nil {
		return a.errorf("read", err)
	}
	buf := dtype.Bytes(data)
	err = a.ReadBytes(sec, buf, o)
	a.dtype.ToLittle(buf) // also converts from it: the swap is the same
	return err
}

// Write writes a section, as WriteAll does, without the other procs. They see it after the next
// Sync or WriteAll. Until then elements outside of this proc's zone are kept in memory, because
// only its owner writes a chunk. If two procs write the same element, either value may win. After
// an error a part of this proc's zone may have been written, and nothing of other zones; the call
// may be repeated. After a failed commit Write returns that error until Sync succeeds.
func Write[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	o, err := checkType[T](a, order)
	if err != nil {
		return a.errorf("write", err)
	}
	return a.WriteBytes(sec, a.dtype.Little(dtype.Bytes(data)), o)
}

// StartRead is Read in the background. It begins after the earlier calls of StartRead and
// StartWrite on this proc. Sync, Close, Extend and other calls that change the decomposition or the
// bounds wait for it; Read, Write, ReadAll and WriteAll do not.
func StartRead[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) *Request {
	return a.startInBackground(func() error { return Read(a, sec, data, order...) })
}

// StartWrite is Write in the background, see StartRead.
func StartWrite[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) *Request {
	return a.startInBackground(func() error { return Write(a, sec, data, order...) })
}

// typedReadAll is Array.readAll for elements of type T.
func typedReadAll[T dtype.Element](a *Array, sec nd.Section, data []T, order []nd.Order) *sectionCall {
	o, err := checkType[T](a, order)
	c := a.readAll(sec, dtype.Bytes(data), o)
	c.typed, c.err = true, err
	return c
}

// typedWriteAll is Array.writeAll for elements of type T.
func typedWriteAll[T dtype.Element](a *Array, sec nd.Section, data []T, order []nd.Order) *sectionCall {
	o, err := checkType[T](a, order)
	c := a.writeAll(sec, a.dtype.Little(dtype.Bytes(data)), o)
	c.err = err
	return c
}

// checkType returns the order, nil for none. It returns an error unless T is the Go type of the
// array's elements and there is at most one order.
func checkType[T dtype.Element](a *Array, order []nd.Order) (nd.Order, error) {
	if t := dtype.Of[T](); t != a.dtype {
		return nil, errkind.Errorf(drx.ErrDType, "elements are %v, requested as %v", a.dtype, t)
	}
	switch len(order) {
	case 0:
		return nil, nil
	case 1:
		return order[0], nil
	}
	return nil, errkind.Errorf(drx.ErrRank, "%d orders, at most 1 is allowed", len(order))
}
