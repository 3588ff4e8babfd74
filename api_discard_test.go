package drx

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// Discard leaves the array as it was at the last Sync, for readers and for the next writer.
func TestDiscard(t *testing.T) { inBothForms(t, testDiscard) }

func testDiscard(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "system": vfs.OS} {
		t.Run(name, func(t *testing.T) {
			file := named(t, "a")
			if fsys == vfs.OS {
				file = filepath.Join(t.TempDir(), named(t, "a"))
			}
			spec := Spec{DType: dtype.Int8, Shape: []int{2, 2}, ChunkShape: []int{1, 2}, Options: Options{fs: fsys, Cache: 2}}
			a, err := Create(file, spec)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(Fill(a, nil, int8(1)), a.Sync()); err != nil {
				t.Fatal(err)
			}
			// Write more than the cache holds, so that old and new chunks are in the files.
			if _, err := a.Extend(0, 7); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(Fill(a, nil, int8(2)), a.SetAttr("n", 1), a.Discard()); err != nil {
				t.Fatal(err)
			}
			for op, err := range map[string]error{"discard": a.Discard(), "close": a.Close(), "sync": a.Sync()} {
				if !errors.Is(err, ErrClosed) {
					t.Errorf("%s after discard: %v", op, err)
				}
			}
			for _, write := range []bool{false, true} {
				wantOnes(t, file, Options{fs: fsys, Write: write})
			}
		})
	}
}

// wantOnes opens the array of TestDiscard, checks that it equals the last commit, and discards it.
func wantOnes(t *testing.T, file string, o Options) {
	t.Helper()
	a, err := Open(file, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read[int8](a, nil)
	if err != nil || !slices.Equal(got, []int8{1, 1, 1, 1}) || len(a.Attrs()) != 0 {
		t.Errorf("%+v: read %v, %v, attributes %v", o, got, err, a.Attrs())
	}
	if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() || r.Written != 2 {
		t.Errorf("%+v: verify: %+v, %v", o, r, err)
	}
	if err := a.Discard(); err != nil {
		t.Error(err)
	}
}

// Discard of a shared array keeps the reservation; its chunks are unwritten again.
func TestDiscardReserved(t *testing.T) { inBothForms(t, testDiscardReserved) }

func testDiscardReserved(t *testing.T) {
	fsys := vfs.NewMem()
	w, err := Create(named(t, "a"), sharedSpec(fsys))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", Options{Shared: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	sec, err := a.Reserve(0, 4)
	if err != nil {
		t.Fatal(err)
	}
	own := nd.Sec(nd.Span(0, 4), nd.Span(0, 4)) // one chunk, not shared with a later section
	if err := errors.Join(Fill(a, own, int64(7)), a.Discard()); err != nil {
		t.Fatal(err)
	}
	a, err = Open("a", Options{Write: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read[int64](a, own)
	if err != nil || !slices.Equal(a.Bounds(), nd.Box([]int{0, 0}, []int{4, 6})) || slices.Max(got) != -1 {
		t.Errorf("reserved %v, bounds %v, read %v, %v", sec, a.Bounds(), got, err)
	}
}

// After Discard the files need the same space as at the last commit, whatever was changed since,
// and there is no journal.
func TestDiscardGivesSpaceBack(t *testing.T) { inBothForms(t, testDiscardGivesSpaceBack) }

func testDiscardGivesSpaceBack(t *testing.T) {
	const edge = 1 << 16
	rows := func(from, to int) nd.Section { return nd.Sec(nd.Span(from, to), nd.All) }
	write := func(a *Array, from, to int) error {
		return Write(a, rows(from, to), slices.Repeat([]int8{2}, (to-from)*edge))
	}
	for name, change := range map[string]func(a *Array) error{
		"chunks of the grid": func(a *Array) error { return write(a, 4, 16) },
		"new chunks": func(a *Array) error {
			_, err := a.Extend(0, 16)
			return errors.Join(err, write(a, 16, 32))
		},
		"new chunks, of which the table knows": func(a *Array) error {
			_, err := a.Extend(0, 16)
			_, usageErr := a.Usage() // writes the table
			return errors.Join(err, write(a, 16, 32), usageErr)
		},
		"images in the journal":   func(a *Array) error { return write(a, 0, 4) },
		"patches and a shrinking": func(a *Array) error { return errors.Join(Fill(a, nd.Sec(nd.All, nd.At(5)), int8(2)), a.Shrink(0, 3)) },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), named(t, "a"))
			a, err := Create(file, Spec{DType: dtype.Int8, Shape: []int{16, edge}, ChunkShape: []int{1, edge}, Options: Options{Cache: 4 * edge}})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(Fill(a, rows(0, 4), int8(1)), a.Close()); err != nil {
				t.Fatal(err)
			}
			before := spaceOf(t, file)
			if a, err = Open(file, Options{Write: true, Cache: 4 * edge}); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(change(a), a.Discard()); err != nil {
				t.Fatal(err)
			}
			if after := spaceOf(t, file); !maps.Equal(before, after) {
				t.Errorf("files take %v, before %v", after, before)
			}
			if a, err = Open(file, Options{}); err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			got, err := Read[int8](a, rows(0, 4))
			if err != nil || slices.Min(got) != 1 || slices.Max(got) != 1 || a.Shape()[0] != 16 {
				t.Errorf("not what was committed: %v, %v", a, err)
			}
		})
	}
}

