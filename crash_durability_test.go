package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// An overwriteSession commits an array of ones, 4 x 8 in chunks of 2 x 4, and then overwrites its
// left half with twos, adds two rows of threes, and commits again.
type overwriteSession struct {
	name     string
	returned int
}

func (s *overwriteSession) run(o Options) error {
	a, err := Create(s.name, Spec{DType: dtype.Uint64, Shape: []int{4, 8}, ChunkShape: []int{2, 4}, Options: o})
	if err != nil {
		return err
	}
	if err := Fill(a, nil, uint64(1)); err != nil {
		return err
	}
	if err := a.Sync(); err != nil {
		return err
	}
	s.returned = 1
	if err := Fill(a, nd.Sec(nd.All, nd.To(4)), uint64(2)); err != nil {
		return err
	}
	added, err := a.Extend(0, 2)
	if err != nil {
		return err
	}
	if err := Fill(a, added, uint64(3)); err != nil {
		return err
	}
	if err := a.Sync(); err != nil {
		return err
	}
	s.returned = 2
	return a.Close()
}

// check checks the array after a crash: committed chunks that were not overwritten since are
// intact; chunks that were being overwritten have the old or the new contents, or are damaged and
// reported.
func (s *overwriteSession) check(t *testing.T, fsys vfs.FS, crash string) (mixed, damaged bool) {
	t.Helper()
	a, err := Open("a", Options{fs: fsys})
	if err != nil {
		t.Fatalf("%s: %v", crash, err)
	}
	rows := a.Shape()[0]
	if rows != 4 && rows != 6 || rows == 4 && s.returned == 2 {
		t.Fatalf("%s: %d rows after %d commits", crash, rows, s.returned)
	}
	var values [4]int
	each(a.Bounds(), nil, func(index []int) {
		v, err := At[uint64](a, index...)
		switch left := index[0] < 4 && index[1] < 4; {
		case left && rows == 4 && errors.Is(err, ErrCorrupt):
			damaged = true
		case err != nil || v < 1 || v > 3:
			t.Fatalf("%s: element %v is %d, %v", crash, index, v, err)
		case (v == 3) != (index[0] >= 4), v == 2 && !left, v == 1 && left && rows == 6:
			t.Fatalf("%s: element %v of %d rows is %d", crash, index, rows, v)
		default:
			values[v]++
		}
	})
	return rows == 4 && values[2] > 0, damaged
}

// Without a journal, a crash may change or damage only the chunks that were being overwritten.
func TestNoJournalCrash(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testNoJournalCrash)
}

func testNoJournalCrash(t *testing.T) {
	states, mixed, damaged := 0, 0, 0
	for k := 0; ; k++ {
		fsys := vfstest.NewCrash()
		fsys.CrashAfter(k)
		s := &overwriteSession{name: named(t, "a")}
		err := s.run(Options{fs: fsys, Durability: DurabilityNoJournal, Cache: 1})
		if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatal(err)
		}
		policies := vfstest.Policies(20, uint64(k))
		for _, policy := range slices.Sorted(maps.Keys(policies)) {
			if s.returned == 0 {
				continue
			}
			m, d := s.check(t, fsys.After(policies[policy]), fmt.Sprintf("crash at operation %d, policy %s", k, policy))
			states++
			if m {
				mixed++
			}
			if d {
				damaged++
			}
		}
		if err == nil {
			break
		}
	}
	t.Logf("%d states: %d with new values among the old, %d damaged", states, mixed, damaged)
	if mixed == 0 || damaged == 0 {
		t.Error("nothing was ever in the middle of being overwritten")
	}
}

// operations counts the syncs and journals of a session and of another one that opens the array
// again.
func operations(t *testing.T, d Durability) (syncs, journals int) {
	t.Helper()
	o := Options{Durability: d, Cache: 1, fs: vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		if op == vfstest.OpSync || op == vfstest.OpSyncDir {
			syncs++
		}
		if op == vfstest.OpCreate && strings.HasSuffix(name, journalExt) {
			journals++
		}
		return nil
	}}}
	if err := (&overwriteSession{name: named(t, "a")}).run(o); err != nil {
		t.Fatal(err)
	}
	o.Write = true
	a, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(a.ShrinkLow(0, 2), a.SetAttr("n", 1), Set(a, uint64(9), 3, 3), a.Sync())
	if err == nil {
		_, err = a.Extend(0, 1)
	}
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	if a, err = Open("a", o); err != nil {
		t.Fatal(err)
	}
	got, err := Read[uint64](a, nd.Sec(nd.All, nd.At(3)))
	if want := []uint64{2, 9, 3, 3, 0}; err != nil || !slices.Equal(got, want) {
		t.Errorf("durability %d: read %v, %v, want %v", d, got, err, want)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return syncs, journals
}

func TestDurabilities(t *testing.T) { inBothForms(t, testDurabilities) }

func testDurabilities(t *testing.T) {
	syncs, journals := operations(t, DurabilityFull)
	if journals == 0 {
		t.Error("full durability, no journal")
	}
	if s, j := operations(t, DurabilityNoJournal); j != 0 || s == 0 || s >= syncs {
		t.Errorf("without a journal: %d syncs (with one: %d), %d journals", s, syncs, j)
	}
	if s, j := operations(t, DurabilityNone); j != 0 || s != 0 {
		t.Errorf("no durability: %d syncs, %d journals", s, j)
	}
}

// An array cannot be created if the journal of a removed array has its name and is not empty. The
// error says how to remove it. An empty journal, which a power cut during a removal may leave, is
// replaced.
func TestCreateBesideJournal(t *testing.T) {
	o := inMemory()
	for _, ext := range []string{journalExt, journalExt + "0", journalExt + "3"} {
		if ext == journalExt+"3" { // journals of sharers are numbered without gaps
			mustMakeFile(t, o.fs, "a"+journalExt+"0", nil)
		}
		mustMakeFile(t, o.fs, "a"+ext, []byte("left"))
		_, err := Create("a", Spec{DType: dtype.Int8, Shape: []int{1}, Options: o})
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "a"+ext) || !strings.Contains(err.Error(), "drx rm") {
			t.Errorf("create: %v", err)
		}
		if err := o.fs.Remove("a" + ext); err != nil {
			t.Fatal(err)
		}
		mustMakeFile(t, o.fs, "a"+ext, nil)
		a, err := Create("a", Spec{DType: dtype.Int8, Shape: []int{1}, Options: o})
		if err == nil {
			err = errors.Join(a.Close(), fileset.Remove(o.fs, "a"))
		}
		if err != nil {
			t.Errorf("beside an empty journal: %v", err)
		}
	}
}
