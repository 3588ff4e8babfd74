package drx

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// gridArray makes an array of 16 x 16 chunks of a page each, and returns its name. All chunks are
// written, each with one number, except those of the last row.
func gridArray(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), named(t, "a"))
	a, err := Create(name, Spec{DType: dtype.Uint16, Shape: []int{512, 1024}, ChunkShape: []int{32, 64}, FillValue: 7})
	if err == nil {
		err = errors.Join(Fill(a, nd.Sec(nd.Span(0, 480), nd.All), uint16(5)), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// If the table loses entries while the array is open for reading, the loss is detected, whether
// chunks are read in place, into memory, or one by one. Chunks that were never written still read
// as the fill value.
func TestTableLostUnderReaders(t *testing.T) {
	for what, lose := range map[string]func(table *os.File) error{
		"sector of zeros": func(table *os.File) error { _, err := table.WriteAt(make([]byte, 512), 1024); return err },
		"cut short":       func(table *os.File) error { return table.Truncate(1024 + 8) },
		"emptied":         func(table *os.File) error { return table.Truncate(0) },
	} {
		name := gridArray(t)
		a, err := Open(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := os.OpenFile(name+tableExt, os.O_RDWR, 0)
		if err == nil {
			err = errors.Join(lose(table), table.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		const row, column = 4 * 32, 3 * 64 // of chunk 67, whose entry is at byte 1072
		lost := nd.Sec(nd.Span(row, row+1), nd.Span(column, column+64))
		_, err = Read[uint16](a, lost)
		wantLost(t, what, "read", err)
		_, err = At[uint16](a, row, column)
		wantLost(t, what, "at", err)
		err = Gather(a, []int{row, column, row, column + 1}, make([]uint16, 2))
		wantLost(t, what, "gather", err)
		_, err = Read[uint16](a, nil)
		wantLost(t, what, "read all", err)
		if x, err := Read[uint16](a, nd.Sec(nd.Span(480, 512), nd.All)); err != nil || slices.ContainsFunc(x, func(x uint16) bool { return x != 7 }) {
			t.Errorf("%s: chunks never written: %v", what, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func wantLost(t *testing.T, what, how string, err error) {
	t.Helper()
	if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), tableExt) {
		t.Errorf("%s, %s: %v", what, how, err)
	}
}

// If a page of the table has lost an entry, a commit that changes another entry of the page does
// not hide the loss.
func TestLostEntryStaysLost(t *testing.T) {
	name := gridArray(t)
	table, err := os.OpenFile(name+tableExt, os.O_RDWR, 0)
	if err == nil {
		_, err = table.WriteAt(make([]byte, 16), 16*20)
	}
	if err := errors.Join(err, table.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := Open(name, Options{Write: true})
	if err == nil {
		err = errors.Join(Fill(a, nd.Sec(nd.Span(32, 64), nd.Span(0, 64)), uint16(6)), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if a, err = Open(name, Options{Write: true}); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	_, err = At[uint16](a, 32, 4*64)
	wantLost(t, "after a commit", "at", err)
	if err := Set(a, uint16(1), 32, 4*64); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a part of it written: %v", err)
	}
	// A write of the whole chunk succeeds, because it needs no lost bytes.
	if err := errors.Join(Fill(a, nd.Sec(nd.Span(32, 64), nd.Span(4*64, 5*64)), uint16(6)), a.Sync()); err != nil {
		t.Error(err)
	}
	if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
		t.Errorf("%+v, %v", r, err)
	}
}

// While a writer commits continuously, Verify finds no damage in the log, and readers find no
// losses, although chunks are added and removed.
func TestVerifyBesideAWriter(t *testing.T) { inBothForms(t, testVerifyBesideAWriter) }

func testVerifyBesideAWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), named(t, "a"))
	w, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{0, 8}, ChunkShape: []int{1, 8}, FillValue: 9, Options: Options{Durability: DurabilityNone}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range 300 {
			added, err := w.Extend(0, 1+i%3)
			if err == nil {
				err = errors.Join(Fill(w, added, uint8(i)), w.Sync())
			}
			if i%10 == 9 {
				err = errors.Join(err, w.Shrink(0, 5), w.Sync())
			}
			if err != nil {
				t.Error(err)
			}
		}
		close(done)
	})
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		a, err := Open(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Verify(t.Context(), nil)
		if err != nil || !r.Good() {
			t.Errorf("%+v, %v", r, err)
			running = false
		}
		if _, err := Read[uint8](a, nil); err != nil {
			t.Error(err)
			running = false
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	writer.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
