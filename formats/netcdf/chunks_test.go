//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/nd"
)

// Chunks that are decoded here must have the elements that the library reads, also if they were
// never written. Sections that cut chunks are left to the library.
func TestChunks(t *testing.T) {
	for _, deflate := range []int{0, 4} {
		for _, size := range []dtype.DType{dtype.Uint8, dtype.Int16, dtype.Float32, dtype.Float64} {
			path := filepath.Join(t.TempDir(), "a.nc")
			info := formats.Info{Name: "a", DType: size, Shape: []int{70, 45}, Chunk: []int{16, 20}, Unlimited: []bool{true, false}}
			writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}, Deflate: deflate})
			if err != nil {
				t.Fatal(err)
			}
			var elements []byte
			for i := range 30 * 45 {
				elements = append(elements, binary.LittleEndian.AppendUint64(nil, uint64(i*i))[:size.Size()]...)
			}
			if err := writers[0].WriteSection(nd.Sec(nd.Span(40, 70), nd.All), elements); err != nil { // two rows of chunks are missing
				t.Fatal(err)
			}
			if err := writers[0].Close(); !errors.Is(err, io.ErrUnexpectedEOF) { // it says that elements are missing
				t.Fatal(err)
			}
			compareWithLibrary(t, path, size.Size())
		}
	}
}

// compareWithLibrary reads sections in both ways and compares them.
func compareWithLibrary(t *testing.T, path string, size int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	defer enter()()
	in := &formats.Input{Path: path, File: f, Head: []byte(hdf5Magic), Memory: 16 << 20}
	opened, err := read(in)
	if err != nil {
		t.Fatal(err)
	}
	e, err := opened.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := e.(*reader)
	if r.chunks == nil {
		t.Fatal("the library reads the elements")
	}
	for _, sec := range []nd.Section{nd.Sec(nd.Span(0, 70), nd.Span(0, 45)), nd.Sec(nd.Span(32, 64), nd.Span(20, 45)), nd.Sec(nd.Span(16, 32), nd.Span(40, 45)), nd.Sec(nd.Span(1, 70), nd.Span(0, 44))} {
		n, _ := sec.Len()
		got, want := bytes.Repeat([]byte{99}, n*size), make([]byte, n*size)
		if err := r.Read(sec, got); err != nil {
			t.Fatal(err)
		}
		chunks := r.chunks
		r.chunks = nil
		if err := r.Read(sec, want); err != nil {
			t.Fatal(err)
		}
		r.chunks = chunks
		if !bytes.Equal(got, want) {
			t.Errorf("%v: other elements than the library has", sec)
		}
	}
}

// A chunk of 32 MiB must be read within the memory of three chunks, and refused with less.
func TestLargeChunk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nc")
	info := formats.Info{Name: "a", DType: dtype.Float32, Shape: []int{8 << 20}, Chunk: []int{8 << 20}}
	elements := make([]byte, 32<<20)
	writeOne(t, path, info, elements)
	_, err := formats.Open(path, formats.Options{Memory: 3*32<<20 - 1})
	if err == nil || !errors.Is(err, formats.ErrMemory) || !strings.Contains(err.Error(), "a: chunk [8388608] has 33554432 bytes") {
		t.Errorf("%v; want a chunk that is too large", err)
	}
	before := bridgetest.Resident(t)
	r, err := formats.Open(path, formats.Options{Memory: 3 * 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 3 {
		if err := r.ReadSection(nil, elements); err != nil {
			t.Fatal(err)
		}
	}
	most := 3 * 32 << 20
	if bridgetest.Race { // the race detector needs memory for each element
		most *= 3
	}
	if grown := bridgetest.Resident(t) - before; grown > most {
		t.Errorf("memory grew by %d MiB for chunks of 32 MiB", grown>>20)
	}
}

// writeOne writes a file with one variable.
func writeOne(t *testing.T, path string, info formats.Info, elements []byte) {
	t.Helper()
	writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}, Deflate: 1})
	if err == nil {
		err = errors.Join(writers[0].WriteSection(nil, elements), writers[0].Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A chunk that is encoded here and extends beyond the variable must have netCDF's fill value there,
// which is seen when another program makes the variable grow.
func TestFillBeyond(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nc")
	info := formats.Info{Name: "a", DType: dtype.Float32, Shape: []int{13, 10}, Chunk: []int{4, 7}, Dims: []string{"y", "x"}, Unlimited: []bool{true, false}}
	var elements []byte
	for i := range 130 {
		elements = binary.LittleEndian.AppendUint32(elements, math.Float32bits(float32(i)))
	}
	writeOne(t, path, info, elements)
	out := bridge.Python(t, "-W", "ignore", "-c", `
import sys, netCDF4, numpy
with netCDF4.Dataset(sys.argv[1], "r+") as f:
    v = f["a"]
    v.set_auto_mask(False)
    v[17] = 1
    want = numpy.full((18, 10), netCDF4.default_fillvals["f4"], "f4")
    want[:13], want[17] = numpy.arange(130).reshape(13, 10), 1
    print(v.chunking(), (v[...] == want).all())
`, path)
	if string(out) != "[4, 7] True\n" {
		t.Errorf("%s", out)
	}
}
