package onefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drx/internal/enumtest"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// several returns a new file with several arrays.
func several(t testing.TB, fsys vfs.FS) vfs.File {
	t.Helper()
	f, err := fsys.Create("a.drx")
	if err != nil {
		t.Fatal(err)
	}
	if err := FormatSeveral(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// directoryOf opens the directory of a file with another handle.
func directoryOf(t testing.TB, fsys vfs.FS) *Directory {
	t.Helper()
	d, err := OpenDirectory(fsysFile(t, fsys), true)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Random changes of the names by two handles agree with a map, and no stream is used twice.
func TestDirectoryAgainstMap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		fsys := vfs.NewMem()
		several(t, fsys)
		handles := []*Directory{directoryOf(t, fsys), directoryOf(t, fsys)}
		want, used := map[string]int{}, map[int]bool{}
		name := func(label string) string { return rapid.SampledFrom([]string{"a", "b/c.drx", "ü"}).Draw(r, label) }
		for range rapid.IntRange(1, 120).Draw(r, "steps") {
			d := handles[rapid.IntRange(0, 1).Draw(r, "handle")]
			from, to := name("from"), name("to")
			switch rapid.IntRange(0, 2).Draw(r, "what") {
			case 0:
				n, err := d.Create(from)
				if has := want[from] != 0; has != errors.Is(err, fs.ErrExist) || !has && err != nil || used[n] {
					r.Fatalf("create %s: stream %d, %v", from, n, err)
				}
				if err == nil {
					want[from], used[n] = n, true
				}
			case 1:
				err := d.Rename(from, to)
				if has := want[from] != 0; has != (err == nil) || !has && !errors.Is(err, fs.ErrNotExist) {
					r.Fatalf("rename %s: %v", from, err)
				}
				if n := want[from]; err == nil {
					delete(want, from)
					want[to] = n
				}
			case 2:
				err := d.Remove(from)
				if has := want[from] != 0; has != (err == nil) || !has && !errors.Is(err, fs.ErrNotExist) {
					r.Fatalf("remove %s: %v", from, err)
				}
				delete(want, from)
			}
		}
		if d := directoryOf(t, fsys); !maps.Equal(d.streams, want) || !slices.Equal(d.Names(), slices.Sorted(maps.Keys(want))) {
			r.Fatalf("%v, want %v", d.streams, want)
		}
	})
}

// named returns the bytes of a directory with entries of both kinds.
func named(t testing.TB) []byte {
	t.Helper()
	fsys := vfs.NewMem()
	several(t, fsys)
	d := directoryOf(t, fsys)
	_, first := d.Create("temperature.drx")
	_, second := d.Create("model/größe.drx")
	if err := errors.Join(first, second, d.Remove("temperature.drx"), d.Rename("model/größe.drx", strings.Repeat("x", maxName))); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, d.end())
	if _, err := d.log.ReadAt(raw, 0); err != nil {
		t.Fatal(err)
	}
	return raw
}

// The bytes of a directory equal the golden file, and still have the same meaning.
func TestGoldenDirectory(t *testing.T) {
	raw := named(t)
	golden(t, "testdata/directory.golden", raw)
	d, err := directoryWith(raw)
	if err != nil || !maps.Equal(d.streams, map[string]int{strings.Repeat("x", maxName): 4}) || d.next != 6 {
		t.Fatalf("%+v, %v", d, err)
	}
}

// directoryWith opens a directory with the given bytes.
func directoryWith(raw []byte) (*Directory, error) {
	fsys := vfs.NewMem()
	f, err := fsys.Create("a.drx")
	if err == nil {
		err = FormatSeveral(f)
	}
	if err == nil {
		_, err = f.WriteAt(raw[:min(len(raw), firstLogExtent)], headerBytes)
	}
	if err != nil {
		return nil, err
	}
	return OpenDirectory(f, true)
}

