package onefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"drx/internal/vfs"
)

// A recordedFile records the operations on a file. It can have at most most bytes, or any number if
// most is 0.
type recordedFile struct {
	vfs.File
	most  int64
	steps []string
	punch []int64 // where
}

func (h *recordedFile) Truncate(size int64) error {
	if h.most > 0 && size > h.most {
		return fmt.Errorf("truncate: %w", syscall.EFBIG)
	}
	h.steps = append(h.steps, "truncate")
	return h.File.Truncate(size)
}

func (h *recordedFile) Sync() error {
	h.steps = append(h.steps, "sync")
	return h.File.Sync()
}

func (h *recordedFile) WriteAt(b []byte, off int64) (int, error) {
	h.steps = append(h.steps, "write")
	return h.File.WriteAt(b, off)
}

func (h *recordedFile) Punch(off, n int64) error {
	h.punch = append(h.punch, off)
	return h.File.Punch(off, n)
}

// recordedContainer opens the container again with a recordedFile.
func recordedContainer(t *testing.T, fsys vfs.FS) (*Container, *recordedFile) {
	t.Helper()
	f, err := fsys.Open("a.drx", true)
	if err != nil {
		t.Fatal(err)
	}
	h := &recordedFile{File: f}
	c, err := Open(h, true)
	if err != nil {
		t.Fatal(err)
	}
	return c, h
}

// If a file cannot be extended as far in advance as wanted, it is extended as far as the chunk
// needs.
func TestGrowthUpToALimit(t *testing.T) {
	fsys := vfs.NewMem()
	create(t, fsys, 1<<20, 0)
	c, h := recordedContainer(t, fsys)
	if _, err := c.cover(99, 0, true); err != nil {
		t.Fatal(err)
	}
	st := c.streams.Load().stream(groupStream)
	q := st.length/st.shape.Slot + 1
	h.most = c.streams.Load().end + 4<<20
	if _, err := c.cover(q, 1<<20, true); err != nil {
		t.Errorf("the chunk fits: %v", err)
	}
	if _, err := c.cover(q+100, 1<<20, true); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("a chunk that does not fit: %v", err)
	}
	reopen(t, fsys, true)
}

// What another process has written into the header is made durable before chunks are written to the
// new extents, because that process may have been killed before it synced.
func TestRecordOfAnother(t *testing.T) {
	fsys := vfs.NewMem()
	create(t, fsys, 4096, 0)
	mine, h := recordedContainer(t, fsys)
	if _, err := mine.cover(9, 0, true); err != nil {
		t.Fatal(err)
	}
	other := reopen(t, fsys, true)
	far := mine.streams.Load().stream(groupStream).length / 4096
	if _, err := other.cover(far, 0, true); err != nil {
		t.Fatal(err)
	}
	h.steps = nil
	if _, err := mine.cover(far, 0, true); err != nil || !slices.Contains(h.steps, "sync") {
		t.Errorf("%v, %v", h.steps, err)
	}
}

// The file is longer, durably, before the header says so.
func TestLengthIsDurableFirst(t *testing.T) {
	fsys := vfs.NewMem()
	create(t, fsys, 4096, 0)
	c, h := recordedContainer(t, fsys)
	if _, err := c.cover(99999, 0, true); err != nil {
		t.Fatal(err)
	}
	steps := strings.Join(h.steps, " ")
	if !strings.Contains(steps, "truncate sync write sync write") {
		t.Error(steps)
	}
}

// A log is cleared from its end, so that the remains of a line after a kill begin at the end of the
// log.
func TestLogIsClearedFromItsEnd(t *testing.T) {
	fsys := vfs.NewMem()
	c := create(t, fsys, 4096, 0)
	for n := range int64(20) { // extents of the log between groups
		if _, err := c.Log().WriteAt([]byte(strings.Repeat("x", 20_000)), n*20_000); err != nil {
			t.Fatal(err)
		}
		if _, err := c.cover(1000*(n+1), 0, true); err != nil {
			t.Fatal(err)
		}
	}
	c, h := recordedContainer(t, fsys)
	if err := c.Log().Truncate(100); err != nil {
		t.Fatal(err)
	}
	if len(h.punch) < 3 || !slices.IsSortedFunc(h.punch, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("punched at %v", h.punch)
	}
	if size, err := c.Log().Size(); size != 100 || err != nil {
		t.Error(size, err)
	}
}

// The remaining entries of a damaged directory are found quickly, even if a file of 32 KiB says
// that the directory has many GiB.
func TestHollowDirectory(t *testing.T) {
	const claimed = 1 << 40
	name := filepath.Join(t.TempDir(), "a.drx")
	raw := encodeHeader(form{several: true}, []record{{extentKind, logStream, 0, headerBytes, claimed}})
	raw = append(raw, []byte(strings.Repeat("\x09", 2*entryBytes))...)
	if err := errors.Join(os.WriteFile(name, raw, 0o666), os.Truncate(name, headerBytes+claimed)); err != nil {
		t.Skip("files with holes of this length cannot be made here: ", err)
	}
	f, err := vfs.OS.Open(name, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, damage, err := OpenDamagedDirectory(f)
	if err != nil || damage == nil || len(d.Names()) != 0 {
		t.Errorf("%v, %v, %v", d, damage, err)
	}
}
