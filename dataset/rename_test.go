package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"drx"
	"drx/internal/enumtest"
	"drx/internal/vfs"
)

// renameVars are the variables of a dataset whose names change: their dimensions and attributes
// before and after time becomes t, and lat and its dimension y become phi.
var renameVars = []struct {
	name, now  string
	dims, then []string
	attrs      map[string]string
	after      map[string]string
}{
	{"time", "t", []string{"time"}, []string{"t"}, map[string]string{"bounds": "time_bnds"}, nil},
	{"time_bnds", "", []string{"time", "nv"}, []string{"t", "nv"}, nil, nil},
	{"lat", "", []string{"y", "x"}, nil, nil, nil},
	{
		"rain", "",
		[]string{"time", "y", "x"},
		[]string{"t", "y", "x"},
		map[string]string{"coordinates": "time  lat lon", "cell_methods": "time: y: mean (interval: 1 time) time: max", "long_name": "time"},
		map[string]string{"coordinates": "t  lat lon", "cell_methods": "t: y: mean (interval: 1 time) t: max", "long_name": "time"},
	},
	{
		"g/snow", "",
		[]string{"time", "x"},
		[]string{"t", "x"},
		map[string]string{"formula_terms": "time: time ps: lat", "cell_measures": "area: time", "ancillary_variables": "rain"},
		map[string]string{"formula_terms": "time: t ps: lat", "cell_measures": "area: t", "ancillary_variables": "rain"},
	},
}

// makeRenamed makes the dataset, before its names change.
func makeRenamed(ds string) error {
	d, err := Create(ds, drx.Options{})
	if err == nil {
		err = d.CreateGroup("g")
	}
	if err != nil {
		return err
	}
	for i, v := range renameVars {
		spec := intSpec(make([]int, len(v.dims)), v.dims...)
		for d := range spec.Shape {
			spec.Shape[d] = 2
		}
		spec.Attrs = map[string]any{}
		for name, value := range v.attrs {
			spec.Attrs[name] = value
		}
		array := v.name
		if i%2 == 0 { // every other array is in one file
			array += drx.OneFileExt
		}
		made, err := d.CreateVariable(array, spec)
		if err == nil {
			err = drx.Fill(made.Array(), nil, int32(i))
		}
		if err != nil {
			return err
		}
	}
	return d.Close()
}

// checkRenamed reports whether the dataset has the new names. It returns an error if it has only
// some of them, or if an element is wrong; with attrs it also compares the attributes.
func checkRenamed(d *Dataset, attrs bool) (renamed bool, err error) {
	_, err = d.Dim("t")
	renamed = err == nil
	for i, w := range renameVars {
		name, dims, want := w.name, w.dims, w.attrs
		if renamed && w.now != "" {
			name = w.now
		}
		if renamed && w.then != nil {
			dims = w.then
		}
		if renamed && w.after != nil {
			want = w.after
		}
		v, err := d.Variable(name)
		if err != nil {
			return renamed, err
		}
		if got := strings.Join(v.Dims(), ","); got != strings.Join(dims, ",") {
			return renamed, fmt.Errorf("renamed %v: %s has the dimensions %s, want %v", renamed, name, got, dims)
		}
		elements, err := drx.Read[int32](v.Array(), nil)
		if err != nil || elements[0] != int32(i) {
			return renamed, fmt.Errorf("%s has %v, %w", name, elements, err)
		}
		if renamed && w.name == "time" {
			want = map[string]string{"bounds": "time_bnds"}
		}
		for attr, value := range want {
			var got string
			if _, err := v.Array().Attr(attr, &got); attrs && (err != nil || got != value) {
				return renamed, fmt.Errorf("renamed %v: %s: attribute %s is %q, want %q", renamed, name, attr, got, value)
			}
		}
	}
	if n := len(d.Variables()); n != len(renameVars) {
		return renamed, fmt.Errorf("%d variables: %v", n, d.Variables())
	}
	return renamed, nil
}

