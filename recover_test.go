package drx

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"drx/internal/vfs"
)

// damagedArray returns the options of a closed array "a" with stamped elements, whose files harm has damaged.
func damagedArray(t *testing.T, harm func(o Options, file func(ext string) vfs.File)) Options {
	t.Helper()
	o := inMemory()
	a := grownArray(t, o)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	harm(o, func(ext string) vfs.File {
		f, err := o.fs.Open("a"+ext, true)
		if err != nil {
			t.Fatal(err)
		}
		return f
	})
	return o
}

func flipByte(t *testing.T, f vfs.File, at int64) {
	t.Helper()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x10
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

func mustRecover(t *testing.T, o Options, accept bool) (RecoverReport, *Array) {
	t.Helper()
	before := contents(t, o.fs)
	last := int64(0)
	r, err := Recover(context.Background(), "a.xmd", "b", RecoverOptions{fs: o.fs, AcceptUnchecked: accept, Progress: func(done, total int64) {
		if last++; done != last || done > total {
			t.Errorf("progress %d of %d, want %d", done, total, last)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if after := contents(t, o.fs); !slices.Equal(before, after) {
		t.Error("the source has changed")
	}
	b, err := Open("b", Options{fs: o.fs, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.Verify(context.Background(), nil)
	if err != nil || !v.Good() || v.Written != r.Saved {
		t.Errorf("verify %+v, %v, report %+v", v, err, r)
	}
	checkSaved(t, b, r)
	return r, b
}

// checkSaved checks that every element of b is either its stamp or, if it is lost according to the report, the
// fill value.
func checkSaved(t *testing.T, b *Array, r RecoverReport) {
	t.Helper()
	lost := map[[2]int]bool{}
	for _, l := range r.Lost {
		if l.Err == nil || len(l.ChunkIndex) != 2 || len(l.Section) != 2 {
			t.Errorf("lost %+v", l)
		}
		each(l.Section, nil, func(index []int) { lost[[2]int(index)] = true })
	}
	data, err := Read[int64](b, nil)
	if err != nil {
		t.Fatal(err)
	}
	each(b.Bounds(), nil, func(index []int) {
		want := stamp(index[0], index[1])
		if lost[[2]int(index)] {
			want = 5
		}
		if data[0] != want {
			t.Errorf("element %v is %d, want %d", index, data[0], want)
		}
		data = data[1:]
	})
}

func contents(t *testing.T, fsys vfs.FS) (all []string) {
	t.Helper()
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
		if _, err := fsys.Identity("a" + ext); errors.Is(err, fs.ErrNotExist) {
			all = append(all, "missing")
			continue
		}
		all = append(all, string(contentOf(t, fsys, "a"+ext)))
	}
	return all
}

// Recover saves everything of an intact array, with names and attributes.
func TestRecoverGood(t *testing.T) {
	o := damagedArray(t, func(Options, func(string) vfs.File) {})
	r, b := mustRecover(t, o, false)
	if !r.Complete() || r.Unchecked != 0 || r.Saved == 0 || r.Commits != 16 {
		t.Errorf("report %+v", r)
	}
	if string(b.Attrs()["step"]) != "13" || !slices.Equal(b.Dims(), []string{"y", "x"}) || b.Grid().Segments() != 1 {
		t.Errorf("another array: %+v", b.state.Load())
	}
	if text, err := json.Marshal(r); err != nil || !strings.Contains(string(text), `"missing":[],`) || !strings.Contains(string(text), `"lost":[],`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestRecoverDamagedChunks(t *testing.T) {
	const q1, q2, slot = 3, 7, 64
	harm := func(_ Options, file func(string) vfs.File) {
		flipByte(t, file(dataExt), q1*slot+9)
		flipByte(t, file(tableExt), q2*16+1)
	}
	r, _ := mustRecover(t, damagedArray(t, harm), false)
	if len(r.Lost) != 2 || r.Lost[0].Number != q1 || r.Lost[1].Number != q2 || r.Complete() {
		t.Errorf("report %+v", r)
	}
	r, _ = mustRecover(t, damagedArray(t, harm), true)
	if len(r.Lost) != 1 || r.Lost[0].Number != q1 || r.Unchecked != 1 {
		t.Errorf("with unchecked: report %+v", r)
	}
}

func TestRecoverMissingFiles(t *testing.T) {
	table := func(o Options, _ func(string) vfs.File) {
		if err := o.fs.Remove("a" + tableExt); err != nil {
			t.Fatal(err)
		}
	}
	good, _ := mustRecover(t, damagedArray(t, func(Options, func(string) vfs.File) {}), false)
	r, _ := mustRecover(t, damagedArray(t, table), false)
	if r.Saved != 0 || int64(len(r.Lost)) != good.Saved || !slices.Equal(r.Missing, []string{"a.xck"}) {
		t.Errorf("no table: report %+v", r)
	}
	r, _ = mustRecover(t, damagedArray(t, table), true)
	if r.Saved != good.Saved || r.Unchecked != good.Saved || len(r.Lost) > 0 || r.Complete() {
		t.Errorf("no table, unchecked: report %+v", r)
	}
	r, _ = mustRecover(t, damagedArray(t, func(o Options, _ func(string) vfs.File) {
		if err := o.fs.Remove("a" + dataExt); err != nil {
			t.Fatal(err)
		}
	}), true)
	if r.Saved != 0 || int64(len(r.Lost)) != good.Saved || !slices.Equal(r.Missing, []string{"a.xta"}) {
		t.Errorf("no data: report %+v", r)
	}
}

// Chunks behind the end of a truncated file are lost, or cannot be checked.
func TestRecoverShortFiles(t *testing.T) {
	cut := func(ext string, size int64) Options {
		return damagedArray(t, func(_ Options, file func(string) vfs.File) {
			if err := file(ext).Truncate(size); err != nil {
				t.Fatal(err)
			}
		})
	}
	good, _ := mustRecover(t, cut(dataExt, 1<<20), false)
	if !good.Complete() {
		t.Fatalf("report %+v", good)
	}
	r, _ := mustRecover(t, cut(dataExt, 5*64+20), true)
	if len(r.Lost) == 0 || r.Lost[0].Number != 5 || r.Saved+int64(len(r.Lost)) != good.Saved {
		t.Errorf("short data: report %+v", r)
	}
	r, _ = mustRecover(t, cut(tableExt, 3*16), false)
	if len(r.Lost) == 0 || r.Lost[0].Number < 3 || r.Saved+int64(len(r.Lost)) != good.Saved {
		t.Errorf("short table: report %+v", r)
	}
	r, _ = mustRecover(t, cut(tableExt, 3*16), true)
	if r.Unchecked == 0 || r.Saved != good.Saved || !r.Complete() {
		t.Errorf("short table, unchecked: report %+v", r)
	}
}

// A damaged log counts up to its first damaged line.
func TestRecoverDamagedLog(t *testing.T) {
	o := damagedArray(t, func(o Options, file func(string) vfs.File) {
		text := contents(t, o.fs)[0]
		lines := strings.SplitAfter(text, "\n")
		flipByte(t, file(logExt), int64(len(strings.Join(lines[:9], ""))+20))
	})
	r, b := mustRecover(t, o, false)
	if r.Commits != 9 || r.LostLines == 0 || r.LogDamage == "" || r.Beyond == 0 || r.Complete() {
		t.Errorf("report %+v", r)
	}
	if string(b.Attrs()["step"]) == "13" {
		t.Error("attributes of lost lines")
	}
}

func TestRecoverErrors(t *testing.T) {
	o := damagedArray(t, func(_ Options, file func(string) vfs.File) { flipByte(t, file(logExt), 12) })
	try := func(ctx context.Context, src, dst string, want error) {
		t.Helper()
		if _, err := Recover(ctx, src, dst, RecoverOptions{fs: o.fs}); !errors.Is(err, want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %v", err, want)
		}
		if id, err := identityOf(o.fs, "b.xmd"); id != nil || err != nil {
			t.Errorf("b.xmd is there: %v", err)
		}
	}
	ctx := context.Background()
	try(ctx, "a", "b", ErrCorrupt)
	try(ctx, "none", "b", fs.ErrNotExist)
	o = damagedArray(t, func(Options, func(string) vfs.File) {})
	try(ctx, "a", "a", fs.ErrExist)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	try(cancelled, "a", "b", context.Canceled)
}
