package endmember

import (
	"context"

	"drx/hyper/endmember/search"
	"drx/hyper/option"
	"drx/hyper/scene"
)

// ATGP is the automatic target generation process (H. Ren, C.-I. Chang, IEEE Trans. Aerospace and
// Electronic Systems 39, 2003): the first endmember is the longest pixel x; each next one has the
// largest |P x|^2, where P projects onto the complement of the span of the endmembers so far. One
// pass over the cube per endmember.
type ATGP struct {
	Options
	State
	// Steps are the endmembers in the order in which they were found.
	Steps []Step `json:"steps,omitempty"`
}

var atgp = register(Kind{
	Choice: option.Choice{Name: "atgp", Help: "each the pixel with the largest part that those before do not explain"},
	New:    func() Method { return &ATGP{} },
})

// Kind describes ATGP.
func (a *ATGP) Kind() *Kind { return atgp }

// OwnOptions returns none.
func (a *ATGP) OwnOptions() []option.Option { return nil }

// Fresh returns an ATGP without a result.
func (a *ATGP) Fresh(o Options) Method { return &ATGP{Options: o} }

// Update finds the endmembers; see Method.
func (a *ATGP) Update(ctx context.Context, cube *scene.Cube, changed scene.Block) error {
	return grow(ctx, cube, changed, a.Options, &a.State, &a.Steps, 0, search.Span)
}

// SGA is the simplex growing algorithm (C.-I. Chang, C.-C. Wu, W. Liu, Y.-C. Ouyang, IEEE Trans.
// Geoscience and Remote Sensing 44, 2006). Each endmember gives the largest simplex with the
// endmembers so far. The volume of a simplex is base times height, so it is the pixel farthest from
// their affine hull, and needs no determinant in a reduced space. The first endmember is the
// longest pixel. One pass over the cube per endmember.
type SGA struct {
	Options
	State
	// Steps are the endmembers in the order in which they were found.
	Steps []Step `json:"steps,omitempty"`
}

var sga = register(Kind{
	Choice: option.Choice{Name: "sga", Help: "each the pixel farthest from the simplex of those before"},
	New:    func() Method { return &SGA{} },
})

// Kind describes SGA.
func (s *SGA) Kind() *Kind { return sga }

// OwnOptions returns none.
func (s *SGA) OwnOptions() []option.Option { return nil }

// Fresh returns an SGA without a result.
func (s *SGA) Fresh(o Options) Method { return &SGA{Options: o} }

// Update finds the endmembers; see Method.
func (s *SGA) Update(ctx context.Context, cube *scene.Cube, changed scene.Block) error {
	return grow(ctx, cube, changed, s.Options, &s.State, &s.Steps, 1, search.Affine)
}

// grow is the Update of ATGP and SGA, which differ in the hull.
func grow(ctx context.Context, cube *scene.Cube, changed scene.Block, o Options, state *State, steps *[]Step, more int, hull func([][]float64) (*search.Hull, bool)) error {
	space, err := state.begin(cube, o, more)
	if err != nil {
		return err
	}
	found, err := newGreedy(space, o.Count, hull).update(ctx, *steps, changed)
	if err != nil {
		return err
	}
	if err := state.end(ctx, cube, pixels(found)); err != nil {
		return err
	}
	*steps = found
	return nil
}
