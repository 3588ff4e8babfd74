//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"

	"drx/nd"
)

// encode returns the stored bytes of a chunk.
func encode(t *testing.T, d *decoder, chunk []byte) []byte {
	t.Helper()
	if d.shuffled {
		n, out := len(chunk)/d.size, make([]byte, len(chunk))
		for i, b := range chunk {
			out[i%d.size*n+i/d.size] = b
		}
		chunk = out
	}
	if !d.deflated {
		return slices.Clone(chunk)
	}
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(chunk); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Every element of a section must come from its position in its chunk, for all filters and sizes of
// elements.
func TestDecode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		rank := 1 + random.IntN(3)
		d := &decoder{size: []int{1, 2, 4, 8, 3}[random.IntN(5)], shuffled: random.IntN(2) == 0, deflated: random.IntN(2) == 0, bytes: 1}
		sec, index := make(nd.Section, rank), make([]int, rank)
		for i := range sec {
			d.chunk = append(d.chunk, 1+random.IntN(6))
			d.bytes *= d.chunk[i]
			index[i] = random.IntN(3)
			lo := random.IntN((index[i] + 1) * d.chunk[i])
			sec[i] = nd.Span(lo, max(lo, index[i]*d.chunk[i])+1+random.IntN(10))
		}
		d.bytes *= d.size
		chunk := make([]byte, d.bytes)
		for i := range chunk {
			chunk[i] = byte(random.IntN(256))
		}
		n, err := sec.Len()
		if err != nil {
			t.Fatal(err)
		}
		got, want := make([]byte, n*d.size), make([]byte, n*d.size)
		p := newPart(d.chunk, sec, index)
		if err := d.decode(p, &scratch{stored: encode(t, d, chunk)}, got); err != nil {
			t.Fatal(err)
		}
		at := make([]int, rank)
		for i := range n { // element i of the section
			inside, from := true, 0
			for k, rest := rank-1, i; k >= 0; k-- {
				at[k] = sec[k].Lo + rest%sec[k].Len()
				rest /= sec[k].Len()
			}
			for k, x := range at {
				inside = inside && x/d.chunk[k] == index[k]
				from = from*d.chunk[k] + x%d.chunk[k]
			}
			if inside {
				copy(want[i*d.size:(i+1)*d.size], chunk[from*d.size:])
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%+v, section %v, chunk %v: got %v, want %v", d, sec, index, got, want)
		}
	}
}

// Damaged chunks must give errors, with both ways to inflate, and the next intact chunk must be
// read.
func TestDamage(t *testing.T) {
	good := encode(t, &decoder{size: 1, deflated: true}, bytes.Repeat([]byte("elements"), 100))
	flipped := slices.Clone(good)
	flipped[len(good)-1] ^= 1
	for name, run := range map[string]func(*scratch) error{"as built": inflate, "Go": (*scratch).inflateAll} {
		s := &scratch{}
		for _, c := range []struct {
			what   string
			stored []byte
			bytes  int
			is     error
		}{
			{"good", good, 800, nil},
			{"short", good, 801, io.ErrUnexpectedEOF},
			{"long", good, 799, errLong},
			{"checksum", flipped, 800, nil},
			{"cut", good[:len(good)/2], 800, nil},
			{"other", []byte("no such thing"), 800, nil},
			{"good again", good, 800, nil},
		} {
			s.stored, s.decoded = c.stored, resized(s.decoded, c.bytes)
			err := run(s)
			if strings.HasPrefix(c.what, "good") {
				if err != nil || !bytes.Equal(s.decoded, bytes.Repeat([]byte("elements"), 100)) {
					t.Errorf("%s, %s: %v", name, c.what, err)
				}
			} else if err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%s, %s: %v, want %v", name, c.what, err, c.is)
			}
		}
	}
}
