package drx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// thickRows makes an array of rows that are thinner than its chunks, a commit each, in which row i
// holds i+1, and returns its options.
func thickRows(t *testing.T, rows int, o Options) Options {
	t.Helper()
	o.fs, o.Write = vfs.NewMem(), true
	a, err := Create("a", Spec{DType: dtype.Uint8, Shape: []int{0, 4}, ChunkShape: []int{16, 4}, FillValue: 200, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		added, err := a.Extend(0, 1)
		if err == nil {
			err = errors.Join(Fill(a, added, uint8(i+1)), a.Sync())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

// wantRows checks that row i holds i+1 up to some row, and the fill value from there on.
func wantRows(t *testing.T, a *Array, upTo int) {
	t.Helper()
	data, err := Read[uint8](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range data {
		want := uint8(200)
		if row := i / 4; row < upTo {
			want = uint8(row + 1)
		}
		if x != want {
			t.Fatalf("row %d is %d, want %d; %d rows were committed", i/4, x, want, upTo)
		}
	}
}

// However short a log was cut, a writer refuses the array until the loss is accepted, and then nothing
// that lost commits wrote comes back when the array grows again, even if accepting was interrupted.
func TestLogThatLostItsEnd(t *testing.T) {
	whole := thickRows(t, 20, Options{})
	log := contentOf(t, whole.fs, "a"+logExt)
	header := slices.Index(log, '\n') + 1
	for size := header; size < len(log); size++ {
		o := thickRows(t, 20, Options{})
		f, err := o.fs.Open("a"+logExt, true)
		if err == nil {
			err = errors.Join(f.Truncate(int64(size)), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		rows := count(log[:size+1], '\n') - 1 // a line that lacks its newline only is whole
		if a, err := Open("a", o); rows < 20 && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("log cut to %d bytes: %v, %v", size, a, err)
		} else if err == nil {
			mustClose(t, a)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := acceptLoss(gone, "a", o); rows < 20 && rows > 0 && !errors.Is(err, context.Canceled) {
			t.Fatalf("log cut to %d bytes, accepted and canceled: %v", size, err)
		}
		if err := acceptLoss(t.Context(), "a", o); err != nil {
			t.Fatalf("log cut to %d bytes: %v", size, err)
		}
		a, err := Open("a", o)
		if err != nil {
			t.Fatalf("log cut to %d bytes and accepted: %v", size, err)
		}
		wantRows(t, a, rows)
		if _, err := a.Extend(0, 20); err != nil {
			t.Fatal(err)
		}
		wantRows(t, a, rows)
		if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
			t.Fatalf("log cut to %d bytes: %+v, %v", size, r, err)
		}
		mustClose(t, a)
	}
}

func count(text []byte, b byte) (n int) {
	for _, c := range text {
		if c == b {
			n++
		}
	}
	return n
}

func mustClose(t *testing.T, a *Array) {
	t.Helper()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// An array that has lost nothing stays as it is, to the byte.
func TestAcceptNothing(t *testing.T) {
	o := thickRows(t, 5, Options{})
	before := contents(t, o.fs)
	if err := acceptLoss(t.Context(), "a", o); err != nil {
		t.Fatal(err)
	}
	wantContents(t, o.fs, before)
}

// wantContents checks that files are as they were; the table may have lost zeros at its end.
func wantContents(t *testing.T, fsys vfs.FS, before []string) {
	t.Helper()
	for i, after := range contents(t, fsys) {
		if strings.TrimRight(before[i], "\x00") != strings.TrimRight(after, "\x00") {
			t.Errorf("file %d is another one", i)
		}
	}
}

// Without its presence map an array is not opened for writing; readers find the chunks that the table
// has. Accepting that makes a new one from the table.
func TestMissingPresenceMap(t *testing.T) {
	o := thickRows(t, 1, Options{})
	before := contents(t, o.fs)
	if err := o.fs.Remove("a" + presenceExt); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("a", Options{fs: o.fs, Write: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened for writing: %v", err)
	}
	a, err := Open("a", Options{fs: o.fs})
	if err != nil {
		t.Fatal(err)
	}
	wantRows(t, a, 1)
	if _, err := a.Verify(t.Context(), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("verified: %v", err)
	}
	mustClose(t, a)
	if r, err := Recover(t.Context(), "a", "b", RecoverOptions{fs: o.fs}); err != nil || !slices.Equal(r.Missing, []string{"a.xpm"}) || r.Saved != 1 {
		t.Errorf("recovered: %+v, %v", r, err)
	}
	if err := acceptLoss(t.Context(), "a", o); err != nil {
		t.Fatal(err)
	}
	for i, after := range contents(t, o.fs) {
		if i != 2 && after != before[i] { // the chunk was written again, and has another entry
			t.Errorf("file %d is another one", i)
		}
	}
}

// The presence map is missing and a line, or many, are lost as well; accepting is interrupted.
func TestAcceptMissingMapAndLines(t *testing.T) {
	for _, lines := range []int{5, 3} {
		for _, interrupted := range []bool{false, true} {
			o := thickRows(t, 5, Options{})
			cutLog(t, o.fs, lines)
			if err := o.fs.Remove("a" + presenceExt); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if interrupted {
				cancel()
			}
			if err := acceptLoss(ctx, "a", o); errors.Is(err, context.Canceled) != interrupted || err != nil && !interrupted {
				t.Fatal(err)
			}
			cancel()
			a, err := Open("a", o) // which does the rest
			if err == nil {
				_, err = a.Extend(0, 3)
			}
			if err != nil {
				t.Fatal(err)
			}
			wantRows(t, a, lines-1)
			mustClose(t, a)
		}
	}
}

// A countdown is done after so many questions.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// An array of version 1 that has lost lines, and accepting that is interrupted between two commits.
func TestAcceptVersion1Interrupted(t *testing.T) {
	for left := range 12 {
		o := thickRows(t, 20, Options{})
		asVersion1(t, o.fs)
		cutLog(t, o.fs, 3)
		if _, err := Open("a", o); !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
		if err := acceptLoss(&countdown{t.Context(), left}, "a", o); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		a, err := Open("a", o)
		if errors.Is(err, ErrCorrupt) { // again
			if err = acceptLoss(t.Context(), "a", o); err == nil {
				a, err = Open("a", o)
			}
		}
		if err == nil {
			_, err = a.Extend(0, 20)
		}
		if err != nil {
			t.Fatal(err)
		}
		wantRows(t, a, 2)
		mustClose(t, a)
	}
}

// A damaged chunk of a lost commit stays damaged, and keeps nobody from writing.
func TestAcceptWithADamagedChunk(t *testing.T) {
	o := thickRows(t, 5, Options{})
	asVersion1(t, o.fs)
	cutLog(t, o.fs, 3)
	f, err := o.fs.Open("a"+dataExt, true)
	if err == nil {
		_, err = f.WriteAt([]byte{77}, 0)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if err := acceptLoss(t.Context(), "a", o); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", o)
	if err != nil {
		t.Fatal("after AcceptLoss:", err)
	}
	mustClose(t, a)
}

// What a writer without journal wrote beyond the committed bounds, into a chunk that reaches over them,
// does not come back when it died before it committed the growth.
func TestUncommittedGrowthWithoutJournal(t *testing.T) {
	for _, d := range []Durability{DurabilityNoJournal, DurabilityNone} {
		o := thickRows(t, 3, Options{Durability: d})
		a, err := Open("a", o)
		if err == nil {
			_, err = a.Extend(0, 2)
		}
		if err == nil {
			err = Fill(a, nil, uint8(99))
		}
		if err == nil {
			err = errors.Join(a.pool.Flush(), a.committer.Prepare()) // all that Sync does before the log
		}
		for _, f := range []vfs.File{a.file, a.writer.Table()} { // as if it had been killed
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		unlockData(t, o.fs)
		if a, err = Open("a", Options{fs: o.fs, Write: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Extend(0, 2); err != nil {
			t.Fatal(err)
		}
		data, err := Read[uint8](a, nd.Sec(nd.Span(3, 5), nd.All))
		if err != nil || slices.ContainsFunc(data, func(x uint8) bool { return x != 200 }) {
			t.Errorf("durability %d: the new rows are %v, %v", d, data, err)
		}
		mustClose(t, a)
	}
}

// unlockData copies the principal array, which a dead process does not lock any more.
func unlockData(t *testing.T, fsys vfs.FS) {
	t.Helper()
	content := contentOf(t, fsys, "a"+dataExt)
	if err := fsys.Remove("a" + dataExt); err != nil {
		t.Fatal(err)
	}
	mustMakeFile(t, fsys, "a"+dataExt, content)
}

// Whatever the log has lost, after whatever history, accepting it gives the array that the log says,
// and growing it on all sides gives fill values.
func TestAcceptLossOfRandomHistories(t *testing.T) {
	for seed := range uint64(60) {
		fsys := vfs.NewMem()
		l := &life{rng: rand.New(rand.NewPCG(seed, 5))}
		if err := l.run(fsys, DurabilityFull); err != nil {
			t.Fatal(err)
		}
		log := contentOf(t, fsys, "a"+logExt)
		lines := 1 + l.rng.IntN(count(log, '\n')-1)
		size := 0
		for range lines {
			size += slices.Index(log[size:], '\n') + 1
		}
		f, err := fsys.Open("a"+logExt, true)
		if err == nil {
			err = errors.Join(f.Truncate(int64(size)), f.Close())
		}
		if err == nil {
			err = acceptLoss(t.Context(), "a", Options{fs: fsys})
		}
		if err != nil {
			t.Fatal(err)
		}
		a, err := Open("a", Options{fs: fsys, Write: true})
		if err == nil {
			err = checkGrowth(a, l.m.fill)
		}
		if err == nil {
			var r VerifyReport
			if r, err = a.Verify(t.Context(), nil); !r.Good() {
				err = fmt.Errorf("%+v: %w", r, err)
			}
		}
		if err != nil {
			t.Fatalf("seed %d, %d lines left: %v", seed, lines, err)
		}
		mustClose(t, a)
	}
}
