package hyper

import (
	"drx/hyper/endmember"
	"drx/hyper/scene"
)

// A Standing compares a kept result with a batch run over the present scene.
type Standing string

// The standings.
const (
	// EqualToBatch: the same bits as in a batch run.
	EqualToBatch Standing = "equal to batch"
	// EqualButEdges: the same bits as in a batch run, but values within Result.Edge lines and
	// samples of an edge change when the scene grows there.
	EqualButEdges Standing = "equal to batch, edges change with growth"
	// FixedPoint: no pixel of the scene enlarges the simplex, but a batch run may find another
	// simplex. Session.Restart returns the ratio of the volumes.
	FixedPoint Standing = "fixed point"
	// Provisional: the result depends on the history of the scene.
	Provisional Standing = "provisional"
	// NoResult: see Result.Problem.
	NoResult Standing = "no result"
)

// A Result describes one result.
type Result struct {
	Name     string   `json:"name"` // statistics, abundances, or the method of a search
	Standing Standing `json:"standing"`
	// Edge is the number of lines and samples next to an edge whose values change when the scene
	// grows there: for indices of AMEE, and for means of neighbours.
	Edge int `json:"edge,omitempty"`
	// Rereads is set if the whole scene was read, because the result has no state that could be
	// updated.
	Rereads bool   `json:"rereads,omitempty"`
	Note    string `json:"note,omitempty"`
	Problem string `json:"problem,omitempty"` // why there is no result
}

// A Report describes an update.
type Report struct {
	Update  int    `json:"update"`  // its number in the state
	Lines   [2]int `json:"lines"`   // bounds of the cube
	Samples [2]int `json:"samples"` // bounds of the cube
	Bands   []int  `json:"bands"`   // numbers of the used bands
	Pixels  int64  `json:"pixels"`  // number of usable pixels
	// Changed has the pixels that are new or have new values since the previous update, mostly in
	// whole tiles. It is empty if nothing has changed.
	Changed []scene.Block `json:"-"`
	// Read is the number of bytes of the cube that this proc has read, counting repeated reads.
	Read    int64    `json:"read"`
	Results []Result `json:"results"`
}

// result describes the result of a search.
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
	case endmember.EdgeSensitive:
		r.Standing, r.Edge = EqualButEdges, r.Edge+m.Reach()
	}
	return r
}
