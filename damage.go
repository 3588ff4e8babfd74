package drx

import (
	"encoding/json"

	"drx/axial"
	"drx/nd"
)

// Damage is a chunk that does not hold what was written to it, as Verify and Recover find it. As JSON it
// is an object of number, chunk, section and reason, the last two as text.
type Damage struct {
	Number     axial.Number
	ChunkIndex []int      // nil if it is not in the chunk grid
	Section    nd.Section // its elements within the bounds; nil if there are none
	Err        error      // wraps ErrCorrupt, or is what the file system said
}

// MarshalJSON encodes the damage as the comment of the type says.
func (d Damage) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Number  axial.Number `json:"number"`
		Chunk   []int        `json:"chunk"`
		Section string       `json:"section"`
		Reason  string       `json:"reason"`
	}{d.Number, d.ChunkIndex, d.Section.String(), d.Err.Error()})
}

// damage returns the damage of a chunk that belongs to the array's present state.
func (a *Array) damage(q axial.Number, err error) Damage {
	d := Damage{Number: q, Err: err}
	c := newClip(a.now())
	if !a.Grid().Index(q, c.index) {
		return d
	}
	d.ChunkIndex = c.index
	if c.locate(); !c.outside() {
		d.Section = c.section()
	}
	return d
}
