package hyper

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"drx"
	"drx/dtype"
	"drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/hyper/unmix"
	"drx/nd"
)

// Abundances configures an array of abundances, with the dimensions line, sample and endmember,
// which grows and shrinks with the cube. Abundances of fixed spectra are computed only for new
// pixels. If the spectra come from a search, all pixels are computed again whenever the endmembers
// change.
type Abundances struct {
	Name    string // of the array, which is created if it does not exist
	Method  *unmix.Method
	Spectra [][]float64 // with the bands of the cube; nil means the endmembers of the first search
	Names   []string    // of the spectra, for the attribute endmembers; may be nil
	DType   dtype.DType // of the elements, Float32 or Float64; the zero value means Float32
}

// made is the attribute of the array that has the mark of the update that wrote it. The state has
// the same mark.
const made = "session"

// newMark returns a unique mark for an update. The number alone is not unique: an update with the
// same number may have been killed before its commit, and have written abundances of other values.
func newMark(update int) string { return fmt.Sprintf("update %d, %016x", update, rand.Uint64()) }

// unmix updates the abundances, durably, for the update whose head is next.
func (s *Session) unmix(ctx context.Context, cube *scene.Cube, next *head, parts []scene.Block, r *Report) error {
	o := s.o.Abundances
	next.Key, next.Mark = "", ""
	if o == nil {
		return nil
	}
	solver, problem := s.solver(cube)
	if problem != nil {
		r.Results = append(r.Results, Result{Name: "abundances", Standing: NoResult, Problem: problem.Error()})
		return nil
	}
	next.Key, next.Mark = checksumOf(o.Method.String(), s.spectra()), newMark(next.Update)
	var sink *array.Sink
	var a *drx.Array
	var err error
	whole := true
	if s.writes() {
		if a, sink, err = s.abundances(cube.Bounds(), solver.Endmembers()); err == nil {
			var mark string
			_, err = a.Attr(made, &mark)
			whole = next.Key != s.head.Key || mark != s.head.Mark
		}
	}
	if whole, err = s.agreed(whole, err); err == nil {
		if whole {
			parts = []scene.Block{cube.Bounds()}
		}
		if err = s.solve(ctx, cube, solver, parts, sink); err == nil && a != nil {
			err = s.finish(a, *next)
		}
	}
	if a != nil {
		err = errors.Join(err, a.Discard())
	}
	if err != nil {
		return err
	}
	r.Results = append(r.Results, Result{Name: "abundances", Standing: EqualToBatch, Rereads: whole && s.head.Update > 0})
	return s.reached("after the abundances")
}

// spectra returns the spectra whose abundances are kept, or nil if none are.
func (s *Session) spectra() [][]float64 {
	if o := s.o.Abundances; o.Spectra != nil {
		return o.Spectra
	}
	if len(s.found) == 0 || s.found[0].method == nil {
		return nil
	}
	var list [][]float64
	for _, e := range s.found[0].method.Endmembers() {
		list = append(list, e.Spectrum)
	}
	return list
}

// solver returns the solver for the spectra. If there is none, the error is the reason.
func (s *Session) solver(cube *scene.Cube) (*unmix.Solver, error) {
	list := s.spectra()
	if list == nil {
		if len(s.found) == 0 {
			return nil, errors.New("abundances need spectra, or a search that finds them")
		}
		return nil, fmt.Errorf("no endmembers: %s", s.found[0].problem)
	}
	if len(list[0]) != cube.Bands() {
		return nil, fmt.Errorf("the endmembers have %d bands, the cube %d", len(list[0]), cube.Bands())
	}
	return unmix.New(s.o.Abundances.Method, list)
}

// agreed sends the results of proc 0 to all procs.
func (s *Session) agreed(whole bool, err error) (bool, error) {
	if s.o.Comm == nil {
		return whole, err
	}
	if err := s.agree("abundances", err); err != nil {
		return whole, err
	}
	said := []byte{0}
	if whole {
		said[0] = 1
	}
	all, err := s.o.Comm.AllGather(said)
	if err != nil {
		return whole, err
	}
	return all[0][0] == 1, nil
}

// abundances opens or creates the array of the abundances, and sets its bounds to those of the
// cube.
func (s *Session) abundances(b scene.Block, values int) (*drx.Array, *array.Sink, error) {
	o := s.o.Abundances
	t := o.DType
	if t == 0 {
		t = dtype.Float32
	}
	opts := drx.Options{Write: true}
	exists, err := drx.Exists(o.Name)
	if err != nil {
		return nil, nil, err
	}
	if !exists {
		a, err := drx.Create(o.Name, drx.Spec{
			DType: t, Shape: []int{b.Lines(), b.Samples(), values}, Lo: []int{b.Lo.Line, b.Lo.Sample, 0}, Dims: []string{"line", "sample", "endmember"},
			FillValue: "NaN", Attrs: map[string]any{made: "nothing yet"}, Options: opts,
		})
		if err != nil {
			return nil, nil, err
		}
		return sinkOf(a)
	}
	a, err := drx.Open(o.Name, opts)
	if err != nil {
		return nil, nil, err
	}
	var mark string
	if ok, err := a.Attr(made, &mark); !ok || err != nil || a.Rank() != 3 || a.Shape()[2] != values || a.DType() != t {
		err := fmt.Errorf("%s: this array is not one of the abundances of %d endmembers that a session keeps as %s: give another name, or remove it", o.Name, values, t)
		return nil, nil, errors.Join(err, a.Close())
	}
	if err := fit(a, b); err != nil {
		return nil, nil, errors.Join(err, a.Discard())
	}
	return sinkOf(a)
}

