package raster

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// JPEG files must give the samples that libjpeg-turbo reads, up to the rounding, which the standard
// leaves open.
func TestJPEG(t *testing.T) {
	for _, name := range []string{"full", "half", "progressive", "grey"} {
		r, err := open(t, "testdata/"+name+".jpg")
		if err != nil {
			t.Fatal(err)
		}
		want, err := open(t, "testdata/jpeg/"+name+".ppm")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Shape, want.Shape) || r.DType != dtype.Uint8 {
			t.Errorf("%s: %v %v, want %v", name, r.DType, r.Shape, want.Shape)
		}
		got, err1 := io.ReadAll(r)
		samples, err2 := io.ReadAll(want)
		if err := errors.Join(err1, err2); err != nil || len(got) != len(samples) {
			t.Fatalf("%s: %d samples, want %d, %v", name, len(got), len(samples), err)
		}
		most, sum := 0, 0
		for i := range got {
			d := abs(int(got[i]) - int(samples[i]))
			most, sum = max(most, d), sum+d
		}
		if most > 4 || sum > len(got) {
			t.Errorf("%s: samples differ by up to %d, by %d in all %d", name, most, sum, len(got))
		}
	}
}

// A JPEG file that is large when decoded must be refused before it is decoded.
func TestJPEGMemory(t *testing.T) {
	data, err := os.ReadFile("testdata/progressive.jpg")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewReader(bytes.NewReader(data), int64(len(data)), 20_000); !errors.Is(err, ErrMemory) {
		t.Error(err)
	}
}

// The output of the writer must be read unchanged by the decoder of the standard library, whatever
// the type, the shape and the pieces in which it is written.
func TestPNGWriter(t *testing.T) {
	for _, typ := range []dtype.DType{dtype.Uint8, dtype.Uint16} {
		for _, shape := range [][]int{{1, 1}, {7, 5}, {300, 200}, {9, 4, 3}, {50, 60, 4}, {5, 6, 1}, {4, 5, 2}} {
			for _, smooth := range []bool{false, true} {
				n, _ := nd.Product(append([]int{typ.Size()}, shape...)...)
				samples := make([]byte, n)
				for i := range samples {
					samples[i] = byte(i * i * 31 >> 3)
					if smooth {
						samples[i] = byte(i / 100)
					}
				}
				var file bytes.Buffer
				w, err := NewPNGWriter(&file, typ, shape, 0)
				if err != nil {
					t.Fatal(err)
				}
				for part := range slices.Chunk(samples, 1+n/3) {
					if _, err := w.Write(part); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				r, err := NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()), 0)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(r)
				want := samples
				if len(shape) == 3 && shape[2] == 2 {
					want = greyToColour(samples, typ.Size())
				}
				if err != nil || r.DType != typ || !bytes.Equal(got, want) {
					t.Errorf("%v of %v: %v %v, %v", shape, typ, r.Shape, r.DType, err)
				}
			}
		}
	}
}

// greyToColour converts pixels of grey and alpha to red, green, blue and alpha.
func greyToColour(samples []byte, size int) (out []byte) {
	for p := range slices.Chunk(samples, 2*size) {
		out = append(append(append(append(out, p[:size]...), p[:size]...), p[:size]...), p[size:]...)
	}
	return out
}

// Arrays that are not pictures must be refused, and so must too many or too few samples.
func TestPNGWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		t     dtype.DType
		shape []int
		is    error
	}{
		{dtype.Float32, []int{2, 2}, dtype.ErrDType},
		{dtype.Uint8, []int{2}, nd.ErrRank},
		{dtype.Uint8, []int{2, 2, 5}, nd.ErrRank},
		{dtype.Uint8, []int{2, 2, 3, 1}, nd.ErrRank},
		{dtype.Uint8, []int{0, 2}, nd.ErrBounds},
	} {
		var out bytes.Buffer
		if _, err := NewPNGWriter(&out, c.t, c.shape, 0); !errors.Is(err, c.is) || out.Len() > 0 {
			t.Errorf("%v %v: %v", c.t, c.shape, err)
		}
	}
	w, err := NewPNGWriter(io.Discard, dtype.Uint8, []int{2, 2}, 9)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte{1, 2, 3}); err != nil {
		t.Error(err)
	}
	if err := w.Close(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if n, err := w.Write([]byte{4, 5}); n != 1 || !errors.Is(err, io.ErrShortWrite) {
		t.Error(n, err)
	}
}

// Damaged headers of PAM and PFM must be refused with the reason.
func TestRefusedHeaders(t *testing.T) {
	for text, data := range map[string]string{
		"the header has no":                     "P7\nENDHDR\n",
		`WIDTH "0" is not between 1`:            "P7\nWIDTH 0\n",
		`DEPTH "99999" is not between 1`:        "P7\nDEPTH 99999\n",
		"header line":                           "P7\nCOLOUR red\n",
		"expected the end of a line":            "P7\nWIDTH 3",
		"expected 12 bytes of samples, found 2": "P7\nWIDTH 2\nHEIGHT 2\nDEPTH 3\nMAXVAL 255\nENDHDR\nab",
		"expected 16 bytes of samples, found 3": "Pf\n2 2\n-1\nabc",
		"expected 4 bytes of samples, found 5":  "Pf 1 1 -1\nabcde",
		`scale "x" is not a number`:             "PF 1 1 x\n",
		"0 x 1 pixels":                          "Pf 0 1 1\n",
	} {
		_, err := NewReader(bytes.NewReader([]byte(data)), int64(len(data)), 0)
		if !errors.Is(err, ErrFormat) || !bytes.Contains([]byte(err.Error()), []byte(text)) {
			t.Errorf("%q: %v", data, err)
		}
	}
}
