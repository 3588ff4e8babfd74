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
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/nd"
)

// thickRows creates an array of rows that are thinner than its chunks, with one commit per row. Row
// i holds i+1. It returns the array's options.
func thickRows(t *testing.T, rows int, o Options) Options {
	t.Helper()
	o.fs, o.Write = vfs.NewMem(), true
	a, err := Create(named(t, "a"), Spec{DType: dtype.Uint8, Shape: []int{0, 4}, ChunkShape: []int{16, 4}, FillValue: 200, Options: o})
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

// wantRows checks that the rows below upTo hold i+1, and the others the fill value.
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

// Wherever a log was cut, a writer refuses the array until the loss is accepted. Afterwards no
// element of a lost commit comes back when the array grows again, even if AcceptLoss was
// interrupted.
func TestLogThatLostItsEnd(t *testing.T) { inBothForms(t, testLogThatLostItsEnd) }

func testLogThatLostItsEnd(t *testing.T) {
	whole := thickRows(t, 20, Options{})
	log := memberBytes(t, whole.fs, logExt)
	header := slices.Index(log, '\n') + 1
	all := enumtest.Of(t)
	for size := header; size < len(log); size++ {
		if !all.Try() {
			continue
		}
		o := thickRows(t, 20, Options{})
		truncateLog(t, o.fs, size)
		rows := count(log[:size+1], '\n') - 1 // a line that lacks only its newline is complete
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
	all.Want(500)
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

// AcceptLoss does not change an array that has lost nothing.
func TestAcceptNothing(t *testing.T) { inBothForms(t, testAcceptNothing) }

func testAcceptNothing(t *testing.T) {
	o := thickRows(t, 5, Options{})
	before := contents(t, o.fs)
	if err := acceptLoss(t.Context(), "a", o); err != nil {
		t.Fatal(err)
	}
	wantContents(t, o.fs, before)
}

// wantContents checks that the files are unchanged, except for zeros at the end of the table.
func wantContents(t *testing.T, fsys vfs.FS, before []string) {
	t.Helper()
	for i, after := range contents(t, fsys) {
		if strings.TrimRight(before[i], "\x00") != strings.TrimRight(after, "\x00") {
			t.Errorf("file %d is another one", i)
		}
	}
}

// An array without its presence map cannot be opened for writing. Readers find the chunks that are
// in the table. AcceptLoss makes a new map from the table.
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
		switch i {
		case 0: // it has the line of the chunk
			after = after[:min(len(after), len(before[i]))]
		case 3: // the new map has another head, and announces nothing
			after, before[i] = after[64:], before[i][64:]
		}
		if i != 2 && after != before[i] { // the chunk was written again, and has another entry
			t.Errorf("file %d is another one", i)
		}
	}
}

// The presence map is missing, in addition some or many lines are lost, and AcceptLoss is
// interrupted.
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
			a, err := Open("a", o) // completes the work
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

// A countdown is a context that is done after a number of calls of Err.
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

// An array of version 1 has lost lines, and AcceptLoss is interrupted between two commits.
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

// A damaged chunk of a lost commit stays damaged, and does not prevent writing.
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

// A writer without journal writes beyond the committed bounds, into a chunk that extends beyond
// them, and is killed before it commits the growth. The elements do not come back.
func TestUncommittedGrowthWithoutJournal(t *testing.T) {
	inBothForms(t, testUncommittedGrowthWithoutJournal)
}

func testUncommittedGrowthWithoutJournal(t *testing.T) {
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
			err = errors.Join(a.pool.Flush(), a.committer.Prepare()) // as Sync, without the log
		}
		for _, f := range []vfs.File{a.file, a.store.Table().File()} { // as a kill does
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

// unlockData replaces the file of the principal array by a copy without locks, as if the process
// that holds them had been killed.
func unlockData(t *testing.T, fsys vfs.FS) {
	t.Helper()
	name := fileset.Data(named(t, "a"))
	replaceFile(t, fsys, name, contentOf(t, fsys, name))
}

// For any history and any loss of the log, AcceptLoss gives the array that the log describes, and
// extending it on all sides gives fill values.
func TestAcceptLossOfRandomHistories(t *testing.T) { inBothForms(t, testAcceptLossOfRandomHistories) }

func testAcceptLossOfRandomHistories(t *testing.T) {
	for seed := range uint64(60) {
		fsys := vfs.NewMem()
		l := &scriptedSession{name: named(t, "a"), rng: rand.New(rand.NewPCG(seed, 5))}
		if err := l.run(fsys, DurabilityFull); err != nil {
			t.Fatal(err)
		}
		log := memberBytes(t, fsys, logExt)
		lines := 1 + l.rng.IntN(count(log, '\n')-1)
		cutLog(t, fsys, lines)
		err := acceptLoss(t.Context(), "a", Options{fs: fsys})
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
