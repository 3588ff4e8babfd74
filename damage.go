package drx

import (
	"encoding/json"

	"drx/axial"
	"drx/nd"
)

// A Damage is a chunk that does not hold what was written to it, as found by Verify or Recover. Its JSON is an
// object with number, chunk, section and reason; section and reason are strings.
type Damage struct {
	Number     axial.Number
	ChunkIndex []int      // nil if the chunk is not in the chunk grid
	Section    nd.Section // the chunk's elements within the bounds; nil if there are none
	Err        error      // wraps ErrCorrupt, or is the file system's
}

// MarshalJSON implements json.Marshaler. The type's comment describes the result.
func (d Damage) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Number  axial.Number `json:"number"`
		Chunk   []int        `json:"chunk"`
		Section string       `json:"section"`
		Reason  string       `json:"reason"`
	}{d.Number, d.ChunkIndex, d.Section.String(), d.Err.Error()})
}

// damage returns the Damage of chunk q in the array's present state.
func (a *Array) damage(q axial.Number, err error) Damage {
	d := Damage{Number: q, Err: err}
	c := newClip(a.now())
	if !a.Grid().Index(q, c.index) {
		return d
	}
	d.ChunkIndex = c.index
	if c.clipChunk(); !c.outside() {
		d.Section = c.section()
	}
	return d
}
