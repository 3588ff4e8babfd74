package nd

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// counting returns a view of 0, 1, 2, ... in memory, in the given order.
func counting(shape []int, order Order) View[int] {
	n, err := Product(shape...)
	if err != nil {
		panic(err)
	}
	data := make([]int, n)
	for i := range data {
		data[i] = i
	}
	v, err := NewView(data, shape, order)
	if err != nil {
		panic(err)
	}
	return v
}

// A section of a view has the elements that the section selects, shares their memory, and Data
// lists them in row-major order. The same is true for a section of that section.
func TestView(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(r, "shape")
		v := counting(shape, permutations(len(shape)).Draw(r, "order"))
		strides := v.Strides()
		want := map[string]int{} // the elements of the section by their index in it
		lo := make([]int, len(shape))
		each := func(shape []int, f func(index []int)) {
			if slices.Contains(shape, 0) {
				return
			}
			index := slices.Clone(lo)
			for more := true; more; more = Next(index, lo, shape) {
				f(index)
			}
		}
		each(shape, func(index []int) {
			x := 0
			for d, i := range index {
				x += i * strides[d]
			}
			want[fmt.Sprint(index)] = x
		})
		for range 3 {
			var all []int
			each(v.Shape(), func(index []int) {
				x, ok := want[fmt.Sprint(index)]
				if !ok || v.At(index...) != x {
					r.Fatalf("element %v is %d, want %d, %v", index, v.At(index...), x, ok)
				}
				all = append(all, x)
			})
			if data := v.Data(); !slices.Equal(data, all) || v.Len() != len(all) || len(want) != len(all) {
				r.Fatalf("data %v, %d elements, want %v of %d", data, v.Len(), all, len(want))
			}
			if n := len(all); n > 0 && v.IsDense() != (&v.Data()[0] == &v.data[0]) {
				r.Fatalf("%v with strides %v is dense: %v", v.Shape(), v.Strides(), v.IsDense())
			}
			rows, cols, data := v.Matrix()
			if len(data) != rows*cols || len(all) > 0 && len(shape) > 0 && cols != v.Shape()[len(shape)-1] {
				r.Fatalf("%v is a matrix of %d x %d with %d elements", v.Shape(), rows, cols, len(data))
			}
			sec := make(Section, len(shape))
			for d, n := range v.Shape() {
				sec[d].Lo = rapid.IntRange(0, n).Draw(r, "low")
				sec[d].Hi = rapid.IntRange(sec[d].Lo, n).Draw(r, "high")
				sec[d].Step = rapid.SampledFrom([]int{0, 1, 2, 3, math.MaxInt}).Draw(r, "step")
			}
			part, err := v.Section(sec)
			if err != nil || !slices.Equal(part.Shape(), sec.Shape()) {
				r.Fatalf("section %v of %v: %v, %v", sec, v.Shape(), part.Shape(), err)
			}
			next := map[string]int{}
			each(part.Shape(), func(index []int) {
				of := slices.Clone(index)
				for d := range of {
					of[d] = sec[d].Lo + of[d]*sec[d].Stride()
				}
				next[fmt.Sprint(index)] = want[fmt.Sprint(of)]
			})
			v, want = part, next
		}
	})
}

func TestViewSharesMemory(t *testing.T) {
	data := []float64{0, 1, 2, 3, 4, 5}
	v, err := NewView(data, []int{2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, cols, same := v.Matrix()
	if rows != 2 || cols != 3 || &same[0] != &data[0] {
		t.Errorf("a matrix of %d x %d, copied: %v", rows, cols, &same[0] != &data[0])
	}
	column, err := v.Section(Sec(All, At(1)))
	if err != nil {
		t.Fatal(err)
	}
	column.Set(7, 1, 0)
	if data[4] != 7 || !slices.Equal(column.Data(), []float64{1, 7}) || column.IsDense() {
		t.Errorf("the column is %v of %v", column.Data(), data)
	}
	if grown := append(column.data, 9); data[5] != 5 { // a view has no spare capacity
		t.Errorf("append to %v changed %v", grown, data)
	}
	frames := counting([]int{4, 2, 3}, nil)
	frame, err := frames.Section(Sec(At(2), All, All))
	if err != nil || !frame.IsDense() {
		t.Fatalf("a frame is not dense: %v", err)
	}
	if rows, cols, data := frame.Matrix(); rows != 2 || cols != 3 || !slices.Equal(data, []int{12, 13, 14, 15, 16, 17}) {
		t.Errorf("a frame is %d x %d: %v", rows, cols, data)
	}
}

func TestViewErrors(t *testing.T) {
	for _, c := range []struct {
		n     int
		shape []int
		order Order
		want  error
	}{
		{6, []int{2, 3}, nil, nil},
		{1, nil, nil, nil},
		{0, []int{0, math.MaxInt}, nil, nil},
		{5, []int{2, 3}, nil, ErrBounds},
		{6, []int{-2, -3}, nil, ErrBounds},
		{0, []int{0, -1}, nil, ErrBounds},
		{6, []int{math.MaxInt, 3}, nil, ErrOverflow},
		{6, []int{2, 3}, Order{0}, ErrRank},
	} {
		if _, err := NewView(make([]int, c.n), c.shape, c.order); !errors.Is(err, c.want) {
			t.Errorf("%d elements of shape %v in order %v: %v, want %v", c.n, c.shape, c.order, err, c.want)
		}
	}
	v := counting([]int{2, 3}, nil)
	if _, err := v.Section(Sec(All)); !errors.Is(err, ErrRank) {
		t.Errorf("one range: %v", err)
	}
	if _, err := v.Section(Sec(All, To(4))); !errors.Is(err, ErrBounds) {
		t.Errorf("a range too long: %v", err)
	}
	var zero View[int]
	if part, err := zero.Section(nil); err != nil || part.Len() != 0 {
		t.Errorf("a section of the zero view: %v, %v", part, err)
	}
	if zero.Len() != 0 || len(zero.Data()) != 0 || len(zero.Shape()) != 0 {
		t.Errorf("the zero view has %d elements", zero.Len())
	}
	for _, index := range [][]int{{0}, {0, 0, 0}, {2, 0}, {0, 3}, {-1, 0}, {1, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("element %v does not panic", index)
				}
			}()
			v.At(index...)
		}()
	}
}

// A section of a view shares its elements, and becomes a matrix without a copy if it is dense.
func ExampleView() {
	frames := []float64{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15} // two frames of 2 x 3
	v, err := NewView(frames, []int{2, 2, 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	last, err := v.Section(Sec(At(1), All, All))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(last.Shape(), last.At(0, 1, 2), last.IsDense())
	fmt.Println(last.Matrix()) // the arguments of gonum's mat.NewDense
	// Output:
	// [1 2 3] 15 true
	// 2 3 [10 11 12 13 14 15]
}
