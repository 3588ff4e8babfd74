package state

import (
	"encoding/json"
	"fmt"
	"slices"

	"drx/axial"
)

// A Summary describes a State by what it is, and not by all records that led to it: its size grows
// with the segments of the grid and the attributes. Journaled and Shared, which belong to the last
// commit, are left out.
type Summary struct {
	// Header has the present bounds, dimensions and codec.
	Header   Header                     `json:"header"`
	Grid     axial.History              `json:"grid"`
	WidestLo []int                      `json:"widestlo,omitempty"`
	WidestHi []int                      `json:"widesthi,omitempty"`
	Attrs    map[string]json.RawMessage `json:"attrs,omitempty"`
	ID       string                     `json:"id,omitempty"`
	// Recompressed says that the codec was changed at some time, and After is that of a
	// Recompression under way, otherwise 0.
	Recompressed bool  `json:"recompressed,omitempty"`
	After        int64 `json:"after,omitempty"`
}

// Summary returns the summary of a state.
func (s *State) Summary() Summary {
	h := *s.Header()
	h.Version = s.Version
	m := Summary{
		Header: h, Grid: s.Grid.History(), WidestLo: s.WidestLo, WidestHi: s.WidestHi, Attrs: s.Attrs.Map(), ID: s.ID,
		Recompressed: s.Recompressed,
	}
	if s.Recompressing != nil {
		m.After = s.Recompressing.After
	}
	return m
}

// State returns the state that a summary describes. The errors are those of a first record, or wrap
// ErrCorrupt if the parts of the summary contradict each other.
func (m Summary) State() (*State, error) {
	s, err := newState(&m.Header)
	if err != nil {
		return nil, err
	}
	if s.Grid, err = axial.FromHistory(m.Grid); err != nil {
		return nil, err
	}
	k := len(s.Lo)
	if s.Grid.Rank() != k || len(m.WidestLo) != len(m.WidestHi) || m.WidestLo != nil && len(m.WidestLo) != k {
		return nil, fmt.Errorf("%w: a summary of %d dimensions whose grid has %d", ErrCorrupt, k, s.Grid.Rank())
	}
	for d := range k {
		if lo, hi := s.ChunkRange(d); lo < hi && (lo < s.Grid.Lo()[d] || hi > s.Grid.Hi()[d]) {
			return nil, fmt.Errorf("%w: a summary whose grid has not all chunks of dimension %d", ErrCorrupt, d)
		}
	}
	if err := s.checkSize(); err != nil {
		return nil, err
	}
	s.WidestLo, s.WidestHi = slices.Clone(m.WidestLo), slices.Clone(m.WidestHi)
	s.ID, s.Recompressed = m.ID, m.Recompressed
	if len(m.Attrs) > 0 {
		s.Attrs = s.Attrs.with(m.Attrs)
	}
	if m.After > 0 {
		s.Recompressing = &Recompression{m.After}
	}
	return s, nil
}
