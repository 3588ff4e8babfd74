package drx

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/curve"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

var elementOrders = []ElementOrder{RowOrder, ColOrder, MortonOrder, HilbertOrder}

// orderedArray is a committed array in an element order, with chunks that are cut by the bounds on
// all sides, and elements that count up in row-major order.
func orderedArray(t testing.TB, order ElementOrder, o Options) *Array {
	t.Helper()
	name := named(t, "a")
	if o.fs == vfs.OS {
		name = filepath.Join(t.TempDir(), named(t, "a"))
	}
	a, err := Create(name, Spec{
		DType: dtype.Int32, Lo: []int{-5, 3, 0}, Shape: []int{40, 50, 5}, ChunkShape: []int{13, 16, 3}, Order: order, Options: o,
	})
	if err != nil {
		t.Fatal(err)
	}
	elements := make([]int32, 40*50*5)
	for i := range elements {
		elements[i] = int32(i)
	}
	for _, err := range []error{Write(a, nil, elements), a.Sync()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// The position of an element in its chunk follows the curve.
func TestElementsLieAlongTheCurve(t *testing.T) {
	for _, order := range elementOrders {
		a := orderedArray(t, order, Options{fs: vfs.NewMem()})
		o, err := curve.New(string(order), a.ChunkShape())
		if err != nil {
			t.Fatal(err)
		}
		chunk := make([]byte, a.state.Load().ChunkBytes)
		for range 500 {
			index := []int{rand.IntN(40) - 5, rand.IntN(50) + 3, rand.IntN(5)}
			at, q, offset, err := a.Layout().Locate(index...)
			if err == nil {
				err = a.store.Read(q, chunk)
			}
			if err != nil {
				t.Fatal(err)
			}
			inner := make([]int, 3)
			for d, i := range index {
				inner[d] = i - at[d]*a.ChunkShape()[d]
			}
			position, _ := o.Position(inner)
			if want := a.Layout().Offset(q) + int64(4*position); offset != want {
				t.Fatalf("%s: element %v at byte %d, want %d", order, index, offset, want)
			}
			value, err := At[int32](a, index...)
			if stored := int32(binary.LittleEndian.Uint32(chunk[4*position:])); err != nil || stored != value || value != int32(((index[0]+5)*50+index[1]-3)*5+index[2]) {
				t.Fatalf("%s: element %v is %d, stored %d, %v", order, index, value, stored, err)
			}
		}
	}
}

// In every element order all ways of reading and writing agree, in several goroutines that use the
// same chunks, in memory and in mapped files.
func TestAllAccessInEveryElementOrder(t *testing.T) { inBothForms(t, testAllAccessInEveryElementOrder) }

func testAllAccessInEveryElementOrder(t *testing.T) {
	for _, order := range elementOrders {
		for _, fs := range []vfs.FS{vfs.NewMem(), vfs.OS} {
			a := orderedArray(t, order, Options{fs: fs, Cache: 20_000, Goroutines: 3})
			var wg sync.WaitGroup
			for g := range 4 {
				wg.Go(func() {
					w := &worker{a: a, rng: rand.New(rand.NewPCG(uint64(g), 8)), own: a.Bounds()}
					w.own[0] = nd.Span(-5+10*g, 5+10*g)
					if err := w.work(60); err != nil {
						t.Errorf("%s: %v", order, err)
					}
				})
			}
			wg.Wait()
			if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
				t.Errorf("%s: %+v, %v", order, r, err)
			}
		}
	}
}

// The same for processes that append to one array, with reservations that share chunks.
func TestSharedInEveryElementOrder(t *testing.T) { inBothForms(t, testSharedInEveryElementOrder) }

func testSharedInEveryElementOrder(t *testing.T) {
	for _, order := range elementOrders {
		o := Options{Shared: true, fs: vfs.NewMem(), Cache: 1000}
		a := mustCreate(t, Spec{
			DType: dtype.Int32, Lo: []int{0, 3, 0}, Shape: []int{0, 6, 3}, ChunkShape: []int{13, 4, 2}, Order: order, Options: Options{fs: o.fs},
		})
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range 2 {
			a, err := Open("a", o)
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				for step := range 4 {
					w := &worker{a: a, rng: rand.New(rand.NewPCG(uint64(g), uint64(step)))}
					var err error
					if w.own, err = reserveSide(a, 0, 1+w.rng.IntN(20), axial.Side(w.rng.IntN(2))); err == nil {
						err = w.work(4)
					}
					if err != nil {
						t.Errorf("%s: %v", order, err)
					}
				}
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// Recover saves exactly the elements within the bounds: elements that a Shrink removed do not come
// back.
func TestRecoverInEveryElementOrder(t *testing.T) { inBothForms(t, testRecoverInEveryElementOrder) }

func testRecoverInEveryElementOrder(t *testing.T) {
	for _, order := range elementOrders {
		fs := vfs.NewMem()
		a := orderedArray(t, order, Options{fs: fs})
		err := errors.Join(a.ShrinkLow(0, 3), a.Shrink(1, 5), a.Sync())
		if err != nil {
			t.Fatal(err)
		}
		want, err := Read[int32](a, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Recover(t.Context(), "a", "b", RecoverOptions{fs: fs}); err != nil || !r.Complete() {
			t.Fatalf("%s: %+v, %v", order, r, err)
		}
		b, err := Open("b", Options{Write: true, fs: fs})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Read[int32](b, nil); err != nil || b.Layout().ElementOrder != order || !slices.Equal(got, want) {
			t.Errorf("%s: the elements of %v in %s order are others, %v", order, b.Bounds(), b.Layout().ElementOrder, err)
		}
		for dim, back := range map[int]axial.Side{0: axial.High, 1: axial.Low} {
			added, err := growtest.Extend(b, dim, 3, back)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Read[int32](b, added); err != nil || slices.ContainsFunc(got, func(v int32) bool { return v != 0 }) {
				t.Errorf("%s: %v has come back: %v, %v", order, added, got, err)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A worker writes and reads a section of an array that nobody else writes.
type worker struct {
	a   *Array
	rng *rand.Rand
	own nd.Section
}

func (w *worker) work(steps int) error {
	for range steps {
		if err := w.step(); err != nil {
			return err
		}
	}
	return nil
}

// step writes some elements in one way and reads them in all ways.
func (w *worker) step() error {
	sec := make(nd.Section, len(w.own))
	for d, r := range w.own {
		lo := r.Lo + w.rng.IntN(r.Hi-r.Lo)
		sec[d] = nd.Span(lo, lo+1+w.rng.IntN(r.Hi-lo)).By(1 + w.rng.IntN(3))
	}
	n, err := sec.Len()
	if err != nil {
		return err
	}
	want := make([]int32, n)
	for i := range want {
		want[i] = w.rng.Int32()
	}
	var indices []int
	each(sec, nil, func(index []int) { indices = append(indices, index...) })
	if err := w.write(sec, indices, want); err != nil {
		return err
	}
	return w.compare(sec, indices, want)
}

func (w *worker) write(sec nd.Section, indices []int, values []int32) error {
	switch w.rng.IntN(4) {
	case 0:
		return Write(w.a, sec, values)
	case 1:
		return Scatter(w.a, indices, values)
	case 2:
		c, err := NewCursor[int32](w.a)
		for i := 0; err == nil && i < len(values); i++ {
			err = c.Set(values[i], indices[3*i:3*i+3]...)
		}
		return err
	}
	for i := range values {
		values[i] = values[0]
	}
	return Fill(w.a, sec, values[0])
}

func (w *worker) compare(sec nd.Section, indices []int, want []int32) error {
	got, err := Read[int32](w.a, sec)
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("section %v: read %v, want %v, %v", sec, got, want, err)
	}
	clear(got)
	if err := Gather(w.a, indices, got); err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("section %v: gathered %v, want %v, %v", sec, got, want, err)
	}
	c, err := NewCursor[int32](w.a)
	for i := 0; err == nil && i < len(want); i++ {
		if got[i], err = c.At(indices[3*i : 3*i+3]...); err == nil && got[i] != want[i] {
			return fmt.Errorf("element %v is %d, want %d", indices[3*i:3*i+3], got[i], want[i])
		}
	}
	return err
}

// A program that does not know the element order of an array refuses the array as too new.
func TestUnknownElementOrder(t *testing.T) {
	fs := vfs.NewMem()
	for _, order := range []ElementOrder{"shell", "Hilbert", "peano"} {
		if _, err := Create("b", Spec{DType: dtype.Int8, Shape: []int{4, 4}, Order: order, Options: Options{fs: fs}}); err == nil {
			t.Errorf("an array in %s order", order)
		}
	}
	a := orderedArray(t, HilbertOrder, Options{fs: fs})
	text, err := json.Marshal(a.state.Load().Header())
	if err != nil || !bytes.Contains(text, []byte(`"order":"hilbert"`)) {
		t.Errorf("header %s, %v", text, err)
	}
}
