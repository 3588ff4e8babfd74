package drx

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// Reads that bypass the processor's caches return what was written, in both orders, in sections that begin and
// end inside of chunks, and with steps.
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

// Damage is noticed by the first read of a chunk that bypasses the caches, whether the checksum is computed
// during the copy, which needs rows of whole cache lines in the buffer, or not.
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
