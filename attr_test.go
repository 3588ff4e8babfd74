package drx

import (
	"bytes"
	"encoding/json"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
)

// Attributes are stored as they were given, on one line of the log whatever they contain.
func TestAttributesAreStoredAsTheyAre(t *testing.T) {
	fsys := vfs.NewMem()
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{1}, Options: Options{fs: fsys}})
	const url = "http://x/?a=1&b=<2>"
	given := map[string]struct {
		value any
		text  string
	}{
		"url":    {url, `"` + url + `"`},
		"raw":    {json.RawMessage("[ \"<&>\",\n\n1 ]\n"), `["<&>",1]`},
		"a<b>&c": {true, `true`},
		"lines":  {"one\ntwo\r\u2028three", `"one\ntwo\r\u2028three"`},
	}
	for name, g := range given {
		if err := a.SetAttr(name, g.value); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range given {
		if got := string(a.Attrs()[name]); got != g.text {
			t.Errorf("%s is %s, want %s", name, got, g.text)
		}
	}
	size, err := a.file.Size()
	if err != nil {
		t.Fatal(err)
	}
	log := make([]byte, size)
	if _, err := a.file.ReadAt(log, 0); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(log, []byte("\n")); n != 2 || !bytes.Contains(log, []byte(url)) || !bytes.Contains(log, []byte(`"a<b>&c"`)) {
		t.Errorf("%d lines:\n%s", n, log)
	}
}

func TestAttr(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{1}, Attrs: map[string]any{"units": "K", "scale": 0.5}})
	var units string
	var scale float64
	if found, err := a.Attr("units", &units); !found || err != nil || units != "K" {
		t.Errorf("units %q, %v, %v", units, found, err)
	}
	if found, err := a.Attr("scale", &scale); !found || err != nil || scale != 0.5 {
		t.Errorf("scale %v, %v, %v", scale, found, err)
	}
	if found, err := a.Attr("scale", &units); !found || err == nil || units != "K" {
		t.Errorf("a number as a string: %q, %v, %v", units, found, err)
	}
	if found, err := a.Attr("none", &units); found || err != nil || units != "K" {
		t.Errorf("no attribute: %q, %v, %v", units, found, err)
	}
}
