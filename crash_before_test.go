package drx

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// beforeFiles are files written by earlier versions of DRX, each with arrays of 6 x 4 elements in
// chunks of 2 x 2, all of them 1. Files with one array begin with DRXFILE1, those with several with
// DRXFILE2.
var beforeFiles = map[string]struct {
	golden string
	arrays []string
}{
	"one.drx": {"testdata/before_one.golden", []string{"one.drx"}},
	"w.drx":   {"testdata/before_several.golden", []string{"w.drx/a.drx", "w.drx/b.drx"}},
}

// beforeBytes returns a file of an earlier version: a golden file has its length, and those rows of
// 32 bytes that are not zero.
func beforeBytes(t *testing.T, golden string) []byte {
	t.Helper()
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	var size, at int64
	_, err = fmt.Sscanf(rows[0], "%d bytes", &size)
	raw := make([]byte, size)
	for _, row := range rows[1:] {
		_, scanErr := fmt.Sscanf(row[:8], "%x", &at)
		_, hexErr := hex.Decode(raw[at:], []byte(row[9:]))
		err = errors.Join(err, scanErr, hexErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// ofBefore returns a disk with a file of an earlier version.
func ofBefore(t *testing.T, file, golden string) *vfstest.Crash {
	t.Helper()
	disk := vfstest.NewCrash()
	f, err := disk.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(beforeBytes(t, golden), 0)
	if err := errors.Join(err, f.Sync(), disk.SyncDir("."), f.Close()); err != nil {
		t.Fatal(err)
	}
	return disk
}

// refill opens an array for writing, sets all elements, and closes it.
func refill(fsys vfs.FS, name string, v int16) error {
	a, err := Open(name, Options{Write: true, fs: fsys})
	if err != nil {
		return err
	}
	return errors.Join(Fill(a, nil, v), a.Close())
}

// readsAs returns the common value of all elements of an array.
func readsAs(fsys vfs.FS, name string) (int16, error) {
	a, err := Open(name, Options{fs: fsys})
	if err != nil {
		return 0, err
	}
	got, err := Read[int16](a, nil)
	if err = errors.Join(err, a.Close()); err != nil {
		return 0, err
	}
	if slices.Min(got) != slices.Max(got) || len(got) != 24 {
		return 0, fmt.Errorf("elements %v", got)
	}
	return got[0], nil
}

// TestBeforeCrash crashes at every operation of the first commits to arrays in files of earlier
// versions. These commits move the presence map to a separate stream and give the directory a
// mirror. Every array exists, as before or with the commit, can be written, and then has the new
// protection.
func TestBeforeCrash(t *testing.T) {
	enumtest.Single(t)
	all := enumtest.Sampled(t, soak)
	for file, b := range beforeFiles {
		for k, ended := 0, false; !ended; k++ {
			disk := ofBefore(t, file, b.golden)
			disk.CrashAfter(k)
			want, err := map[string]int16{}, error(nil)
			for _, name := range b.arrays {
				if err = refill(disk, name, 2); err != nil {
					break
				}
				want[name] = 2
			}
			if ended = err == nil; !ended && !errors.Is(err, vfstest.ErrCrashed) {
				t.Fatal(err)
			}
			policies := vfstest.Policies(1, uint64(k))
			for _, policy := range slices.Sorted(maps.Keys(policies)) {
				if !all.Try() {
					continue
				}
				left := disk.After(policies[policy])
				for _, name := range b.arrays {
					if err := checkBefore(left, file, name, want[name]); err != nil {
						t.Fatalf("%s: operation %d, %s: %s: %v", file, k, policy, name, err)
					}
				}
			}
		}
	}
	all.Want(400)
}

// checkBefore checks an array in a file of an earlier version after a crash: it has the given
// value, or, if that is 0, the one before or after the commit; it can be written, and is then
// protected against the loss of entries.
func checkBefore(disk *vfstest.Crash, file, name string, want int16) error {
	v, err := readsAs(disk, name)
	if err != nil || v != want && (want != 0 || v != 1 && v != 2) {
		return fmt.Errorf("reads as %d, want %d: %w", v, want, err)
	}
	if err := refill(disk, name, 3); err != nil {
		return err
	}
	if v, err = readsAs(disk, name); err != nil || v != 3 {
		return fmt.Errorf("after a commit it reads as %d: %w", v, err)
	}
	f, err := disk.Open(file, false)
	if err != nil {
		return err
	}
	for _, at := range []int64{0, 4096} {
		word := make([]byte, 8)
		if _, err := f.ReadAt(word, at); err != nil || !bytes.HasPrefix(word, []byte("DRXFILE")) || word[7] < '3' {
			return fmt.Errorf("byte %d has %q: %w", at, word, err)
		}
	}
	return loseEntries(disk, name)
}

// loseEntries zeroes the entries of an array, and returns an error unless reading the array fails.
func loseEntries(disk *vfstest.Crash, name string) error {
	files, err := fileset.OpenCurrent(Options{fs: disk}.filesystem(), name, true)
	if err != nil {
		return err
	}
	_, err = files.Table.WriteAt(make([]byte, 6*16), 0)
	files.Close()
	if err != nil {
		return err
	}
	if v, err := readsAs(disk, name); !errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("without entries it reads as %d: %w", v, err)
	}
	return nil
}

// TestBeforeMirrorCrash crashes at every operation that renames an array in a file of an earlier
// version, which adds the mirror. The array has one of its names, even if the directory's own
// copies are lost afterwards.
func TestBeforeMirrorCrash(t *testing.T) {
	all := enumtest.Sampled(t, soak)
	b := beforeFiles["w.drx"]
	for k, ended := 0, false; !ended; k++ {
		disk := ofBefore(t, "w.drx", b.golden)
		disk.CrashAfter(k)
		err := rename(Options{fs: disk}.filesystem(), "w.drx/b.drx", "w.drx/c.drx")
		if ended = err == nil; !ended && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatal(err)
		}
		policies := vfstest.Policies(1, uint64(k))
		for _, policy := range slices.Sorted(maps.Keys(policies)) {
			if !all.Try() {
				continue
			}
			left := disk.After(policies[policy])
			moved, err := checkRenamed(left)
			if err != nil || ended && !moved {
				t.Fatalf("operation %d, %s: renamed %v, %v", k, policy, moved, err)
			}
			if err := refill(left, "w.drx/a", 2); err != nil {
				t.Fatalf("operation %d, %s: %v", k, policy, err)
			}
			if err := loseDirectory(left); err != nil {
				t.Fatal(err)
			}
			if again, err := checkRenamed(left); err != nil || again != moved {
				t.Fatalf("operation %d, %s: without the directory: renamed %v, was %v, %v", k, policy, again, moved, err)
			}
		}
	}
	all.Want(100)
}

// checkRenamed checks that there are two arrays, and reports whether the second one was renamed.
func checkRenamed(disk *vfstest.Crash) (bool, error) {
	if _, err := readsAs(disk, "w.drx/a"); err != nil {
		return false, err
	}
	old, oldErr := readsAs(disk, "w.drx/b")
	now, nowErr := readsAs(disk, "w.drx/c")
	switch {
	case errors.Is(nowErr, fs.ErrNotExist) && oldErr == nil && old == 1:
		return false, nil
	case errors.Is(oldErr, fs.ErrNotExist) && nowErr == nil && now == 1:
		return true, nil
	}
	return false, fmt.Errorf("%d, %w; %d, %w", old, oldErr, now, nowErr)
}

// loseDirectory zeroes both copies of the first entries of the directory, which begins after the
// header.
func loseDirectory(disk *vfstest.Crash) error {
	f, err := disk.Open("w.drx", true)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(make([]byte, 4096), 8192)
	return errors.Join(err, f.Close())
}

// TestRecoverBefore recovers arrays from files of earlier versions that have lost both copies of
// the record of the layout of their groups. The layout follows from the log, because earlier
// versions derived it from that.
func TestRecoverBefore(t *testing.T) {
	for file, record := range map[string]int64{"one.drx": 1, "w.drx": 2} {
		b := beforeFiles[file]
		disk := ofBefore(t, file, b.golden)
		f, err := disk.Open(file, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int64{512, 4096 + 512} {
			if _, err := f.WriteAt(make([]byte, 64), at+64*record); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := readsAs(disk, b.arrays[0]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%s: %v", file, err)
		}
		if _, err := Recover(t.Context(), b.arrays[0], "new.drx", RecoverOptions{fs: disk}); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		a, err := Open("new.drx", Options{Incomplete: true, fs: disk})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if got, err := Read[int16](a, nil); err != nil || slices.Min(got) != 1 || slices.Max(got) != 1 {
			t.Errorf("%s: %v, %v", file, got, err)
		}
		if err := errors.Join(a.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
