package chunkio

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/internal/vfs"
)

// A listed file notes what is asked of it.
type listed struct {
	vfs.File
	steps []string
	fails int // the write that fails
}

func (f *listed) Allocate(off, n int64) {
	f.steps = append(f.steps, fmt.Sprintf("allocate %d at %d", n, off))
}

func (f *listed) WriteAt(p []byte, off int64) (int, error) {
	f.steps = append(f.steps, fmt.Sprintf("write %d at %d", len(p), off))
	if f.fails--; f.fails == 0 {
		return 0, errFault
	}
	return f.File.WriteAt(p, off)
}

func TestPut(t *testing.T) {
	piece := pieceBytes[0]
	for _, n := range []int{0, 1, piece, piece + 1, allocated - 1, allocated, 3*piece + 100, firstWait*piece + trial*pieceBytes[1] + 100} {
		data, _ := files(t, vfs.NewMem(), "")
		f := &listed{File: data}
		buf := make([]byte, n)
		for i := range buf {
			buf[i] = byte(rand.Uint32())
		}
		if err := put(f, buf, 5, new(pace)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, n)
		if _, err := data.ReadAt(got, 5); n > 0 && err != nil || !bytes.Equal(got, buf) {
			t.Errorf("%d bytes: not those written, %v", n, err)
		}
		var want []string
		if n >= allocated {
			want = append(want, fmt.Sprintf("allocate %d at 5", n))
		}
		for at, i := 0, 0; at < n; i++ {
			next := piece
			if i >= firstWait { // the large size is tried
				next = pieceBytes[1]
			}
			want = append(want, fmt.Sprintf("write %d at %d", min(next, n-at), 5+at))
			at += next
		}
		if !slices.Equal(f.steps, want) {
			t.Errorf("%d bytes: %v, want %v", n, f.steps, want)
		}
	}
}

// What is known of the time of pieces lasts from one write to the next.
func TestPutPace(t *testing.T) {
	data, table := files(t, vfs.NewMem(), "")
	f := &listed{File: data}
	small, large := pieceBytes[0], pieceBytes[1]
	s := Open(Files{Data: f, Table: table}, small, int64(small))
	for q := range axial.Number(firstWait) {
		if err := s.WriteFresh(q, make([]byte, small)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.WriteFresh(firstWait, make([]byte, large)); err != nil {
		t.Fatal(err)
	}
	want := []string{fmt.Sprintf("allocate %d at %d", large, firstWait*small), fmt.Sprintf("write %d at %d", large, firstWait*small)}
	if got := f.steps[firstWait:]; !slices.Equal(got, want) {
		t.Errorf("after %d small pieces: %v, want %v", firstWait, got, want)
	}
}

// What fails half way is an error, and nothing is written behind it.
func TestPutFails(t *testing.T) {
	data, _ := files(t, vfs.NewMem(), "")
	f := &listed{File: data, fails: 2}
	piece := pieceBytes[0]
	err := put(f, make([]byte, 3*piece), 0, new(pace))
	if size, sizeErr := data.Size(); !errors.Is(err, errFault) || size != int64(piece) || sizeErr != nil {
		t.Errorf("%v: %d bytes, %v", err, size, sizeErr)
	}
}
