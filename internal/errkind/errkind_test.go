package errkind

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"
)

func TestErrorf(t *testing.T) {
	inner := errors.New("inner")
	err := fmt.Errorf("file: %w", Of(io.EOF, Errorf(fs.ErrInvalid, "index %d: %w", 3, inner)))
	if err.Error() != "file: index 3: inner" {
		t.Error(err)
	}
	for _, is := range []error{inner, fs.ErrInvalid, io.EOF} {
		if !errors.Is(err, is) {
			t.Errorf("%v is not %v", err, is)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
}
