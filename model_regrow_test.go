package drx

import (
	"errors"
	"math/rand/v2"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// An enormous sparse array is extended again over chunks that a Shrink has cut. Extend examines
// only the written chunks, some of which are in the file, some in the journal and some in memory,
// and not the 2^40 chunks of the layer that was cut.
func TestExtendAgainSparse(t *testing.T) { inBothForms(t, testExtendAgainSparse) }

func testExtendAgainSparse(t *testing.T) {
	const rows, fill = 1 << 40, 9
	for _, side := range []axial.Side{axial.High, axial.Low} {
		a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{rows, 10}, ChunkShape: []int{1, 8}, FillValue: fill})
		if side == axial.Low { // the chunk that is cut has the columns -2 to -1
			if _, err := a.ExtendLow(1, 2); err != nil {
				t.Fatal(err)
			}
		}
		cut, kept := 9, 8
		if side == axial.Low {
			cut, kept = -2, -1
		}
		set := func(row int) {
			t.Helper()
			if err := errors.Join(Set(a, uint8(row%7), row, cut), Set(a, uint8(row%7), row, kept)); err != nil {
				t.Fatal(err)
			}
		}
		written := []int{0, 5, 1 << 20, 1<<39 + 3, rows - 1}
		for i, row := range written {
			set(row)
			if i == 2 {
				if err := a.Sync(); err != nil {
					t.Fatal(err)
				}
				set(written[0]) // in the journal with the next commit
			}
		}
		if err := growtest.Shrink(a, 1, 1, side); err != nil {
			t.Fatal(err)
		}
		added, err := growtest.Extend(a, 1, 1, side)
		if err != nil || added[1].Lo != cut {
			t.Fatalf("added %v, %v", added, err)
		}
		for _, sync := range []bool{false, true} {
			if sync {
				if err := a.Sync(); err != nil {
					t.Fatal(err)
				}
			}
			for _, row := range written {
				now, err := At[uint8](a, row, cut)
				beside, errBeside := At[uint8](a, row, kept)
				if err := errors.Join(err, errBeside); err != nil || now != fill || beside != uint8(row%7) {
					t.Errorf("row %d: %d beside %d, %v, want %d beside %d", row, now, beside, err, fill, row%7)
				}
			}
		}
		if u, err := a.Usage(); err != nil || u.Written != int64(len(written)) {
			t.Errorf("%d chunks written, %v, want %d", u.Written, err, len(written))
		}
	}
}

// A sparseModel is an enormous array of bytes, nearly all zero, with its expected contents.
type sparseModel struct {
	rng      *rand.Rand
	fs       vfs.FS
	a        *Array
	elements map[[2]int]uint8
	touched  map[[2]int]bool
}

// randomIndex returns an index near an end or in the middle of each dimension.
func (m *sparseModel) randomIndex() (at [2]int) {
	for d, r := range m.a.Bounds() {
		n := r.Hi - r.Lo
		near := m.rng.IntN(min(n, 7))
		at[d] = []int{r.Lo + near, r.Hi - 1 - near, r.Lo + n/2}[m.rng.IntN(3)]
	}
	return at
}

// amount returns a random number of indices by which to shrink or extend a dimension.
func (m *sparseModel) amount(d int) int {
	if d == 0 && m.rng.IntN(4) == 0 {
		return 1<<36 + m.rng.IntN(4)
	}
	return 1 + m.rng.IntN(4)
}

// step changes the array and the model.
func (m *sparseModel) step() (err error) {
	d, side := m.rng.IntN(2), axial.Side(m.rng.IntN(2))
	by := m.amount(d)
	switch m.rng.IntN(8) {
	case 0, 1, 2:
		for range 8 {
			at := m.randomIndex()
			m.elements[at], m.touched[at] = uint8(m.rng.IntN(255)+1), true
			err = errors.Join(err, Set(m.a, m.elements[at], at[0], at[1]))
		}
	case 3, 4:
		if m.a.Shape()[d] <= by {
			return nil
		}
		err = growtest.Shrink(m.a, d, by, side)
		for at := range m.elements {
			if !m.inside(at) {
				delete(m.elements, at)
			}
		}
	case 5:
		_, err = growtest.Extend(m.a, d, by, side)
	case 6:
		err = m.a.Sync()
	default:
		err = m.reopened(Options{Shared: true}, func() error { _, err := reserveSide(m.a, d, by, side); return err })
	}
	return err
}

// reopened closes the array, calls f with the array opened in another way, and opens it again.
func (m *sparseModel) reopened(o Options, f func() error) (err error) {
	if err := m.a.Close(); err != nil {
		return err
	}
	o.fs = m.fs
	if m.a, err = Open("a", o); err != nil {
		return err
	}
	if err := errors.Join(f(), m.a.Close()); err != nil {
		return err
	}
	m.a, err = Open("a", Options{Write: true, Cache: int64(m.rng.IntN(3)) * 300, fs: m.fs})
	return err
}

func (m *sparseModel) inside(at [2]int) bool {
	return m.a.Bounds().Contains(nd.Section{nd.Span(at[0], at[0]+1), nd.Span(at[1], at[1]+1)})
}

// Arrays of 2^40 rows with random histories contain what was written and not removed since.
func TestSparseHistories(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for round := range rounds {
		m := &sparseModel{rng: rng, fs: vfs.NewMem(), elements: map[[2]int]uint8{}, touched: map[[2]int]bool{}}
		m.a = mustCreateAt(t, formOf("a", uint64(round)), Spec{DType: dtype.Uint8, Shape: []int{1 << 40, 7}, ChunkShape: []int{3, 4}, Options: Options{fs: m.fs}})
		for step := range 60 {
			if err := m.step(); err != nil {
				t.Fatalf("round %d, step %d: %v", round, step, err)
			}
			for at := range m.touched {
				if !m.inside(at) {
					continue
				}
				if got, err := At[uint8](m.a, at[0], at[1]); err != nil || got != m.elements[at] {
					t.Fatalf("round %d, step %d: element %v of %v is %d, %v, want %d", round, step, at, m.a.Bounds(), got, err, m.elements[at])
				}
			}
		}
		if report, err := m.a.Verify(t.Context(), nil); err != nil || !report.Good() {
			t.Errorf("round %d: %+v, %v", round, report, err)
		}
	}
}
