package cube

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
)

// AddLabels must continue the labels of a dimension, whoever added the earlier ones, and store them
// so that n labels have at most log2(n)+1 runs.
func TestAddLabels(t *testing.T) {
	name := filepath.Join(t.TempDir(), "A")
	a, err := drx.Create(name, drx.Spec{DType: dtype.Int8, Shape: []int{2, 3}, Dims: []string{"time", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Of(a)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 100 { // the first two indices have no labels
		if _, err := a.Extend(0, 1); err != nil {
			t.Fatal(err)
		}
		label := string(rune('a'+i%26)) + string(rune('a'+i/26))
		if err := errors.Join(c.AddLabels(0, 2+i, []string{label}), a.Sync()); err != nil {
			t.Fatal(err)
		}
		want = append(want, label)
	}
	if n := len(a.Attrs()); n > 7 {
		t.Errorf("%d attributes for 100 labels", n)
	}
	for _, bad := range []struct {
		dim, from int
		labels    []string
		err       error
	}{
		{2, 0, []string{"x"}, drx.ErrRank},
		{0, 101, []string{"x"}, ErrLabel},
		{0, 103, []string{"x"}, ErrLabel},
		{0, 102, []string{"x"}, drx.ErrBounds},
		{0, 102, []string{want[7]}, ErrLabel},
		{0, 102, []string{"x", "x"}, ErrLabel},
		{0, 102, []string{""}, ErrLabel},
		{0, 102, []string{"\xff"}, ErrLabel},
		{1, 2, []string{"p", "q"}, drx.ErrBounds},
		{1, -1, []string{"p"}, drx.ErrBounds},
	} {
		if err := c.AddLabels(bad.dim, bad.from, bad.labels); !errors.Is(err, bad.err) {
			t.Errorf("dimension %d from %d, %q: %v, want %v", bad.dim, bad.from, bad.labels, err, bad.err)
		}
	}
	if err := c.AddLabels(1, 1, []string{"p", "q"}); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if c, err = Of(b); err != nil {
		t.Fatal(err)
	}
	if first, labels := c.Labels(0); first != 2 || !slices.Equal(labels, want) {
		t.Errorf("labels from %d: %q", first, labels)
	}
	if first, labels := c.Labels(1); first != 1 || !slices.Equal(labels, []string{"p", "q"}) {
		t.Errorf("labels from %d: %q", first, labels)
	}
}
