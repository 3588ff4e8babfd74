package dataset

import (
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/internal/vfs"
)

// An attribute of an array assigns one of its dimensions to a dimension of the dataset, if the name
// alone would mean another one. Selection, growth and the bounds of readers must follow the
// attribute, for the variable and for the array that is opened by its name.
func TestDimensionsNamedByAttributes(t *testing.T) {
	useDisk(t, vfs.NewMem())
	d, err := Create("d", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]drx.Spec{}
	add := func(name string, extent int, dim, home string) {
		vars[name] = drx.Spec{DType: dtype.Float64, Shape: []int{extent}, Dims: []string{dim}}
		if home != "" {
			vars[name] = drx.Spec{
				DType: dtype.Float64, Shape: []int{extent}, Dims: []string{dim}, Attrs: map[string]any{HomeAttr + dim: home},
			}
		}
	}
	add("x", 3, "x", "")
	add("g/q", 2, "x", "g/x")       // of another extent than x, and no coordinate
	add("coords/lat", 4, "lat", "") // of a group that does not enclose the next
	add("data/t", 4, "lat", "coords/lat")
	add("data/u", 5, "lat", "gone/lat") // it does not exist: the rule of names applies
	if err := d.CreateAll(nil, vars, nil); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"x": "x", "g/q": "g/x", "coords/lat": "coords/lat", "data/t": "coords/lat", "data/u": "data/lat"}
	for name, dim := range want {
		v, err := d.Variable(name)
		if err != nil || !slices.Equal(v.Dims(), []string{dim}) {
			t.Errorf("%s: %v, %v; want %s", name, v.Dims(), err, dim)
		}
	}
	lat, err := d.Variable("/coords/lat") // as h5py writes it
	if err == nil {
		var b []byte
		for _, x := range []float64{50, 51, 52, 53} {
			e, _ := dtype.Float64.EncodeValue(x) // it has all of them
			b = append(b, e...)
		}
		err = lat.Array().WriteBytes(nil, b, nil)
	}
	if err == nil {
		_, err = d.Extend("coords/lat", 1)
	}
	if err == nil {
		_, err = d.Extend("x", 1)
	}
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, extent := range map[string]int{"d/data/t": 5, "d/g/q": 2, "d/x": 4, "d/data/u": 5} {
		a, err := drx.Open(name, drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		axes, err := AxesOf(a)
		if err != nil || axes.Bounds()[0].Len() != extent {
			t.Errorf("%s: bounds %v, want %d: %v", name, axes.Bounds(), extent, err)
		}
		c, err := axes.Coordinate(0)
		if err != nil || (c != nil) != (name == "d/data/t" || name == "d/x") {
			t.Errorf("%s: coordinate %v: %v", name, c, err)
		}
		sel, err := axes.Select(Exact, "lat=51")
		if name == "d/data/t" && (err != nil || sel[0].At(0) != 1) {
			t.Errorf("%s: lat=51 is %v: %v", name, sel, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
