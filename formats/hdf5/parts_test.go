//go:build hdf5 && cgo

package hdf5

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// A section with more chunks than are requested from the library at once must have its elements in
// the right positions.
func TestManyChunks(t *testing.T) {
	shape := []int{90, 100, 3}
	path, all := filepath.Join(t.TempDir(), "a.h5"), make([]byte, 0, 4*90*100*3)
	for i := range 90 * 100 * 3 {
		all = binary.LittleEndian.AppendUint32(all, uint32(i))
	}
	info := formats.Info{Name: "d", DType: dtype.Uint32, Shape: shape, Chunk: []int{1, 2, 3}, Unlimited: []bool{true, false, false}}
	writers, err := formats.CreateFile(path, "hdf5", formats.Content{Vars: []formats.Info{info}})
	if err != nil {
		t.Fatal(err)
	}
	if err := writers[0].WriteSection(nil, all); err != nil {
		t.Fatal(err)
	}
	if err := writers[0].Close(); err != nil {
		t.Fatal(err)
	}
	r, err := formats.Open(path, formats.Options{Format: "hdf5"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, sec := range []nd.Section{{nd.Span(0, 90), nd.Span(0, 100), nd.Span(0, 3)}, {nd.Span(0, 90), nd.Span(0, 100), nd.Span(0, 2)}, {nd.Span(3, 89), nd.Span(1, 98), nd.Span(1, 2)}} {
		var want []byte
		for i := sec[0].Lo; i < sec[0].Hi; i++ {
			for j := sec[1].Lo; j < sec[1].Hi; j++ {
				at := 4 * (i*300 + j*3)
				want = append(want, all[at+4*sec[2].Lo:at+4*sec[2].Hi]...)
			}
		}
		got := make([]byte, len(want))
		if err := r.ReadSection(sec, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %v", sec, err)
		}
	}
	n := chunksIn(nd.Span(0, 90), r.Info().Chunk[0]) * chunksIn(nd.Span(0, 100), r.Info().Chunk[1])
	if n <= chunksAtOnce {
		t.Errorf("%d chunks: the test reads no parts", n)
	}
}
