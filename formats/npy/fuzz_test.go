package npy

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"testing"
)

// FuzzReader checks that no input panics or causes allocations out of proportion to its size, that
// an accepted input delivers the announced elements, and that the Writer then writes a file that
// reads the same.
func FuzzReader(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		known, errKnown := readAll(bytes.NewReader(data))
		_, errPipe := readAll(pipe{bytes.NewReader(data)})
		runtime.ReadMemStats(&after)
		// The rest of the process allocates as well; the 16 MiB are for that.
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<24+100*uint64(len(data)) {
			t.Errorf("%d bytes allocated for %d of input", n, len(data))
		}
		if (errKnown == nil) != (errPipe == nil) {
			t.Fatalf("with a known size %v, without %v", errKnown, errPipe)
		}
		if errKnown != nil {
			return
		}
		random, err := readRandomly(data)
		if err != nil || !bytes.Equal(random, known.elements) {
			t.Fatalf("from its end to its beginning % x, %v; want % x", random, err, known.elements)
		}
		var b bytes.Buffer
		w, err := NewWriter(&b, known.h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(known.elements); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := readAll(&b)
		if err != nil || again.h.DType != known.h.DType || !slices.Equal(again.h.Shape, known.h.Shape) ||
			!bytes.Equal(again.elements, known.elements) {
			t.Fatalf("wrote %+v, read %+v, %v", known, again, err)
		}
	})
}

// readRandomly reads the second half of the elements before the first.
func readRandomly(data []byte) ([]byte, error) {
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	elements := make([]byte, r.size)
	half := r.size / r.DType.Size() / 2 * r.DType.Size()
	if _, err := r.ReadAt(elements[half:], int64(half)); err != nil {
		return nil, err
	}
	_, err = r.ReadAt(elements[:half], 0)
	return elements, err
}

type array struct {
	h        Header
	elements []byte
}

func readAll(in io.Reader) (array, error) {
	r, err := NewReader(in)
	if err != nil {
		return array{}, err
	}
	elements, err := io.ReadAll(r)
	return array{r.Header, elements}, err
}
