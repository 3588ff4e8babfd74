package drx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/state"
	"drx/nd"
)

// A Walk says how to go over an array in parts, see Array.Parts, ForEach, Reduce and Map. The
// zero value goes over all of it, chunk by chunk in the order of the file.
type Walk struct {
	// Section is what to go over; nil is the whole array.
	Section nd.Section
	// Tile holds the extents of the parts, in elements; 0 is all of a dimension. Tiles begin
	// at multiples of their extents, as chunks do, whatever the bounds: those at the ends of
	// the section may be smaller. They come in the order of their indices. A nil Tile is
	// chunks in the order of the file; chunks in the order of their indices are the tiles
	// of shape Array.ChunkShape.
	Tile []int
	// Order is that of the elements of a part in memory, and that of tiles.
	Order nd.Order
	// Written leaves out parts of which no chunk was ever written: they hold the fill value.
	// With a nil Tile the chunks are found in the chunk table, whose holes take no time: of a
	// petabyte only what is there is looked at. Tiles are looked at one by one.
	Written bool
	// Memory bounds the bytes of the parts that ForEach, Reduce and Map have in memory, beside
	// Options.Cache; one part may always be. 0 is a quarter of Options.Cache, and 64 MiB at most.
	Memory int64
	// Progress, if not nil, is called by ForEach, Reduce and Map after each part, never twice
	// at a time, with the parts done so far, one more each time, and those to do in all, as
	// many as there were at the beginning.
	Progress func(done, total int64)
}

// A Part is what a Walk meets.
type Part struct {
	// Section is what the part holds of the section walked over, within the bounds of the
	// array at the beginning.
	Section nd.Section
	// Index is that of the chunk or the tile: in dimension d it has the elements from
	// Index[d] times its extent on.
	Index []int
	// Number is that of the chunk; -1 for tiles of another shape.
	Number axial.Number
}

// maxSpans is how many spans of written chunks a walk has in memory, 1 MiB.
const maxSpans = 1 << 16

// errEnough ends an enumeration early.
var errEnough = errors.New("enough")

// A walk is a Walk over an array as it was when the walk began: its Section is resolved.
type walk struct {
	Walk
	array *Array
	state *state.State
	store *chunkstore.Store // whose chunk numbers are those of the state
	tile  []int             // extents of the parts
	spans int               // how many of the table are in memory
}

func (a *Array) startWalk(w Walk) (*walk, error) {
	done, err := a.begin("walk", false)
	if err != nil {
		return nil, err
	}
	defer done()
	k := &walk{Walk: w, array: a, state: a.state.Load(), store: a.store, spans: maxSpans}
	k.Section, err = w.Section.Resolve(k.state.Lo, k.state.Hi)
	if err == nil {
		err = w.Order.Check(len(k.state.Lo))
	}
	if err == nil {
		err = k.setTile()
	}
	return k, a.errorf("walk", err)
}

func (k *walk) setTile() error {
	k.tile = k.state.Chunk
	if k.Tile == nil {
		return nil
	}
	k.tile = slices.Clone(k.Tile)
	for d, n := range k.tile {
		if n < 0 {
			return fmt.Errorf("dimension %d: tile extent %d is less than 0: %w", d, n, ErrBounds)
		}
	}
	return nd.CheckRank("tile extents", len(k.tile), len(k.Section))
}

func (k *walk) eachTile(f func(Part) error) error {
	sec, index := make(nd.Section, len(k.tile)), make([]int, len(k.tile))
	for d, r := range k.Section {
		sec[d], index[d] = k.cut(d, r.Lo)
	}
	isChunk := slices.Equal(k.tile, k.state.Chunk)
	for more := true; more; more = k.next(sec, index) {
		p := Part{slices.Clone(sec), slices.Clone(index), -1}
		if isChunk {
			p.Number, _ = k.state.Grid.Number(index)
		}
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

// next goes on to the next tile and reports whether there is one.
func (k *walk) next(sec nd.Section, index []int) bool {
	for _, d := range slices.Backward(k.Order.Dims(len(sec))) {
		r, last := k.Section[d], sec[d].Hi-1
		if r.Step < r.Hi-last {
			sec[d], index[d] = k.cut(d, last+r.Step)
			return true
		}
		sec[d], index[d] = k.cut(d, r.Lo)
	}
	return false
}

// cut returns what the section has of dimension d from index x, which is one of it, to the end
// of the tile that x lies in, and the index of this tile.
func (k *walk) cut(d, x int) (nd.Range, int) {
	r, extent, tile := k.Section[d], k.tile[d], 0
	n := nd.Range{Lo: x, Hi: r.Hi, Step: r.Step}.Len()
	if extent > 0 {
		tile = nd.FloorDiv(x, extent)
		n = min(n, (extent-1-(x-tile*extent))/r.Step+1)
	}
	cut := nd.Span(x, x+(n-1)*r.Step+1)
	if n > 1 && r.Step > 1 {
		cut.Step = r.Step
	}
	return cut, tile
}

// chunk returns the part in the chunk with a number and an index, and false if there is none.
func (k *walk) chunk(q axial.Number, index []int) (Part, bool) {
	p := Part{make(nd.Section, len(index)), index, q}
	for d, r := range k.Section {
		x := r.Lo
		if from := index[d] * k.tile[d]; from > x {
			x += ((from-x-1)/r.Step + 1) * r.Step
		}
		if x >= r.Hi || nd.FloorDiv(x, k.tile[d]) != index[d] {
			return Part{}, false
		}
		p.Section[d], _ = k.cut(d, x)
	}
	return p, true
}

// count returns the number of parts, whether written or not.
func (k *walk) count() int64 {
	counts := make([]int, len(k.Section))
	for d, r := range k.Section {
		n, extent := r.Len(), k.tile[d]
		if n > 0 && extent == 0 {
			n = 1
		} else if n > 0 && r.Step < extent {
			n = nd.FloorDiv(r.Lo+(n-1)*r.Step, extent) - nd.FloorDiv(r.Lo, extent) + 1
		}
		counts[d] = n
	}
	n, err := nd.Product(counts...)
	if err != nil {
		return math.MaxInt64
	}
	return int64(n)
}