// Each copy of each entry may be damaged. If both are, that is an error with the position, except
// for the last entry if it is incomplete: then nobody has seen it.
func TestDamagedEntries(t *testing.T) {
	raw := named(t)
	want, err := directoryWith(raw)
	if err != nil {
		t.Fatal(err)
	}
	for at := range raw {
		damaged := bytes.Clone(raw)
		damaged[at]++
		if d, err := directoryWith(damaged); err != nil || !maps.Equal(d.streams, want.streams) {
			t.Fatalf("byte %d is damaged: %v", at, err)
		}
		if at%97 != 0 {
			continue
		}
		n := at / (2 * entryBytes)
		damaged[(2*n+(at/entryBytes+1)%2)*entryBytes+30]++
		if _, err := directoryWith(damaged); !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("entry %d of its directory, at byte %d of that, is damaged", n, 2*n*entryBytes)) {
			t.Errorf("both copies are damaged: %v", err)
		}
	}
	for n := range 3 {
		lost := bytes.Clone(raw)
		clear(lost[2*n*entryBytes : 2*(n+1)*entryBytes])
		if _, err := directoryWith(lost); !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("entry %d of its directory", n)) {
			t.Errorf("entry %d is lost: %v", n, err)
		}
	}
	for n := range 2 { // torn: the second copy is missing
		torn := bytes.Clone(raw)
		clear(torn[len(raw)-entryBytes:])
		torn[len(raw)-2*entryBytes+30] += byte(n)
		if d, err := directoryWith(torn); err != nil || d.entries != 4-n {
			t.Errorf("the last entry is torn: %v", err)
		} else if err := d.Rename(d.Names()[0], "b"); err != nil || d.entries != 5-n {
			t.Errorf("after a torn entry: %v", err)
		}
	}
}

