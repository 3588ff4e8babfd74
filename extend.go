package drx

import (
	"fmt"
	"slices"

	"drx/internal/meta"
	"drx/nd"
)

// A Growth modifies Extend.
type Growth uint8

// The ways to grow. High and Low exclude each other; High is the default.
const (
	// High adds indices above the highest.
	High Growth = iota
	// Low adds indices below the lowest: the new ones are, in the end, negative. Every
	// element keeps its index.
	Low
	// Cubical goes on, after the extension, to extend the other dimensions on the same
	// side, in turn and by a chunk's extent at most, until all extents are equal (Nimako's
	// thesis, section 5.3).
	Cubical
)

// Extend grows dimension dim by so many elements and returns the section that is new: all
// of the other dimensions, in their present bounds. (With Cubical the other dimensions
// have grown too; the section is then the whole slab of the new indices of dim.) No data
// is written: the new elements read as the fill value. The extension becomes durable with
// Sync. The error wraps ErrRank for a dimension that does not exist, ErrBounds when by is
// less than one or for a Growth that does not exist, ErrOverflow when the array would no
// longer fit 64 bits, ErrReadOnly or ErrClosed; the array is unchanged then.
func (a *Array) Extend(dim, by int, how ...Growth) (nd.Section, error) {
	op := fmt.Sprintf("extend dimension %d by %d", dim, by)
	done, err := a.begin(op, true)
	if err != nil {
		return nil, err
	}
	defer done()
	low, cubical, err := growths(how, Cubical)
	if err != nil {
		return nil, a.errorf(op, err)
	}
	if err := a.lockChunks(); err != nil {
		return nil, a.errorf(op, err)
	}
	defer a.commit.RUnlock()
	a.grow.Lock()
	defer a.grow.Unlock()
	if err := a.alone(); err != nil {
		return nil, a.errorf(op, err)
	}
	before := a.state.Load()
	records := []meta.Record{{Extend: &meta.Extend{Dim: dim, By: by, Low: low}}}
	if cubical {
		padding, err := padding(before, dim, by, low)
		if err != nil {
			return nil, a.errorf(op, err)
		}
		records = append(records, padding...)
	}
	if err := a.apply(records); err != nil {
		return nil, a.errorf(op, err)
	}
	after := a.state.Load()
	added := nd.Box(after.Lo, after.Hi)
	if low {
		added[dim].Hi = before.Lo[dim]
	} else {
		added[dim].Lo = before.Hi[dim]
	}
	return added, nil
}

// growths reads the ways to grow, or to shrink, of which most is the last that is allowed. The
// error wraps ErrBounds for another one, and for High together with Low.
func growths(how []Growth, most Growth) (low, cubical bool, err error) {
	var given [Cubical + 1]bool
	for _, h := range how {
		if h > most {
			return false, false, fmt.Errorf("growth %d is not one of 0 to %d: %w", h, most, ErrBounds)
		}
		given[h] = true
	}
	if given[High] && given[Low] {
		return false, false, fmt.Errorf("growth is both on the high side and on the low one: %w", ErrBounds)
	}
	return given[Low], given[Cubical], nil
}

// maxPadding limits the steps of one cubical extension: each may be a record of its own.
const maxPadding = 1 << 20

// padding returns the extensions that make the array cubical once dimension dim has grown
// by by: cyclically over the other dimensions, a chunk's extent at a time.
func padding(s *meta.State, dim, by int, low bool) ([]meta.Record, error) {
	if dim < 0 || dim >= len(s.Lo) || by < 1 {
		return nil, nil // the extension itself will be refused
	}
	shape := nd.Shape(s.Lo, s.Hi)
	var ok bool
	if shape[dim], ok = nd.Add(shape[dim], by); !ok {
		return nil, nil
	}
	edge, steps := slices.Max(shape), 0
	for d, n := range shape {
		steps += (edge - n) / s.Chunk[d]
		if steps > maxPadding {
			return nil, fmt.Errorf("cubical padding of %v to extents of %d takes more than %d steps: %w", shape, edge, maxPadding, ErrOverflow)
		}
	}
	var records []meta.Record
	for padded := true; padded; {
		padded = false
		for i := range shape {
			d := (dim + 1 + i) % len(shape)
			if step := min(s.Chunk[d], edge-shape[d]); step > 0 {
				records = append(records, meta.Record{Extend: &meta.Extend{Dim: d, By: step, Low: low}})
				shape[d] += step
				padded = true
			}
		}
	}
	return records, nil
}

// AddDim adds a dimension, the last, of extent one and with the given name, which may be
// empty. Every element keeps its place and gets index 0 in the new dimension, which can
// then be extended like any other. It returns the number of the dimension. The error wraps
// ErrRank when there are nd.MaxRank dimensions already or the name is taken.
func (a *Array) AddDim(name string) (int, error) {
	op := "add dimension " + name
	if err := a.change(op, meta.Record{AddDim: &meta.AddDim{Name: name}}); err != nil {
		return 0, err
	}
	return a.Rank() - 1, nil
}
