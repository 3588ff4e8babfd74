package drx

import (
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// Thin rows of more chunks than there is room for are written alone, when they are appended and
// afterwards, unless the fill value is one that a hole of the file does not have.
func TestThinRowsAreWrittenAlone(t *testing.T) {
	const chunks, cols = 64, 64 * 32
	for _, fill := range []any{0, 1} {
		for _, d := range []Durability{DurabilityFull, DurabilityNone} {
			fsys := &counting{FS: vfs.NewMem()}
			a := mustCreateAt(t, "a", Spec{
				DType: dtype.Float64, Shape: []int{0, cols}, Chunk: []int{256, 32}, Fill: fill,
				Options: Options{fs: fsys, Durability: d, Cache: 4 * (64<<10 + 256)},
			})
			row := func(i int) []float64 { return sequence[float64](nd.Sec(nd.Span(i*cols, (i+1)*cols))) }
			for i := range 3 {
				added, err := a.Extend(0, 1)
				if err == nil {
					err = Write(a, added, row(i))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			whole := fill == 1
			if most := int64(3*cols*8 + 20*64<<10); fsys.written.Load() > most != whole {
				t.Errorf("fill %v, durability %v: %d bytes written, limit %d", fill, d, fsys.written.Load(), most)
			}
			if err := a.Sync(); err != nil {
				t.Fatal(err)
			}
			u, err := a.Usage()
			if err != nil || u.Written != chunks || u.DataBytes > 64<<10*chunks/2 != whole {
				t.Errorf("fill %v, durability %v: %+v, %v", fill, d, u, err)
			}
			for i := range 3 {
				wantRow(t, a, i, row(i))
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func wantRow(t *testing.T, a *Array, i int, want []float64) {
	t.Helper()
	got, err := Read[float64](a, nd.Sec(nd.At(i), nd.All))
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range got {
		if v != want[j] {
			t.Fatalf("element (%d, %d) is %v, want %v", i, j, v, want[j])
		}
	}
}