// Usage counts the journals of a writer and of processes that share the array.
func TestJournalBytes(t *testing.T) { inBothForms(t, testJournalBytes) }

func testJournalBytes(t *testing.T) {
	const edge = 1 << 16
	file := filepath.Join(t.TempDir(), named(t, "a"))
	a, err := Create(file, Spec{DType: dtype.Int8, Shape: []int{8, edge}, ChunkShape: []int{1, edge}, Options: Options{Cache: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(a, nil, int8(1)), a.Sync(), Fill(a, nil, int8(2))); err != nil {
		t.Fatal(err)
	}
	want := func(least, most int64) {
		t.Helper()
		r, err := Open(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		u, err := r.Usage()
		if err = errors.Join(err, r.Close()); err != nil || u.JournalBytes < least || u.JournalBytes > most {
			t.Errorf("journals of %d bytes, want %d to %d, %v", u.JournalBytes, least, most, err)
		}
	}
	want(7*edge, 8*edge)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	want(0, 0)
	var sharers [2]*Array
	for i := range sharers {
		if sharers[i], err = Open(file, Options{Shared: true}); err != nil {
			t.Fatal(err)
		}
	}
	want(0, 0)
	if err := os.WriteFile(file+".xjl0", make([]byte, edge), 0o666); err != nil { // as during a change
		t.Fatal(err)
	}
	want(edge, edge)
	if err := errors.Join(sharers[0].Close(), sharers[1].Close()); err != nil {
		t.Fatal(err)
	}
}

// spaceOf returns the bytes that each file of an array occupies on the device.
func spaceOf(t *testing.T, array string) map[string]int64 {
	t.Helper()
	names, err := filepath.Glob(array + ".*")
	if err != nil {
		t.Fatal(err)
	}
	space := map[string]int64{}
	for _, name := range names {
		f, err := vfs.OS.Open(name, false)
		if err != nil {
			t.Fatal(err)
		}
		n, err := f.Allocated()
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		space[filepath.Base(name)] = n
	}
	return space
}

// Discard by one of several appending processes removes nothing of the others, and frees the space
// of its own chunks.
func TestDiscardBesideOthers(t *testing.T) {
	const edge = 1 << 16
	file := filepath.Join(t.TempDir(), named(t, "a"))
	w, err := Create(file, Spec{DType: dtype.Int8, Shape: []int{0, edge}, ChunkShape: []int{1, edge}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var arrays [2]*Array
	var secs [2]nd.Section
	for i := range arrays {
		if arrays[i], err = Open(file, Options{Shared: true, Cache: 1}); err != nil {
			t.Fatal(err)
		}
		if secs[i], err = arrays[i].Reserve(0, 4); err != nil {
			t.Fatal(err)
		}
		if err := Write(arrays[i], secs[i], slices.Repeat([]int8{int8(1 + i)}, 4*edge)); err != nil {
			t.Fatal(err)
		}
	}
	during := spaceOf(t, file)["a.xta"]
	if err := errors.Join(arrays[1].Discard(), arrays[0].Close()); err != nil {
		t.Fatal(err)
	}
	if after := spaceOf(t, file)["a.xta"]; during <= 5*edge || after != 4*edge {
		t.Errorf("%d bytes, and %d after one of two discards, want those of 4 chunks", during, after)
	}
	a, err := Open(file, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for i, want := range []int8{1, 0} {
		got, err := Read[int8](a, secs[i])
		if err != nil || slices.Min(got) != want || slices.Max(got) != want {
			t.Errorf("section %v is not all %d: %v", secs[i], want, err)
		}
	}
}

// A group that closes an array without a commit frees the space of what it has written, and leaves
// no journal.
func TestGroupGivesSpaceBack(t *testing.T) {
	const edge = 1 << 16
	for _, d := range []Durability{DurabilityFull, DurabilityNone} {
		file := filepath.Join(t.TempDir(), named(t, "a"))
		a, err := Create(file, Spec{DType: dtype.Int8, Shape: []int{4, edge}, ChunkShape: []int{1, edge}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(Fill(a, nil, int8(1)), a.Close()); err != nil {
			t.Fatal(err)
		}
		before := spaceOf(t, file)
		if a, err = Open(file, Options{Write: true, Durability: d, Cache: 1}); err != nil {
			t.Fatal(err)
		}
		leader, err := leadGroup(a, 2)
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Extend(0, 8)
		err = errors.Join(err, leader.Cover(), Write(a, nd.Sec(nd.Span(4, 12), nd.All), slices.Repeat([]int8{2}, 8*edge)))
		if err := errors.Join(err, leader.Close()); err != nil {
			t.Fatal(err)
		}
		after := spaceOf(t, file)
		if delete(after, "a.xck"); after["a.xta"] > before["a.xta"] || len(after) != len(before)-1 {
			t.Errorf("%v: files take %v, before %v", d, after, before)
		}
		if a, err = Open(file, Options{Write: true}); err != nil {
			t.Fatal(err)
		}
		if got, err := Read[int8](a, nil); err != nil || len(got) != 4*edge || slices.Min(got) != 1 {
			t.Errorf("%v: not what was committed: %v, %v", d, a, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
