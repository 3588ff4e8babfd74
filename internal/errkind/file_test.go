package errkind

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"
)

// An array in one file has the name of the file; errors of operations contain it once.
func TestDoing(t *testing.T) {
	damaged := InFile("a.drx", Errorf(io.EOF, "it is cut short"))
	if InFile("a.drx", damaged) != damaged || InFile("a.drx", nil) != nil {
		t.Error("a name is added again, or to nothing")
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{Doing("a.drx", "open", damaged), "a.drx: open: it is cut short"},
		{Doing("b", "open", damaged), "b: open: a.drx: it is cut short"},
		{Doing("a.drx", "copy", fmt.Errorf("%w; recover it", damaged)), "a.drx: copy: it is cut short; recover it"},
		{Doing("a.drx", "copy", Doing("a.drx", "read", damaged)), "a.drx: copy: read: it is cut short"},
		{Doing("a.drx", "open", &fs.PathError{Op: "open", Path: "a.drx", Err: io.EOF}), "a.drx: open: EOF"},
		{Doing("a.drx", "copy", &fs.PathError{Op: "open", Path: "a.drx", Err: io.EOF}), "a.drx: copy: open: EOF"},
		{Doing("a", "open", &fs.PathError{Op: "open", Path: "a.xck", Err: io.EOF}), "a: open: open a.xck: EOF"},
		{Naming("a.drx", damaged), "a.drx: it is cut short"},
		{Doing("a.drx", "copy", errors.Join(damaged, damaged)), "a.drx: copy: it is cut short\nit is cut short"},
	} {
		if c.err.Error() != c.want || !errors.Is(c.err, io.EOF) {
			t.Errorf("%q, want %q", c.err, c.want)
		}
	}
}
