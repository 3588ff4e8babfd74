package mapped

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// newFile returns a new file of the system and its File. It skips the test if files cannot be
// mapped.
func newFile(t testing.TB, slot, budget int64) (vfs.File, *File) {
	t.Helper()
	file, err := vfs.OS.Create(filepath.Join(t.TempDir(), "a.xta"))
	if err != nil {
		t.Fatal(err)
	}
	f := New(file, slot, budget)
	t.Cleanup(func() {
		if err := errors.Join(f.Close(), file.Close()); err != nil {
			t.Error(err)
		}
	})
	if _, err := f.Bytes(0, 1); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	return file, f
}

func mustWrite(t testing.TB, f vfs.File, b []byte, off int64) {
	t.Helper()
	if _, err := f.WriteAt(b, off); err != nil {
		t.Fatal(err)
	}
}

// sameAsReadAt compares bytes in place with the result of ReadAt.
func sameAsReadAt(t *testing.T, file vfs.File, f *File, off int64, n int) {
	t.Helper()
	want := make([]byte, n)
	if _, err := file.ReadAt(want, off); err != nil {
		t.Fatal(err)
	}
	b, err := f.Bytes(off, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := Guard(func() error {
		if len(b) != n || cap(b) != n || !bytes.Equal(b, want) {
			t.Errorf("%d bytes at %d: %d bytes, capacity %d, not those of the file", n, off, len(b), cap(b))
		}
		return nil
	}, f); err != nil {
		t.Error(err)
	}
}

// Slots of many sizes, also odd ones, are read in several regions and across their boundaries.
func TestBytesAreThoseOfTheFile(t *testing.T) {
	for _, slot := range []int64{1, 8, 4096, 100_003, unit, 2*unit + 17} {
		file, f := newFile(t, slot, 64<<20)
		rng := rand.New(rand.NewPCG(1, uint64(slot)))
		size := 3*regionSize + 5*slot
		if err := file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		random := make([]byte, slot)
		for range 30 {
			near := []int64{0, regionSize, 2 * regionSize, 3 * regionSize, rng.Int64N(size)}[rng.IntN(5)]
			first := max(0, min(near/slot+rng.Int64N(5)-2, size/slot-1)) * slot
			for range min(slot, 1000) { // elsewhere zeros
				random[rng.Int64N(slot)] = byte(rng.Uint32())
			}
			mustWrite(t, file, random, first)
			from := rng.Int64N(slot)
			sameAsReadAt(t, file, f, first+from, 1+rng.IntN(int(slot-from)))
			sameAsReadAt(t, file, f, first, int(slot))
		}
	}
}

// A mapping shows later writes, also those behind the former end of the file.
func TestBytesFollowTheFile(t *testing.T) {
	file, f := newFile(t, 1<<20, 16<<20)
	early, err := f.Bytes(1<<20, 1<<20) // the file is empty
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "later"} {
		mustWrite(t, file, []byte(text), 1<<20+100)
		if err := Guard(func() error {
			if got := string(early[100:105]); got != text {
				t.Errorf("%q, want %q", got, text)
			}
			return nil
		}, f); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBytesRefused(t *testing.T) {
	file, f := newFile(t, 8<<20, 16<<20)
	for _, c := range []struct {
		off         int64
		n           int
		unsupported bool
	}{
		{0, -1, false},
		{0, 8<<20 + 1, false},
		{0, 8 << 20, true}, // half of the budget
		{-1, 1, true},
		{-1 << 63, 1, true},
		{end, 1, true},
		{1<<63 - 1, 1, true},
	} {
		b, err := f.Bytes(c.off, c.n)
		if b != nil || err == nil || !strings.Contains(err.Error(), file.Name()) || errors.Is(err, errors.ErrUnsupported) != c.unsupported {
			t.Errorf("%d bytes at %d: %d, %v", c.n, c.off, len(b), err)
		}
		if f.Fits(c.off, c.n) {
			t.Errorf("%d bytes at %d: there is room", c.n, c.off)
		}
		f.Ahead(c.off, c.n)
	}
	if b, err := f.Bytes(5, 0); len(b) != 0 || err != nil || !f.Fits(5, 0) {
		t.Errorf("no bytes: %d, %v", len(b), err)
	}
}

func TestClose(t *testing.T) {
	file, f := newFile(t, 1<<20, 16<<20)
	if err := file.Truncate(1 << 20); err != nil {
		t.Fatal(err)
	}
	sameAsReadAt(t, file, f, 0, 1<<20)
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		f.Ahead(0, 1)
		if _, err := f.Bytes(0, 1); !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), file.Name()) {
			t.Errorf("after Close: %v", err)
		}
		if f.Resident() != 0 {
			t.Errorf("%d bytes resident after Close", f.Resident())
		}
	}
}

// If a file cannot be mapped, each call returns an error, and the system is asked only once.
func TestFilesThatCannotBeMapped(t *testing.T) {
	asked, errFault := 0, errors.New("injected")
	for _, fail := range []error{nil, errFault} {
		fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, _ string) error {
			if op != vfstest.OpMap {
				return nil
			}
			asked++
			return fail
		}}
		file, err := fsys.Create("a.xta")
		if err != nil {
			t.Fatal(err)
		}
		asked = 0
		f := New(file, 4096, 1<<30)
		for range 3 {
			if _, err := f.Bytes(0, 1); !errors.Is(err, errors.ErrUnsupported) || fail != nil && !errors.Is(err, fail) {
				t.Errorf("%v, want %v and %v", err, errors.ErrUnsupported, fail)
			}
			f.Ahead(0, 1)
			if f.Fits(0, 1) {
				t.Error("there is room")
			}
		}
		if asked != 1 {
			t.Errorf("mapped %d times, want once", asked)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAheadReadsIntoTheCacheOnly(t *testing.T) {
	file, f := newFile(t, 1<<20, 16<<20)
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	mustWrite(t, file, text, 3<<20)
	before := f.Resident()
	f.Ahead(3<<20, 1<<20)
	f.Ahead(2*regionSize+1, 1<<20) // beyond the end, in a region that is not mapped yet
	if f.Resident() != before {
		t.Errorf("%d bytes resident, want %d", f.Resident(), before)
	}
	sameAsReadAt(t, file, f, 3<<20, 1<<20)
}

// A slot larger than the address space is refused by the system; nothing overflows.
func TestHugeSlot(t *testing.T) {
	file, _ := newFile(t, 1, 0)
	f := New(file, 1<<63-1, 1<<30)
	if _, err := f.Bytes(0, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v, want %v", err, errors.ErrUnsupported)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
