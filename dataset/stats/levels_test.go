package stats

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
)

// Sums by levels of labels, of dates in labels, and of both equal those of a loop over the
// elements.
func TestLevelsAgainstLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	days := []string{"2012-12-30", "2013-01-05", "2013-03-31", "2013-04-01", "2012-02-01", "2013-12-31"}
	items := []string{"tea", "bread", "milk", "bag", "rice"}
	category := map[string]string{"tea": "drinks", "milk": "drinks", "bread": "food", "rice": "food", "bag": ""}
	labels := map[string]any{cube.LabelAttr(0, 0): days, cube.LabelAttr(1, 0): items}
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{DType: dtype.Int32, Shape: []int{6, 5}, Dims: []string{"day", "item"}, Attrs: labels, ChunkShape: []int{2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	values := make([]int32, 30)
	for i := range values {
		values[i] = int32(rng.IntN(1000) - 300)
	}
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetLevel(1, "category", category); err != nil {
		t.Fatal(err)
	}
	if err := drx.Write(a, nil, values); err != nil {
		t.Fatal(err)
	}
	axes, err := dataset.AxesOf(a)
	if err != nil {
		t.Fatal(err)
	}
	sel := cube.Box(a.Bounds())
	quarter := func(day string) string { return fmt.Sprint((int(day[5]-'0')*10+int(day[6]-'0')-1)/3 + 1) }
	for _, test := range []struct {
		dim    int
		levels []string
		order  []string
		of     func(day, item string) string
	}{
		{1, []string{"category"}, []string{"drinks", "food"}, func(_, item string) string { return category[item] }},
		{1, []string{"category", "item"}, []string{"drinks/tea", "drinks/milk", "food/bread", "food/rice"}, func(_, item string) string {
			if category[item] == "" {
				return ""
			}
			return category[item] + "/" + item
		}},
		{0, []string{"year"}, []string{"2012", "2013"}, func(day, _ string) string { return day[:4] }},
		{0, []string{"year", "quarter"}, []string{"2012/1", "2012/4", "2013/1", "2013/2", "2013/4"}, func(day, _ string) string { return day[:4] + "/" + quarter(day) }},
		{0, []string{"quarter"}, []string{"1", "2", "4"}, func(day, _ string) string { return quarter(day) }},
	} {
		g, err := By(a, axes, sel, test.dim, test.levels...)
		if err != nil {
			t.Fatal(test.levels, err)
		}
		r, err := Compute(context.Background(), a, Request{Over: []int{0, 1}, Funcs: []Func{{Op: Sum}}, Groups: []*Grouping{g}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int32{}
		for i, v := range values {
			want[test.of(days[i/5], items[i%5])] += v
		}
		if !slices.Equal(g.Names, test.order) {
			t.Errorf("%v: groups %q, want %q", test.levels, g.Names, test.order)
		}
		for i, name := range g.Names {
			if got := r.Text(&r.Columns[0], i); got != fmt.Sprint(want[name]) {
				t.Errorf("%v: %s: %s, want %d", test.levels, name, got, want[name])
			}
		}
	}
	for _, levels := range [][]string{{"none"}, {"category", "none"}, {"month"}} {
		if _, err := By(a, axes, sel, 1, levels...); err == nil {
			t.Errorf("%v: no error", levels)
		}
	}
	if err := c.SetLevel(1, "category", map[string]string{"tea": "drinks"}); err != nil {
		t.Fatal(err)
	}
	if _, err := By(a, axes, sel, 1, "category"); err == nil {
		t.Error("no error for a label without a group")
	}
}

// The largest and the least results, with ties and missing ones, and shares.
func TestRanks(t *testing.T) {
	count := []int64{1, 1, 0, 2, 1, 1}
	floats := Column{Func: Func{Op: Sum}, DType: dtype.Float64, Data: dtype.Bytes([]float64{3, 7, 0, 7, -2, 1})}
	whole := Column{Func: Func{Op: Sum}, DType: dtype.Int64, Data: dtype.Bytes([]int64{1 << 60, 1<<60 + 1, 0, -1 << 60, 5, 5})}
	r := &Result{Count: count}
	for _, test := range []struct {
		c    *Column
		n    int
		want []int
	}{{&floats, 2, []int{1, 3}}, {&floats, 9, []int{1, 3, 0, 5, 4}}, {&floats, -2, []int{4, 5}}, {&whole, 3, []int{1, 0, 4}}, {&whole, -3, []int{3, 4, 5}}} {
		if got := r.Top(test.c, test.n); !slices.Equal(got, test.want) {
			t.Errorf("top %d: %v, want %v", test.n, got, test.want)
		}
	}
	shares := r.Shares(&floats)
	if shares[1] != 7.0/16 || shares[4] != -2.0/16 || !math.IsNaN(shares[2]) {
		t.Error(shares)
	}
	zero := Column{Func: Func{Op: Sum}, DType: dtype.Float64, Data: dtype.Bytes([]float64{1, -1, 0, 0, 0, 0})}
	if s := r.Shares(&zero); !math.IsNaN(s[0]) {
		t.Error(s)
	}
}
