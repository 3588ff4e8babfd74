package drx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/vfs"
)

// damagedArray creates and closes an array "a" with stamped elements, damages its files with harm,
// and returns its options.
func damagedArray(t *testing.T, harm func(o Options, file func(ext string) vfs.File)) Options {
	t.Helper()
	o := inMemory()
	a := grownArray(t, o)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	harm(o, func(ext string) vfs.File {
		return member(t, o.fs, ext)
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
	r, err := Recover(context.Background(), fileset.Log(named(t, "a")), named(t, "b"), RecoverOptions{fs: o.fs, AcceptUnchecked: accept, Progress: func(done, total int64) {
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

// checkSaved checks that every element of b is either its stamp or, if it is lost according to the
// report, the fill value.
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
	if name := named(t, "a"); fileset.OneFile(name) {
		return []string{string(contentOf(t, fsys, name))}
	}
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
		if _, err := fsys.Identity("a" + ext); errors.Is(err, fs.ErrNotExist) {
			all = append(all, "missing")
			continue
		}
		all = append(all, string(contentOf(t, fsys, "a"+ext)))
	}
	return all
}

// Recover saves everything of an intact array, including names and attributes.
func TestRecoverGood(t *testing.T) { inBothForms(t, testRecoverGood) }

func testRecoverGood(t *testing.T) {
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

func TestRecoverDamagedChunks(t *testing.T) { inBothForms(t, testRecoverDamagedChunks) }

func testRecoverDamagedChunks(t *testing.T) {
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
func TestRecoverShortFiles(t *testing.T) { inBothForms(t, testRecoverShortFiles) }

func testRecoverShortFiles(t *testing.T) {
	cut := func(ext string, size int64) Options {
		return damagedArray(t, func(_ Options, file func(string) vfs.File) {
			f := file(ext)
			if ext == dataExt { // in one file it has no end of its own
				f, size = vfs.Locate(f, size)
			}
			if err := f.Truncate(size); err != nil {
				t.Fatal(err)
			}
		})
	}
	good, _ := mustRecover(t, cut(dataExt, 1<<20), false)
	if !good.Complete() {
		t.Fatalf("report %+v", good)
	}
	r, _ := mustRecover(t, cut(dataExt, 5*64+20), true)
	if len(r.Lost) == 0 || r.Lost[0].Number != 5 || r.Complete() || r.Saved+int64(len(r.Lost)) != good.Saved {
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

// A damaged log is used up to its first damaged line.
func TestRecoverDamagedLog(t *testing.T) { inBothForms(t, testRecoverDamagedLog) }

func testRecoverDamagedLog(t *testing.T) {
	o := damagedArray(t, func(_ Options, file func(string) vfs.File) {
		text, err := io.ReadAll(io.NewSectionReader(file(logExt), 0, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(text), "\n")
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

func TestRecoverErrors(t *testing.T) { inBothForms(t, testRecoverErrors) }

func testRecoverErrors(t *testing.T) {
	o := damagedArray(t, func(_ Options, file func(string) vfs.File) { flipByte(t, file(logExt), 12) })
	try := func(ctx context.Context, src, dst string, want error) {
		t.Helper()
		if _, err := Recover(ctx, src, dst, RecoverOptions{fs: o.fs}); !errors.Is(err, want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %v", err, want)
		}
		if id, err := identityOf(o.fs, fileset.Log(dst)); dst != src && (id != nil || err != nil) {
			t.Errorf("%s is there: %v", dst, err)
		}
	}
	ctx, a, b := context.Background(), named(t, "a"), named(t, "b")
	try(ctx, a, b, ErrCorrupt)
	try(ctx, named(t, "none"), b, fs.ErrNotExist)
	o = damagedArray(t, func(Options, func(string) vfs.File) {})
	try(ctx, a, a, fs.ErrExist)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	try(cancelled, a, b, context.Canceled)
}

// recovered recovers an array, and checks that every element is its stamp or lost.
func recovered(t *testing.T, fsys vfs.FS, name string) RecoverReport {
	t.Helper()
	before := contentOf(t, fsys, fileset.OnDisk(fsys, name))
	r, err := Recover(t.Context(), name, "saved", RecoverOptions{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if after := contentOf(t, fsys, fileset.OnDisk(fsys, name)); !bytes.Equal(before, after) {
		t.Error("the source has changed")
	}
	b, err := Open("saved", Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	checkSaved(t, b, r)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
		if err := fsys.Remove("saved" + ext); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// inTurn creates two arrays whose logs and chunks grow in turn, so that the header of the file has
// more than the records of a new file. It returns them closed.
func inTurn(t *testing.T, fsys vfs.FS, rounds int, names ...string) {
	t.Helper()
	var arrays []*Array
	for _, name := range names {
		a, err := Create(name, Spec{DType: dtype.Int64, Shape: []int{4, 64}, ChunkShape: []int{1, 64}, FillValue: 5, Options: Options{fs: fsys}})
		if err != nil {
			t.Fatal(err)
		}
		arrays = append(arrays, a)
	}
	for i := range rounds {
		for _, a := range arrays {
			for _, text := range []string{strings.Repeat("x", 20_000<<i), ""} { // the log
				if err := errors.Join(a.SetAttr("note", text), a.Sync()); err != nil {
					t.Fatal(err)
				}
			}
			_, err := a.Extend(0, 600<<i)
			if err := errors.Join(err, writeStamps(a, a.Bounds()), a.Sync()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, a := range arrays {
		if err := errors.Join(writeStamps(a, a.Bounds()), a.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// overwrite changes bytes of a file in memory.
func overwrite(t *testing.T, fsys vfs.FS, name string, change func(b []byte) []byte) {
	t.Helper()
	f, err := fsys.Open(name, true)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := change(contentOf(t, fsys, name))
	if _, err := f.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(int64(len(b))); err != nil {
		t.Fatal(err)
	}
}

// From a file with one array or several that was appended to, or truncated, everything else is
// recovered.
func TestRecoverCutAndAppended(t *testing.T) {
	for name, names := range map[string][]string{"a.drx": {"a.drx"}, "w.drx": {"w.drx/b.drx", "w.drx/a.drx"}} {
		fsys := fileset.In(vfs.NewMem())
		inTurn(t, fsys, 2, names...)
		whole, complete := contentOf(t, fsys, name), 0
		for _, array := range names {
			good := recovered(t, fsys, array)
			if !good.Complete() || good.FileDamage != "" {
				t.Fatalf("%+v", good)
			}
			overwrite(t, fsys, name, func(b []byte) []byte { return append(b, 'x') })
			if r := recovered(t, fsys, array); !r.Complete() || r.Saved != good.Saved || !strings.Contains(r.FileDamage, "appended") {
				t.Errorf("%s, appended: %+v", array, r)
			}
			overwrite(t, fsys, name, func([]byte) []byte { return whole[:len(bytes.TrimRight(whole, "\x00"))-700] })
			if _, err := Open(array, Options{fs: fsys}); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "recover what is left") {
				t.Errorf("%s, cut: %v does not say what helps", array, err)
			}
			r := recovered(t, fsys, array)
			if r.Complete() {
				complete++
			}
			if lines := r.MissingLines > 0 && r.Beyond > 0; !lines && r.Saved+int64(len(r.Lost)) != good.Saved || r.Saved == 0 || !strings.Contains(r.FileDamage, "cut short") {
				t.Errorf("%s, cut: %+v", array, r)
			}
			overwrite(t, fsys, name, func([]byte) []byte { return whole })
		}
		if complete != len(names)-1 {
			t.Errorf("%s: after the cut %d arrays are complete", name, complete)
		}
	}
}

// A header in which both copies of a record are damaged or missing, or of which nothing remains, is
// rebuilt.
func TestRecoverDamagedHeader(t *testing.T) {
	for _, rounds := range []int{0, 5} {
		fsys := vfs.NewMem()
		inTurn(t, fsys, rounds, "a.drx")
		whole := contentOf(t, fsys, "a.drx")
		records := 0
		for at := 512; at < 4096 && whole[at+4] != 0; at += 64 {
			records++
		}
		if rounds > 0 && records < 7 {
			t.Fatalf("%d records", records)
		}
		harm := func(what string, change func(b []byte)) {
			overwrite(t, fsys, "a.drx", func([]byte) []byte { b := bytes.Clone(whole); change(b); return b })
			if r := recovered(t, fsys, "a.drx"); !r.Complete() || r.FileDamage == "" || r.Saved == 0 {
				t.Errorf("%d rounds, %s: %+v", rounds, what, r)
			}
		}
		for n := range records {
			harm(fmt.Sprint("record ", n), func(b []byte) { b[512+64*n+20]++; b[4096+512+64*n+20]++ })
			zero := func(b []byte) { clear(b[512+64*n:][:64]); clear(b[4096+512+64*n:][:64]) }
			if rounds == 0 || n < records-1 {
				harm(fmt.Sprint("no record ", n), zero)
				continue
			}
			overwrite(t, fsys, "a.drx", func([]byte) []byte { b := bytes.Clone(whole); zero(b); return b })
			r, err := Recover(t.Context(), "a.drx", "last", RecoverOptions{fs: fsys})
			if err != nil || r.Complete() || r.LostBytes == 0 || r.Saved == 0 || !strings.Contains(r.FileDamage, "records of the header are lost") {
				t.Errorf("without the last record: %+v, %v", r, err)
			}
		}
		harm("start", func(b []byte) { b[20]++; b[4096+20]++ })
		harm("a sector", func(b []byte) {
			for i := range 64 * min(3, records) {
				b[512+i]++
				b[4096+512+i]++
			}
		})
		if rounds == 0 {
			harm("everything", func(b []byte) { clear(b[:8192]) })
		}
	}
}

// Records of several arrays are rebuilt if the data behind them determine the records; otherwise
// the report says that something is lost.
func TestRecoverDamagedHeaderOfSeveral(t *testing.T) {
	fsys := fileset.In(vfs.NewMem())
	inTurn(t, fsys, 3, "w.drx/a.drx", "w.drx/b.drx")
	whole := contentOf(t, fsys, "w.drx")
	good := recovered(t, fsys, "w.drx/a.drx")
	rebuilt := 0
	for n := 0; whole[512+64*n+4] != 0; n++ {
		overwrite(t, fsys, "w.drx", func([]byte) []byte {
			b := bytes.Clone(whole)
			b[512+64*n+20]++
			b[4096+512+64*n+20]++
			return b
		})
		before := contentOf(t, fsys, "w.drx")
		r, err := Recover(t.Context(), "w.drx/a", fmt.Sprint("saved", n), RecoverOptions{fs: fsys})
		if !bytes.Equal(before, contentOf(t, fsys, "w.drx")) {
			t.Error("the source has changed")
		}
		switch {
		case err != nil:
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("record %d: %v", n, err)
			}
		case r.FileDamage == "":
			t.Errorf("record %d: %+v", n, r)
		case r.LostBytes == 4096:
			t.Errorf("record %d: %d bytes are lost, which nobody knows", n, r.LostBytes)
		case r.Saved == good.Saved:
			rebuilt++
		case r.Complete():
			t.Errorf("record %d: %+v", n, r)
		}
	}
	if rebuilt < 8 {
		t.Errorf("%d records were rebuilt", rebuilt)
	}
}

// An array is recovered even if entries of the directory with its name are damaged. It does not
// count as complete, because it may have had another name.
func TestRecoverDamagedDirectory(t *testing.T) {
	fsys := fileset.In(vfs.NewMem())
	inTurn(t, fsys, 0, "w.drx/a.drx", "w.drx/b.drx", "w.drx/c.drx")
	good := recovered(t, fsys, "w.drx/a.drx")
	entry := func(n int) int64 { return 8192 + 1024*int64(n) }
	overwrite(t, fsys, "w.drx", func(b []byte) []byte {
		b[entry(1)+20]++
		b[entry(1)+512+20]++
		b[1<<16+512+20]++ // in the mirror
		return b
	})
	for _, name := range []string{"w.drx/a", "w.drx/c.drx"} {
		r, err := Recover(t.Context(), name, "saved-"+name[6:7], RecoverOptions{fs: fsys})
		if err != nil || r.Complete() || r.Saved != good.Saved || r.LostRecords != 1 || r.LostBytes != 0 || !strings.Contains(r.FileDamage, "entry 1 of its directory is damaged") {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if _, err := Recover(t.Context(), "w.drx/b", "saved-b", RecoverOptions{fs: fsys}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("the array whose name is lost: %v", err)
	}
}

// A damaged part of the header that certainly belongs to another array does not count as a loss.
func TestRecoverBesideDamagedArray(t *testing.T) {
	fsys := fileset.In(vfs.NewMem())
	inTurn(t, fsys, 0, "w.drx/a.drx", "w.drx/b.drx")
	good := recovered(t, fsys, "w.drx/a.drx")
	whole, shapes := contentOf(t, fsys, "w.drx"), 0
	for n := 0; whole[512+64*n+4] != 0; n++ {
		if r := whole[512+64*n:][:64]; r[4] != 2 || r[8] != 5 { // the shape of the other one
			continue
		}
		shapes++
		overwrite(t, fsys, "w.drx", func([]byte) []byte {
			b := bytes.Clone(whole)
			b[512+64*n+20]++
			b[4096+512+64*n+20]++
			return b
		})
		if r := recovered(t, fsys, "w.drx/a.drx"); !r.Complete() || r.Saved != good.Saved || r.FileDamage == "" {
			t.Errorf("record %d: %+v", n, r)
		}
		if r, err := Recover(t.Context(), "w.drx/b", "saved", RecoverOptions{fs: fsys}); err != nil || r.Saved != good.Saved || !r.Complete() {
			t.Errorf("record %d, its array: %+v, %v", n, r, err)
		}
	}
	if shapes != 1 {
		t.Errorf("%d shapes", shapes)
	}
}
