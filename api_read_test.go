package drx

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/chunkstore"
	"drx/internal/plan"
	"drx/internal/vfs"
	"drx/nd"
)

// thinArray creates an array of 200 chunks side by side, three of which are never written. It
// returns a reader that has verified all chunks, and the elements. Element i, j is 1000 i + j.
func thinArray(t *testing.T) (name string, r *Array, values []int32) {
	t.Helper()
	const rows, cols, width = 16, 3200, 16
	name = filepath.Join(t.TempDir(), named(t, "a"))
	w := mustCreateAt(t, name, Spec{DType: dtype.Int32, Shape: []int{rows, cols}, ChunkShape: []int{rows, width}, FillValue: -5})
	values = make([]int32, rows*cols)
	for c := 0; c < cols; c += width {
		absent := slices.Contains([]int{0, 40, 199}, c/width)
		part := make([]int32, 0, rows*width)
		for i := range rows {
			for j := c; j < c+width; j++ {
				values[i*cols+j] = -5
				if !absent {
					values[i*cols+j] = int32(1000*i + j)
				}
				part = append(part, values[i*cols+j])
			}
		}
		if absent {
			continue
		}
		if err := Write(w, nd.Sec(nd.All, nd.Span(c, c+width)), part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if got, err := Read[int32](r, nil); err != nil || !slices.Equal(got, values) {
		t.Fatalf("all of it: %v", err)
	}
	return name, r, values
}

// Small parts of many chunks are read together; parts of chunks that do not permit that are read
// one by one.
func TestCombinedReads(t *testing.T) { inBothForms(t, testCombinedReads) }

func testCombinedReads(t *testing.T) {
	_, r, values := thinArray(t)
	rng := rand.New(rand.NewPCG(5, 1))
	for range 300 {
		i, j := rng.IntN(16), rng.IntN(3200)
		h, w := 1+rng.IntN(16-i), 1+rng.IntN(3200-j)
		sec := nd.Sec(nd.Span(i, i+h), nd.Range{Lo: j, Hi: j + w, Step: 1 + rng.IntN(3)})
		var want []int32
		for y := i; y < i+h; y++ {
			for x := j; x < j+w; x += sec[1].Step {
				want = append(want, values[y*3200+x])
			}
		}
		if got, err := Read[int32](r, sec); err != nil || !slices.Equal(got, want) {
			t.Fatalf("section %v: wrong values, %v", sec, err)
		}
	}
}

// All chunks of a row are read in place in the file, except those that were never written.
func TestRowIsReadInPlace(t *testing.T) { inBothForms(t, testRowIsReadInPlace) }

func testRowIsReadInPlace(t *testing.T) {
	_, r, values := thinArray(t)
	if !r.store.Picks() {
		t.Skip("nothing is mapped here")
	}
	row, err := plan.NewSection(r.state.Load(), nd.Sec(nd.At(7), nd.All), nil)
	if err != nil {
		t.Fatal(err)
	}
	copies := 0
	err = row.Each(plan.Single, func(l *plan.List) error {
		for i := range l.Groups() {
			copies++
			c := l.Group(i)[0]
			e := chunkstore.Elements{Chunks: []axial.Number{c.Chunk}, Within: []int{c.From}, Sizes: []int{c.Bytes}}
			rest := r.store.PickEach(e, func(_ int, b []byte) {
				if want := dtype.Bytes(values[7*3200+c.At/4:])[:c.Bytes]; !bytes.Equal(b, want) {
					t.Errorf("chunk %d: %x, want %x", c.Chunk, b, want)
				}
			}, nil)
			if absent := slices.Contains([]axial.Number{0, 40, 199}, c.Chunk); (len(rest) > 0) != absent {
				t.Errorf("chunk %d is left: %v", c.Chunk, len(rest) > 0)
			}
		}
		return nil
	})
	if err != nil || copies != 200 {
		t.Errorf("%d copies, %v", copies, err)
	}
}

// An overwritten chunk is read with its present elements, and a chunk whose file was truncated is
// an error.
func TestCombinedReadsOfChangedChunks(t *testing.T) {
	name, r, values := thinArray(t)
	w, err := Open(name, Options{Write: true})
	if err == nil {
		err = Fill(w, nd.Sec(nd.All, nd.Span(100, 200)), int32(9))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for j := 100; j < 200; j++ {
		values[7*3200+j] = 9
	}
	row := nd.Sec(nd.At(7), nd.All)
	if got, err := Read[int32](r, row); err != nil || !slices.Equal(got, values[7*3200:8*3200]) {
		t.Errorf("overwritten: %v", err)
	}
	if err := os.Truncate(name+dataExt, 100*16*16*4); err != nil {
		t.Fatal(err)
	}
	if _, err := Read[int32](r, row); !errors.Is(err, ErrCorrupt) {
		t.Errorf("cut short: %v", err)
	}
	if got, err := Read[int32](r, nd.Sec(nd.At(7), nd.Span(0, 1600))); err != nil || !slices.Equal(got, values[7*3200:7*3200+1600]) {
		t.Errorf("what is there: %v", err)
	}
}

// Reads that bypass the processor's caches return what was written, in both orders, in sections
// that begin and end inside of chunks, and with steps.
func TestReadStreamed(t *testing.T) { inBothForms(t, testReadStreamed) }

func testReadStreamed(t *testing.T) {
	const rows, columns = 1100, 1000
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{rows, columns}, ChunkShape: []int{128, 96}})
	values := make([]int64, rows*columns)
	for i := range values {
		values[i] = int64(i)*0x9E3779B9 + 1
	}
	if err := Write(a, nil, values); err != nil {
		t.Fatal(err)
	}
	for _, s := range [][2]nd.Range{
		{nd.Span(0, rows), nd.Span(0, columns)},
		{nd.Span(3, rows-5), nd.Span(7, columns-9)},
		{nd.Span(0, rows), {Lo: 1, Hi: columns, Step: 2}},
	} {
		var byRow, byColumn []int64
		for i := s[0].Lo; i < s[0].Hi; i++ {
			for j := s[1].Lo; j < s[1].Hi; j += s[1].Stride() {
				byRow = append(byRow, values[i*columns+j])
			}
		}
		for j := s[1].Lo; j < s[1].Hi; j += s[1].Stride() {
			for i := s[0].Lo; i < s[0].Hi; i++ {
				byColumn = append(byColumn, values[i*columns+j])
			}
		}
		if len(byRow)*8 < 4<<20 {
			t.Fatalf("%d elements: too few", len(byRow))
		}
		for _, o := range []struct {
			order nd.Order
			want  []int64
		}{{nd.RowMajor, byRow}, {nd.ColMajor(2), byColumn}} {
			got, err := Read[int64](a, nd.Section(s[:]), o.order)
			if err != nil || !slices.Equal(got, o.want) {
				t.Errorf("section %v in order %v: wrong values, error %v", s, o.order, err)
			}
		}
	}
}

// Damage is detected by the first read of a chunk that bypasses the caches, whether the checksum is
// computed during the copy, which needs rows of whole cache lines in the buffer, or separately.
func TestReadStreamedOfDamage(t *testing.T) {
	const rows, columns, edge = 1024, 1024, 256
	for _, chunk := range [][]int{{edge, edge}, {edge, edge - 1}} {
		name := filepath.Join(t.TempDir(), named(t, "a"))
		a := mustCreateAt(t, name, Spec{DType: dtype.Int64, Shape: []int{rows, columns}, ChunkShape: chunk})
		values := make([]int64, rows*columns)
		for i := range values {
			values[i] = int64(i) * 0x9E3779B9
		}
		if err := errors.Join(Write(a, nil, values), a.Close()); err != nil {
			t.Fatal(err)
		}
		flip := func() {
			f, err := vfs.OS.Open(name+dataExt, true)
			if err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 1)
			if _, err = f.ReadAt(b, 5*edge*int64(chunk[1])*8+1000); err != nil {
				t.Fatal(err)
			}
			b[0]++
			if _, err = f.WriteAt(b, 5*edge*int64(chunk[1])*8+1000); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, late := range []bool{true, false} { // first read, then damaged
			r, err := Open(name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if late {
				if got, err := Read[int64](r, nil); err != nil || !slices.Equal(got, values) {
					t.Fatalf("before: %v", err)
				}
				flip()
			}
			if _, err := Read[int64](r, nil); errors.Is(err, ErrCorrupt) == late || err != nil == late {
				t.Errorf("chunks %v, read before %v: %v", chunk, late, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A file that is truncated during a read that bypasses the caches is an error.
func TestReadStreamedOfACutFile(t *testing.T) {
	const n = 1 << 20
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i)
	}
	for _, checking := range []Checking{CheckFirst, CheckNever} {
		name := filepath.Join(t.TempDir(), named(t, "a"))
		a := mustCreateAt(t, name, Spec{DType: dtype.Int64, Shape: []int{n}, ChunkShape: []int{n / 8}})
		if err := errors.Join(Write(a, nil, values), a.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := Open(name, Options{Checking: checking})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Read[int64](r, nil); err != nil || !slices.Equal(got, values) {
			t.Fatalf("before: %v", err)
		}
		if err := os.Truncate(name+dataExt, n*8*5/9); err != nil { // in the fifth chunk
			t.Fatal(err)
		}
		if _, err := Read[int64](r, nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("checking %v: %v", checking, err)
		}
		late, err := Open(name, Options{Checking: checking}) // a reader that has not verified the file before
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read[int64](late, nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("checking %v, opened after it: %v", checking, err)
		}
		if err := late.Close(); err != nil {
			t.Error(err)
		}
		first := nd.Sec(nd.Span(0, n/2))
		if got, err := Read[int64](r, first); err != nil || !slices.Equal(got, values[:n/2]) {
			t.Errorf("checking %v: what is there: %v", checking, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
