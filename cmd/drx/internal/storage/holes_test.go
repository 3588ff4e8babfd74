package storage

import (
	"errors"
	"testing"

	"drx"
	"drx/dataset"
	"drx/dtype"
)

// The codec must be found in each form: that of an array, and that of a compressed variable of a
// dataset.
func TestCodecOf(t *testing.T) {
	dir := t.TempDir()
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{8}, Dims: []string{"x"}, Codec: "lz4"}
	for _, name := range []string{"/a", "/b.drx"} {
		a, err := drx.Create(dir+name, spec)
		if err == nil {
			err = a.Close()
		}
		if got := codecOf(dir + name); err != nil || got != "lz4" {
			t.Errorf("%s: codec %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"/d", "/e.drx"} {
		d, err := dataset.Create(dir+name, drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plain := spec
		plain.Codec = ""
		_, err = d.CreateVariable("a", plain)
		_, err2 := d.CreateVariable("b", spec)
		if err := errors.Join(err, err2, d.Close()); err != nil {
			t.Fatal(err)
		}
		if got := codecOf(dir + name); got != "lz4" {
			t.Errorf("%s: codec %q", name, got)
		}
	}
	if got := codecOf(dir + "/none"); got != "" {
		t.Errorf("nothing: codec %q", got)
	}
}
