package drx

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/internal/state"
	"drx/nd"
)

// version1 copies an array of format version 1, written by an old program, to a new folder, and
// returns its name there.
func version1(t *testing.T, name string) string {
	t.Helper()
	return stored(t, "v1", name)
}

// stored copies an array in a folder of testdata to a new folder, and returns its name there.
func stored(t *testing.T, folder, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, name+".x*"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	dir := t.TempDir()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, name)
}

// grownElement is an element of testdata/v1/grown: three frames of 5 x 7 that count from 0; the
// array then grew by elements with the fill value.
func grownElement(index []int) int16 {
	if time, y, x := index[0], index[1], index[2]; time < 3 && y < 5 && x >= 0 {
		return int16(7*y + x)
	}
	return -9
}

// diedElement is an element of testdata/v1/died: 4 x 5 x 7 that count from 1000; three of the four
// frames are overwritten by a commit that is in the journal.
func diedElement(index []int) int16 {
	if index[0] < 3 {
		return 7
	}
	return int16(1000 + 35*index[0] + 7*index[1] + index[2])
}

func wantElements(t *testing.T, a *Array, want func(index []int) int16) {
	t.Helper()
	data, err := Read[int16](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	each(a.Bounds(), nil, func(index []int) {
		if data[0] != want(index) {
			t.Fatalf("element %v is %d, want %d", index, data[0], want(index))
		}
		data = data[1:]
	})
}

// Arrays of version 1 are read unchanged, by readers and by writers without a commit.
func TestVersion1IsRead(t *testing.T) {
	for name, want := range map[string]func([]int) int16{"grown": grownElement, "died": diedElement} {
		file := version1(t, name)
		log, err := os.ReadFile(file + logExt)
		if err != nil {
			t.Fatal(err)
		}
		for _, write := range []bool{false, true, false} {
			a, err := Open(file, Options{Write: write})
			if err != nil {
				t.Fatal(err)
			}
			wantElements(t, a, want)
			if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if now, err := os.ReadFile(file + logExt); err != nil || !bytes.Equal(now, log) {
			t.Errorf("%s: the log is now %q, %v", name, now, err)
		}
		if _, err := os.Stat(file + presenceExt); err == nil {
			t.Errorf("%s has a presence map, which nothing has committed", name)
		}
	}
}

// Any commit upgrades an array to version 2, with a presence map of all chunks.
func TestVersion1BecomesVersion2(t *testing.T) {
	for what, change := range map[string]func(*Array) error{
		"extend":    func(a *Array) error { _, err := a.Extend(0, 1); return err },
		"attribute": func(a *Array) error { return a.SetAttr("note", 1) },
		"overwrite": func(a *Array) error { return Write(a, nd.Sec(nd.At(0), nd.At(0), nd.At(0)), []int16{0}) },
		"shrink":    func(a *Array) error { return a.Shrink(2, 1) },
		"compact":   func(a *Array) error { return a.Compact(context.Background(), nil) },
	} {
		name := version1(t, "grown")
		a, err := Open(name, Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(change(a), a.Close()); err != nil {
			t.Fatal(what, err)
		}
		if a, err = Open(name, Options{}); err != nil {
			t.Fatal(what, err)
		}
		if v := a.state.Load().Version; v != state.Version {
			t.Errorf("%s: version %d", what, v)
		}
		wantElements(t, a, grownElement)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		wantNoSilentLoss(t, what, name)
	}
}

// wantNoSilentLoss zeroes each sector of the chunk table, which must be an error.
func wantNoSilentLoss(t *testing.T, what, name string) {
	t.Helper()
	table, err := os.ReadFile(name + tableExt)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(table); at += 512 {
		lost := slices.Clone(table)
		clear(lost[at:min(at+512, len(lost))])
		if bytes.Equal(lost, table) {
			continue
		}
		if err := os.WriteFile(name+tableExt, lost, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Open(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read[int16](a, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), presenceExt) {
			t.Errorf("%s: sector at %d lost: %v", what, at, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A writer that is killed while it upgrades an array leaves one of version 1. Its presence map does
// not count, whatever it contains, and the next commit makes a new one.
func TestVersion1WithHalfAPresenceMap(t *testing.T) {
	name := version1(t, "grown")
	if err := os.WriteFile(name+presenceExt, bytes.Repeat([]byte{1}, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, write := range []bool{false, true, false} {
		a, err := Open(name, Options{Write: write})
		if err != nil {
			t.Fatal(err)
		}
		wantElements(t, a, grownElement)
		if write {
			err = a.SetAttr("note", 2)
		}
		if err = errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
	}
	wantNoSilentLoss(t, "half a map", name)
}

// In an array of version 1, chunks whose entries are lost read as the fill value, but Recover finds
// their bytes.
func TestVersion1LostEntries(t *testing.T) {
	name := version1(t, "grown")
	good, err := Recover(t.Context(), name, name+"-good", RecoverOptions{})
	if err != nil || !good.Complete() {
		t.Fatalf("%+v, %v", good, err)
	}
	table, err := os.ReadFile(name + tableExt)
	if err != nil {
		t.Fatal(err)
	}
	clear(table[:64])
	if err := os.WriteFile(name+tableExt, table, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Recover(t.Context(), name, name+"-some", RecoverOptions{})
	if err != nil || r.Complete() || len(r.Lost) != 4 || r.Saved+4 != good.Saved {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = Recover(t.Context(), name, name+"-all", RecoverOptions{AcceptUnchecked: true})
	if err != nil || r.Unchecked != 4 || r.Saved != good.Saved {
		t.Errorf("%+v, %v", r, err)
	}
	a, err := Open(name+"-all", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	wantElements(t, a, grownElement)
}

// Lines that the log has lost are detected by means of the chunks of later commits.
func TestVersion1LostLines(t *testing.T) {
	name := version1(t, "grown")
	log, err := os.ReadFile(name + logExt)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log, []byte("\n"))
	if err := os.WriteFile(name+logExt, bytes.Join(lines[:2], nil), 0o666); err != nil {
		t.Fatal(err)
	}
	if a, err := Open(name, Options{Write: true}); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("%v, %v", a, err)
	}
	r, err := Recover(t.Context(), name, name+"-2", RecoverOptions{})
	if err != nil || r.Complete() || r.MissingLines < 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := AcceptLoss(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	a, err := Open(name, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := a.Extend(0, 3); err != nil {
		t.Fatal(err)
	}
	wantElements(t, a, func(index []int) int16 {
		if index[0] > 0 {
			return -9
		}
		return grownElement(index)
	})
}

// The presence map that an array of version 1 gets is part of its Usage at once.
func TestUsageAfterUpgrade(t *testing.T) {
	a, err := Open(version1(t, "grown"), Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	before, err := a.Usage()
	if err := errors.Join(err, a.SetAttr("note", 1), a.Sync()); err != nil {
		t.Fatal(err)
	}
	if after, err := a.Usage(); err != nil || after.TableBytes <= before.TableBytes {
		t.Errorf("table and presence map take %d bytes, the table took %d, %v", after.TableBytes, before.TableBytes, err)
	}
}
