package npy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"drx/dtype"
	"drx/nd"
)

// golden is a file of testdata, described by its name, see testdata/make.py.
type golden struct {
	path    string
	header  Header
	rewrite bool   // the Writer must write the same bytes
	want    []byte // elements, little-endian, in the order of the file
	file    []byte // all bytes of the file, see rewritten
}

func goldens(t *testing.T) []golden {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.npy")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d golden files, %v", len(paths), err)
	}
	files := make([]golden, len(paths))
	for i, path := range paths {
		words := strings.Split(strings.TrimSuffix(filepath.Base(path), ".npy"), "_")
		typ, err := dtype.Parse(words[0])
		if err != nil {
			t.Fatal(err)
		}
		h := Header{DType: typ, Shape: []int{}, ColMajor: words[2] == "F"}
		if words[1] != "s" {
			for word := range strings.SplitSeq(words[1], "x") {
				n, err := strconv.Atoi(word)
				if err != nil {
					t.Fatal(err)
				}
				h.Shape = append(h.Shape, n)
			}
		}
		files[i] = golden{path, h, len(words) == 3, pattern(h), nil}
	}
	return files
}

// pattern returns the elements that make.py writes, in the order of the file.
func pattern(h Header) []byte {
	count, _ := nd.Product(h.Shape...)
	size := h.DType.Size()
	row := make([]byte, count*size)
	for k := range row {
		row[k] = byte((11 + 37*k) % 251)
		if h.DType == dtype.Bool {
			row[k] = byte((k + 1) % 2)
		}
	}
	if !h.ColMajor || count == 0 {
		return row
	}
	out := make([]byte, len(row))
	strides := nd.ColMajor(len(h.Shape)).Strides(h.Shape)
	index, origin := make([]int, len(h.Shape)), make([]int, len(h.Shape))
	for from := 0; ; from += size {
		to := 0
		for d, i := range index {
			to += i * strides[d] * size
		}
		copy(out[to:to+size], row[from:])
		if !nd.Next(index, origin, h.Shape) {
			return out
		}
	}
}

// rewritten returns the golden files that the Writer must write again, with their bytes.
func rewritten(t *testing.T) []golden {
	t.Helper()
	files := slices.DeleteFunc(goldens(t), func(g golden) bool { return !g.rewrite })
	for i := range files {
		var err error
		if files[i].file, err = os.ReadFile(files[i].path); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestReadGolden(t *testing.T) {
	for _, g := range goldens(t) {
		f, err := os.Open(g.path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := NewReader(f)
		if err != nil {
			t.Errorf("%s: %v", g.path, err)
			continue
		}
		h := g.header
		if r.DType != h.DType || !slices.Equal(r.Shape, h.Shape) || r.ColMajor != h.isFortran() || r.Shape == nil {
			t.Errorf("%s: header %+v, want %+v", g.path, r.Header, h)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, g.want) {
			t.Errorf("%s: elements % x, %v, want % x", g.path, got, err, g.want)
		}
	}
}

func TestWriteGolden(t *testing.T) {
	for _, g := range rewritten(t) {
		var b bytes.Buffer
		w, err := NewWriter(&b, g.header)
		if err != nil {
			t.Errorf("%s: %v", g.path, err)
			continue
		}
		for part := range slices.Chunk(g.want, 5) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Errorf("%s: wrote %d of %d bytes, %v", g.path, n, len(part), err)
			}
		}
		if err := w.Close(); err != nil || !bytes.Equal(b.Bytes(), g.file) {
			t.Errorf("%s: %v, wrote\n%q, want\n%q", g.path, err, b.Bytes(), g.file)
		}
	}
}

// The elements must be the same whatever the sizes of the reads and of the pieces that arrive, also
// if their bytes must be swapped.
func TestReadInPortions(t *testing.T) {
	for _, g := range goldens(t) {
		data, err := os.ReadFile(g.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, portion := range []int{1, 3, 7, 16, 1000} {
			r, err := NewReader(iotest.HalfReader(bytes.NewReader(data)))
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			p := make([]byte, portion)
			for err == nil {
				var n int
				n, err = r.Read(p)
				got = append(got, p[:n]...)
			}
			if err != io.EOF || !bytes.Equal(got, g.want) {
				t.Errorf("%s in portions of %d: % x, %v, want % x", g.path, portion, got, err, g.want)
			}
		}
	}
}

// The test reads files of real instruments and studies, if there are any.
func TestReadData(t *testing.T) {
	root := os.Getenv("DRX_DATA")
	if root == "" {
		t.Skip("DRX_DATA is not set")
	}
	for name, want := range map[string]Header{
		"formats/npy/jasper_ridge_segmented.npy":              {dtype.Uint8, []int{100, 100}, false},
		"formats/npy/urban-6_segmented.npy":                   {dtype.Uint8, []int{307, 307}, true},
		"formats/em_nexus_npy/sparc-angle-resolved-data.npy":  {dtype.Uint16, []int{3, 2, 256, 256}, false},
		"formats/em_nexus_npy/sparc-streak-camera-data.npy":   {dtype.Uint32, []int{2, 3, 256, 256}, false},
		"formats/em_nexus_npy/sparc-time-correlator-data.npy": {dtype.Uint32, []int{3, 2, 65536}, false},
	} {
		f, err := os.Open(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			t.Logf("%v", err)
			continue
		}
		r, err := NewReader(f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		size, _ := want.Size()
		n, err := io.Copy(io.Discard, r)
		if err != nil || n != int64(size) || r.DType != want.DType || !slices.Equal(r.Shape, want.Shape) || r.ColMajor != want.ColMajor {
			t.Errorf("%s: %+v, %d bytes, %v; want %+v, %d bytes", name, r.Header, n, err, want, size)
		}
		f.Close()
	}
}
