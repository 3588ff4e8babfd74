package result

import "drx/dataset/regrid"

// A Regridding describes a new dataset with other coordinates.
type Regridding struct {
	Name      string         `json:"name"`
	Dims      []RegriddedDim `json:"dims"`
	Variables []string       `json:"variables"` // those that changed
	Notes     []string       `json:"notes"`     // about what was left out
}

// A RegriddedDim is a dimension of a Regridding that has changed.
type RegriddedDim struct {
	Name  string `json:"name"`
	From  int    `json:"from"` // its extent before
	To    int    `json:"to"`
	Wraps bool   `json:"wraps"` // longitudes were compared modulo 360
}

// NewRegridding describes the dataset of a report.
func NewRegridding(name string, r *regrid.Report) Regridding {
	made := Regridding{name, []RegriddedDim{}, r.Variables, append([]string{}, r.Notes...)}
	for _, dim := range r.Dims {
		made.Dims = append(made.Dims, RegriddedDim(dim))
	}
	return made
}
