package doctor

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"drx/internal/vfs"
)

// The contents of the test file before and after this process changes it.
const (
	oldBytes = "old"
	newBytes = "new"
)

// A Check is the result of one test.
type Check struct {
	Name   string `json:"name"`
	Good   bool   `json:"good"`
	Detail string `json:"detail"`
}

// A tester is the first process, which runs the tests.
type tester struct {
	folder string // for the files of the tests
	peer   peer
	checks []Check
}

// note records the finding of a test and returns whether it is good. An error counts as bad.
func (t *tester) note(name string, good bool, yes, no string, err error) bool {
	c := Check{name, good && err == nil, no}
	switch {
	case err != nil:
		c.Detail = err.Error()
	case good:
		c.Detail = yes
	}
	t.checks = append(t.checks, c)
	return c.Good
}

// create creates a file with the old bytes.
func (t *tester) create(name string) (vfs.File, error) {
	f, err := vfs.OS.Create(filepath.Join(t.folder, name))
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteAt([]byte(oldBytes), 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, f.Sync()
}

// locks tests whether the locks of the system keep the other process out.
func (t *tester) locks() (good bool) {
	f, err := t.create("locks")
	if err != nil {
		return t.note("locks", false, "", "", err)
	}
	defer f.Close()
	_, err = t.peer.ask("open", "locks")
	answers := [2]string{}
	if err == nil {
		if err = f.Lock(); err == nil {
			answers[0], err = t.peer.ask("lock")
		}
	}
	whole := t.note("locks of files", answers[0] == "held", "a lock keeps the other process out", "both processes get the same lock", err)
	unlock, err := f.LockRange(5, 1)
	if err == nil {
		answers[1], err = t.peer.ask("lockrange")
		_ = unlock()
	}
	return t.note("locks of bytes", answers[1] == "held", "a lock keeps the other process out", "both processes get the same lock", err) && whole
}

// exclusive tests exclusive creation, which lock files need.
func (t *tester) exclusive() (good bool) {
	f, err := t.create("exclusive")
	if err != nil {
		return t.note("exclusive creation", false, "", "", err)
	}
	_ = f.Close()
	answer, err := t.peer.ask("create", "exclusive")
	return t.note("exclusive creation", answer == "exists", "a name is created once", "both processes create the same name", err)
}

// contents tests what the other process, which has the file open, reads after a change. coherent
// reports whether it reads the new bytes at once, fresh whether it does after a Refetch.
func (t *tester) contents() (coherent, fresh bool) {
	f, err := t.create("contents")
	if err != nil {
		t.note("contents", false, "", "", err)
		return false, false
	}
	defer f.Close()
	mapped := false
	for _, command := range []string{"open", "read", "size", "map", "readmapped"} {
		_, askErr := t.peer.ask(command, "contents")
		switch {
		case askErr == nil && command == "map":
			mapped = true
		case command == "readmapped" && !mapped:
		case askErr != nil && command != "map":
			err = errors.Join(err, askErr)
		}
	}
	want := newBytes + newBytes
	_, writeErr := f.WriteAt([]byte(want), 0)
	err = errors.Join(err, writeErr, f.Sync())
	size, sizeErr := t.peer.ask("size")
	inPlace := ""
	if mapped {
		inPlace, _ = t.peer.ask("readmapped")
	}
	now, nowErr := t.peer.ask("read")
	long := t.note("length", size == strconv.Itoa(len(want)), "the other process sees a file grow", "the other process sees the length that a file had", errors.Join(err, sizeErr))
	coherent = t.note("contents", now == hex.EncodeToString([]byte(want)), "the other process sees new bytes at once", "the other process sees old bytes of a file that it has open", errors.Join(err, nowErr)) && long
	if mapped {
		coherent = t.note("mapped contents", inPlace == hex.EncodeToString([]byte(newBytes)), "the other process sees new bytes where a file is mapped", "the other process sees old bytes where a file is mapped", nil) && coherent
	}
	_, err = t.peer.ask("refetch")
	anew, anewErr := t.peer.ask("readnew", "contents")
	kept, keptErr := t.peer.ask("read")
	fresh = t.note("contents, asked anew", anew == hex.EncodeToString([]byte(want)) && kept == anew,
		"the other process sees new bytes after it has dropped its pages", "the other process sees old bytes even after it has dropped its pages", errors.Join(err, anewErr, keptErr))
	return coherent, fresh
}

// renames replaces a file again and again, and counts how often the other process finds no file or
// an old one.
func (t *tester) renames() (good bool) {
	const times = 50
	var err error
	missing, old := 0, 0
	for i := range times {
		f, createErr := t.create(fmt.Sprint("renamed", i))
		if createErr != nil {
			return t.note("renaming", false, "", "", createErr)
		}
		_, err = f.WriteAt([]byte(fmt.Sprint(i)), 0)
		err = errors.Join(err, f.Sync(), f.Close(), os.Rename(filepath.Join(t.folder, fmt.Sprint("renamed", i)), filepath.Join(t.folder, "renamed")))
		if err != nil {
			break
		}
		text, askErr := t.peer.ask("readnew", "renamed")
		b, _ := hex.DecodeString(text)
		switch {
		case askErr != nil:
			missing++
		case len(b) == 0 || string(b[:len(fmt.Sprint(i))]) != fmt.Sprint(i):
			old++
		}
	}
	no := fmt.Sprintf("of %d new files with a name the other process has not seen %d, and found no file %d times", times, old, missing)
	return t.note("renaming", missing+old == 0, "a file that gets the name of another one replaces it, for the other process too", no, err)
}

// holes tests whether ranges that were never written, or are punched out, take no disk space.
func (t *tester) holes() {
	has, err := vfs.HasHoles(vfs.OS, t.folder)
	t.note("holes", has, "what was never written takes no space", "what was never written takes space: sparse arrays and compressed chunks save none", err)
	if !has {
		return
	}
	const size = 4 << 20
	f, err := t.create("punched")
	if err == nil {
		defer f.Close()
		_, err = f.WriteAt(make([]byte, size), 0)
		err = errors.Join(err, f.Sync(), f.Punch(0, size), f.Sync())
	}
	allocated := int64(size)
	if err == nil {
		allocated, err = f.Allocated()
	}
	t.note("punched holes", allocated < size/2, "what is no longer needed is given back",
		"what was written once keeps its space: chunks that are removed, or become shorter, give none back before drx compact", err)
}

// syncs measures the time of a sync.
func (t *tester) syncs() (good bool) {
	const times = 10
	f, err := t.create("synced")
	if err != nil {
		return t.note("syncing", false, "", "", err)
	}
	defer f.Close()
	start := time.Now()
	for i := range times {
		_, writeErr := f.WriteAt([]byte{byte(i)}, int64(i))
		err = errors.Join(err, writeErr, f.Sync())
	}
	elapsed := time.Since(start) / times
	return t.note("syncing", true, fmt.Sprintf("a small write is durable, the system says, after %.1f ms", elapsed.Seconds()*1e3), "", err)
}
