package envi_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/hyper/scene"
	"drx/hyper/scene/envi"
)

// types converts an integer to a number of each data type.
var types = map[int]func(v int) any{
	1: func(v int) any { return uint8(v) }, 2: func(v int) any { return int16(-v) }, 3: func(v int) any { return int32(-v) },
	4: func(v int) any { return float32(v) / 2 }, 5: func(v int) any { return float64(v) / 4 }, 12: func(v int) any { return uint16(v + 65000) },
	13: func(v int) any { return uint32(v) + 1<<31 }, 14: func(v int) any { return int64(-v) }, 15: func(v int) any { return uint64(v) },
}

// number returns the number as a float64.
func number(v any) float64 {
	var f float64
	_, _ = fmt.Sscan(fmt.Sprint(v), &f)
	return f
}

// image returns the file of numbers of an image; its values are line*20 + sample*5 + band,
// converted to the data type.
func image(dataType int, interleave envi.Interleave, order binary.AppendByteOrder, offset int) []byte {
	b := bytes.NewBuffer(make([]byte, offset))
	put := func(l, s, k int) { _ = binary.Write(b, order.(binary.ByteOrder), types[dataType](l*20+s*5+k)) }
	switch interleave {
	case envi.BSQ:
		each(5, 6, 4, func(k, l, s int) { put(l, s, k) })
	case envi.BIL:
		each(6, 5, 4, func(l, k, s int) { put(l, s, k) })
	default:
		each(6, 4, 5, put)
	}
	return b.Bytes()
}

// each calls f for all triples, the last number fastest.
func each(a, b, c int, f func(i, j, k int)) {
	for i := range a {
		for j := range b {
			for k := range c {
				f(i, j, k)
			}
		}
	}
}

func TestEveryTypeInterleaveAndByteOrder(t *testing.T) {
	for dataType := range types {
		for _, interleave := range []envi.Interleave{envi.BSQ, envi.BIL, envi.BIP} {
			for byteOrder, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				text := fmt.Sprintf("ENVI\nlines = 6\nSamples=4\nbands = 5\nheader  offset = 3\ndata type = %d\ninterleave = %s\nbyte order = %d\n",
					dataType, strings.ToUpper(string(interleave)), byteOrder)
				h, err := envi.Parse(strings.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				data := image(dataType, interleave, order, 3)
				src, err := envi.New(h, bytes.NewReader(data), int64(len(data)), true)
				if err != nil {
					t.Fatal(err)
				}
				if want := dataType <= 2 || dataType == 12; src.Integers16() != want {
					t.Errorf("type %d: Integers16 is %v", dataType, src.Integers16())
				}
				b := scene.Block{Lo: scene.Pixel{Line: 2, Sample: 1}, Hi: scene.Pixel{Line: 5, Sample: 3}}
				got := make([]float64, b.Pixels()*5)
				if err := src.Read(t.Context(), b, got); err != nil {
					t.Fatal(err)
				}
				for i, v := range got {
					p := b.At(i / 5)
					if want := number(types[dataType](p.Line*20 + p.Sample*5 + i%5)); v != want {
						t.Fatalf("type %d %s, byte order %d, pixel %v band %d: %v, want %v", dataType, interleave, byteOrder, p, i%5, v, want)
					}
				}
				if _, err := envi.New(h, bytes.NewReader(data), int64(len(data)-1), false); err == nil || !strings.Contains(err.Error(), "more than the file has") {
					t.Errorf("a file that is too short: %v", err)
				}
			}
		}
	}
}

