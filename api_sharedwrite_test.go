package drx

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"drx/axial"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// Processes write neighbouring elements of an existing array, in the same chunks. No process loses
// elements of another one, old or new, compressed or not.
func TestSharedWriteAnywhere(t *testing.T) { inBothForms(t, testSharedWriteAnywhere) }

func testSharedWriteAnywhere(t *testing.T) {
	for _, codec := range []string{"none", "zstd:1"} {
		fsys := vfs.NewMem()
		w := mustCreateAt(t, named(t, "a"), Spec{
			DType: dtype.Int64, Shape: []int{24, 21}, ChunkShape: []int{8, 8}, FillValue: -1, Codec: codec, Options: Options{fs: fsys},
		})
		if err := Fill(w, nd.Sec(nd.Span(0, 10), nd.All), int64(5)); err != nil { // exist
			t.Fatal(err)
		}
		mustClose(t, w)
		const writers = 5
		var all sync.WaitGroup
		for id := range writers {
			all.Go(func() {
				if err := writeEvery(fsys, id, writers, Durability(id%3)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		checkStamps(t, "a", fsys, nil)
	}
}

// writeEvery writes every n-th element along the last dimension, beginning with number id, in boxes
// of random height.
func writeEvery(fsys vfs.FS, id, n int, d Durability) error {
	a, err := Open("a", Options{Shared: true, Durability: d, fs: fsys})
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(3, uint64(id)))
	for row := 0; row < a.Shape()[0]; {
		end := min(row+1+rng.IntN(6), a.Shape()[0])
		for col := id; col < a.Shape()[1]; col += n {
			if err := writeStamps(a, nd.Sec(nd.Span(row, end), nd.At(col))); err != nil {
				return err
			}
		}
		row = end
	}
	return a.Close()
}

// Others see what a sharer has written when its call returns, without a Sync.
func TestSharedWriteIsSeen(t *testing.T) { inBothForms(t, testSharedWriteIsSeen) }

func testSharedWriteIsSeen(t *testing.T) {
	fsys := vfs.NewMem()
	mustClose(t, mustCreateAt(t, named(t, "a"), Spec{DType: dtype.Int64, Shape: []int{9, 9}, ChunkShape: []int{4, 4}, Options: Options{fs: fsys}}))
	var open []*Array
	for _, o := range []Options{{Shared: true, fs: fsys}, {Shared: true, fs: fsys}, {fs: fsys}} {
		a, err := Open("a", o)
		if err != nil {
			t.Fatal(err)
		}
		defer mustClose(t, a)
		open = append(open, a)
	}
	for turn := range int64(3) {
		if err := Fill(open[turn%2], nil, turn+1); err != nil {
			t.Fatal(err)
		}
		for i, a := range open {
			if _, err := a.Refresh(); err != nil { // a reader has chunks in memory
				t.Fatal(err)
			}
			wantSection(t, a, nil, slices.Repeat([]int64{turn + 1}, 81))
			if v, err := At[int64](a, 8, 8); err != nil || v != turn+1 {
				t.Errorf("turn %d, array %d: %d, %v", turn, i, v, err)
			}
		}
	}
}

// Many more processes than there are journals open an array and change it.
func TestManySharers(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	mustClose(t, mustCreateAt(t, name, Spec{DType: dtype.Int64, Shape: []int{150, 4}, ChunkShape: []int{8, 4}}))
	var open []*Array
	for range 150 {
		a, err := Open(name, Options{Shared: true, Durability: DurabilityNone})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, a)
	}
	var all sync.WaitGroup
	for row, a := range open {
		all.Go(func() {
			for range 2 {
				if err := writeStamps(a, nd.Sec(nd.At(row), nd.Span(0, 4))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, a := range open {
		mustClose(t, a)
	}
	checkStamps(t, name, vfs.OS, nil)
}

// The same key gives the same section to every process, and the array grows only once.
func TestReserveKey(t *testing.T) { inBothForms(t, testReserveKey) }

func testReserveKey(t *testing.T) {
	fsys := vfs.NewMem()
	mustClose(t, mustCreateAt(t, named(t, "a"), sharedSpec(fsys)))
	share := func() *Array {
		a, err := Open("a", Options{Shared: true, Wait: 20 * time.Millisecond, fs: fsys})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	want := func(a *Array, key string, by int, side axial.Side, rows nd.Range) {
		t.Helper()
		sec, err := a.ReserveKey(key, 0, by, side)
		if err != nil || sec[0] != rows {
			t.Errorf("key %q: %v, %v, want rows %v", key, sec, err, rows)
		}
	}
	a, b := share(), share()
	want(a, "one", 8, axial.High, nd.Span(0, 8))
	want(b, "two", 2, axial.High, nd.Span(8, 10))
	want(a, "one", 8, axial.High, nd.Span(0, 8))
	want(a, "below", 4, axial.Low, nd.Span(-4, 0))
	if _, err := b.ReserveKey("one", 0, 8, axial.High); !errors.Is(err, ErrLocked) {
		t.Errorf("the section of another process that lives: %v", err)
	}
	for what, err := range map[string]error{
		"another number": second(a.ReserveKey("one", 0, 3, axial.High)), "another side": second(a.ReserveKey("one", 0, 8, axial.Low)),
		"no key": second(a.ReserveKey("", 0, 8, axial.High)),
	} {
		if !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	mustClose(t, a)
	want(b, "one", 8, axial.High, nd.Span(0, 8)) // as after a kill
	if err := writeStamps(b, nd.Sec(nd.Span(0, 8), nd.Span(0, 6))); err != nil {
		t.Error(err)
	}
	c := share()
	want(c, "below", 4, axial.Low, nd.Span(-4, 0))
	if n := c.Shape()[0]; n != 14 {
		t.Errorf("%d rows, want 14", n)
	}
	mustClose(t, b)
	mustClose(t, c)
	w, err := Open("a", Options{Write: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Shrink(0, 2); err != nil {
		t.Fatal(err)
	}
	if r, err := w.Verify(context.Background(), nil); err != nil || !r.Good() {
		t.Errorf("%+v, %v", r, err)
	}
	mustClose(t, w)
	d := share()
	if _, err := d.ReserveKey("two", 0, 2, axial.High); !errors.Is(err, ErrBounds) {
		t.Errorf("a section that was removed: %v", err)
	}
	mustClose(t, d)
}

func second(_ nd.Section, err error) error { return err }

// Open waits for a lock up to the time limit.
func TestWait(t *testing.T) {
	fsys := vfs.NewMem()
	w := mustCreate(t, sharedSpec(fsys))
	begun := time.Now()
	if _, err := Open("a", Options{Write: true, Wait: 30 * time.Millisecond, fs: fsys}); !errors.Is(err, ErrLocked) || time.Since(begun) < 30*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
	time.AfterFunc(30*time.Millisecond, func() { _ = w.Close() })
	a, err := Open("a", Options{Write: true, Wait: time.Minute, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, a)
}

// A reservation with whole chunks in more ranges than can be locked is not refused, needs little
// memory, and excludes nobody: its chunks are changed like shared ones.
func TestReserveManyRanges(t *testing.T) { inBothForms(t, testReserveManyRanges) }

func testReserveManyRanges(t *testing.T) {
	const rows = 1 << 40
	fsys := vfs.NewMem()
	mustClose(t, mustCreateAt(t, named(t, "a"), Spec{DType: dtype.Uint8, Shape: []int{rows, 4}, ChunkShape: []int{3, 4}, Options: Options{fs: fsys}}))
	var sharers [2]*Array
	var sec nd.Section
	for i := range sharers {
		var err error
		if sharers[i], err = Open("a", Options{Shared: true, fs: fsys}); err != nil {
			t.Fatal(err)
		}
		if i == 0 { // in each of 5000 columns of chunks the last chunk is partial
			if sec, err = sharers[0].Reserve(1, 4*5000); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(sharers[0].reservations()); n != 0 {
		t.Errorf("%d reservations have locks", n)
	}
	far := nd.Span(rows-9, rows-4)
	if err := errors.Join(
		Fill(sharers[0], nd.Sec(far, nd.At(sec[1].Lo)), uint8(1)),
		Fill(sharers[1], nd.Sec(far, nd.At(sec[1].Lo+1)), uint8(2)),
		sharers[0].Close(), sharers[1].Close(),
	); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, a)
	got, err := Read[uint8](a, nd.Sec(far, nd.Span(sec[1].Lo, sec[1].Lo+3)))
	if want := bytes.Repeat([]byte{1, 2, 0}, 5); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}
