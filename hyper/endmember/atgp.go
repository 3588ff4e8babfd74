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
