package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/nd"
)

func TestPNM(t *testing.T) {
	for data, c := range map[string]struct {
		t     dtype.DType
		shape []int
		want  []byte
	}{
		"P1 3 2 101 010":                     {dtype.Uint8, []int{2, 3}, []byte{0, 255, 0, 255, 0, 255}},
		"P1\n# two\n3 2\n1 0 1 # row\n0 1 0": {dtype.Uint8, []int{2, 3}, []byte{0, 255, 0, 255, 0, 255}},
		"P4 9 2 \x80\x80\x01\x7f\n":          {dtype.Uint8, []int{2, 9}, []byte{0, 255, 255, 255, 255, 255, 255, 255, 0, 255, 255, 255, 255, 255, 255, 255, 0, 255}},
		"P2 2 1 255\n7 255\n":                {dtype.Uint8, []int{1, 2}, []byte{7, 255}},
		"P2 2 1 100 7 100":                   {dtype.Uint8, []int{1, 2}, []byte{7, 100}},
		"P2 2 1 256 7 256 # end":             {dtype.Uint16, []int{1, 2}, []byte{7, 0, 0, 1}},
		"P2#c\n2#c\r1 #c\n\n255#c\n7#c\n8#":  {dtype.Uint8, []int{1, 2}, []byte{7, 8}},
		"P3 1 1 255 1 2 3":                   {dtype.Uint8, []int{1, 1, 3}, []byte{1, 2, 3}},
		"P3 1 1 65535 1 2 65535":             {dtype.Uint16, []int{1, 1, 3}, []byte{1, 0, 2, 0, 255, 255}},
		"P5 2 2 255 ab#d":                    {dtype.Uint8, []int{2, 2}, []byte("ab#d")},
		"P5 2 1 255#c\n\n ":                  {dtype.Uint8, []int{1, 2}, []byte("\n ")},
		"P5 2 1 999 \x01\x02\x00\x03":        {dtype.Uint16, []int{1, 2}, []byte{2, 1, 3, 0}},
		"P6 1 1 255 abc\n":                   {dtype.Uint8, []int{1, 1, 3}, []byte("abc")},
		"P6 1 1 65535 abcdef":                {dtype.Uint16, []int{1, 1, 3}, []byte("badcfe")},
	} {
		r, got, err := read([]byte(data))
		if err != nil || r.DType != c.t || !slices.Equal(r.Shape, c.shape) || !bytes.Equal(got, c.want) {
			t.Errorf("%q: %+v %v %v; want %v %v %v", data, r, got, err, c.t, c.shape, c.want)
		}
	}
}

func TestPNMDamaged(t *testing.T) {
	for data, c := range map[string]struct {
		is   error
		text string
	}{
		"P5 ":                            {io.ErrUnexpectedEOF, "width: expected a number at byte 3, found the end"},
		"P5 # never ends":                {io.ErrUnexpectedEOF, "width: expected a number"},
		"P5 x":                           {ErrFormat, "width: expected a number at byte 3, found 'x'"},
		"P5 -1 1 255 a":                  {ErrFormat, "found '-'"},
		"P5 2x2 255 abcd":                {ErrFormat, "width: expected a blank at byte 4, found 'x'"},
		"P5 0 1 255 ":                    {ErrFormat, "width 0"},
		"P5 1 0 255 ":                    {ErrFormat, "height 0"},
		"P5 1 1 0 a":                     {ErrFormat, "largest value 0"},
		"P5 1 1 65536 a":                 {ErrFormat, "above the limit 65535"},
		"P5 99999999999 1 255 a":         {ErrFormat, "above the limit 2147483647"},
		"P5 50000 50000 255 a":           {nd.ErrOverflow, "the limit is 2147483648 bytes"},
		"P6 2000000000 2000000000 255 a": {nd.ErrOverflow, "the limit is 2147483648 bytes"},
		"P5 2 2 255 abc":                 {io.ErrUnexpectedEOF, "expected 4 bytes of samples, found 3"},
		"P4 9 2 abc":                     {io.ErrUnexpectedEOF, "expected 4 bytes of samples, found 3"},
		"P5 2 2 255 abcde":               {ErrFormat, "expected the end at byte 15, found 'e'"},
		"P5 1 1 255 aP5 1 1 255 b":       {ErrFormat, "expected the end"},
		"P5 2 1 100 de":                  {ErrFormat, "sample 1: 101 is above the largest value 100"},
		"P5 2 1 300 \x01\x00\x02\x00":    {ErrFormat, "sample 1: 512 is above the largest value 300"},
		"P2 2 1 100 7 101":               {ErrFormat, "sample 1: number at byte 15 is above the limit 100"},
		"P2 9 9 255 1 2 3":               {io.ErrUnexpectedEOF, "expected 81 bytes"},
		"P2 3 1 255 100 2":               {io.ErrUnexpectedEOF, "sample 2: expected a number"},
		"P2 3 1 255 1 b 3":               {ErrFormat, "sample 1: expected a number"},
		"P1 3 1 102":                     {ErrFormat, "sample 2: expected 0 or 1 at byte 9, found '2'"},
		"P1 3 1 1   ":                    {io.ErrUnexpectedEOF, "sample 1: expected 0 or 1"},
		"P8 WIDTH 1":                     {ErrFormat, "starts with"},
		"":                               {ErrFormat, "starts with"},
	} {
		_, _, err := read([]byte(data))
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%q: %v; want %q", data, err, c.text)
		}
	}
}

// pngFile returns a PNG file with the given chunks.
func pngFile(chunks ...string) []byte {
	b := []byte(pngMagic)
	for _, c := range chunks {
		b = binary.BigEndian.AppendUint32(b, uint32(len(c)-4))
		b = append(b, c...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(c)))
	}
	return b
}

func TestPNGDamaged(t *testing.T) {
	head := func(w, h, depth, colour byte) string {
		return "IHDR\x00\x00" + string([]byte{w, 0}) + "\x00\x00" + string([]byte{h, 0, depth, colour}) + "\x00\x00\x00"
	}
	for name, c := range map[string]struct {
		data []byte
		is   error
		text string
	}{
		"magic":     {[]byte(pngMagic), ErrFormat, ""},
		"colour":    {pngFile(head(1, 1, 8, 7)), ErrFormat, "png: "},
		"limit":     {pngFile(head(200, 200, 8, 2)), nd.ErrOverflow, "51200 x 51200 pixels with 3 samples of uint8"},
		"alpha":     {pngFile(head(100, 100, 8, 2), "tRNS\x00\x01\x00\x02\x00\x03"), nd.ErrOverflow, "with 4 samples of uint8"},
		"16 bits":   {pngFile(head(150, 150, 16, 0)), nd.ErrOverflow, "with 1 samples of uint16"},
		"no pixels": {pngFile(head(1, 1, 8, 0), "IEND"), ErrFormat, "png: "},
		"pixels":    {pngFile(head(1, 1, 8, 0), "IDATxyz"), ErrFormat, ""},
	} {
		_, _, err := read(c.data)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v; want %q", name, err, c.text)
		}
	}
}

func TestMatch(t *testing.T) {
	for head, want := range map[string]bool{
		"P5 3 3 255": true, "P1#": true, "P0 3": false, "P8\n": false, "P7\n": true, "Pf ": true, "P55 ": false, "P5": false, "": false,
		pngMagic: true, pngMagic[:7]: false, "II*\x00\x08": true, "MM\x00*": true, "MM*\x00": false, "MM\x00+": true, "II": false,
	} {
		if got := Match([]byte(head)); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}