// sinkOf returns a sink for an array of abundances. If that fails it closes the array.
func sinkOf(a *drx.Array) (*drx.Array, *array.Sink, error) {
	sink, err := array.NewSink(a, nd.Order{0, 1, 2})
	if err != nil {
		return nil, nil, errors.Join(err, a.Discard())
	}
	return a, sink, nil
}

// fit extends, then shrinks, the lines and samples of an array to those of a block.
func fit(a *drx.Array, b scene.Block) error {
	for d, want := range []nd.Range{nd.Span(b.Lo.Line, b.Hi.Line), nd.Span(b.Lo.Sample, b.Hi.Sample)} {
		has := a.Bounds()[d]
		for _, step := range []struct {
			by int
			f  func(dim, by int) error
		}{
			{has.Lo - want.Lo, func(d, n int) error { _, err := a.ExtendLow(d, n); return err }},
			{want.Hi - has.Hi, func(d, n int) error { _, err := a.Extend(d, n); return err }},
			{want.Lo - has.Lo, a.ShrinkLow},
			{has.Hi - want.Hi, a.Shrink},
		} {
			if step.by > 0 {
				if err := step.f(d, step.by); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// finish marks the abundances with their update, and makes them durable.
func (s *Session) finish(a *drx.Array, next head) error {
	attrs := map[string]any{made: next.Mark, "method": s.o.Abundances.Method.String()}
	if s.o.Abundances.Names != nil {
		attrs["endmembers"] = s.o.Abundances.Names
	}
	for name, v := range attrs {
		if err := a.SetAttr(name, v); err != nil {
			return err
		}
	}
	return a.Sync()
}

// solve computes the abundances of the pixels of the blocks parts.
func (s *Session) solve(ctx context.Context, cube *scene.Cube, solver *unmix.Solver, parts []scene.Block, sink scene.Sink) error {
	if s.o.Comm != nil {
		return s.solveByProcs(ctx, cube, solver, parts, sink)
	}
	for _, b := range parts {
		if _, err := solver.Cube(ctx, cube, b, sink, nil); err != nil {
			return err
		}
	}
	return nil
}

// tilesPerProc is the largest number of tiles that each proc solves before it sends their
// abundances to proc 0, which limits the memory for them.
const tilesPerProc = 4

// solveByProcs is solve for several procs: each solves a run of adjacent tiles, and proc 0 writes.
func (s *Session) solveByProcs(ctx context.Context, cube *scene.Cube, solver *unmix.Solver, parts []scene.Block, sink scene.Sink) error {
	var tiles []scene.Block
	most := tilesPerProc * s.o.Comm.Procs()
	for _, b := range parts {
		for t := range scene.Tiles(b) {
			if len(tiles) == most {
				if err := s.solveTiles(ctx, cube, solver, tiles, sink); err != nil {
					return err
				}
				tiles = tiles[:0]
			}
			tiles = append(tiles, t)
		}
	}
	return s.solveTiles(ctx, cube, solver, tiles, sink)
}

func (s *Session) solveTiles(ctx context.Context, cube *scene.Cube, solver *unmix.Solver, tiles []scene.Block, sink scene.Sink) error {
	lo, hi := cube.Share(len(tiles))
	mine := &pieces{values: solver.Endmembers()}
	var err error
	for _, b := range joined(tiles[lo:hi]) {
		if err == nil {
			_, err = solver.Cube(ctx, cube, b, mine, nil)
		}
	}
	var data bytes.Buffer
	if err == nil {
		err = gob.NewEncoder(&data).Encode(mine.list)
	}
	if err := s.agree("abundances of tiles", err); err != nil {
		return err
	}
	all, err := s.o.Comm.Gather(data.Bytes(), 0)
	if err != nil {
		return err
	}
	for _, data := range all {
		var list []piece
		err = errors.Join(err, gob.NewDecoder(bytes.NewReader(data)).Decode(&list))
		for _, p := range list {
			err = errors.Join(err, sink.Write(ctx, p.Block, p.Values))
		}
	}
	return s.agree("abundances written", err)
}

// A piece has the abundances of a block.
type piece struct {
	Block  scene.Block
	Values []float64
}

// pieces is a sink that collects blocks of abundances for sending.
type pieces struct {
	values int // of each pixel
	list   []piece
}

// Values returns the number of values of each pixel.
func (p *pieces) Values() int { return p.values }

// Write appends the values of a block. It returns no errors.
func (p *pieces) Write(_ context.Context, b scene.Block, values []float64) error {
	p.list = append(p.list, piece{b, slices.Clone(values)})
	return nil
}
