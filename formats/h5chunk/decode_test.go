//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"

	"drx/formats/cformat"
	"drx/internal/codec"
	"drx/nd"
)

// encode returns the stored bytes of a chunk that passes the filters not left out.
func encode(t *testing.T, d *decoder, leftOut uint, chunk []byte) []byte {
	t.Helper()
	for i, f := range d.filters {
		switch {
		case leftOut>>i&1 != 0:
		case f.ID == cformat.FilterShuffle:
			size := int(f.Values[0])
			n, out := len(chunk)/size, slices.Clone(chunk)
			for i, b := range chunk[:n*size] {
				out[i%size*n+i/size] = b
			}
			chunk = out
		case f.ID == cformat.FilterFletcher32:
			chunk = binary.LittleEndian.AppendUint32(slices.Clone(chunk), plainSum(chunk))
		default:
			var out bytes.Buffer
			w := zlib.NewWriter(&out)
			if _, err := w.Write(chunk); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			chunk = out.Bytes()
		}
	}
	return chunk
}

// plainSum is fletcher32 by division: sums other than of zeros alone are from 1 to 65535.
func plainSum(b []byte) uint32 {
	var low, high uint64
	for i, v := range b {
		n := uint64(v)
		if i%2 == 0 {
			n <<= 8
		}
		low += n
		high += n * uint64((len(b)+1)/2-i/2)
	}
	mod := func(n uint64) uint32 {
		if n == 0 {
			return 0
		}
		return uint32((n-1)%65535 + 1)
	}
	return mod(high)<<16 | mod(low)
}

// randomFilters returns filters in any order that are decoded here, for elements of size bytes.
func randomFilters(random *rand.Rand, size int) (all []cformat.Filter) {
	for range random.IntN(5) {
		id := []int{cformat.FilterDeflate, cformat.FilterShuffle, cformat.FilterFletcher32}[random.IntN(3)]
		more := append(slices.Clone(all), cformat.Filter{ID: id, Values: []uint32{uint32(size)}})
		if readable(more) {
			all = more
		}
	}
	return all
}

// Every element of a section must come from its position in its chunk, for all filters, of which a
// chunk may have left out some, and sizes of elements.
func TestDecode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		rank := 1 + random.IntN(3)
		size := []int{1, 2, 4, 8, 3}[random.IntN(5)]
		d := &decoder{size: size, filters: randomFilters(random, size), bytes: size}
		leftOut := uint(random.IntN(1<<len(d.filters)) & random.IntN(1<<len(d.filters)))
		sec, index := make(nd.Section, rank), make([]int, rank)
		for i := range sec {
			d.chunk = append(d.chunk, 1+random.IntN(6))
			d.bytes *= d.chunk[i]
			index[i] = random.IntN(3)
			lo := random.IntN((index[i] + 1) * d.chunk[i])
			sec[i] = nd.Span(lo, max(lo, index[i]*d.chunk[i])+1+random.IntN(10))
		}
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
		if err := d.decode(p, &scratch{}, encode(t, d, leftOut, chunk), leftOut, got); err != nil {
			t.Fatalf("%+v without %b: %v", d.filters, leftOut, err)
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
	good := encode(t, &decoder{filters: []cformat.Filter{{ID: cformat.FilterDeflate}}}, 0, bytes.Repeat([]byte("elements"), 100))
	flipped := slices.Clone(good)
	flipped[len(good)-1] ^= 1
	for name, run := range map[string]func(s *scratch, dst, compressed []byte) error{"as built": inflate, "Go": (*scratch).inflateAll} {
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
			dst := s.decompressed.of(c.bytes)
			err := run(s, dst, c.stored)
			if strings.HasPrefix(c.what, "good") {
				if err != nil || !bytes.Equal(dst, bytes.Repeat([]byte("elements"), 100)) {
					t.Errorf("%s, %s: %v", name, c.what, err)
				}
			} else if err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%s, %s: %v, want %v", name, c.what, err, c.is)
			}
		}
	}
}

// A wrong checksum must be an error that names the filter, and that of exchanged bytes, which old
// versions of libhdf5 wrote, must be accepted.
func TestSums(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 3000 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.IntN(256))
		}
		sum := plainSum(b)
		for _, has := range []uint32{sum, sum>>8&0x00ff00ff | sum&0x00ff00ff<<8} {
			if got, err := withoutSum(binary.LittleEndian.AppendUint32(slices.Clone(b), has)); err != nil || !bytes.Equal(got, b) {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
		_, err := withoutSum(binary.LittleEndian.AppendUint32(slices.Clone(b), sum+1<<random.IntN(16)))
		if !errors.Is(err, codec.ErrFrame) || !strings.HasPrefix(err.Error(), "filter 3 (fletcher32): ") {
			t.Fatalf("%d bytes with another sum: %v", n, err)
		}
	}
}

// What is encoded must be decoded to the same elements, in parts of any size; beyond the array a
// chunk must have the fill value.
func TestEncode(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, way := range []func(s *scratch, dst, chunk []byte, level int) ([]byte, error){deflate, (*scratch).deflateAll} {
		built := deflate
		deflate = way
		s, size := &scratch{}, []int{1, 2, 4, 8, 3}[random.IntN(5)]
		for range 300 {
			filters := randomFilters(random, size)
			d := &decoder{size: size, filters: filters, bytes: size, fill: bytes.Repeat([]byte{7}, size)}
			rank := 1 + random.IntN(3)
			sec, index, whole := make(nd.Section, rank), make([]int, rank), make(nd.Section, rank)
			for i := range sec {
				d.chunk = append(d.chunk, 1+random.IntN(12))
				d.bytes *= d.chunk[i]
				index[i] = random.IntN(3)
				whole[i] = nd.Span(index[i]*d.chunk[i], (index[i]+1)*d.chunk[i])
				sec[i] = nd.Span(random.IntN(index[i]+1)*d.chunk[i], whole[i].Lo+1+random.IntN(2*d.chunk[i]))
			}
			n, _ := sec.Len()
			buf := make([]byte, n*size)
			for i := range buf {
				buf[i] = byte(random.IntN(256) >> random.IntN(9))
			}
			p := newPart(d.chunk, sec, index)
			chunk, leftOut, err := d.encode(p, s, buf)
			if err != nil {
				t.Fatal(err)
			}
			chunk = slices.Clone(chunk)
			again := bytes.Repeat([]byte{9}, len(buf))
			if err := d.decode(p, s, slices.Clone(chunk), leftOut, again); err != nil {
				t.Fatalf("%+v without %b: %v", filters, leftOut, err)
			}
			wanted := bytes.Repeat([]byte{9}, len(buf))
			p.eachRun(p.sec.Shape(), start(p), func(_, from, n int) { copy(wanted[from*size:(from+n)*size], buf[from*size:]) })
			if !bytes.Equal(again, wanted) {
				t.Fatalf("%+v, section %v, chunk %v: other elements", filters, sec, index)
			}
			all := make([]byte, d.bytes)
			if err := d.decode(newPart(d.chunk, whole, index), s, chunk, leftOut, all); err != nil {
				t.Fatal(err)
			}
			inside, _ := p.box.Len()
			if got := bytes.Count(all, []byte{7}); inside*size < d.bytes && got < d.bytes-inside*size {
				t.Fatalf("%d bytes of the fill value, want %d", got, d.bytes-inside*size)
			}
		}
		deflate = built
	}
}

// start returns the index of the first element of a part in its section.
func start(p part) []int {
	at := make([]int, len(p.box))
	for d, s := range p.box {
		at[d] = s.Lo - p.sec[d].Lo
	}
	return at
}
