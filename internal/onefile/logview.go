package onefile

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// A logView is the log. It ends behind its last byte that is not zero: a line has none that is.
type logView struct {
	*view
	end atomic.Int64 // where it ended last time, 0 if that is not known
}

// Size returns the offset behind the last byte that is not zero.
func (v *logView) Size() (int64, error) {
	if err := v.check("size", 0, false); err != nil {
		return 0, err
	}
	if end := v.end.Load(); end > 0 && v.endsAt(end) {
		return end, nil
	}
	if err := v.refresh(); err != nil {
		return 0, err
	}
	end, err := v.findEnd()
	v.end.Store(end)
	return end, err
}

// endsAt reports whether the log, which ended there before, still does: writers change what is in
// front of that place, or continue there.
func (v *logView) endsAt(end int64) bool {
	var b [2]byte
	n, err := v.view.ReadAt(b[:], end-1)
	return err == nil && n == len(b) && b[0] != 0 && b[1] == 0
}

// findEnd looks for the last byte that is not zero.
func (v *logView) findEnd() (int64, error) {
	buf := pieces.Get().(*[scanPiece]byte)
	defer pieces.Put(buf)
	size, err := v.File().Size()
	if err != nil {
		return 0, err
	}
	end := min(v.capacity(), size) // the header of a damaged file may name more
	if end > longLog {
		if end, err = v.dataEnd(end); err != nil {
			return 0, err
		}
	}
	for end > 0 {
		from := max(0, end-int64(len(buf)))
		n, err := v.view.ReadAt(buf[:end-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if text := trimZeros(buf[:n]); len(text) > 0 {
			return from + int64(len(text)), nil
		}
		end = from
	}
	return 0, nil
}

// longLog is the size from which on holes are not read.
const longLog = 1 << 20

// dataEnd returns where the last data before end ends that is not in a hole.
func (v *logView) dataEnd(end int64) (last int64, err error) {
	for last < end {
		_, to, err := v.view.Data(last)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		last = to
	}
	return min(last, end), nil
}

// pieces has buffers for the bytes in which the end of a log is looked for, which whoever opens an
// array does several times.
var pieces = sync.Pool{New: func() any { return new([scanPiece]byte) }}

// ReadAt ends where the log does.
func (v *logView) ReadAt(b []byte, off int64) (int, error) {
	n, err := v.view.ReadAt(b, off)
	if n == 0 || b[n-1] != 0 {
		return n, err
	}
	size, sizeErr := v.Size()
	if sizeErr != nil {
		return 0, sizeErr
	}
	if left := max(0, size-off); left < int64(n) {
		return int(left), io.EOF
	}
	return n, err
}

// Truncate writes zeros from size on.
func (v *logView) Truncate(size int64) error {
	end, err := v.Size()
	if err != nil || end <= size {
		return err
	}
	if err := v.check("truncate", size, true); err != nil {
		return err
	}
	defer v.note()
	return v.zero(size, end-size)
}
