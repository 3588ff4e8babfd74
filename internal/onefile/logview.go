package onefile

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// A logView is the view of the log. The log ends behind its last nonzero byte, because a line has
// no zeros.
type logView struct {
	*view
	end atomic.Int64 // its last known end, 0 for unknown
}

// Size returns the offset behind the last nonzero byte.
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

// endsAt reports whether the log still ends at end: writers change bytes before it, or continue
// there.
func (v *logView) endsAt(end int64) bool {
	var b [2]byte
	n, err := v.view.ReadAt(b[:], end-1)
	return err == nil && n == len(b) && b[0] != 0 && b[1] == 0
}

// findEnd finds the last nonzero byte.
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

// dataEnd returns the end of the last data before end that is not in a hole.
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

// pieces has buffers for the search of the log's end, which each opening of an array makes several
// times.
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
