package drx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"drx"
	"drx/dtype"
	"drx/internal/pack"
)

// A stream with valid checksums whose description of chunks contradicts its log, or whose log is
// invalid, is refused and leaves no files.
func TestUnpackComparesWithLog(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "A")
	a, err := drx.Create(name, drx.Spec{DType: dtype.Int32, Shape: []int{8, 8}, ChunkShape: []int{4, 4}})
	if err == nil {
		err = errors.Join(drx.Write(a, nil, make([]int32, 64)), a.Close())
	}
	var stream bytes.Buffer
	if err = errors.Join(err, drx.Pack(context.Background(), name, "A", &stream, nil)); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(a *pack.Array, part int, b []byte){
		"nothing": func(*pack.Array, int, []byte) {},
		"slot":    func(a *pack.Array, _ int, _ []byte) { a.Slot = 128 },
		"chunk":   func(a *pack.Array, _ int, _ []byte) { a.Chunk = 60 },
		"align":   func(a *pack.Array, _ int, _ []byte) { a.Align = 64 },
		"chunks":  func(a *pack.Array, _ int, _ []byte) { a.Chunks = 1 << 40 },
		"log": func(_ *pack.Array, part int, b []byte) {
			if part == 0 {
				b[len(b)/2] ^= 1
			}
		},
	} {
		for _, form := range []string{"", ".drx"} {
			to := filepath.Join(t.TempDir(), "B"+form)
			u, err := drx.NewUnpacker(bytes.NewReader(changedStream(t, stream.Bytes(), change)))
			if err == nil {
				if _, err = u.Next(); err == nil {
					err = u.Unpack(context.Background(), to)
				}
			}
			left, _ := os.ReadDir(filepath.Dir(to))
			if what == "nothing" && err != nil || what != "nothing" && (!errors.Is(err, drx.ErrCorrupt) || len(left) > 0) {
				t.Errorf("%s%s: %v, left %v", what, form, err, left)
			}
		}
	}
}

// changedStream rewrites a stream with one array, with changes.
func changedStream(t *testing.T, stream []byte, change func(a *pack.Array, part int, b []byte)) []byte {
	t.Helper()
	var b bytes.Buffer
	r, err := pack.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.Array()
	w, writeErr := pack.NewWriter(&b, r.Head())
	change(&a, -1, nil)
	err = errors.Join(err, writeErr, w.Array(a))
	for i := range pack.Parts {
		err = errors.Join(err, w.Part(i, r.Size()))
		for {
			off, data, readErr := r.Data()
			if errors.Is(readErr, io.EOF) {
				break
			}
			if err = errors.Join(err, readErr); err != nil {
				t.Fatal(err)
			}
			change(&pack.Array{}, i, data)
			err = w.Data(off, data)
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
