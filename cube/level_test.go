package cube_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// Levels are kept by the array, follow its dimensions, and are deleted.
func TestLevels(t *testing.T) {
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{DType: dtype.Int8, Shape: []int{2, 3}, Dims: []string{"store", "item"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]string{"tea": "drinks", "bread": "food", "bag": ""}
	if err := errors.Join(c.SetLevel(1, "category", groups), c.SetLevel(1, "brand", map[string]string{"tea": "x"}), c.SetLevel(0, "region", groups)); err != nil {
		t.Fatal(err)
	}
	c = reopen(t, c)
	a = c.Array()
	defer a.Close()
	if got, err := c.Level(1, "category"); err != nil || !reflect.DeepEqual(got, groups) || !reflect.DeepEqual(c.Levels(1), []string{"brand", "category"}) {
		t.Error(got, err, c.Levels(1))
	}
	if got := cube.PermutedAttr("levels/1/category", nd.Order{1, 0}); got != "levels/0/category" {
		t.Error(got)
	}
	if err := cube.CheckAttrs(a, []string{"levels/1/category", "levels/0/region"}); err != nil {
		t.Error(err)
	}
	if err := c.SetLevel(1, "brand", nil); err != nil || len(c.Levels(1)) != 1 {
		t.Error(err, c.Levels(1))
	}
	for _, name := range []string{"", "a/b", "a=b", "x.csv", "a,b", "a:b", "store", "year", "dayofyear"} {
		if err := c.SetLevel(1, name, groups); !errors.Is(err, cube.ErrLabel) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := cube.CheckDimName(a, "category"); !errors.Is(err, cube.ErrLabel) || cube.CheckDimName(a, "brand") != nil {
		t.Error(err)
	}
	if err := c.SetLevel(2, "x", groups); !errors.Is(err, drx.ErrRank) {
		t.Error(err)
	}
	if _, err := c.Level(1, "brand"); !errors.Is(err, cube.ErrLabel) {
		t.Error(err)
	}
	for name, value := range map[string]any{"levels/2/x": groups, "levels/1/": groups, "levels/01/x": groups, "levels/1/y": []string{"a"}, "levels/0/month": groups} {
		if err := a.SetAttr(name, value); err != nil {
			t.Fatal(err)
		}
		if err := cube.CheckAttrs(a, []string{name}); !errors.Is(err, cube.ErrLabel) {
			t.Errorf("%s: %v", name, err)
		}
		if err := a.DeleteAttr(name); err != nil {
			t.Fatal(err)
		}
	}
}
