package drx

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
)

// A few rows of a large chunk take a few blocks: what was not written takes no space, whether rows are written one by
// one, together or by one of several processes, and they are read as they were written.
func TestRowsTakeLittleSpace(t *testing.T) { inBothForms(t, testRowsTakeLittleSpace) }

func testRowsTakeLittleSpace(t *testing.T) {
	const rows = 5
	for name, appendRow := range map[string]func(a *Array, row int) error{
		"one by one": func(a *Array, row int) error {
			added, err := a.Extend(0, 1)
			return errors.Join(err, Write(a, added, slices.Repeat([]float64{float64(row)}, 3)), a.Sync())
		},
		"in one commit": func(a *Array, row int) error {
			added, err := a.Extend(0, 1)
			return errors.Join(err, Write(a, added, slices.Repeat([]float64{float64(row)}, 3)))
		},
	} {
		file := filepath.Join(t.TempDir(), named(t, "a"))
		a, err := Create(file, Spec{DType: dtype.Float64, Shape: []int{0, 3}, ChunkShape: []int{32 << 10, 3}})
		if err != nil {
			t.Fatal(err)
		}
		for row := range rows {
			if err := appendRow(a, row); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if n := spaceOf(t, file)["a.xta"]; n > 16<<10 {
			t.Errorf("%s: %d rows of 24 bytes take %d bytes", name, rows, n)
		}
		if a, err = Open(file, Options{}); err != nil {
			t.Fatal(err)
		}
		got, err := Read[float64](a, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range got {
			if x != float64(i/3) {
				t.Errorf("%s: element %d is %v", name, i, x)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