// In a wide image the parts of a block are too far apart for one read.
func TestBlocksOfWideImages(t *testing.T) {
	const samples, lines, bands = 5000, 3, 3
	for _, interleave := range []envi.Interleave{envi.BSQ, envi.BIL, envi.BIP} {
		data := make([]byte, lines*samples*bands)
		each(lines, samples, bands, func(l, s, k int) {
			at := map[envi.Interleave]int{envi.BSQ: (k*lines+l)*samples + s, envi.BIL: (l*bands+k)*samples + s, envi.BIP: (l*samples+s)*bands + k}
			data[at[interleave]] = byte(l*100 + s%31*3 + k)
		})
		h, err := envi.Parse(strings.NewReader(fmt.Sprintf("ENVI\nlines=3\nsamples=5000\nbands=3\ndata type=1\ninterleave=%s\n", interleave)))
		if err != nil {
			t.Fatal(err)
		}
		src, err := envi.New(h, bytes.NewReader(data), int64(len(data)), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range []scene.Block{src.Bounds(), {Lo: scene.Pixel{Line: 1, Sample: 7}, Hi: scene.Pixel{Line: 3, Sample: 300}}} {
			got := make([]float64, b.Pixels()*bands)
			if err := src.Read(t.Context(), b, got); err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if p := b.At(i / bands); v != float64(byte(p.Line*100+p.Sample%31*3+i%bands)) {
					t.Fatalf("%s %v: pixel %v has %v", interleave, b, p, v)
				}
			}
		}
	}
}

const good = `ENVI
description = {
  A made-up image. }
; a comment
samples = 2
lines = 1
bands = 3
data type = 2
interleave = bip
wavelength units = Micrometers
wavelength = { 0.4, 0.5,
  0.6 }
fwhm = {0.01, 0.01, 0.02}
bbl = {1, 0, 1}
reflectance scale factor = 100
data ignore value = -200
`

