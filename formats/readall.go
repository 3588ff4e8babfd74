package formats

import (
	"errors"
	"fmt"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// maxRead is the largest number of bytes that ReadAll tries to read: no machine has more memory.
const maxRead = 1 << 46

// ReadAll reads the array in the file at path, or on standard input if path is "-", into memory.
// Its elements are in the order of the file, see Info.Order; the strides of the view express it.
// The error is one of Open or ReadSection, or wraps dtype.ErrDType if T is not the Go type of the
// elements, and ErrMemory if the file claims to have more elements than any memory. It wraps
// ErrVariable if the file has several variables: Open opens one of them.
func ReadAll[T dtype.Element](path string) (v nd.View[T], err error) {
	r, err := Open(path, Options{})
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	info := r.Info()
	if t := dtype.Of[T](); t != info.DType {
		return v, errkind.Errorf(dtype.ErrDType, "%s: elements are %v, requested as %v", path, info.DType, t)
	}
	bytes, err := info.Bytes()
	if err == nil && int64(bytes) > maxRead {
		err = fmt.Errorf("%d bytes: %w: at most %d at once", bytes, ErrMemory, int64(maxRead))
	}
	if err != nil {
		return v, fmt.Errorf("%s: %w", path, err)
	}
	data := make([]T, bytes/info.DType.Size())
	buf := dtype.Bytes(data)
	if err := r.ReadSection(nil, buf); err != nil {
		return v, err
	}
	info.DType.ToLittle(buf) // and from it: the same swap
	return nd.NewView(data, info.Shape, info.Order)
}
