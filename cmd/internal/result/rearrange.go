package result

import "drx/dataset"

// A RearrangedVar is a variable of a copy with other indices.
type RearrangedVar struct {
	Name    string `json:"name"`
	Shape   []int  `json:"shape"`
	Bytes   int64  `json:"bytes"`
	Changes bool   `json:"changes"` // it has the dimension
}

// A Rearrangement describes a copy without some indices of a dimension, or with them in another
// order.
type Rearrangement struct {
	Name      string          `json:"name"`
	State     string          `json:"state"` // Copied or Planned
	Dim       string          `json:"dim"`
	Extent    [2]int          `json:"extent"` // before and after
	Variables []RearrangedVar `json:"variables"`
}

// NewRearrangement describes the copy that r makes of the name to.
func NewRearrangement(to, state string, r *dataset.Rearranger) Rearrangement {
	described := Rearrangement{to, state, r.Dim, r.Extent, make([]RearrangedVar, len(r.Variables))}
	for i, v := range r.Variables {
		described.Variables[i] = RearrangedVar(v)
	}
	return described
}
