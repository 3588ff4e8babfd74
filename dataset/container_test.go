package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx"
)

// makeWeather creates a dataset with ten variables of one dimension, a coordinate and a group, and
// lets it grow ten times.
func makeWeather(t *testing.T, name string) {
	t.Helper()
	d, err := Create(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, "time", []int{0}, "time")
	specs := map[string]drx.Spec{}
	for i := range 9 {
		specs[fmt.Sprintf("model/v%d", i)] = intSpec([]int{0, 2 + i}, "time", fmt.Sprint("x", i))
	}
	if err := d.CreateAll(map[string]map[string]any{"model": {"about": "nine"}}, specs, nil); err != nil {
		t.Fatal(err)
	}
	for step := range 10 {
		added, err := d.Extend("time", 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range d.Variables() {
			v, err := d.Variable(name)
			if err != nil {
				t.Fatal(err)
			}
			sec := v.Array().Bounds()
			sec[0] = added
			if err := drx.Fill(v.Array(), sec, int32(step)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(d.SetAttr("", "steps", step+1), d.Sync()); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// mustBeWeather checks the dataset that makeWeather has made.
func mustBeWeather(t *testing.T, name string) {
	t.Helper()
	d, err := Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if attrs, err := d.Attrs(""); err != nil || string(attrs["steps"]) != "10" {
		t.Errorf("%s: attributes %s, %v", name, attrs, err)
	}
	if attrs, err := d.Attrs("model"); err != nil || string(attrs["about"]) != `"nine"` {
		t.Errorf("%s: attributes of the group %s, %v", name, attrs, err)
	}
	if n := len(d.Variables()); n != 10 {
		t.Errorf("%s: %d variables: %q", name, n, d.Variables())
	}
	for _, own := range d.Variables() {
		v, err := d.Variable(own)
		if err != nil {
			t.Fatal(err)
		}
		data, err := drx.Read[int32](v.Array(), nil)
		for i, x := range data {
			if want := int32(i * 10 / len(data)); x != want {
				t.Fatalf("%s/%s: element %d is %d, want %d", name, own, i, x, want)
			}
		}
		if v.Array().Shape()[0] != 30 || err != nil {
			t.Errorf("%s/%s: shape %v, %v", name, own, v.Array().Shape(), err)
		}
	}
}

// A dataset in one file must behave like one in a folder. It is copied, also from a folder, renamed
// and removed, each time completely.
func TestDatasetInOneFile(t *testing.T) {
	t.Chdir(t.TempDir())
	makeWeather(t, "weather.drx")
	makeWeather(t, "folder")
	mustBeWeather(t, "weather.drx")
	for _, copied := range [][2]string{{"weather.drx", "copy.drx"}, {"folder", "packed.drx"}} {
		if err := Copy(t.Context(), copied[0], copied[1], nil); err != nil {
			t.Fatal(err)
		}
		mustBeWeather(t, copied[1])
	}
	if err := Rename("copy.drx", "moved.drx"); err != nil {
		t.Fatal(err)
	}
	mustBeWeather(t, "moved.drx")
	if err := Rename("moved.drx", "moved"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a name without extension: %v", err)
	}
	d, err := Open("moved.drx", drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove("moved.drx"); !errors.Is(err, drx.ErrLocked) {
		t.Errorf("a writer has it open: %v", err)
	}
	if err := errors.Join(d.Close(), drx.Remove("weather.drx/model/v3"), Remove("packed.drx")); err != nil {
		t.Fatal(err)
	}
	if err := Copy(t.Context(), "weather.drx", "smaller.drx", nil); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat("weather.drx")
	after, err := os.Stat("smaller.drx")
	if err != nil || after.Size() >= before.Size() {
		t.Errorf("after a removal the copy has %d bytes, the file %d: %v", after.Size(), before.Size(), err)
	}
	if err := errors.Join(Remove("smaller.drx"), Remove("moved.drx"), Remove("weather.drx"), Remove("folder")); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(".")
	if names := slices.Clone(left); err != nil || len(names) > 0 {
		t.Errorf("%v remain", names)
	}
}

// A copy to one file that was killed when it claimed its name must continue when it is repeated,
// because the empty file is its own. A file with contents is not.
func TestCopyToClaimedName(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "w"), filepath.Join(dir, "c.drx")
	makeWeather(t, from)
	if err := Copy(t.Context(), from, hiddenName(to, "copying"), nil); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"", "something else"} {
		var want error
		if content != "" {
			want = fs.ErrExist
		}
		if err := os.WriteFile(to, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Copy(t.Context(), from, to, nil); !errors.Is(err, want) {
			t.Errorf("copied to a file with %q: %v", content, err)
		}
		if content == "" {
			d, err := Open(to, drx.Options{})
			if err != nil || len(d.Variables()) == 0 {
				t.Fatalf("%v, %v", d, err)
			}
			if err := errors.Join(d.Close(), Remove(to)); err != nil {
				t.Fatal(err)
			}
		} else if now, err := os.ReadFile(to); err != nil || string(now) != content {
			t.Errorf("the file has %q, %v", now, err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, ".c.*")); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}
