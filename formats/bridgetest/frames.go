package bridgetest

import (
	"path/filepath"
	"strings"
	"testing"

	"drx/formats"
	"drx/nd"
)

// DamagedFrames reads the output of a script that damages chunks: a file of 31 variables of 4000
// elements of four bytes in chunks of 1000. Chunk 1 of each is damaged, and the variable is named
// after its filter. Reading a damaged chunk must return an error that names the file, the variable,
// the chunk and the filter, and must cost no memory, whatever size the chunk claims to have. The
// other chunks must be readable.
func (b *Bridge) DamagedFrames(t *testing.T, script, file string) {
	path := filepath.Join(t.TempDir(), file)
	b.Python(t, script, path)
	c, err := formats.List(path, formats.Options{})
	if err != nil || len(c.Vars) != 31 {
		t.Fatalf("%d variables, %v", len(c.Vars), err)
	}
	before := Resident(t)
	for _, v := range c.Vars {
		damagedFrame(t, path, v.Name)
	}
	if grown := Resident(t) - before; grown > 64<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

func damagedFrame(t *testing.T, path, name string) {
	r, err := formats.Open(path, formats.Options{Variable: name})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 16000)
	err = r.ReadSection(nil, buf)
	for _, says := range []string{path, name + ": section", "chunk [1]: read", "filter " + name[1:6] + " ("} {
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	if err := r.ReadSection(nd.Sec(nd.Span(1000, 2000)), buf[:4000]); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: the chunk alone: %v", name, err)
	}
	for _, part := range []nd.Range{nd.Span(0, 1000), nd.Span(2000, 4000)} {
		if err := r.ReadSection(nd.Sec(part), buf[:4*part.Len()]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
