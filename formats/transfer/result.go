package transfer

import (
	"slices"

	"drx"
)

// ImportReport describes what an import has made or grown.
type ImportReport struct {
	Name    string    `json:"name"`              // of the array, or the folder of the dataset
	Vars    []Array   `json:"variables"`         // the arrays
	Refused []Refusal `json:"refused,omitempty"` // variables of the file that were left out
	Dim     string    `json:"dim,omitempty"`     // ImportOptions.Append
	By      *int      `json:"by,omitempty"`      // new indices of this import; nil without Append
}

// An Array is an array that an import has made or grown.
type Array struct {
	Name  string   `json:"name"`
	Shape []int    `json:"shape"` // extents in elements
	Lo    []int    `json:"lo"`    // low bounds
	Hi    []int    `json:"hi"`    // high bounds, exclusive
	DType string   `json:"dtype"`
	Dims  []string `json:"dims"`            // names of the dimensions; "" for none
	Chunk []int    `json:"chunk"`           // chunk shape in elements
	Codec string   `json:"codec,omitempty"` // as drx.Spec.Codec; empty if nothing compresses chunks
}

// A Refusal is a variable that was left out.
type Refusal struct {
	Name   string `json:"name"`
	Reason string `json:"reason"` // why, and what can be done
}

// newArray describes an array.
func newArray(a *drx.Array) Array {
	lo, hi := a.Bounds().Bounds()
	codec := a.Layout().Codec
	if codec == "none" {
		codec = ""
	}
	return Array{a.Name(), a.Shape(), lo, hi, a.DType().String(), a.Dims(), a.ChunkShape(), codec}
}

// extent returns the extent of a dimension of the imported arrays.
func (m ImportReport) extent(dim string) int {
	for _, v := range m.Vars {
		if d := slices.Index(v.Dims, dim); d >= 0 {
			return v.Shape[d]
		}
	}
	return 0
}
