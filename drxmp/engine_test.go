package drxmp

import (
	"errors"
	"path/filepath"
	"testing"

	"drx/par"
)

// TestChooseEngine: options come before hints, and these before the file system; those for drxmp do
// not go to MPI.
func TestChooseEngine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	for _, c := range []struct {
		engine Engine
		hint   string
		want   Engine
	}{{Auto, "", Direct}, {Auto, "mpiio", MPIIO}, {Auto, "auto", Direct}, {Direct, "mpiio", Direct}, {MPIIO, "", MPIIO}} {
		o := Options{Engine: c.engine, Hints: map[string]string{"cb_nodes": "2"}}
		if c.hint != "" {
			o.Hints[engineHint] = c.hint
		}
		e, hints, err := o.choose(file)
		if err != nil || e != c.want || len(hints) != 1 || hints["cb_nodes"] != "2" {
			t.Errorf("%v, %q: %v, %v, %v", c.engine, c.hint, e, hints, err)
		}
	}
	if _, _, err := (Options{Engine: 9}).choose(file); !errors.Is(err, par.ErrArgument) {
		t.Error(err)
	}
	if _, _, err := (Options{Hints: map[string]string{engineHint: "fast"}}).choose(file); err == nil {
		t.Error("an engine that does not exist")
	}
}

func TestEngineNames(t *testing.T) {
	for _, e := range []Engine{Auto, Direct, MPIIO} {
		if back, err := ParseEngine(e.String()); err != nil || back != e {
			t.Error(e, back, err)
		}
	}
	if Engine(9).String() != "engine(9)" {
		t.Error(Engine(9))
	}
}
