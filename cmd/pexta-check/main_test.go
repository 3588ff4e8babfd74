package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, before int) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, append(make([]byte, before), text...), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, old := string(ofPEXTA), string(ofDRA)
	for _, c := range []struct {
		program, want string
		code          int
	}{
		{file("good", good, 10), "libpexta\n", 0},
		{file("far", good, 1<<20-len(good)/2), "libpexta\n", 0}, // on both sides of a part's end
		{file("further", good, 3<<20-40), "libpexta\n", 0},
		{file("old", old, 5<<20), "put libpexta.a before -lga", 1},
		{file("both", good+old, 7), "a name is missing", 1},
		{file("neither", "", 100), "no disk resident arrays", 1},
		{filepath.Join(dir, "missing"), "no such file", 2},
		{dir, "is a directory", 2},
	} {
		var out bytes.Buffer
		if code := check([]string{c.program}, &out, &out); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: code %d and %q, want %d and %q", c.program, code, out.String(), c.code, c.want)
		}
	}
}

func TestTheWorstCounts(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good")
	if err := os.WriteFile(good, ofPEXTA, 0o777); err != nil {
		t.Fatal(err)
	}
	var out, complaints bytes.Buffer
	if code := check([]string{"missing", good}, &out, &complaints); code != 2 || !strings.Contains(out.String(), "libpexta") {
		t.Errorf("code %d, output %q", code, out.String())
	}
}
