package drx

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
)

// A reader of an array whose log has lost whole lines gets an error when it opens the array, at the
// last or an earlier commit, and when it refreshes it, instead of the bounds of an earlier commit.
// A reader that has seen the lines gets the error from History and Verify.
func TestReadersOfLostLines(t *testing.T) { inAllForms(t, testReadersOfLostLines) }

func testReadersOfLostLines(t *testing.T) {
	fsys := vfs.NewMem()
	makeBeside(t, fsys)
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{2, 4}, ChunkShape: []int{1, 4}, Options: Options{fs: fsys}})
	for i := range 3 {
		if err := errors.Join(a.SetAttr("n", i), a.Sync()); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	open, err := Open(named(t, "a"), Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	log := bytes.TrimRight(memberBytes(t, fsys, logExt), "\x00")
	end := bytes.LastIndexByte(log[:len(log)-1], '\n') + 1
	for end > 0 {
		if _, err := member(t, fsys, logExt).WriteAt(make([]byte, len(log)-end), int64(end)); err != nil {
			t.Fatal(err)
		}
		_, err := Open(named(t, "a"), Options{fs: fsys})
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "recover") {
			t.Errorf("opened with %d bytes of the log: %v", end, err)
		}
		if _, err := open.Refresh(); !errors.Is(err, ErrCorrupt) {
			t.Errorf("refreshed with %d bytes of the log: %v", end, err)
		}
		if _, err := open.History(); !errors.Is(err, ErrCorrupt) {
			t.Errorf("history with %d bytes of the log: %v", end, err)
		}
		if report, err := open.Verify(t.Context(), nil); report.Good() && !errors.Is(err, ErrCorrupt) {
			t.Errorf("verified with %d bytes of the log: %v", end, err)
		}
		if _, err := OpenAt(named(t, "a"), 4, Options{fs: fsys}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("commit 4 with %d bytes of the log: %v", end, err)
		}
		end = bytes.LastIndexByte(log[:end-1], '\n') + 1
	}
}

// After a process was killed in a Reserve, at any operation, reservations of others are as safe as
// before: if the log has lost the line of one, readers get an error, too, and not an older array.
func TestLostLinesOfReservations(t *testing.T) { inAllForms(t, testLostLinesOfReservations) }

func testLostLinesOfReservations(t *testing.T) {
	for deadAfter, reached := 1, false; !reached; deadAfter++ {
		fsys := vfs.NewMem()
		makeBeside(t, fsys)
		spec := Spec{DType: dtype.Int64, Shape: []int{2, 4}, ChunkShape: []int{1, 4}, FillValue: -1, Options: Options{fs: fsys}}
		if a := mustCreate(t, spec); errors.Join(Fill(a, nil, int64(1)), a.Close()) != nil {
			t.Fatal("not created")
		}
		dying := &recorder{FS: fsys, remaining: deadAfter}
		reached = !diesInReserve(t, dying)
		a, sec := mustShare(t, fsys, named(t, "a"), 1)
		if err := errors.Join(Fill(a, sec, int64(2)), a.Close()); err != nil {
			t.Fatal(err)
		}
		log := bytes.TrimRight(memberBytes(t, fsys, logExt), "\x00")
		end := bytes.LastIndexByte(log[:len(log)-1], '\n') + 1
		if _, err := member(t, fsys, logExt).WriteAt(make([]byte, len(log)-end), int64(end)); err != nil {
			t.Fatal(err)
		}
		if b, err := Open(named(t, "a"), Options{fs: fsys}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("killed after %d operations: opened with %v, %v", deadAfter, b, err)
		}
	}
}

// diesInReserve reports whether a process was killed that opens the array, reserves a row and
// writes it.
func diesInReserve(t *testing.T, fsys vfs.FS) bool {
	t.Helper()
	a, err := Open(named(t, "a"), Options{Shared: true, fs: fsys})
	if err == nil {
		sec, reserveErr := a.Reserve(0, 1)
		if err = reserveErr; err == nil {
			err = Fill(a, sec, int64(3))
		}
		if err == nil {
			err = a.Sync()
		}
		_ = a.Discard()
	}
	if err != nil && !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	return err != nil
}

// An array without elements whose only line is damaged is damaged. Its creation had ended, so it
// does not count as interrupted.
func TestLostFirstLine(t *testing.T) { inAllForms(t, testLostFirstLine) }

func testLostFirstLine(t *testing.T) {
	fsys := vfs.NewMem()
	makeBeside(t, fsys)
	spec := Spec{DType: dtype.Uint8, Shape: []int{2, 4}, Options: Options{fs: fsys}}
	if err := mustCreate(t, spec).Close(); err != nil {
		t.Fatal(err)
	}
	log := bytes.TrimRight(memberBytes(t, fsys, logExt), "\x00")
	for n, lost := range map[int]byte{2: 'Z', len(log): 0, len(log) - 1: 0} {
		damaged := append(bytes.Clone(log[:len(log)-n]), bytes.Repeat([]byte{lost}, n)...)
		if _, err := member(t, fsys, logExt).WriteAt(damaged, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(named(t, "a"), Options{fs: fsys}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes lost: opened: %v", n, err)
		}
		if _, err := Create(named(t, "a"), spec); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%d bytes lost: created: %v", n, err)
		}
	}
}
