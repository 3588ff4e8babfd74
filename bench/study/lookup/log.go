package lookup

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"drx/axial"
)

// ErrLog is returned for records that cannot be the history of an array.
var ErrLog = errors.New("not a history of expansions")

// all walks the records of every dimension and side, sentinels included.
func (m *Map) all() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		for d := range m.axes {
			for _, x := range [2]Index{m.axes[d].high, m.axes[d].low} {
				for r := range x.All() {
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}

// Log returns the records in the order of their history, without the sentinels. This is what a
// file has to store. The records share Factor and Lo with the map.
func (m *Map) Log() []Record {
	var log []Record
	for r := range m.all() {
		if r.Seq >= 0 {
			log = append(log, *r)
		}
	}
	slices.SortFunc(log, func(a, b Record) int { return a.Seq - b.Seq })
	return log
}

// Rebuild returns the map with bounds [lo, hi) and the given log over structures made by
// newIndex. It inserts the records one by one. It returns an error wrapping ErrLog if the
// log is not a history of that many dimensions, and the errors of axial.New and Index.Insert.
func Rebuild(newIndex func() Index, lo, hi []int, log []Record) (*Map, error) {
	if _, err := axial.New(lo, hi); err != nil {
		return nil, err
	}
	m := &Map{make: newIndex, chunks: axial.Number(volume(lo, hi))}
	if err := checkLog(len(lo), m.chunks, log); err != nil {
		return nil, err
	}
	first := log[0].Lo
	for d := range lo {
		origin := 0 // for a dimension added later
		if d < len(first) {
			origin = first[d]
		}
		if err := m.addAxis(origin, hi[d]); err != nil {
			return nil, err
		}
	}
	m.lo, m.hi = slices.Clone(lo), slices.Clone(hi)
	for _, r := range log {
		if err := m.insert(r); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// checkLog checks each record and its relation to the next, so that no later step can fail. Only
// the check that numbers ascend with keys is left to Index.Insert.
func checkLog(rank int, chunks axial.Number, log []Record) error {
	// If the initial allocation had no chunks, another record may have replaced its own.
	if len(log) == 0 || log[0].Number != 0 || log[0].Seq < 0 {
		return fmt.Errorf("no record of the first chunks: %w", ErrLog)
	}
	known := 1 // dimensions
	for s := range log {
		r := &log[s]
		k, end := len(r.Factor), chunks
		if s+1 < len(log) {
			end = log[s+1].Number
		}
		switch {
		case r.Dim < 0 || r.Dim >= k || k < known || k > rank || len(r.Lo) != k:
			return fmt.Errorf("record %d: dimension %d of %d, %d low bounds, in a history of %d dimensions: %w",
				s, r.Dim, k, len(r.Lo), rank, ErrLog)
		case r.Number > end || s > 0 && r.Seq <= log[s-1].Seq:
			return fmt.Errorf("record %d: number %d above %d, or place %d out of order: %w", s, r.Number, end, r.Seq, ErrLog)
		case r.Number < end && slices.Contains(r.Factor, 0):
			return fmt.Errorf("record %d: %d chunks with coefficients %v: %w", s, end-r.Number, r.Factor, ErrLog)
		}
		known = k
	}
	return nil
}
