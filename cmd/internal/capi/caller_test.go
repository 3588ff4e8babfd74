package capi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/optionerr"
)

// The errors of imports and exports must call options by the caller's names, also wrapped errors
// and advice.
func TestCallerNamesOptions(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.npy")
	a, err := Create(filepath.Join(dir, "A"), 1, []int{2, 2}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := Close(a); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(filepath.Join(dir, "A"), in, "", nil); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "A")
	for _, c := range []struct{ options, inC, inPython string }{
		{`"memory": -1`, `option "memory": -1: want bytes, or 0 for the default`, `memory=-1: want bytes, or 0 for the default`},
		{`"as-stored": true`, `import: option "as-stored": true needs option "append"`, `import: as_stored=True needs append=`},
		{`"expand": "cmyk"`, `option "expand": "cmyk": want rgb or rgba`, `expand="cmyk": want rgb or rgba`},
		{`"chunk": [0, 1]`, `option "chunk": [0,1]: want extents of at least 1`, `chunks=[0,1]: want extents of at least 1`},
		{`"clip": true`, `import: option "clip": true needs option "as"`, `import: clip=True needs dtype=`},
		{
			`"var": []`,
			name + `: file already exists; choose another name, grow it with option "append", or continue an interrupted import with option "resume": true`,
			name + `: file already exists; choose another name, grow it with append=, or continue an interrupted import with resume=True`,
		},
	} {
		_, err := Import(name, []string{in}, "{"+c.options+"}", nil)
		if err == nil || Message(err) != c.inC {
			t.Errorf("in C:\n%v, want\n%s", err, c.inC)
		}
		_, err = Import(name, []string{in}, "{"+c.options+`, "caller": "python"}`, nil)
		if err == nil || Message(err) != c.inPython {
			t.Errorf("in Python:\n%v, want\n%s", err, c.inPython)
		}
		if wrong := new(optionerr.Error); errors.As(err, &wrong) && CodeOf(err) != CodeInvalid {
			t.Errorf("%v has code %d", err, CodeOf(err))
		}
	}
	_, err = Export(name, filepath.Join(dir, "B.npy"), `{"sel": ["x=1"], "caller": "python"}`, nil)
	if want := fmt.Sprintf("%q", "x"); err == nil || CodeOf(err) != CodeInvalid {
		t.Errorf("%v, want an error about %s", err, want)
	}
	if _, err := Export(name, filepath.Join(dir, "B.npy"), `{"caller": "perl"}`, nil); CodeOf(err) != CodeInvalid {
		t.Errorf("an unknown caller: %v", err)
	}
}

// A deflate level of 0 must compress nothing; without a level, a Zarr store must be compressed.
func TestExportWithoutDeflate(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "A")
	a, err := Create(in, 11, []int{1000}, "")
	if err == nil {
		err = Close(a)
	}
	if err != nil {
		t.Fatal(err)
	}
	for options, compressor := range map[string]string{"": `"id": "blosc"`, `{"deflate": 0}`: `"compressor": null`, `{"deflate": 0, "codec": "zstd"}`: `"id": "zstd"`} {
		out := filepath.Join(dir, fmt.Sprintf("%d.zarr", len(options)))
		if _, err := Export(in, out, options, nil); err != nil {
			t.Fatal(err)
		}
		meta, err := os.ReadFile(filepath.Join(out, "A", ".zarray"))
		if err != nil || !strings.Contains(string(meta), compressor) {
			t.Errorf("%s: %s, %v", options, meta, err)
		}
	}
}