func TestRename(t *testing.T) {
	inBothForms(t, func(t *testing.T, ds string) {
		useDisk(t, vfs.NewMem())
		if err := makeRenamed(ds); err != nil {
			t.Fatal(err)
		}
		d, err := Open(ds, drx.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []struct {
			from, to string
			kind     error
		}{
			{"none", "n", ErrVariable},
			{"time", "", fs.ErrInvalid},
			{"time", "time", fs.ErrInvalid},
			{"time", ".t", fs.ErrInvalid},
			{"time", "g/t", fs.ErrInvalid},
			{"time", "rain", fs.ErrExist},
			{"x", "y", fs.ErrExist},
			{"time", "g", fs.ErrExist},
		} {
			if err := d.Rename(wrong.from, wrong.to); !errors.Is(err, wrong.kind) {
				t.Errorf("%s to %s: %v, want %v", wrong.from, wrong.to, err, wrong.kind)
			}
		}
		if renamed, err := checkRenamed(d, true); renamed || err != nil {
			t.Fatalf("before: %v, %v", renamed, err)
		}
		r, err := Open(ds, drx.Options{})
		if err == nil {
			err = d.Rename("time", "t")
		}
		if err != nil {
			t.Fatal(err)
		}
		if renamed, err := checkRenamed(d, true); !renamed || err != nil {
			t.Fatalf("after: %v, %v", renamed, err)
		}
		if _, err := d.Extend("t", 1); err != nil {
			t.Error(err)
		}
		if err := errors.Join(d.Rename("y", "phi"), d.Rename("g/snow", "ice"), r.Refresh()); err != nil {
			t.Fatal(err)
		}
		if dims := strings.Join(mustVariable(t, r, "rain").Dims(), ","); dims != "t,phi,x" {
			t.Errorf("a reader sees %s after Refresh", dims)
		}
		mustVariable(t, r, "g/ice")
		attrs, err := d.Attrs("")
		if _, has := attrs[renamingAttr]; has || err != nil {
			t.Errorf("the attribute %s is seen: %v", renamingAttr, err)
		}
		if err := errors.Join(d.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	})
}

func mustVariable(t *testing.T, d *Dataset, name string) *Variable {
	t.Helper()
	v, err := d.Variable(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Wherever a renaming crashes, readers must see all of the old names or all of the new ones, and
// the next writer must complete it.
func TestCrashOfRename(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testCrashOfRename)
}

func testCrashOfRename(t *testing.T, ds string) {
	seen, completed := map[bool]int{}, 0
	eachCrash(t, ds, makeRenamed, renameUntilCrash, func(done bool) error {
		renamed, left, err := afterRenameCrash(ds)
		if err == nil && done && !renamed {
			err = errors.New("the new names are lost")
		}
		seen[renamed]++
		if left {
			completed++
		}
		return err
	})
	t.Logf("old names %d times, new ones %d times, completed %d", seen[false], seen[true], completed)
	if seen[false] == 0 || seen[true] == 0 || completed == 0 {
		t.Error("the test did not see both, or nothing was left to complete")
	}
}

func renameUntilCrash(ds string) error {
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		return err
	}
	if err := d.Rename("time", "t"); err != nil {
		_ = d.Discard() // the disk is gone
		return err
	}
	return d.Close()
}

// afterRenameCrash checks the dataset for a reader and for the next writer, and reports whether
// that writer had something to complete.
func afterRenameCrash(ds string) (renamed, left bool, err error) {
	r, err := Open(ds, drx.Options{})
	if err != nil {
		return false, false, err
	}
	if renamed, err = checkRenamed(r, false); err != nil {
		return renamed, false, fmt.Errorf("a reader: %w", err)
	}
	raw := map[string]json.RawMessage{}
	if m, err := r.marker("", false); err == nil && m != nil {
		raw = m.Attrs()
	}
	left = strings.Contains(string(raw[renamingAttr]), "from")
	if err := r.Close(); err != nil {
		return renamed, left, err
	}
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		return renamed, left, err
	}
	now, err := checkRenamed(d, true)
	if err == nil && now != renamed {
		err = fmt.Errorf("the next writer sees new names: %v, a reader: %v", now, renamed)
	}
	return renamed, left, errors.Join(err, d.Close())
}