// Impossible entries, of a hostile or a damaged file, are errors that say what is wrong.
func TestImpossibleEntries(t *testing.T) {
	for want, e := range map[string]entry{
		"stream 0":          {nameEntry, 0, "a"},
		"stream 3":          {nameEntry, 3, "a"},
		"stream 65536":      {nameEntry, 1 << 16, "a"},
		"kind 7":            {7, 2, "a"},
		"kind 2":            {removeEntry, 2, "a"},
		`"" is no name`:     {nameEntry, 2, ""},
		`"a//b" is no`:      {nameEntry, 2, "a//b"},
		`"../b" is no`:      {nameEntry, 2, "../b"},
		`"/b" is no`:        {nameEntry, 2, "/b"},
		`"a\nb" is no`:      {nameEntry, 2, "a\nb"},
		`"\xff" is no name`: {nameEntry, 2, "\xff"},
	} {
		raw := append(e.encode(0), e.encode(0)...)
		if _, err := directoryWith(raw); !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	fsys := vfs.NewMem()
	several(t, fsys)
	d := directoryOf(t, fsys)
	for _, name := range []string{"", "..", "a/../b", "a\x00", strings.Repeat("x", maxName+1)} {
		if _, err := d.Create(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if d.entries != 0 {
		t.Errorf("%d entries", d.entries)
	}
}

// FuzzDirectory decodes arbitrary bytes as a directory: accepted entries are found again after
// another entry was added.
func FuzzDirectory(f *testing.F) {
	f.Add(named(f))
	f.Fuzz(func(t *testing.T, raw []byte) {
		fixed := append(bytes.Clone(raw), make([]byte, 2*entryBytes)...)
		for n := range len(fixed) / entryBytes { // with valid checksums
			b := fixed[n*entryBytes:][:entryBytes]
			if e, _ := decodeEntry(b, n/2); !isZero(b) {
				copy(b, e.encode(n/2))
			}
		}
		for _, b := range [][]byte{raw, fixed} {
			d, err := directoryWith(b)
			if err != nil {
				if !errors.Is(err, state.ErrCorrupt) {
					t.Fatal(err)
				}
				continue
			}
			names := d.Names()
			if _, err := d.Create("another"); err != nil && !errors.Is(err, fs.ErrExist) && d.next < maxStreams {
				t.Fatal(err)
			} else if err == nil {
				names = append(names, "another")
			}
			again, err := OpenDirectory(d.c.File(), false)
			if slices.Sort(names); err != nil || !slices.Equal(again.Names(), names) {
				t.Fatalf("%q, want %q: %v", again.Names(), names, err)
			}
		}
	})
}

// changes are changes of a directory, with the names after each.
var changes = []struct {
	do    func(*Directory) error
	names []string
}{
	{func(d *Directory) error { _, err := d.Create("a"); return err }, []string{"a"}},
	{func(d *Directory) error { _, err := d.Create("b"); return err }, []string{"a", "b"}},
	{func(d *Directory) error { return d.Rename("a", "b") }, []string{"b"}},
	{func(d *Directory) error { return d.Rename("b", "c") }, []string{"c"}},
	{func(d *Directory) error { return d.Remove("c") }, []string{}},
}

// Wherever a change of the names is interrupted, the directory has the names before or after it,
// and accepts another change.
func TestCrashOfDirectory(t *testing.T) {
	all := enumtest.Of(t)
	for k, ended := 0, false; !ended; k++ {
		disk := vfstest.NewCrash()
		f, err := disk.Create("a.drx")
		if err = errors.Join(err, FormatSeveral(f), disk.SyncDir(".")); err != nil {
			t.Fatal(err)
		}
		d, err := OpenDirectory(f, true)
		if err != nil {
			t.Fatal(err)
		}
		disk.CrashAfter(k)
		done := 0
		for err == nil && done < len(changes) {
			if err = changes[done].do(d); err == nil {
				done++
			}
		}
		if ended = err == nil; !ended && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatal(err)
		}
		policies := vfstest.Policies(3, uint64(k))
		for _, name := range slices.Sorted(maps.Keys(policies)) {
			if all.Try() {
				checkNames(t, disk.After(policies[name]), done, fmt.Sprintf("operation %d, %s", k, name))
			}
		}
	}
	all.Want(100)
}

// checkNames checks a directory of which done changes were made before it was interrupted.
func checkNames(t *testing.T, fsys vfs.FS, done int, when string) {
	t.Helper()
	d := directoryOf(t, fsys)
	var possible [][]string
	for n := done - 1; n <= min(done, len(changes)-1); n++ {
		if n < 0 {
			possible = append(possible, []string{})
		} else {
			possible = append(possible, changes[n].names)
		}
	}
	is := slices.IndexFunc(possible, func(names []string) bool { return slices.Equal(names, d.Names()) })
	if is < 0 {
		t.Fatalf("%s: names %q, want one of %q", when, d.Names(), possible)
	}
	if _, err := d.Create("new"); err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	if again := directoryOf(t, fsys); len(again.Names()) != len(d.Names()) || again.Stream("new") == 0 {
		t.Fatalf("%s: %q", when, again.Names())
	}
}

// members returns the views of an array in a file, with another handle.
func members(t testing.TB, fsys vfs.FS, stream int) map[member]vfs.File {
	t.Helper()
	c, err := Open(NewMember(fsysFile(t, fsys), "a.drx/x", stream), true)
	if err != nil {
		t.Fatal(err)
	}
	return viewsOf(c)
}

// layOut lays out the given number of arrays in a new file.
func layOut(t testing.TB, fsys vfs.FS, arrays int, slot int64) (streams []int) {
	t.Helper()
	several(t, fsys)
	d := directoryOf(t, fsys)
	for i := range arrays {
		n, err := d.Create(fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		if err := New(NewMember(fsysFile(t, fsys), fmt.Sprint(i), n)).Format(slot, 0); err != nil {
			t.Fatal(err)
		}
		streams = append(streams, n)
	}
	return streams
}

// Several arrays grow in one file with two handles each, in any order: their streams agree with
// plain slices, and no byte belongs to two of them.
func TestMembersAgainstSlices(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		fsys, slot := vfs.NewMem(), rapid.SampledFrom([]int64{24, 1000}).Draw(r, "slot")
		streams := layOut(t, fsys, 3, slot)
		models := []model{{}, {}, {}}
		var handles [2][3]map[member]vfs.File
		for i := range handles {
			for k, n := range streams {
				handles[i][k] = members(t, fsys, n)
			}
		}
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			k, v := rapid.IntRange(0, 2).Draw(r, "array"), member(rapid.IntRange(0, 3).Draw(r, "member"))
			off := rapid.Int64Range(0, limit(v, slot, 30)).Draw(r, "offset")
			b := bytes.Repeat([]byte{byte(1 + off%255)}, rapid.IntRange(1, 30_000).Draw(r, "bytes"))
			if v == logMember {
				off = int64(len(models[k][v]))
			}
			if _, err := handles[rapid.IntRange(0, 1).Draw(r, "handle")][k][v].WriteAt(b, off); err != nil {
				r.Fatal(err)
			}
			models[k].write(v, b, off)
		}
		for i := range handles {
			for k := range streams {
				compare(r, handles[i][k], models[k])
			}
		}
	})
}

