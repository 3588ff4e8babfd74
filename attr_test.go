package drx

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"drx/dtype"
	"drx/internal/state"
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

// An attribute without a name is refused, and one of an older program can be deleted.
func TestAttributeWithoutName(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{1}})
	if err := a.SetAttr("", 1); !errors.Is(err, fs.ErrInvalid) || len(a.Attrs()) > 0 {
		t.Errorf("set: %v, attributes %v", err, a.Attrs())
	}
	b, err := Create("b", Spec{DType: dtype.Int8, Shape: []int{1}, Attrs: map[string]any{"": 1}, Options: Options{fs: vfs.NewMem()}})
	if !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("created %v, %v", b, err)
	}
	older := state.Record{SetAttrs: &state.SetAttrs{Attrs: map[string]json.RawMessage{"": []byte("1")}}}
	if err := a.change("set", older); err != nil || len(a.Attrs()) != 1 {
		t.Errorf("%v, attributes %v", err, a.Attrs())
	}
	if err := a.DeleteAttr(""); err != nil || len(a.Attrs()) > 0 {
		t.Errorf("%v, attributes %v", err, a.Attrs())
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
