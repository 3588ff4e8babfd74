package result

import (
	"slices"

	"drx"
)

// A Change is a change as JSON, on which other programs rely.
type Change struct {
	Commit int            `json:"commit"`
	Kind   drx.ChangeKind `json:"kind"`
	Dim    *int           `json:"dim,omitempty"`   // extended, shrunk or added
	By     int            `json:"by,omitempty"`    // elements extended or shrunk by
	Side   string         `json:"side,omitempty"`  // extended or shrunk on
	Attrs  []string       `json:"attrs,omitempty"` // set or deleted
	Codec  string         `json:"codec,omitempty"` // of a recompression
	Shape  []int          `json:"shape"`           // the shape and the bounds after the change
	Lo     []int          `json:"lo"`
	Hi     []int          `json:"hi"`
}

// NewChange describes a change.
func NewChange(c drx.Change) Change {
	i := Change{Commit: c.Commit, Kind: c.Kind, By: c.By, Codec: c.Codec, Shape: c.Bounds.Shape()}
	i.Lo, i.Hi = c.Bounds.Bounds()
	switch c.Kind {
	case drx.Extended, drx.Shrunk:
		i.Dim, i.Side = &c.Dim, "high"
		if c.Low {
			i.Side = "low"
		}
	case drx.AddedDim, drx.Renamed:
		i.Dim = &c.Dim
	case drx.Attrs:
		i.Attrs = slices.Sorted(slices.Values(c.Names))
	}
	return i
}
