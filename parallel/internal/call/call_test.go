package call

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

var errA, errB = errors.New("a"), errors.New("b")

func TestCompare(t *testing.T) {
	calls := func(whats ...string) []Call {
		var all []Call
		for p, what := range whats {
			all = append(all, Call{Proc: 10 + p, What: what})
		}
		return all
	}
	with := func(calls []Call, p int, err error) []Call {
		calls[p].Err = err
		return calls
	}
	for _, c := range []struct {
		calls []Call
		proc  int
		err   error
	}{
		{calls("x", "x", "x"), 0, nil},
		{calls("y", "x", "x"), 10, ErrDisagree},
		{calls("x", "x", "y"), 12, ErrDisagree},
		{calls("x", "y"), 11, ErrDisagree},
		{with(calls("x", "x", "x"), 1, errA), 11, errA},
		{with(with(calls("x", "x", "x"), 2, errA), 1, errB), 11, errB},
		{with(calls("x", "x", "y"), 1, errA), 12, ErrDisagree},
	} {
		proc, err := Compare(c.calls)
		if proc != c.proc || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%v: got %d, %v, want %d, %v", c.calls, proc, err, c.proc, c.err)
		}
	}
	_, err := Compare(calls("x", "x", "y"))
	if want := `procs disagree: proc 12 calls "y" where proc 10 calls "x"`; err.Error() != want {
		t.Errorf("got %v, want %v", err, want)
	}
}

func TestHash(t *testing.T) {
	x, y := Call{What: "x", Proc: 1}, Call{What: "x", Err: errA}
	if x.Hash() != y.Hash() || x.Hash() == (Call{What: "y"}).Hash() || x.Hash() < 0 {
		t.Error(x.Hash(), y.Hash())
	}
}

// TestWire: an error keeps its text and its sentinels on the way.
func TestWire(t *testing.T) {
	Register(errA, errA)
	for _, err := range []error{
		nil, errA, errB, fmt.Errorf("open \"x\": %w, %w", fs.ErrNotExist, errA), &fs.PathError{Op: "open", Path: "p", Err: fs.ErrExist},
	} {
		c, e := Decode(Call{Proc: 3, What: "w", Err: err}.Encode())
		if e != nil || c.Proc != 3 || c.What != "w" || (c.Err == nil) != (err == nil) {
			t.Fatalf("%v became %+v, %v", err, c, e)
		}
		if err == nil {
			continue
		}
		if c.Err.Error() != err.Error() {
			t.Errorf("%q became %q", err, c.Err)
		}
		for _, s := range []error{errA, fs.ErrNotExist, fs.ErrExist, fs.ErrPermission} {
			if errors.Is(c.Err, s) != errors.Is(err, s) {
				t.Errorf("%v: is %v: %v, was %v", err, s, errors.Is(c.Err, s), errors.Is(err, s))
			}
		}
	}
}

// TestLong: whatever the texts, a call fits into 8 KiB.
func TestLong(t *testing.T) {
	for _, unit := range []string{"x", "\x00", "\xff", "世"} {
		long := strings.Repeat(unit, 5000)
		b := Call{What: long, Err: errors.New(long)}.Encode()
		if len(b) >= 8192 {
			t.Errorf("%q: %d bytes", unit, len(b))
		}
		if c, err := Decode(b); err != nil || c.Err == nil {
			t.Errorf("%q: %v", unit, err)
		}
	}
}

// TestDifferBehindCut: calls that differ only after the point where their texts are truncated are
// still distinguished.
func TestDifferBehindCut(t *testing.T) {
	long := strings.Repeat("x", 5*MaxText)
	var here, there []Call
	for p, what := range []string{long + "a", long + "b", long + "b"} {
		c := Call{Proc: p, What: what}
		arrived, err := Decode(c.Encode())
		if err != nil || arrived.Hash() != c.Hash() {
			t.Fatal(arrived.Hash(), c.Hash(), err)
		}
		here, there = append(here, c), append(there, arrived)
	}
	for _, calls := range [][]Call{here, there} {
		proc, err := Compare(calls)
		if proc != 0 || !errors.Is(err, ErrDisagree) || len(err.Error()) > 3*MaxText || !strings.Contains(err.Error(), "behind the first 600 bytes") {
			t.Errorf("proc %d: %v", proc, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"p":1,"w":"x","e":"y","is":[0,99,-1],"bad":true}`))
	f.Add(Call{Proc: 2, What: "barrier", Err: errA}.Encode())
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Decode(c.Encode())
		if err != nil || again.Proc != c.Proc || (again.Err == nil) != (c.Err == nil) {
			t.Errorf("%q: %+v became %+v, %v", b, c, again, err)
		}
	})
}

func TestGuard(t *testing.T) {
	for want, f := range map[string]func() error{
		"":                             func() error { return nil },
		"a":                            func() error { return errA },
		"panic at call_test.go:":       func() error { panic("x") },
		": two; lines":                 func() error { panic("two\nlines") },
		"ended by runtime.Goexit":      func() error { runtime.Goexit(); return nil },
		"invalid memory address or ni": func() error { var p *Call; return p.Err },
	} {
		err := Guard(f)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestOpen(t *testing.T) {
	files := vfs.NewMem()
	open := func(flag int, want error, size int64) {
		t.Helper()
		f, err := Open(files, "a", flag)
		if !errors.Is(err, want) {
			t.Fatalf("flag %#x: got %v, want %v", flag, err, want)
		}
		if err != nil {
			return
		}
		if n, err := f.Size(); err != nil || n != size {
			t.Fatalf("flag %#x: size %d, %v, want %d", flag, n, err, size)
		}
		if flag&os.O_RDWR != 0 {
			if _, err := f.WriteAt([]byte("xyz"), 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	open(os.O_RDWR, fs.ErrNotExist, 0)
	open(os.O_RDWR|os.O_CREATE|os.O_EXCL, nil, 0)
	open(os.O_RDWR|os.O_CREATE|os.O_EXCL, fs.ErrExist, 0)
	open(os.O_RDWR|os.O_CREATE, nil, 3)
	open(os.O_RDONLY, nil, 3)
	open(os.O_RDWR|os.O_TRUNC, nil, 0)
}

// TestOpenTruncateFails: the file is closed, and the error returned.
func TestOpenTruncateFails(t *testing.T) {
	files := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, _ string) error {
		if op == vfstest.OpTruncate {
			return errB
		}
		return nil
	}}
	if f, err := Open(files, "a", os.O_RDWR|os.O_CREATE|os.O_TRUNC); f != nil || !errors.Is(err, errB) {
		t.Error(f, err)
	}
}
