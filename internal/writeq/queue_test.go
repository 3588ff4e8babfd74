package writeq

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/internal/vfs"
)

var errFault = errors.New("injected")

func newFile(t *testing.T) vfs.File {
	t.Helper()
	f, err := vfs.NewMem().Create("a")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// callRecorder is a file that records the calls of its methods.
type callRecorder struct {
	vfs.File
	steps []string
	fails int // number of the write that fails
}

func (f *callRecorder) Allocate(off, n int64) {
	f.steps = append(f.steps, fmt.Sprintf("allocate %d at %d", n, off))
}

func (f *callRecorder) WriteAt(p []byte, off int64) (int, error) {
	f.steps = append(f.steps, fmt.Sprintf("write %d at %d", len(p), off))
	if f.fails--; f.fails == 0 {
		return 0, errFault
	}
	return f.File.WriteAt(p, off)
}

func TestWriteAt(t *testing.T) {
	piece := pieceBytes[0]
	for _, n := range []int{0, 1, piece, piece + 1, allocateBytes - 1, allocateBytes, 3*piece + 100, firstWait*piece + trialPieces*pieceBytes[1] + 100} {
		data := newFile(t)
		f := &callRecorder{File: data}
		buf := make([]byte, n)
		for i := range buf {
			buf[i] = byte(rand.Uint32())
		}
		if err := New(f).WriteAt(buf, 5); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, n)
		if _, err := data.ReadAt(got, 5); n > 0 && err != nil || !bytes.Equal(got, buf) {
			t.Errorf("%d bytes: not those written, %v", n, err)
		}
		var want []string
		if n >= allocateBytes {
			want = append(want, fmt.Sprintf("allocate %d at 5", n))
		}
		for at, i := 0, 0; at < n; i++ {
			next := piece
			if i > firstWait { // the large size was tried; the first piece is too small to count
				next = pieceBytes[1]
			}
			if n-at > next {
				next -= (5 + at) % next
			}
			want = append(want, fmt.Sprintf("write %d at %d", min(next, n-at), 5+at))
			at += next
		}
		if !slices.Equal(f.steps, want) {
			t.Errorf("%d bytes: %v, want %v", n, f.steps, want)
		}
	}
}

// shiftedFile is a file whose bytes are stored in another one, 100 bytes further back.
type shiftedFile struct{ *callRecorder }

func (s shiftedFile) Locate(off int64) (file vfs.File, at, run int64, ok bool) {
	return s.File, off + 100, 1 << 40, true
}

func (s shiftedFile) Runs() *vfs.Runs { return vfs.NewRuns([]vfs.Run{{To: 1 << 40, At: 100}}) }

// Pieces are aligned to offsets in the underlying file.
func TestWriteAtLocated(t *testing.T) {
	f := &callRecorder{File: newFile(t)}
	if err := New(shiftedFile{f}).WriteAt(make([]byte, 2*pieceBytes[0]-1), 0); err != nil {
		t.Fatal(err)
	}
	want := []string{fmt.Sprintf("write %d at 0", pieceBytes[0]-100), fmt.Sprintf("write %d at %d", pieceBytes[0], pieceBytes[0]-100), fmt.Sprintf("write 99 at %d", 2*pieceBytes[0]-100)}
	if f.steps = slices.DeleteFunc(f.steps, func(s string) bool { return s[0] == 'a' }); !slices.Equal(f.steps, want) {
		t.Errorf("%v, want %v", f.steps, want)
	}
}

// The measured costs of pieces are kept from one write to the next.
func TestWriteAtSizes(t *testing.T) {
	data := newFile(t)
	f := &callRecorder{File: data}
	small, large := pieceBytes[0], pieceBytes[1]
	q := New(f)
	for i := range int64(firstWait) {
		if err := q.WriteAt(make([]byte, small), i*int64(small)); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.WriteAt(make([]byte, large), int64(firstWait*small)); err != nil {
		t.Fatal(err)
	}
	want := []string{fmt.Sprintf("allocate %d at %d", large, firstWait*small), fmt.Sprintf("write %d at %d", large, firstWait*small)}
	if got := f.steps[firstWait:]; !slices.Equal(got, want) {
		t.Errorf("after %d small pieces: %v, want %v", firstWait, got, want)
	}
}

// A failure in the middle of a write is returned, and nothing is written after it.
func TestWriteAtFails(t *testing.T) {
	data := newFile(t)
	f := &callRecorder{File: data, fails: 2}
	piece := pieceBytes[0]
	err := New(f).WriteAt(make([]byte, 3*piece), 0)
	if size, sizeErr := data.Size(); !errors.Is(err, errFault) || size != int64(piece) || sizeErr != nil {
		t.Errorf("%v: %d bytes, %v", err, size, sizeErr)
	}
}
