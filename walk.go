package drx

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/errkind"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

// A Walk divides an array, or a section of it, into parts, see Array.Parts, ForEach, Reduce and
// Map. The zero value visits the chunks of the whole array in the order of the file.
type Walk struct {
	// Section is the section to divide; nil means the whole array.
	Section nd.Section
	// Tile has the extents of the parts, in elements, one per dimension; 0 means all of a
	// dimension. Tiles begin at multiples of their extents, as chunks do, so that those at the ends
	// of the section may be smaller. They come in the order of their indices. A nil Tile means
	// chunks in the order of the file. Tiles of shape Array.ChunkShape are chunks in the order of
	// their indices.
	Tile []int
	// Order is the order of the dimensions, for the elements of a part in memory and for the
	// sequence of tiles. nil means row-major.
	Order nd.Order
	// Written leaves out parts without any chunk that was ever written; their elements have the
	// fill value. If Tile is nil, a scan of the chunk table may find the chunks. The scan skips
	// holes of the table, so that its time depends on the written chunks, even in a petabyte array.
	// Tiles are examined one by one.
	Written bool
	// Memory limits the bytes of the parts that ForEach, Reduce and Map have in memory, in addition
	// to Options.Cache. One part is always allowed. 0 means a quarter of Options.Cache, but at most
	// 64 MiB.
	Memory int64
	// Progress, if not nil, is called by ForEach, Reduce and Map after each part, with the number
	// of parts done so far and the number of all parts, as counted at the beginning. It is never
	// called by two goroutines at the same time.
	Progress func(done, total int64)
}

// A Part is one of the parts into which a Walk divides a section.
type Part struct {
	// Section has the elements of the walk's section that are in the part, within the bounds that
	// the array had at the beginning of the walk.
	Section nd.Section
	// Index is the index of the chunk or the tile. In dimension d its first element has the index
	// Index[d] times its extent.
	Index []int
	// Number is the number of the chunk; it is -1 for tiles that are not chunks.
	Number axial.Number
}

// defaultMaxSpans is the usual value of walk.maxSpans. That many spans take 1 MiB.
const defaultMaxSpans = 1 << 16

// errStop ends an enumeration early. It is not returned to users.
var errStop = errors.New("enough")

// A walk is a Walk over an array in the state at the beginning of the walk. Its Section is
// resolved.
type walk struct {
	Walk
	array    *Array
	state    *state.State
	store    *chunkstore.Store // the chunk numbers of the state are those of this store
	tile     []int             // extents of the parts
	maxSpans int               // the largest number of spans of written chunks in memory
}

// startWalk begins a walk. It checks w against the array.
func (a *Array) startWalk(w Walk) (*walk, error) {
	done, err := a.begin("walk", false)
	if err != nil {
		return nil, err
	}
	defer done()
	k := &walk{Walk: w, array: a, state: a.state.Load(), store: a.store, maxSpans: defaultMaxSpans}
	k.Section, err = w.Section.Resolve(k.state.Lo, k.state.Hi)
	if err == nil {
		err = w.Order.Check(len(k.state.Lo))
	}
	if err == nil {
		err = k.setTile()
	}
	return k, a.errorf("walk", err)
}

// setTile checks Walk.Tile and sets k.tile, which is the chunk shape if there is none.
func (k *walk) setTile() error {
	k.tile = k.state.Chunk
	if k.Tile == nil {
		return nil
	}
	k.tile = slices.Clone(k.Tile)
	for d, n := range k.tile {
		if n < 0 {
			return errkind.Errorf(ErrBounds, "dimension %d: tile extent %d is less than 0", d, n)
		}
	}
	return nd.CheckRank("tile extents", len(k.tile), len(k.Section))
}