// Locks of one array are independent of those of another array in the same file, and of those of
// the file.
func TestLocksOfMembers(t *testing.T) {
	fsys := vfs.NewMem()
	streams := layOut(t, fsys, 2, 512)
	one, same, other, file := members(t, fsys, streams[0]), members(t, fsys, streams[0]), members(t, fsys, streams[1]), fsysFile(t, fsys)
	for _, v := range []member{logMember, dataMember, tableMember} {
		if err := errors.Join(one[v].Lock(), other[v].Lock()); err != nil {
			t.Fatal(err)
		}
		if err := same[v].Lock(); !errors.Is(err, vfs.ErrLocked) || !same[v].Locked() {
			t.Errorf("part %d is not locked: %v", v, err)
		}
	}
	if err := errors.Join(file.Lock(), file.Locks(1).Lock(), file.Locks(2).Lock()); err != nil {
		t.Error(err)
	}
	var unlocks []func() error
	for _, views := range []map[member]vfs.File{one, other} {
		for _, v := range []member{tableMember, presenceMember} {
			unlock, err := views[v].LockRange(1<<62, 1<<20) // of the last entries, after all others
			if err != nil {
				t.Fatal(err)
			}
			unlocks = append(unlocks, unlock)
		}
	}
	for _, unlock := range unlocks {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
	ids := map[any]bool{}
	for _, f := range []vfs.File{one[logMember], same[dataMember], other[logMember], file} {
		id, err := f.Identity()
		if err != nil {
			t.Fatal(err)
		}
		ids[id] = true
	}
	if len(ids) != 3 {
		t.Errorf("%d identities", len(ids))
	}
}

// A file is refused if it has another number of arrays. An array that was named but not laid out
// does not exist.
func TestWrongNumberOfArrays(t *testing.T) {
	fsys := vfs.NewMem()
	f := several(t, fsys)
	if is, err := Several(f); err != nil || !is {
		t.Errorf("%v, %v", is, err)
	}
	if _, err := Open(f, true); !errors.Is(err, ErrSeveral) {
		t.Error(err)
	}
	n, err := directoryOf(t, fsys).Create("a")
	if err != nil {
		t.Fatal(err)
	}
	m := NewMember(f, "a.drx/a", n)
	if unborn, err := Unborn(m); err != nil || !unborn {
		t.Errorf("%v, %v", unborn, err)
	}
	if _, err := Open(m, true); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "a.drx/a: empty") {
		t.Error(err)
	}
	one := vfs.NewMem()
	c := create(t, one, 512, 0)
	if _, err := OpenDirectory(c.File(), true); !errors.Is(err, ErrOneArray) {
		t.Error(err)
	}
	if is, err := Several(c.File()); err != nil || is {
		t.Errorf("%v, %v", is, err)
	}
}

// Several arrays in one file need little more space than one file each: ten arrays that grow in
// turn by a sixteenth.
func TestCostOfSeveral(t *testing.T) {
	fsys, slot := vfs.NewMem(), int64(64<<10)
	streams := layOut(t, fsys, 10, slot)
	var views []map[member]vfs.File
	for _, n := range streams {
		views = append(views, members(t, fsys, n))
	}
	chunks, lines := int64(0), int64(0)
	for chunks < 4000 {
		chunks += 1 + chunks/16
		lines += 60
		for _, v := range views {
			_, err := v[dataMember].WriteAt([]byte{1}, slot*chunks-1)
			if _, logErr := v[logMember].WriteAt([]byte{'\n'}, lines); errors.Join(err, logErr) != nil {
				t.Fatal(errors.Join(err, logErr))
			}
		}
	}
	s, err := readStreams(fsysFile(t, fsys))
	if err != nil {
		t.Fatal(err)
	}
	least := 10 * chunks * slot
	t.Logf("%d chunks: %d records, %.1f %% longer than the chunks", 10*chunks, len(s.records), 100*float64(s.end-least)/float64(least))
	if s.end > least+least/5 || len(s.records) > 500 {
		t.Errorf("%d bytes for %d of chunks, %d records", s.end, least, len(s.records))
	}
}

// A directory that has lost its last entries, in all copies, is damaged if the file has their
// arrays; it does not merely have fewer arrays. The same is true for one of an earlier version,
// whose copies are neighbours.
func TestLostLastEntries(t *testing.T) {
	for _, lost := range []int{1, 2, 3} {
		fsys := vfs.NewMem()
		layOut(t, fsys, 3, 512)
		d := directoryOf(t, fsys)
		_, err := d.log.WriteAt(make([]byte, lost*2*entryBytes), int64(3-lost)*2*entryBytes)
		if err == nil {
			_, err = d.mirror.WriteAt(make([]byte, lost*entryBytes), int64(3-lost)*entryBytes)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenDirectory(fsysFile(t, fsys), false); !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("entry %d of its directory", 3-lost)) {
			t.Errorf("%d lost: %v", lost, err)
		}
		left, damage, err := OpenDamagedDirectory(fsysFile(t, fsys))
		if err != nil || damage == nil || len(left.Names()) != 3-lost {
			t.Errorf("%d lost: salvaged with damage %v, %v", lost, damage, err)
		}
	}
}
