package transfer

import (
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats"
)

// Appending to text with missing values must leave these missing.
func TestStringsKeepMissingText(t *testing.T) {
	a, err := drx.Create(t.TempDir()+"/a", drx.Spec{
		DType: dtype.Int32, Shape: []int{2}, Attrs: map[string]any{stringsAttr: []any{"x", nil}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	p := &appendPlan{vars: make([]appendVar, 1)}
	c := &p.vars[0].conv
	if err := c.addStrings(headerOf(a), formats.Info{DType: dtype.Uint32, Labels: []string{"", "x"}}); err != nil {
		t.Fatal(err)
	}
	out, err := c.apply([]byte{0, 0, 0, 0, 1, 0, 0, 0})
	if want := []byte{2, 0, 0, 0, 0, 0, 0, 0}; err != nil || !slices.Equal(out, want) {
		t.Errorf("the numbers are %v, want %v: %v", out, want, err)
	}
	if err := (&target{a: a}).setStrings(p); err != nil {
		t.Fatal(err)
	}
	if got, want := string(a.Attrs()[stringsAttr]), `["x",null,""]`; got != want {
		t.Errorf("the strings are %s, want %s", got, want)
	}
}
