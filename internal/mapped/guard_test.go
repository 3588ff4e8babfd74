package mapped

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"drx/internal/crc32c"
	"drx/internal/strided"
	"drx/internal/vfs"
)

// truncated returns mapped bytes of a file that was then truncated to one page.
func truncated(t testing.TB) (*File, []byte) {
	t.Helper()
	file, f := newFile(t, 1<<20, 16<<20)
	if err := file.Truncate(1 << 20); err != nil {
		t.Fatal(err)
	}
	b, err := f.Bytes(0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	sumOf(b)
	if err := file.Truncate(int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	return f, b
}

var sink atomic.Int64

// readers read all of b with different machine code, because the fault must be handled in any of
// it.
var readers = map[string]func(b []byte){
	"index":  func(b []byte) { sumOf(b) },
	"copy":   func(b []byte) { copy(make([]byte, len(b)), b) },
	"equal":  func(b []byte) { bytes.Equal(b, make([]byte, len(b))) },
	"crc32c": func(b []byte) { crc32c.Sum(b) },
	"crc32":  func(b []byte) { crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) },
	"ieee":   func(b []byte) { crc32.ChecksumIEEE(b) },
	"append": func(b []byte) { _ = append([]byte{}, b...) },
	"stream": func(b []byte) { strided.StreamSum(make([]byte, len(b)), nil, b, nil, nil, len(b)) },
	"find":   func(b []byte) { sink.Add(int64(bytes.IndexByte(b, 255))) },
}

// sumOf stores the sum of b, so that the compiler cannot remove the reads.
func sumOf(b []byte) {
	sum := int64(0)
	for _, v := range b {
		sum += int64(v)
	}
	sink.Add(sum)
}

func wantFault(t *testing.T, f *File, what string, err error) {
	t.Helper()
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), f.file.Name()) {
		t.Errorf("%s: %v, want %v of %s", what, err, io.ErrUnexpectedEOF, f.file.Name())
	}
}

// Faults in several goroutines at once, in different machine code, become errors, and the process
// survives.
func TestGuardTurnsFaultsIntoErrors(t *testing.T) {
	f, b := truncated(t)
	var wg sync.WaitGroup
	for what, read := range readers {
		for range 4 {
			wg.Go(func() {
				for range 5 {
					wantFault(t, f, what, Guard(func() error { read(b); return nil }, f))
				}
			})
		}
	}
	wg.Wait()
	if err := Guard(func() error { sumOf(b[:os.Getpagesize()]); return nil }, f); err != nil {
		t.Errorf("the page that is left: %v", err)
	}
}

func TestGuardNamesTheByte(t *testing.T) {
	f, b := truncated(t)
	err := Guard(func() error { return errors.New(string(b[700_000:700_001])) }, f)
	wantFault(t, f, "one byte", err)
	if err != nil && !strings.Contains(err.Error(), "byte 700000 ") {
		t.Errorf("%v: not byte 700000", err)
	}
}

// The file is truncated while it is read: each reader gets an error or the previous contents.
func TestTruncateUnderReaders(t *testing.T) {
	file, f := newFile(t, 1<<20, 16<<20)
	const size = 1 << 20
	ones := make([]byte, size)
	for i := range ones {
		ones[i] = 1
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var faults, whole [4]int
	for g := range faults {
		wg.Go(func() {
			got := make([]byte, size)
			for {
				select {
				case <-stop:
					return
				default:
				}
				b, err := f.Bytes(0, size)
				if err != nil {
					t.Error(err)
					return
				}
				switch err := Guard(func() error { copy(got, b); return nil }, f); {
				case err == nil:
					whole[g]++
				case errors.Is(err, io.ErrUnexpectedEOF):
					faults[g]++
				default:
					t.Error(err)
				}
			}
		})
	}
	for range 100 {
		mustWrite(t, file, ones, 0)
		if err := file.Truncate(0); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("faults %v, whole copies %v", faults, whole)
}

func TestGuardPassesErrorsAndPanics(t *testing.T) {
	f, _ := truncated(t)
	want := errors.New("of use")
	if err := Guard(func() error { return want }, f); err != want {
		t.Errorf("%v, want %v", err, want)
	}
	if err := Guard(func() error { return nil }, f); err != nil {
		t.Error(err)
	}
	var none []byte
	for what, use := range map[string]func(){
		"a value": func() { panic(want) },
		"an index": func() {
			sink.Add(int64(none[len(none)]))
		},
		"a nil": func() {
			var p *int64
			sink.Add(*p)
		},
	} {
		if caught := panicOf(func() { _ = Guard(func() error { use(); return nil }, f) }); caught == nil {
			t.Errorf("%s: the panic was taken", what)
		}
		if debug.SetPanicOnFault(false) {
			t.Fatalf("%s: faults panic after Guard", what)
		}
	}
}

// panicOf returns the value with which do panics, or nil.
func panicOf(do func()) (caught any) {
	defer func() { caught = recover() }()
	do()
	return nil
}

// A fault on one file passes through the Guard of another file to its own Guard, or on to the
// caller.
func TestGuardsNest(t *testing.T) {
	f, b := truncated(t)
	g, _ := truncated(t)
	fault := func() error { sumOf(b); return nil }
	passed := false
	err := Guard(func() error {
		err := Guard(fault, g)
		passed = true
		return err
	}, f)
	wantFault(t, f, "from within", err)
	if passed {
		t.Error("the inner Guard took a fault of another file")
	}
	var inner error
	err = Guard(func() error {
		inner = Guard(fault, f)
		if !debug.SetPanicOnFault(true) {
			t.Error("the inner Guard switched the outer off")
		}
		return nil
	}, g)
	wantFault(t, f, "the inner one", inner)
	if err != nil {
		t.Errorf("the outer one: %v", err)
	}
	if caught := panicOf(func() { _ = Guard(fault, g) }); caught == nil {
		t.Error("another file's Guard took the fault")
	}
}

// Guard works for a closed file, which has no mapping.
func TestGuardOfAClosedFile(t *testing.T) {
	file, err := vfs.OS.Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := New(file, 4096, 0)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, b := truncated(t)
	if caught := panicOf(func() { _ = Guard(func() error { sumOf(b); return nil }, f) }); caught == nil {
		t.Error("a fault of another file was taken")
	}
}
