package drx

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// asVersion1 changes the files of an array to those that version 1 would have written.
func asVersion1(t *testing.T, fsys vfs.FS) {
	t.Helper()
	f, err := fsys.Open("a"+logExt, false)
	if err != nil {
		t.Fatal(err)
	}
	commits := map[int][]state.Record{}
	_, log, err := metalog.ReadLogTo(f, 0, func(commit int, r state.Record, s *state.State) {
		if r.Header != nil {
			h := *r.Header
			h.Version = 1
			r.Header = &h
		}
		if r.Journal == nil && r.Format == nil {
			commits[commit] = append(commits[commit], r)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	n := log.Commits()
	if err := errors.Join(f.Close(), fsys.Remove("a"+logExt), fsys.Remove("a"+presenceExt)); err != nil {
		t.Fatal(err)
	}
	if f, err = fsys.Create("a" + logExt); err != nil {
		t.Fatal(err)
	}
	l := metalog.NewLog(f)
	for i := 1; i <= n; i++ {
		if err := l.Append(commits[i], true); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// cutLog truncates the log to a number of lines.
func cutLog(t *testing.T, fsys vfs.FS, lines int) {
	t.Helper()
	log := memberBytes(t, fsys, logExt)
	size := 0
	for range lines {
		size += slices.Index(log[size:], '\n') + 1
	}
	truncateLog(t, fsys, size)
}

// truncateLog cuts the log to a size in bytes.
func truncateLog(t *testing.T, fsys vfs.FS, size int) {
	t.Helper()
	f := member(t, fsys, logExt)
	if err := errors.Join(f.Truncate(int64(size)), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// rowsOnDisk returns a disk with an array of rows that are thinner than its chunks, with one commit
// per row and, if attrs is set, one per attribute, all of it durable.
func rowsOnDisk(t *testing.T, rows int, attrs bool) *vfstest.Crash {
	t.Helper()
	disk := vfstest.NewCrash()
	a, err := Create("a", Spec{DType: dtype.Uint8, Shape: []int{0, 4}, ChunkShape: []int{16, 4}, FillValue: 200, Options: Options{fs: disk}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		added, err := a.Extend(0, 1)
		if err = errors.Join(err, Fill(a, added, uint8(i+1)), a.Sync()); err != nil {
			t.Fatal(err)
		}
		if attrs {
			if err := errors.Join(a.SetAttr("n", i), a.Sync()); err != nil {
				t.Fatal(err)
			}
		}
	}
	mustClose(t, a)
	return disk
}

// wantRowsThatGrow opens the array after a crash, accepts a loss if it is refused, and checks its
// rows, also after it has grown. It reports whether it was refused.
func wantRowsThatGrow(t *testing.T, left *vfstest.Crash, rows int, what ...any) (refused bool) {
	t.Helper()
	o := Options{fs: left, Write: true}
	a, err := Open("a", o)
	if err != nil {
		refused = true
		if err := acceptLoss(t.Context(), "a", o); err != nil {
			t.Fatal(append(what, err)...)
		}
		if a, err = Open("a", o); err != nil {
			t.Fatal(append(what, err)...)
		}
	}
	wantRows(t, a, rows)
	if _, err := a.Extend(0, 30); err != nil {
		t.Fatal(append(what, err)...)
	}
	wantRows(t, a, rows)
	if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
		t.Fatal(append(what, r, err)...)
	}
	mustClose(t, a)
	if a, err = Open("a", Options{fs: left}); err != nil {
		t.Fatal(append(what, err)...)
	}
	wantRows(t, a, rows)
	if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
		t.Fatal(append(what, r, err)...)
	}
	mustClose(t, a)
	return refused
}

// A power cut may interrupt AcceptLoss at any time.
func TestAcceptLossCrash(t *testing.T) {
	enumtest.Single(t)
	for _, attr := range []bool{false, true} {
		states, refused := 0, 0
		for k := 0; ; k++ {
			disk := rowsOnDisk(t, 20, attr)
			rows, lines := 5, 6
			if attr {
				lines = 11
			}
			cutLog(t, disk, lines)
			disk = disk.Killed().After(func(string, int, int) bool { return true })
			disk.CrashAfter(k)
			err := acceptLoss(t.Context(), "a", Options{fs: disk})
			for policy, keep := range vfstest.Policies(10, uint64(k)) {
				if wantRowsThatGrow(t, disk.After(keep), rows, "attributes", attr, "operation", k, "policy", policy, err) {
					refused++
				}
				states++
			}
			if err == nil {
				break
			}
		}
		t.Logf("attributes %v: %d states, %d of them refused until the loss was accepted again", attr, states, refused)
	}
}

// The first commit to an array of version 1 upgrades it to version 2. If it is interrupted at any
// time, the array is intact and has one of the two versions.
func TestUpgradeCrash(t *testing.T) {
	enumtest.Single(t)
	for _, how := range []string{"attr", "overwrite", "append", "shrink"} {
		all := enumtest.Of(t)
		for k := 0; ; k++ {
			disk := version1OnDisk(t)
			disk.CrashAfter(k)
			a, err := Open("a", Options{fs: disk, Write: true})
			if err == nil {
				switch how {
				case "attr":
					err = errors.Join(a.SetAttr("x", 1), a.Sync(), a.SetAttr("x", 2), a.Close())
				case "overwrite":
					err = errors.Join(writeNumbered(a, 0, 20), a.Sync(), writeNumbered(a, 0, 20), a.Close())
				case "append":
					_, err = a.Extend(0, 1)
					err = errors.Join(err, writeNumbered(a, 20, 21), a.Sync())
					if err == nil {
						_, err = a.Extend(0, 20)
					}
					err = errors.Join(err, writeNumbered(a, 21, 41), a.Close())
				case "shrink":
					err = errors.Join(a.Shrink(0, 4), a.Sync(), a.Shrink(0, 1), a.Close())
				}
			}
			policies := vfstest.Policies(6, uint64(k))
			for _, policy := range slices.Sorted(maps.Keys(policies)) {
				for _, left := range []func() *vfstest.Crash{func() *vfstest.Crash { return disk.After(policies[policy]) }, disk.Killed} {
					if !all.Try() {
						continue
					}
					d := left()
					b, openErr := Open("a", Options{fs: d, Write: true})
					if openErr != nil {
						t.Fatal(how, k, policy, openErr)
					}
					n := b.Shape()[0]
					mustClose(t, b)
					if wantRowsThatGrow(t, d, n, how, k, policy) {
						t.Fatal("refused", how, k, policy)
					}
				}
			}
			if err == nil {
				break
			}
		}
		t.Log(how)
		all.Want(100)
	}
}

func version1OnDisk(t *testing.T) *vfstest.Crash {
	t.Helper()
	disk := rowsOnDisk(t, 20, false)
	asVersion1(t, disk)
	return disk.Killed().After(func(string, int, int) bool { return true })
}

// writeNumbered writes rows [from, to) as rowsOnDisk does.
func writeNumbered(a *Array, from, to int) error {
	for i := from; i < to; i++ {
		if err := Write(a, nd.Sec(nd.At(i), nd.All), slices.Repeat([]uint8{uint8(i + 1)}, 4)); err != nil {
			return err
		}
	}
	return nil
}

// If the line that upgraded an array to version 2 is lost, the array must not count as one of
// version 1.
func TestLostFormatLine(t *testing.T) {
	o := thickRows(t, 3, Options{})
	asVersion1(t, o.fs)
	a, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	added, err := a.Extend(0, 1)
	if err = errors.Join(err, Fill(a, added, uint8(4)), a.Sync(), a.SetAttr("x", 1), a.Sync(), a.SetAttr("x", 2)); err != nil {
		t.Fatal(err)
	}
	mustClose(t, a)
	cutLog(t, o.fs, 4)
	if a, err = Open("a", o); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("%v, %v", a, err)
	}
	if a, err = Open("a", Options{fs: o.fs}); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("read: %v, %v", a, err)
	}
	if err := acceptLoss(t.Context(), "a", o); err != nil {
		t.Fatal(err)
	}
	if a, err = Open("a", o); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Extend(0, 3); err != nil {
		t.Fatal(err)
	}
	wantRows(t, a, 3)
	mustClose(t, a)
}

// failsOnce is a file system in which one call of SyncDir, or one Sync of the presence map, fails.
type failsOnce struct {
	vfs.FS
	failDir, failSync *bool
}

func (f failsOnce) SyncDir(dir string) error {
	if *f.failDir {
		*f.failDir = false
		return errors.New("SyncDir: input/output error")
	}
	return f.FS.SyncDir(dir)
}

func (f failsOnce) wrap(file vfs.File, err error) (vfs.File, error) {
	if err != nil || !strings.HasSuffix(file.Name(), presenceExt) {
		return file, err
	}
	return failsOnceFile{file, f.failSync}, nil
}

func (f failsOnce) CreateAs(name string, a vfs.Access) (vfs.File, error) {
	return f.wrap(f.FS.CreateAs(name, a))
}

type failsOnceFile struct {
	vfs.File
	fail *bool
}

func (f failsOnceFile) Sync() error {
	if *f.fail {
		*f.fail = false
		return errors.New("Sync: input/output error")
	}
	return f.File.Sync()
}

// If the first commit fails while it writes the presence map, it can be repeated, and the map has
// all bytes.
func TestUpgradeRetried(t *testing.T) {
	for _, what := range []string{"none", "dir", "sync"} {
		o := thickRows(t, 20, Options{})
		asVersion1(t, o.fs)
		failDir, failSync := false, false
		a, err := Open("a", Options{fs: failsOnce{o.fs, &failDir, &failSync}, Write: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read[uint8](a, nil); err != nil { // the page is in memory
			t.Fatal(err)
		}
		if err := a.SetAttr("x", 1); err != nil {
			t.Fatal(err)
		}
		failDir, failSync = what == "dir", what == "sync"
		if err := a.Sync(); (err == nil) != (what == "none") {
			t.Fatal(what, err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
		mustClose(t, a)
		if now := contentOf(t, o.fs, "a"+presenceExt); len(now) < 66 || now[64] == 0 || now[65] == 0 {
			t.Errorf("%s: the presence map has %d bytes: %v", what, len(now), now[min(64, len(now)):])
		}
	}
}