// eachTile calls f with the tiles of the section, in the order of the walk.
func (k *walk) eachTile(f func(Part) error) error {
	sec, index := make(nd.Section, len(k.tile)), make([]int, len(k.tile))
	for d, r := range k.Section {
		sec[d], index[d] = k.clipToTile(d, r.Lo)
	}
	isChunk := slices.Equal(k.tile, k.state.Chunk)
	for more := true; more; more = k.nextTile(sec, index) {
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

// nextTile changes sec and index to those of the next tile, and reports whether there is one.
func (k *walk) nextTile(sec nd.Section, index []int) bool {
	for _, d := range slices.Backward(k.Order.Dims(len(sec))) {
		r, last := k.Section[d], sec[d].Hi-1
		if r.Step < r.Hi-last {
			sec[d], index[d] = k.clipToTile(d, last+r.Step)
			return true
		}
		sec[d], index[d] = k.clipToTile(d, r.Lo)
	}
	return false
}

// clipToTile returns the indices of the section in dimension d from x, one of them, to the end of
// the tile of x, and the index of that tile.
func (k *walk) clipToTile(d, x int) (nd.Range, int) {
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

// chunkPart returns the part of the section in the chunk with the given number and index, and false
// if there is none.
func (k *walk) chunkPart(q axial.Number, index []int) (Part, bool) {
	p := Part{make(nd.Section, len(index)), index, q}
	for d, r := range k.Section {
		x := r.Lo
		if from := index[d] * k.tile[d]; from > x {
			x += ((from-x-1)/r.Step + 1) * r.Step
		}
		if x >= r.Hi || nd.FloorDiv(x, k.tile[d]) != index[d] {
			return Part{}, false
		}
		p.Section[d], _ = k.clipToTile(d, x)
	}
	return p, true
}

// countParts returns the number of parts, written or not.
func (k *walk) countParts() int64 {
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

// Parts returns an iterator over the parts of the walk w, for the bounds of the array at the moment
// when the loop begins. It reads no elements. The caller may keep a Part.
//
// An error comes with an empty Part and ends the loop. It wraps ErrRank, ErrBounds or ErrClosed, or
// ErrCorrupt if Walk.Written is set and it is unknown which chunks were written. If Walk.Written is
// set, the loop also ends with an error if Compact replaces the files meanwhile, because chunks get
// other numbers.
func (a *Array) Parts(w Walk) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		k, err := a.startWalk(w)
		if err != nil {
			yield(Part{}, err)
			return
		}
		k.parts(yield)
	}
}

// parts is Parts for a walk that has begun.
func (k *walk) parts(yield func(Part, error) bool) {
	err := k.each(func(p Part) error {
		if !yield(p, nil) {
			return errStop
		}
		return nil
	})
	if err != nil && err != errStop {
		yield(Part{}, err)
	}
}

// each calls f with the parts. It stops at the first error and returns it.
func (k *walk) each(f func(Part) error) error {
	if slices.Contains(k.Section.Shape(), 0) {
		return nil
	}
	if k.Written {
		scan, err := k.scansTable()
		if err != nil {
			return err
		}
		if scan {
			return k.eachWritten(f)
		}
		f = k.onlyWritten(f)
	}
	if k.Tile != nil {
		return k.eachTile(f)
	}
	return plan.Each(k.state, k.Section, func(p *plan.Piece) error {
		part, _ := k.chunkPart(p.Number, slices.Clone(p.Chunk))
		return f(part)
	})
}

// countWritten returns the number of parts with which each calls its function.
func (k *walk) countWritten() (n int64, err error) {
	if !k.Written {
		return k.countParts(), nil
	}
	err = k.each(func(Part) error {
		n++
		return nil
	})
	return n, err
}

// scannedPerLookup is the number of entries of the chunk table that can be scanned in the time of
// one lookup.
const scannedPerLookup = 8

// scansTable reports whether a scan of the chunk table is faster than a lookup of each chunk of the
// section: that is so if few chunks are written, or the section has many. It counts the written
// chunks only if the answer depends on them, and no further than necessary. Tiles are always looked
// up.
func (k *walk) scansTable() (bool, error) {
	if k.Tile != nil || k.array.fixed { // the table does not say which chunks were written once
		return false, nil
	}
	n := k.countParts()
	if n >= int64(k.state.Grid.Chunks())/scannedPerLookup {
		return true, nil
	}
	if n <= int64(k.maxSpans) {
		return false, nil
	}
	most := n * scannedPerLookup
	enough, err := k.stopped(func() error {
		return k.array.store.Each(k.state.Grid.Chunks(), func(axial.Number, error) error {
			if most--; most < 0 {
				return errStop
			}
			return nil
		})
	})
	return !enough, err
}

// stopped calls f while the files stay open, and reports whether it has returned errStop.
func (k *walk) stopped(f func() error) (bool, error) {
	done, err := k.array.begin("walk", false)
	if err != nil {
		return false, err
	}
	defer done()
	if err = f(); err == errStop {
		return true, nil
	}
	return false, k.array.errorf("walk", err)
}

// onlyWritten returns a function that calls f for parts with at least one written chunk.
func (k *walk) onlyWritten(f func(Part) error) func(Part) error {
	return func(p Part) error {
		if written, err := k.written(p); err != nil || !written {
			return err
		}
		return f(p)
	}
}

// written reports whether a chunk of the part was ever written. It uses the array's present state,
// because Compact may have changed the numbers of the chunks.
func (k *walk) written(p Part) (bool, error) {
	return k.stopped(func() error {
		s := k.array.state.Load()
		sec, err := p.Section.Resolve(s.Lo, s.Hi)
		if err != nil {
			return err
		}
		return plan.Each(s, sec, func(piece *plan.Piece) error {
			absent, err := k.array.pool.Absent(piece.Number)
			if err == nil && !absent {
				return errStop
			}
			return err
		})
	})
}

// A span is the range of chunk numbers [first, last).
type span struct{ first, last axial.Number }

// eachWritten calls f with the parts in written chunks, in the order of the chunk numbers. It does
// not visit other chunks, so that its time depends on the number of written ones. It reads the
// chunk table piece by piece, because no lock may be held while f runs, which may do anything with
// the array.
func (k *walk) eachWritten(f func(Part) error) error {
	index := make([]int, len(k.tile))
	for from := axial.Number(0); from < k.state.Grid.Chunks(); {
		spans, next, err := k.writtenFrom(from)
		if err != nil {
			return err
		}
		for _, s := range spans {
			for q := max(s.first, from); q < s.last; q++ {
				k.state.Grid.Index(q, index)
				if p, ok := k.chunkPart(q, slices.Clone(index)); ok {
					if err := f(p); err != nil {
						return err
					}
				}
			}
			from = max(from, s.last)
		}
		from = next
	}
	return nil
}

// writtenFrom returns the written chunks with numbers from and above, in at most about k.maxSpans
// spans, and the number at which to continue. The spans are in the order of their first chunks and
// may overlap.
func (k *walk) writtenFrom(from axial.Number) (spans []span, next axial.Number, err error) {
	next = k.state.Grid.Chunks()
	var held []axial.Number
	_, err = k.stopped(func() error {
		if k.array.store != k.store {
			return errors.New("the array was compacted meanwhile")
		}
		held = k.array.pool.Held() // before the table: a chunk that leaves the pool later is in it
		// A damaged entry belongs to a written chunk: reading the chunk reports the damage.
		return k.store.Each(next, func(q axial.Number, _ error) error {
			switch n := len(spans); {
			case q < from:
			case n > 0 && spans[n-1].last == q:
				spans[n-1].last++
			case n == k.maxSpans:
				next = q
				return errStop
			default:
				spans = append(spans, span{q, q + 1})
			}
			return nil
		})
	})
	if err != nil {
		return nil, 0, err
	}
	for _, q := range held {
		if q >= from && q < next {
			spans = append(spans, span{q, q + 1})
		}
	}
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.first, y.first) })
	return spans, next, nil
}
