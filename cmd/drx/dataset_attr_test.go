package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dataset"
	"drx/dtype"
)

// Attributes that a writer committed with a growth before it died are there for attr, and can be
// deleted.
func TestAttrAfterAWriterThatDied(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, dir, "create @/W --dataset")
	d, err := dataset.Open(filepath.Join(dir, "W"), drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.CreateVariable("t", drx.Spec{DType: dtype.Int8, Shape: []int{1}, Dims: []string{"t"}})
	if err == nil {
		_, err = d.Extend("t", 2)
	}
	if err = errors.Join(err, d.SetAttr("", "note", "x"), d.Sync(), d.SetAttr("", "note", "y"), d.Discard()); err != nil {
		t.Fatal(err)
	}
	output := func(line string) string {
		var out, complaints bytes.Buffer
		if code := run(t.Context(), words(dir, line), strings.NewReader(""), &out, &complaints); code != 0 {
			t.Fatalf("%s: exit %d: %s", line, code, complaints.String())
		}
		return strings.TrimSpace(out.String())
	}
	if got := output("attr @/W"); got != `note  "x"` {
		t.Errorf("listed: %s", got)
	}
	if got := output("attr @/W note"); got != `"x"` {
		t.Errorf("one: %s", got)
	}
	mustRun(t, dir, "attr @/W --delete note")
	mustRun(t, dir, "extend @/W --dim t --by 1 --coordinate fill")
	if got := output("attr @/W"); got != "" {
		t.Errorf("after it was deleted: %s", got)
	}
}
