package main

import (
	"encoding/json"
	"errors"
	"io/fs"

	"drx"
	"drx/apps/lbm/cavity"
	"drx/apps/lbm/d2q9"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// A simulation is one proc's part of the computation of a plate. The plate is open for reading
// only, so that another program may extend it while this one computes.
type simulation struct {
	*options
	c     par.Comm
	plate *drxmp.Array
	// now is what a step reads, of this proc and its neighbours, and next what it writes
	now, next *drxmp.GlobalArray[float64]
	halo      [2][]float64 // rows of the neighbours, below and above
	kernel    d2q9.Kernel
	state
	committed state // the state in the plate
}

// stateAttr is the attribute of the plate that has the state, committed with the populations.
const stateAttr = "state"

// A state says how far the flow on a plate is.
type state struct {
	Step int
	// the largest change of a velocity between the last two snapshots, in speeds of the lid
	Change float64
	// bounds of the plate at the last snapshot: if the plate has others now, Change is of no use
	Nodes string
}

// distributed gives each proc some whole rows; its neighbours need the first and the last one. y is
// the number of the dimension of rows.
func distributed(c par.Comm, y int, write bool) drxmp.Options {
	grid := []int{1, 1, 1, 1}[:y+3]
	grid[y] = c.Procs()
	return drxmp.Options{Options: drx.Options{Write: write}, Distribution: drxmp.Distribution{Grid: grid}}
}

// run computes from the last commit to the last step, or until the flow is steady.
func (o *options) run(c par.Comm) error {
	s := &simulation{options: o, c: c}
	err := s.open()
	for err == nil && s.Step < o.steps && !s.isSteady() {
		for end := s.nextCommit(); err == nil && s.Step < end; {
			err = s.advance()
		}
		if err == nil {
			err = s.commit()
		}
	}
	if s.now != nil {
		err = errors.Join(err, s.now.Close())
	}
	if s.next != nil {
		err = errors.Join(err, s.next.Close())
	}
	if s.plate != nil {
		err = errors.Join(err, s.plate.Close())
	}
	return err
}

// isSteady reports whether -steady ends the program: nothing changes any more, and the plate has
// not grown since that was measured.
func (s *simulation) isSteady() bool {
	return s.steady > 0 && s.Change <= s.steady && s.Nodes == s.nodes()
}

// nodes returns the bounds of the plate, y and x, as text.
func (s *simulation) nodes() string { return s.now.Decomposition().Bounds()[:2].String() }

// open opens or creates the plate, and reads the populations of the last commit.
func (s *simulation) open() (err error) {
	s.plate, err = drxmp.Open(s.c, s.options.plate, distributed(s.c, 0, false))
	if errors.Is(err, fs.ErrNotExist) {
		s.plate, err = s.create()
	}
	if err == nil {
		s.now, err = drxmp.NewGlobalArray[float64](s.plate)
	}
	if err == nil {
		s.next, err = drxmp.NewGlobalArray[float64](s.plate)
	}
	if err != nil {
		return err
	}
	attrs, asked := s.plate.Attrs(), s.Flow
	if s.Flow, err = cavity.FlowOf(s.options.plate, attrs); err != nil {
		return err
	}
	if err := s.Flow.CheckGiven(s.options.plate, asked, s.given); err != nil {
		return err
	}
	s.kernel = d2q9.Kernel{Collide: d2q9.MRT(s.Viscosity), Lid: s.Lid}
	if s.Collision == "bgk" {
		s.kernel.Collide = d2q9.BGK(s.Viscosity)
	}
	if s.state, err = stateOf(s.plate); err == nil {
		s.committed = s.state
		err = s.checkSnapshots()
	}
	switch {
	case err != nil:
		return err
	case s.Step > 0:
		return s.now.Load()
	case s.From != "":
		return s.begin()
	}
	return nil // zeros: a fluid at rest
}

// stateOf returns the state that a plate has, all zeros if it has none yet.
func stateOf(a *drxmp.Array) (s state, err error) {
	if text, found := a.Attrs()[stateAttr]; found {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// create makes a plate. It is opened again for reading.
func (s *simulation) create() (*drxmp.Array, error) {
	if err := s.report.CheckNew(s.Flow, s.steps, len(s.growths) > 0); err != nil {
		return nil, err
	}
	a, err := drxmp.Create(s.c, s.options.plate, drx.Spec{
		DType: dtype.Float64, Dims: []string{"y", "x", "direction"},
		Shape: []int{s.Size, s.Size, d2q9.Directions}, ChunkShape: []int{s.chunk, s.chunk, d2q9.Directions},
		Attrs: map[string]any{cavity.FlowAttr: s.Flow},
	}, distributed(s.c, 0, true))
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		return nil, err
	}
	return drxmp.Open(s.c, s.options.plate, distributed(s.c, 0, false))
}

// begin fills the plate with the last snapshot of another one.
func (s *simulation) begin() error {
	from, err := cavity.Read(s.From, -1)
	if err != nil {
		return err
	}
	zone, all, f := s.zone(), s.now.Decomposition().Bounds(), s.now.Local()
	rows, cols := all[0].Len(), all[1].Len()
	for y := range zone[0].Len() {
		for x := range cols {
			v := from.At((float64(zone[0].Lo-all[0].Lo+y)+0.5)/float64(rows), (float64(x)+0.5)/float64(cols))
			*(*d2q9.Node)(f[(y*cols+x)*d2q9.Directions:]) = d2q9.Equilibrium(v[2]-1, v[0]*s.Lid, v[1]*s.Lid)
		}
	}
	return s.now.Fence()
}

// zone returns the section that this proc computes: all columns of some rows, or of none.
func (s *simulation) zone() nd.Section {
	for _, zone := range s.now.Zone().Sections() {
		return zone
	}
	all := s.now.Decomposition().Bounds()
	return nd.Sec(nd.Span(all[0].Lo, all[0].Lo), all[1], all[2])
}

// advance computes one step. After the fence the neighbours see the new populations, and have read
// the old ones, which the next step overwrites.
func (s *simulation) advance() error {
	zone, all := s.zone(), s.now.Decomposition().Bounds()
	width, n := zone[1].Len()*d2q9.Directions, zone[0].Len()
	below, err := s.row(&s.halo[0], n > 0 && zone[0].Lo > all[0].Lo, zone[0].Lo-1, width)
	above, err2 := s.row(&s.halo[1], n > 0 && zone[0].Hi < all[0].Hi, zone[0].Hi, width)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	s.kernel.Rows(s.next.Local(), below, s.now.Local(), above, width)
	s.now, s.next = s.next, s.now
	s.Step++
	return s.now.Fence()
}

// row copies a row of a neighbour to a halo and returns it, or nil if there is a wall instead of a
// neighbour.
func (s *simulation) row(halo *[]float64, exists bool, y, width int) ([]float64, error) {
	if !exists {
		return nil, nil
	}
	if len(*halo) != width { // the first step, or the plate has grown
		*halo = make([]float64, width)
	}
	return *halo, s.now.Get(nd.Sec(nd.At(y), nd.All, nd.All), *halo)
}
