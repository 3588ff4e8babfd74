package drxmp

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"drx"
	"drx/dtype"
	"drx/internal/group"
	"drx/parallel/par"
)

// TestChooseEngine: options override hints, and hints override the file system. The hint of drxmp
// is not passed to MPI.
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
		e, hints, err := o.chooseEngine(file)
		if err != nil || e != c.want || len(hints) != 1 || hints["cb_nodes"] != "2" {
			t.Errorf("%v, %q: %v, %v, %v", c.engine, c.hint, e, hints, err)
		}
	}
	if _, _, err := (Options{Engine: 9}).chooseEngine(file); !errors.Is(err, par.ErrArgument) {
		t.Error(err)
	}
	if _, _, err := (Options{Hints: map[string]string{engineHint: "fast"}}).chooseEngine(file); err == nil {
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

// TestPieces: the pieces for MPI-IO are the globalMap of Otoo and Rotem 2007, section IV: for proc
// 1 chunks 6 to 8 and 12 to 14, in the order of the file.
func TestPieces(t *testing.T) {
	name := filepath.Join(t.TempDir(), "figure1")
	err := par.Run(4, func(c par.Comm) error {
		spec := drx.Spec{DType: dtype.Float64, Shape: []int{2, 3}, ChunkShape: []int{2, 3}}
		a, err := Create(c, name, spec, Options{Engine: MPIIO, Distribution: Distribution{Grid: []int{2, 2}}})
		if err != nil {
			return err
		}
		for _, dim := range []int{1, 0, 0, 1, 0, 1, 0} {
			if _, err := a.Extend(dim, spec.ChunkShape[dim]); err != nil {
				return err
			}
		}
		s, err := a.selection(true, nil, make([]byte, 8*a.Zone().Len()), nil)
		if err != nil {
			return err
		}
		e := a.engine.(*mpiio)
		chunks, done, err := wholeChunks(e.WriteMoves, s.reads(), func([]group.Move) (bool, error) { return true, nil })
		if err != nil {
			return err
		}
		all := e.pieces(chunks, make([]byte, len(chunks)*48))
		done()
		if c.Proc() == 1 && (len(all) != 2 || all[0].Off != 6*48 || all[1].Off != 12*48 || len(all[0].Data) != 144 || len(all[1].Data) != 144) {
			return fmt.Errorf("pieces %v", all)
		}
		return a.Close()
	})
	if err != nil {
		t.Error(err)
	}
}
