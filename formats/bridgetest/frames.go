package bridgetest

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"drx/formats"
	"drx/internal/codec"
	"drx/nd"
)

// DamagedFrames reads the output of a script that damages chunks: a file of 31 variables of 4000
// elements of four bytes in chunks of 1000. Chunk 1 of each is damaged, and the variable is named
// after its filter. Reading a damaged chunk, or a part of it, must return an error that names the
// file, the variable, the chunk and the filter, and must cost no memory, whatever size the chunk
// claims to have. The other chunks must be readable.
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
	for _, part := range []nd.Range{nd.Span(0, 4000), nd.Span(1000, 2000), nd.Span(500, 3500), nd.Span(1999, 2000)} {
		err := r.ReadSection(nd.Sec(part), buf[:4*part.Len()])
		if !errors.Is(err, codec.ErrFrame) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, %v: %v, want one line for a damaged frame", name, part, err)
			continue
		}
		for _, says := range []string{path, name + ": section", "chunk [1]: ", "filter " + name[1:6] + " ("} {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s, %v: %v, want %q", name, part, err, says)
			}
		}
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