// write writes a header and numbers into a folder and returns the path of the numbers.
func write(t *testing.T, header, name, headerName string, data []byte) string {
	t.Helper()
	dir := t.TempDir()
	for n, b := range map[string][]byte{headerName: []byte(header), name: data} {
		if err := os.WriteFile(filepath.Join(dir, n), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, name)
}

func TestOpenByEitherFile(t *testing.T) {
	data := []byte{100, 0, 44, 1, 200, 0, 100, 0, 0, 0, 56, 255} // 100 300 200, 100 0 -200
	for name, header := range map[string]string{"a.img": "a.hdr", "b": "b.hdr", "c.dat": "c.dat.hdr"} {
		path := write(t, good, name, header, data)
		for _, p := range []string{path, filepath.Join(filepath.Dir(path), header)} {
			src, err := envi.Open(p, true)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			c, err := scene.New(src, src.Options())
			if err != nil {
				t.Fatal(err)
			}
			tile, err := c.Read(t.Context(), c.Bounds())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(tile.Spectrum(0), []float64{1, 2}) || !slices.Equal(tile.Valid, []bool{true, false}) {
				t.Errorf("%s: %v %v", p, tile.Data, tile.Valid)
			}
			if w, unit := c.Wavelengths(); !slices.Equal(w, []float64{0.4, 0.6}) || unit != "um" || src.Integers16() {
				t.Errorf("%s: wavelengths %v %s", p, w, unit)
			}
		}
	}
	path := write(t, good, "a.img", "b.hdr", data)
	if _, err := envi.Open(path, false); err == nil || !strings.Contains(err.Error(), "no header") {
		t.Errorf("an image without header: %v", err)
	}
	if _, err := envi.Open(filepath.Join(filepath.Dir(path), "b.hdr"), false); err == nil || !strings.Contains(err.Error(), "no file of numbers") {
		t.Errorf("a header without image: %v", err)
	}
	if _, err := envi.OpenLibrary(write(t, good, "a.img", "a.hdr", data)); err == nil || !strings.Contains(err.Error(), "not a spectral library") {
		t.Errorf("an image as a library: %v", err)
	}
}

// A file that was shortened after it was opened gives an error that names it.
func TestFilesThatShrink(t *testing.T) {
	path := write(t, good, "a.img", "a.hdr", make([]byte, 12))
	src, err := envi.Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if err := os.Truncate(path, 5); err != nil {
		t.Fatal(err)
	}
	if err := src.Read(t.Context(), src.Bounds(), make([]float64, 6)); err == nil || err.Error() != path+": 12 bytes from byte 0: unexpected EOF" {
		t.Errorf("error %v", err)
	}
}

func TestLibraries(t *testing.T) {
	header := "ENVI\nsamples = 3\nlines = 2\nbands = 1\ndata type = 1\nfile type = ENVI Spectral Library\nwavelength = {1,2,3}\nspectra names = { red  brick, grass}\n"
	path := write(t, header, "l.sli", "l.hdr", []byte{1, 2, 3, 4, 5, 6})
	l, err := envi.OpenLibrary(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.Spectra[1], []float64{4, 5, 6}) || !slices.Equal(l.Header.Names, []string{"red brick", "grass"}) {
		t.Errorf("%v %v", l.Spectra, l.Header.Names)
	}
	if _, err := envi.Open(path, false); err == nil || !strings.Contains(err.Error(), "not an image") {
		t.Errorf("a library as an image: %v", err)
	}
}

func TestWrongHeaders(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"ENVI\n", "ENV\n"}:                          `the first line of an ENVI header is ENVI, not "ENV"`,
		{"samples = 2\n", ""}:                        `the field "samples" is missing`,
		{"samples = 2", "samples = -2"}:              `samples = "-2": it must be an integer from 1 to 2147483647`,
		{"samples = 2", "samples = 2x"}:              `samples = "2x": it must be an integer from 1 to 2147483647`,
		{"data type = 2", "data type = 6"}:           "data type = 6: these are complex numbers; spectra are real ones",
		{"data type = 2", "data type = 7"}:           "data type = 7: it must be 1, 2, 3, 4, 5, 12, 13, 14 or 15",
		{"interleave = bip", "interleave = x"}:       `interleave = "x": it must be bsq, bil or bip`,
		{"0.6 }", "0.6, 0.7 }"}:                      "wavelength: 4 values where 3 are needed",
		{"0.6 }", "six }"}:                           `wavelength: value 2 is "six", not a number`,
		{"bbl = {1, 0, 1}", "bbl = {1, 0, 1"}:        `line 14: the list of "bbl" has no closing brace`,
		{"lines = 1", "lines = 1\nLines = 1"}:        `line 7: "lines" is there twice`,
		{"lines = 1", "lines 1"}:                     `line 6: "lines 1" is not of the form name = value`,
		{"factor = 100", "factor = -1"}:              "reflectance scale factor = -1: it must be above 0",
		{"bands = 3", "bands = 3\nbyte order = 2"}:   `byte order = "2": it must be an integer from 0 to 1`,
		{"bands = 3", "bands=3\nfile compression=1"}: `file compression = "1": only files without are read; let ENVI or gdal_translate write such one`,
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if _, err := envi.Parse(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", change[1], err, want)
		}
	}
	h, err := envi.Parse(strings.NewReader("ENVI\nlines=2147483647\nsamples=2147483647\nbands=2147483647\ndata type=5\nheader offset=9223372036854775807\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := envi.New(h, bytes.NewReader(nil), 1<<40, false); err == nil {
		t.Error("an image of 2^96 bytes is accepted")
	}
}

// FuzzParse reads headers of arbitrary text, and the first pixel of the images that they describe.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("ENVI\nlines=1\nsamples=1\nbands=1\ndata type=15\nbyte order=1\nheader offset=9223372036854775807\n"))
	f.Add([]byte("ENVI\nlines=2\nsamples=3\ndata type=4\nfile type=ENVI Spectral Library\nspectra names={a,b}\n"))
	f.Fuzz(func(t *testing.T, header []byte) {
		h, err := envi.Parse(bytes.NewReader(header))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of two lines: %q", err)
			}
			return
		}
		data := make([]byte, 4096)
		src, err := envi.New(h, bytes.NewReader(data), int64(len(data)), true)
		if err != nil {
			return
		}
		if _, err := scene.New(src, src.Options()); err != nil {
			return
		}
		b := src.Bounds()
		if err := src.Read(t.Context(), b, make([]float64, b.Pixels()*src.Bands())); err != nil {
			t.Fatal(err)
		}
	})
}
