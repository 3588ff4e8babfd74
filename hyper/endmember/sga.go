package endmember

import (
	"context"

	"drx/hyper/endmember/search"
	"drx/hyper/option"
	"drx/hyper/scene"
)

// SGA is the simplex growing algorithm (C.-I. Chang, C.-C. Wu, W. Liu, Y.-C. Ouyang, IEEE Trans.
// Geoscience and Remote Sensing 44, 2006). Each new endmember gives the largest simplex with the
// earlier ones. The volume of a simplex is base times height, so the new one is the pixel farthest
// from the affine hull of the others, which needs no determinant in a reduced space. The first
// endmember is the longest pixel. It makes one pass over the cube per endmember.
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
