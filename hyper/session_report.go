package hyper

import (
	"drx/hyper/endmember"
	"drx/hyper/scene"
)

// A Standing says how a result that was kept relates to a batch run over the scene as it is.
type Standing string

// The standings.
const (
	// EqualToBatch: the same bits.
	EqualToBatch Standing = "equal to batch"
	// EqualButEdges: the same bits, but the values of so many lines and samples at the edges change when the scene grows there.
	EqualButEdges Standing = "equal to batch, edges change with growth"
	// FixedPoint: a simplex that no pixel of the scene enlarges, but perhaps another one than a batch run finds. Session.Restart returns the ratio
	// of the volumes.
	FixedPoint Standing = "fixed point"
	// Provisional: a result of the method that depends on the history of the scene.
	Provisional Standing = "provisional"
	// NoResult: see Result.Problem.
	NoResult Standing = "no result"
)

// A Result says how one result stands.
type Result struct {
	Name     string   `json:"name"` // statistics, abundances, or the method of a search
	Standing Standing `json:"standing"`
	// Edge is how many lines and samples from an edge growth changes values: of the indices of amee, and of means of neighbours.
	Edge int `json:"edge,omitempty"`
	// Rereads says that the whole scene was read, as the result has no state that can be brought up to date.
	Rereads bool   `json:"rereads,omitempty"`
	Note    string `json:"note,omitempty"`
	Problem string `json:"problem,omitempty"` // why there is no result
}

// A Report says what an update has done.
type Report struct {
	Update  int    `json:"update"`  // its number in the state
	Lines   [2]int `json:"lines"`   // bounds of the cube
	Samples [2]int `json:"samples"` // bounds of the cube
	Bands   []int  `json:"bands"`   // numbers of the bands that are used
	Pixels  int64  `json:"pixels"`  // that are used
	// Changed are the pixels that are new or have other values than at the update before, mostly whole tiles; none if nothing has changed.
	Changed []scene.Block `json:"-"`
	Read    int64         `json:"read"` // bytes of the cube that this proc has read, what was read twice counted twice
	Results []Result      `json:"results"`
}

// result says how a search stands.
func (x Search) result(f keptSearch) Result {
	r := Result{Name: x.name(), Standing: EqualToBatch, Problem: f.problem, Edge: max(1, x.Mean) / 2}
	if r.Edge > 0 {
		r.Standing = EqualButEdges
	}
	if f.problem != "" || f.method == nil {
		r.Standing, r.Edge = NoResult, 0
		return r
	}
	r.Rereads = x.beginsAnew()
	switch m := f.method.(type) {
	case endmember.Certifier:
		r.Standing, r.Note = FixedPoint, "no pixel enlarges the simplex"
		if !m.Certified().Holds() {
			r.Standing, r.Note = Provisional, "the certificate does not hold"
		}
		if r.Rereads {
			r.Standing = EqualToBatch
		}
	case endmember.Edged:
		r.Standing, r.Edge = EqualButEdges, r.Edge+m.Reach()
	}
	return r
}
