package cube_test

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"drx/internal/growtest"

	"pgregory.net/rapid"

	"drx"
	"drx/axial"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// reopen commits and closes the array of a cube and opens it again.
func reopen(t rapid.TB, c *cube.Cube) *cube.Cube {
	t.Helper()
	if err := c.Array().Close(); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(c.Array().Name(), drx.Options{Write: true, Durability: drx.DurabilityNone})
	if err != nil {
		t.Fatal(err)
	}
	again, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// runs returns the lengths of the runs in which the labels of dimension 0 are stored.
func runs(t rapid.TB, a *drx.Array) []int {
	byStart := map[int]int{}
	for name, raw := range a.Attrs() {
		var from int
		if _, err := fmt.Sscanf(name, "labels/0/%d", &from); err != nil {
			t.Fatalf("attribute %s: %v", name, err)
		}
		byStart[from] = strings.Count(string(raw), ",") + 1
	}
	var lengths []int
	for from, n := range byStart {
		lengths = append(lengths, n)
		if _, ok := byStart[from+n]; !ok && len(byStart) > 1 && slices.Max(keys(byStart)) != from {
			t.Fatalf("runs %v have a gap", byStart)
		}
	}
	slices.Sort(lengths)
	return lengths
}

func keys(m map[int]int) []int {
	var k []int
	for key := range m {
		k = append(k, key)
	}
	return k
}

// A list holds the labels of consecutive indices: the model of a dimension.
type list struct {
	first int
	names []string
}

// within returns the labels of the indices within bounds.
func (l list) within(bounds nd.Range) list {
	lo := min(max(0, bounds.Lo-l.first), len(l.names))
	hi := max(lo, min(bounds.Hi-l.first, len(l.names)))
	if lo == hi {
		return list{first: bounds.Lo}
	}
	return list{l.first + lo, slices.Clone(l.names[lo:hi])}
}

// check compares the labels of a cube with the list.
func (l list) check(t rapid.TB, c *cube.Cube) {
	first, names := c.Labels(0)
	if !slices.Equal(names, l.names) || len(names) > 0 && first != l.first {
		t.Fatalf("labels %v from %d, want %v from %d", names, first, l.names, l.first)
	}
	for i, label := range l.names {
		if index, err := c.Index(0, label); err != nil || index != first+i || c.Label(0, index) != label {
			t.Fatalf("label %s: index %d (%s), %v, want %d", label, index, c.Label(0, index), err, first+i)
		}
	}
}

// TestLabelHistories adds labels to a dimension by rows, in random commits, while the array shrinks
// and also grows in other ways, and compares them with a list. Labels of indices that a Shrink
// removes stay in the file until others are stored.
func TestLabelHistories(t *testing.T) {
	dir, arrays := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		arrays++
		a, err := drx.Create(fmt.Sprintf("%s/%d", dir, arrays), scratch(cube.Spec(dtype.Int8, "")))
		if err != nil {
			t.Fatal(err)
		}
		c, err := cube.Of(a)
		if err != nil {
			t.Fatal(err)
		}
		var stored, shown list
		made := 0
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			bounds := c.Array().Bounds()[0]
			side := rapid.SampledFrom([]axial.Side{axial.High, axial.Low}).Draw(t, "side")
			switch op := rapid.SampledFrom([]string{"rows", "rows", "rows", "shrink", "extend", "reopen"}).Draw(t, "op"); {
			case op == "rows" && (bounds.Len() == 0 || len(shown.names) > 0):
				if len(shown.names) == 0 {
					shown.first = bounds.Lo
				}
				added := addLabels(t, c, &made, rapid.IntRange(1, 9).Draw(t, "labels"))
				shown.names = append(shown.names, added...)
				stored = shown
			case op == "shrink" && bounds.Len() > 0:
				if err := growtest.Shrink(c.Array(), 0, rapid.IntRange(1, bounds.Len()).Draw(t, "by"), side); err != nil {
					t.Fatal(err)
				}
				c = reopen(t, c)
				shown = stored.within(c.Array().Bounds()[0])
			case op == "extend":
				if _, err := growtest.Extend(c.Array(), 0, 2, side); err != nil {
					t.Fatal(err)
				}
			case op == "reopen":
				c = reopen(t, c)
				shown = stored.within(c.Array().Bounds()[0])
			}
			shown.check(t, c)
		}
		if err := c.Array().Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// addLabels commits rows with n new labels, which it returns.
func addLabels(t rapid.TB, c *cube.Cube, made *int, n int) []string {
	l, err := c.Loader(cube.Replace)
	if err != nil {
		t.Fatal(err)
	}
	var added []string
	for range n {
		added = append(added, fmt.Sprintf("label %d", *made))
		*made++
		if err := l.Add(added[len(added)-1:], "1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
	return added
}

// TestRunsAreFew adds labels one commit at a time: the attributes must stay few, and the log must
// take about log2(n) times the labels.
func TestRunsAreFew(t *testing.T) {
	const n = 300
	c := create(t, scratch(cube.Spec(dtype.Int8, "day")))
	for i := range n {
		l, err := c.Loader(cube.Replace)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Add([]string{fmt.Sprint("day ", i)}, "1"); err != nil {
			t.Fatal(err)
		}
		if err := l.Commit(); err != nil {
			t.Fatal(err)
		}
		lengths, total := runs(t, c.Array()), 0
		for k, length := range lengths {
			if k > 0 && length <= lengths[k-1] {
				t.Fatalf("runs of %v labels", lengths)
			}
			total += length
		}
		if total != i+1 || len(lengths) > bits.Len(uint(i+1)) {
			t.Fatalf("%d labels in runs of %v", i+1, lengths)
		}
	}
	u, err := c.Array().Usage()
	if err != nil {
		t.Fatal(err)
	}
	// A label takes 10 bytes; an extension with its line takes about 200.
	if most := int64(n * (10*bits.Len(n) + 200)); u.LogBytes > most {
		t.Errorf("log of %d bytes, want at most %d", u.LogBytes, most)
	}
}

// TestSetLabels adds labels to an array that was created without them.
func TestSetLabels(t *testing.T) {
	c := create(t, drx.Spec{DType: dtype.Int8, Shape: []int{4}, Lo: []int{-2}})
	for _, labels := range [][]string{{"a", "b"}, {"d", "c", "b", "a"}, {}, {"x"}} {
		if err := c.SetLabels(0, labels); err != nil {
			t.Fatal(err)
		}
		if first, got := c.Labels(0); first != -2 || !slices.Equal(got, labels) {
			t.Errorf("labels %v from %d, want %v from -2", got, first, labels)
		}
		c = reopen(t, c)
		if _, got := c.Labels(0); !slices.Equal(got, labels) {
			t.Errorf("labels %v when opened again, want %v", got, labels)
		}
	}
	for _, wrong := range []struct {
		labels []string
		want   error
	}{
		{[]string{"a", "b", "c", "d", "e"}, drx.ErrBounds},
		{[]string{"a", "a"}, cube.ErrLabel},
		{[]string{""}, cube.ErrLabel},
		{[]string{"\xff"}, cube.ErrLabel},
	} {
		if err := c.SetLabels(0, wrong.labels); !errors.Is(err, wrong.want) {
			t.Errorf("labels %q: %v, want %v", wrong.labels, err, wrong.want)
		}
	}
	for _, dim := range []int{-1, 1} {
		if err := c.SetLabels(dim, nil); !errors.Is(err, drx.ErrRank) {
			t.Errorf("labels of dimension %d: %v", dim, err)
		}
		if _, err := c.Index(dim, "x"); !errors.Is(err, drx.ErrRank) {
			t.Errorf("index in dimension %d: %v", dim, err)
		}
		if _, got := c.Labels(dim); got != nil || c.Label(dim, 7) != "7" {
			t.Errorf("dimension %d has labels %v, %s", dim, got, c.Label(dim, 7))
		}
	}
	if _, got := c.Labels(0); !slices.Equal(got, []string{"x"}) {
		t.Errorf("labels %v after errors, want x", got)
	}
	c.Array().Close()
}

// TestForeignAttributes reads attributes that another program has set.
func TestForeignAttributes(t *testing.T) {
	for _, test := range []struct {
		attrs map[string]any
		want  error
	}{
		{map[string]any{"labels/0/0": []string{"a", "b"}, "labels/0/2": []string{"c"}}, nil},
		{map[string]any{"labels/0/00": 1, "labels/x/0": 1, "labels": 1, "labels/0": 1, "labels/0/x": 1}, nil},
		{map[string]any{"labels/0/0": []string{}}, drx.ErrCorrupt},
		{map[string]any{"labels/0/0": "a"}, drx.ErrCorrupt},
		{map[string]any{"labels/0/0": []any{"a", 1}}, drx.ErrCorrupt},
		{map[string]any{"labels/1/0": []string{"a"}}, drx.ErrCorrupt},
		{map[string]any{"labels/-1/0": []string{"a"}}, drx.ErrCorrupt},
		{map[string]any{"labels/0/0": []string{"a"}, "labels/0/2": []string{"c"}}, drx.ErrCorrupt},
		{map[string]any{"labels/0/0": []string{"a", "b"}, "labels/0/1": []string{"c"}}, drx.ErrCorrupt},
		{map[string]any{"labels/0/0": []string{"a", "a"}}, drx.ErrCorrupt},
		{map[string]any{"labels/0/0": []string{""}}, drx.ErrCorrupt},
		{map[string]any{"labels/0/-9223372036854775808": []string{"a"}}, drx.ErrCorrupt},
		{map[string]any{"labels/0/9223372036854775807": []string{"a"}}, drx.ErrCorrupt},
		{map[string]any{"labels/0/9223372036854775808": []string{"a"}}, nil}, // no int, so not ours
	} {
		c := create(t, drx.Spec{DType: dtype.Int8, Shape: []int{5}})
		for name, value := range test.attrs {
			if err := c.Array().SetAttr(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := cube.Of(c.Array()); !errors.Is(err, test.want) {
			t.Errorf("%v: %v, want %v", test.attrs, err, test.want)
		}
	}
}
