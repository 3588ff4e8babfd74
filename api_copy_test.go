package drx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// Wherever a CopyFiles is interrupted, the source is intact, and the copy is complete or does not
// exist. Then another CopyFiles makes the copy, or Remove removes the remains.
func TestCrashOfCopyFiles(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testCrashOfCopyFiles)
}

func testCrashOfCopyFiles(t *testing.T) {
	all := enumtest.Sampled(t, soak)
	for _, to := range renameTargets {
		for _, journaled := range []bool{false, true} {
			crashCopyFiles(t, all, to, journaled)
		}
	}
	all.Want(1000)
}

func crashCopyFiles(t *testing.T, all *enumtest.Counter, to string, journaled bool) {
	t.Helper()
	absent, there := 0, 0
	change := func(disk vfs.FS) error {
		return copyFiles(context.Background(), disk, named(t, "a"), named(t, to), nil)
	}
	eachCrash(t, all, journaled, change, func(left func() *vfstest.Crash, complete bool, what string) {
		for _, finish := range []string{"copy", "remove"} {
			checkCrashedCopy(t, left(), to, finish, complete, what+", then "+finish, &absent, &there)
		}
	})
	if least := all.Share(100); absent < least || there < least {
		t.Errorf("copied to %s: %d times absent, %d times there", to, absent, there)
	}
}

// checkCrashedCopy checks the disk after a crash, and that another call can continue.
func checkCrashedCopy(t *testing.T, after vfs.FS, to, finish string, complete bool, what string, absent, there *int) {
	t.Helper()
	if !wholeUnder(t, after, named(t, "a")) {
		t.Fatalf("%s: no source", what)
	}
	made := wholeUnder(t, after, named(t, to))
	if made {
		*there++
	} else if *absent++; complete {
		t.Fatalf("%s: no copy", what)
	}
	if finish == "remove" {
		if err := removeIfThere(after, named(t, to)); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if finish != "copy" && wholeUnder(t, after, named(t, to)) {
			t.Fatalf("%s: still there", what)
		}
	}
	err := copyFiles(context.Background(), after, named(t, "a"), named(t, to), nil)
	if again := made && finish == "copy"; again != errors.Is(err, fs.ErrExist) || !again && err != nil {
		t.Fatalf("%s, copied again: %v", what, err)
	}
	if !wholeUnder(t, after, named(t, to)) {
		t.Fatalf("%s, copied again: no copy", what)
	}
	wantFiles(t, after, to, to)
}

// If an operation of a CopyFiles fails, or the CopyFiles is cancelled, the source is intact, and
// the copy is complete or nothing of it remains.
func TestFaultsOfCopyFiles(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testFaultsOfCopyFiles)
}

func testFaultsOfCopyFiles(t *testing.T) {
	errFault := errors.New("fault")
	made, none := 0, 0
	for k := 0; ; k++ {
		disk, count := vfs.NewMem(), 0
		renamable(t, disk, k%2 == 0)
		err := copyFiles(context.Background(), &vfstest.Faulty{FS: disk, Fail: func(vfstest.Op, string) error {
			if count++; count == k+1 {
				return errFault
			}
			return nil
		}}, named(t, "a"), named(t, "b"), nil)
		if err != nil && !errors.Is(err, errFault) {
			t.Fatalf("fault at operation %d: %v", k, err)
		}
		if !wholeUnder(t, disk, named(t, "a")) {
			t.Fatalf("fault at operation %d: no source", k)
		}
		if wholeUnder(t, disk, named(t, "b")) {
			made++
		} else if none++; err == nil {
			t.Fatalf("fault at operation %d: no copy, and no error", k)
		}
		if again := copyFiles(context.Background(), disk, named(t, "a"), named(t, "b"), nil); again != nil && !errors.Is(again, fs.ErrExist) {
			t.Fatalf("fault at operation %d, copied again: %v", k, again)
		}
		if !wholeUnder(t, disk, named(t, "b")) {
			t.Fatalf("fault at operation %d, then copied: not there", k)
		}
		wantFiles(t, disk, "b", "b")
		if count <= k {
			break
		}
	}
	if made < 1 || none < 20 {
		t.Errorf("%d copies, %d failures", made, none)
	}
	disk := vfs.NewMem()
	renamable(t, disk, false)
	ctx, cancel := context.WithCancel(context.Background())
	err := copyFiles(ctx, disk, named(t, "a"), named(t, "b"), func(done, total int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	wantFiles(t, disk, "", "b")
}

// A copy has the same bytes and holes. CopyFiles refuses what Rename refuses.
func TestCopyFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	a, err := Create("a", Spec{DType: dtype.Uint8, Shape: []int{1 << 12, 1 << 12}, ChunkShape: []int{1 << 10, 1 << 10}, Attrs: map[string]any{"units": "K"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(a, nd.Sec(nd.Span(4000, 4090), nd.Span(3, 4000)), uint8(3)), a.Sync()); err != nil {
		t.Fatal(err)
	}
	if err := CopyFiles(t.Context(), "a", "b", nil); !errors.Is(err, ErrLocked) {
		t.Errorf("while it is open for writing: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	last, total := int64(0), int64(0)
	if err := CopyFiles(t.Context(), "a.xmd", "b.xta", func(d, n int64) { last, total = d, n }); err != nil {
		t.Fatal(err)
	}
	if total == 0 || last != total {
		t.Errorf("%d of %d bytes", last, total)
	}
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
		one, err := os.ReadFile("a" + ext)
		other, otherErr := os.ReadFile("b" + ext)
		if err != nil || otherErr != nil || !slices.Equal(one, other) {
			t.Errorf("%s differs: %v, %v", ext, err, otherErr)
		}
	}
	sizes := [2]int64{}
	for i, name := range []string{"a", "b"} {
		a, err := Open(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		usage, err := a.Usage()
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
		sizes[i] = usage.DataBytes
	}
	if sizes[1] > sizes[0] || sizes[1] > 8<<20 {
		t.Errorf("sizes on disk: %d", sizes)
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]error{"b": fs.ErrExist, "a": fs.ErrExist, "folder/": fs.ErrInvalid, "none/c": fs.ErrNotExist} {
		if err := CopyFiles(t.Context(), "a", to, nil); !errors.Is(err, want) {
			t.Errorf("to %s: %v", to, err)
		}
	}
	if err := CopyFiles(t.Context(), "none", "c", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of none: %v", err)
	}
	if files, _ := filepath.Glob("[^ab]*"); len(files) != 1 {
		t.Errorf("files %s", files)
	}
}
