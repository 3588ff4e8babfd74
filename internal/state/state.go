// Package state describes an array at one moment of its history, and the records that lead from one
// state to the next. It does no I/O: package metalog reads and writes the records.
package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"drx/axial"
	"drx/dtype"
	"drx/internal/codec"
	"drx/internal/errkind"
	"drx/internal/layout"
	"drx/nd"
)

// MaxChunkBytes is the size limit of a chunk: the chunk table holds lengths in 32 bits.
const MaxChunkBytes = math.MaxUint32 & math.MaxInt

// An ElementOrder is the order of the elements inside a chunk.
type ElementOrder string

// The element orders. Their values are names for curve.New.
const (
	Row     ElementOrder = "row"     // the last dimension varies fastest
	Col     ElementOrder = "col"     // the first dimension varies fastest
	Morton  ElementOrder = "morton"  // along the Z curve
	Hilbert ElementOrder = "hilbert" // along the Hilbert curve
)

// ElementOrders returns all element orders.
func ElementOrders() []ElementOrder { return []ElementOrder{Row, Col, Morton, Hilbert} }

// A State is an array at one moment of its history. It never changes: Apply returns the next
// one. The running program and the replay of a log both use it, so they cannot disagree.
type State struct {
	*Form
	Version int // of the format
	Attrs   Attributes

	Lo, Hi []int // bounds in elements
	Grid   *axial.Grid
	// The widest bounds that a shrink has narrowed; nil if no dimension ever shrank. Between the
	// bounds and these, chunks across the bounds may hold old values.
	WidestLo, WidestHi []int
	// Journaled describes the last commit of the log if it went through the journal; otherwise it
	// is nil.
	Journaled *Journaled
	// ID is the identity of the history, empty for an array of before; see Identity. Shared says that
	// a writer that shares the array has made the last commit of the log.
	ID     string
	Shared bool
}

// Journaled holds the Journal record of a commit: the number of chunks below Before that have table
// entries of that commit. Before is the number of chunks before the commit.
type Journaled struct {
	Chunks int64
	Before axial.Number
}

// A Form holds the properties that an extension does not change. The states before and after share
// it.
type Form struct {
	DType dtype.DType
	Chunk []int // elements per dimension
	Order ElementOrder
	Fill  []byte     // one element, little-endian
	Dims  []string   // names, empty for a dimension without a name
	Align int        // alignment of slots in bytes; 0 is 1
	Codec codec.Spec // compresses chunks; the zero value is none
	// Recompressing is nil unless chunks may have frames of codecs before the present one.
	// Recompressed says that the codec was changed at some time.
	Recompressing *Recompression
	Recompressed  bool

	ChunkBytes     int   // size of a chunk's elements in bytes
	Shift          []int // binary logarithms of Chunk; nil if an extent is not a power of two
	*layout.Layout       // of a chunk's elements
}

// HasPresenceMap reports whether the format version of the array has a presence map.
func (s *State) HasPresenceMap() bool { return s.Version >= PresenceVersion }

// Slot returns the distance from one chunk to the next in the file, in bytes.
func (s *State) Slot() int64 {
	align := int64(max(1, s.Align))
	return (int64(s.ChunkBytes) + align - 1) / align * align
}

// Apply returns the state after record r and leaves s unchanged. The error wraps nd.ErrRank,
// nd.ErrBounds, nd.ErrOverflow, dtype.ErrDType, ErrName or ErrVersion, depending on what is wrong
// with the record. The first record, applied to a nil s, must be a header, and no other record may
// be one; otherwise the error wraps ErrCorrupt.
func (s *State) Apply(r Record) (*State, error) {
	if (s == nil) != (r.Header != nil) {
		return nil, errkind.Errorf(ErrCorrupt, "a header that is not the first record, or another record before it")
	}
	switch {
	case r.Header != nil:
		return newState(r.Header)
	case r.Extend != nil:
		next := *s
		k := len(s.Lo)
		bounds := append(append(make([]int, 0, 2*k), s.Lo...), s.Hi...)
		next.Lo, next.Hi = bounds[:k:k], bounds[k:]
		if err := next.extend(*r.Extend, false); err != nil {
			return nil, err
		}
		return &next, nil
	case r.Shrink != nil:
		return s.shrink(*r.Shrink)
	case r.AddDim != nil:
		return s.addDim(r.AddDim.Name)
	case r.RenameDim != nil:
		return s.renameDim(*r.RenameDim)
	case r.SetAttrs != nil:
		return s.withAttrs(s.Attrs.with(r.SetAttrs.Attrs), maps.Keys(r.SetAttrs.Attrs))
	case r.Format != nil:
		return s.reformat(r.Format.Version)
	case r.Recompress != nil:
		return s.recompress(*r.Recompress)
	case r.Recompressed != nil:
		return s.endRecompression(r.Recompressed.Codec)
	case r.Journal != nil:
		if r.Journal.Chunks < 0 {
			return nil, errkind.Errorf(nd.ErrBounds, "a journal of %d chunks: want at least 0", r.Journal.Chunks)
		}
		next := *s
		next.Journaled = &Journaled{r.Journal.Chunks, s.Grid.Chunks()}
		return &next, nil
	case r.Identity != nil:
		return s.identify(r.Identity.ID)
	case r.Shared != nil:
		next := *s
		next.Shared = r.Shared.Shared
		return &next, nil
	case r.Reserve != nil:
		if r.Reserve.Key == "" || !utf8.ValidString(r.Reserve.Key) {
			return nil, errkind.Errorf(ErrName, "the key %q of a reservation", r.Reserve.Key)
		}
		return s, nil
	default:
		return s.withAttrs(s.Attrs.without(r.DelAttrs.Names), slices.Values(r.DelAttrs.Names))
	}
}

// BeginCommit returns the state without Journaled and Shared, which belong to the previous commit.
// own means that no other code uses s; then it changes s itself.
func (s *State) BeginCommit(own bool) *State {
	if s == nil || s.Journaled == nil && !s.Shared {
		return s
	}
	if !own {
		next := *s
		s = &next
	}
	s.Journaled, s.Shared = nil, false
	return s
}

// identify returns the state with another identity.
func (s *State) identify(id string) (*State, error) {
	if id == "" || !utf8.ValidString(id) {
		return nil, errkind.Errorf(ErrName, "the identity %q", id)
	}
	next := *s
	next.ID = id
	return &next, nil
}

// reformat returns the state in a later version of the format.
func (s *State) reformat(version int) (*State, error) {
	if version > Version {
		return nil, errkind.Errorf(ErrVersion, "format version %d, this program knows up to %d", version, Version)
	}
	if version <= s.Version {
		return nil, fmt.Errorf("format version %d after version %d: %w", version, s.Version, ErrCorrupt)
	}
	next := *s
	next.Version = version
	return &next, nil
}

// withAttrs returns the state with attrs, whose attributes of the given names were just changed.
func (s *State) withAttrs(attrs Attributes, names iter.Seq[string]) (*State, error) {
	for name := range names {
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("attribute: %w", err)
		}
	}
	next := *s
	next.Attrs = attrs
	return &next, nil
}

// checkName returns an error for a name that JSON cannot represent: it would be read from the log
// as another name, which may be in use.
func checkName(name string) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("name %q: %w", name, ErrName)
	}
	return nil
}

func newState(h *Header) (*State, error) {
	if h.Version < 1 {
		return nil, fmt.Errorf("format version %d: %w", h.Version, ErrCorrupt)
	}
	if h.Version > Version {
		return nil, errkind.Errorf(ErrVersion, "format version %d, this program knows up to %d", h.Version, Version)
	}
	s := &State{
		Form: &Form{Chunk: slices.Clone(h.Chunk), Order: ElementOrder(h.Order), Align: h.Align, Dims: slices.Clone(h.Dims)},
		Lo:   slices.Clone(h.Lo), Hi: slices.Clone(h.Hi), Version: h.Version,
	}
	var err error
	if s.DType, err = dtype.Parse(h.DType); err != nil {
		return nil, err
	}
	if !slices.Contains(ElementOrders(), s.Order) {
		return nil, errkind.Errorf(ErrVersion, "element order %q, this program knows %q", h.Order, ElementOrders())
	}
	if s.Codec, err = parseCodec(h.Codec); err != nil {
		return nil, err
	}
	if s.Fill, err = s.DType.FromJSON(h.Fill); err != nil {
		return nil, fmt.Errorf("fill value: %w", err)
	}
	if err := s.checkShape(); err != nil {
		return nil, err
	}
	lo, hi := make([]int, len(s.Lo)), make([]int, len(s.Lo))
	for d := range lo {
		lo[d], hi[d] = s.ChunkRange(d)
	}
	if s.Grid, err = axial.New(lo, hi); err != nil {
		return nil, err
	}
	if s.Layout, err = layout.New(string(s.Order), s.Chunk, s.DType.Size()); err != nil {
		return nil, err
	}
	s.measure()
	return s, s.checkSize()
}

// parseCodec returns the codec of a header, which omits it if there is none. The error wraps
// ErrVersion for a codec that this program does not know, and ErrCorrupt for a text that no program
// writes.
func parseCodec(text string) (codec.Spec, error) {
	if text == "" {
		return codec.Spec{}, nil
	}
	spec, err := parseRecordedCodec(text)
	if err == nil && spec.IsNone() {
		err = fmt.Errorf("codec %q, which a header leaves out: %w", text, ErrCorrupt)
	}
	return spec, err
}

// parseRecordedCodec is parseCodec for a text that may also be "none".
func parseRecordedCodec(text string) (codec.Spec, error) {
	spec, err := codec.Parse(text)
	if err != nil {
		return spec, errkind.Of(ErrVersion, err)
	}
	if spec.String() != text {
		return spec, fmt.Errorf("codec %q instead of %q: %w", text, spec, ErrCorrupt)
	}
	return spec, nil
}

// ChunkRange returns the range of chunk indices, in dimension d, in which the array has elements.
// It is empty if the array has none.
func (s *State) ChunkRange(d int) (from, to int) {
	from = nd.FloorDiv(s.Lo[d], s.Chunk[d])
	if s.Lo[d] == s.Hi[d] {
		return from, from
	}
	return from, nd.CeilDiv(s.Hi[d], s.Chunk[d])
}

// measure computes the fields that follow from the shape of a chunk.
func (f *Form) measure() {
	n, _ := nd.Product(f.Chunk...)
	f.ChunkBytes = n * f.DType.Size()
	f.Shift = make([]int, len(f.Chunk))
	for d, n := range f.Chunk {
		if f.Shift[d] = bits.TrailingZeros(uint(n)); n != 1<<f.Shift[d] {
			f.Shift = nil
			return
		}
	}
}

// checkShape checks the fields of the header that have one entry per dimension.
func (s *State) checkShape() error {
	k := len(s.Lo)
	if k < 1 || k > nd.MaxRank {
		return errkind.Errorf(nd.ErrRank, "rank %d is not in 1..%d", k, nd.MaxRank)
	}
	if s.Dims == nil {
		s.Dims = make([]string, k)
	}
	for what, n := range map[string]int{"high bounds": len(s.Hi), "chunk extents": len(s.Chunk), "dimension names": len(s.Dims)} {
		if err := nd.CheckRank(what, n, k); err != nil {
			return err
		}
	}
	for d, name := range s.Dims {
		if name != "" && slices.Index(s.Dims, name) < d {
			return nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrRank, "name %q is taken", name))
		}
		if err := checkName(name); err != nil {
			return &nd.DimError{Dim: d, Err: err}
		}
	}
	for d := range k {
		if s.Lo[d] > s.Hi[d] {
			return nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrBounds, "extent %d is negative", s.Hi[d]-s.Lo[d]))
		}
		if s.Chunk[d] < 1 {
			return nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrBounds, "chunk extent %d is less than 1", s.Chunk[d]))
		}
	}
	n, err := nd.Product(s.Chunk...)
	if size, ok := nd.Mul(n, s.DType.Size()); err != nil || !ok || size > MaxChunkBytes {
		return errkind.Errorf(nd.ErrOverflow, "chunk %v of %v takes more than %d bytes", s.Chunk, s.DType, int64(MaxChunkBytes))
	}
	for d := range k {
		if err := s.checkBounds(d); err != nil {
			return err
		}
	}
	if s.Align < 0 || s.Align > 1<<30 {
		return errkind.Errorf(nd.ErrBounds, "alignment %d is not in 0..%d", s.Align, 1<<30)
	}
	return nil
}

// checkBounds checks that the bounds of a dimension, its extent and the ends of its
// outermost chunks are ints. A sum that wrapped around shows as a reversal.
func (s *State) checkBounds(d int) error {
	lo, hi, c := s.Lo[d], s.Hi[d], s.Chunk[d]
	if lo > hi || hi-lo < 0 || hi > math.MaxInt-c || lo < math.MinInt+c {
		return nd.DimErrorf(d, "bounds [%d, %d): %w: beyond 64 bits", lo, hi, nd.ErrOverflow)
	}
	return nil
}

// checkSize checks that the elements and bytes of all chunks can be counted in 64 bits.
func (s *State) checkSize() error {
	// If the size of all chunks in bytes fits an int, so does the number of their elements.
	if int64(s.Grid.Chunks()) < math.MaxInt/max(s.Slot(), 16)-1 {
		return nil
	}
	if _, err := nd.Product(nd.Shape(s.Lo, s.Hi)...); err != nil {
		return err
	}
	// The size is one slot larger than all chunks, so that the end of the last chunk is a valid
	// offset.
	if chunks := int64(s.Grid.Chunks()); chunks >= math.MaxInt64/max(s.Slot(), 16)-1 {
		return fmt.Errorf("%d chunks of %d bytes: %w: more than %d bytes", chunks, s.Slot(), nd.ErrOverflow, int64(math.MaxInt64))
	}
	return nil
}

// Replay is Apply for a state that no other code uses, not even in part: it may change s, which
// saves most of the time for a long log. After an error s must not be used.
func (s *State) Replay(r Record) (*State, error) {
	if s == nil || r.Extend == nil {
		return s.Apply(r)
	}
	return s, s.extend(*r.Extend, true)
}

// extendGrid extends the grid itself if own is set, and otherwise replaces it, because other states
// may use it.
func (s *State) extendGrid(dim, by int, side axial.Side, own bool) (err error) {
	if own {
		return s.Grid.Grow(dim, by, side)
	}
	s.Grid, err = s.Grid.Extend(dim, by, side)
	return err
}

// extend moves a bound of the state, whose bounds must not be shared, and extends the chunk grid,
// see extendGrid, as far as necessary, on the side of the extension. There is one exception: if a
// dimension without elements has its bounds inside a chunk and grows downwards, that chunk lies
// above the empty grid. It is adjoined first, on the high side, so that one extension leads to the
// same grid as two with the same total.
func (s *State) extend(e Extend, own bool) error {
	if e.Dim < 0 || e.Dim >= len(s.Lo) {
		return errkind.Errorf(nd.ErrRank, "dimension %d of an array of rank %d", e.Dim, len(s.Lo))
	}
	if e.By < 1 {
		return nd.DimErrorf(e.Dim, "%w", errkind.Errorf(nd.ErrBounds, "extension by %d elements: want at least 1", e.By))
	}
	if hi, lo := s.Hi[e.Dim], s.Lo[e.Dim]; !e.Low && hi > math.MaxInt-e.By || e.Low && lo < math.MinInt+e.By {
		return nd.DimErrorf(e.Dim, "bounds [%d, %d) extended by %d: %w: beyond 64 bits", lo, hi, e.By, nd.ErrOverflow)
	}
	if e.Low {
		s.Lo[e.Dim] -= e.By
	} else {
		s.Hi[e.Dim] += e.By
	}
	if err := s.checkBounds(e.Dim); err != nil {
		return fmt.Errorf("extension by %d elements: %w", e.By, err)
	}
	high := nd.CeilDiv(s.Hi[e.Dim], s.Chunk[e.Dim]) - s.Grid.Hi()[e.Dim]
	low := s.Grid.Lo()[e.Dim] - nd.FloorDiv(s.Lo[e.Dim], s.Chunk[e.Dim])
	if err := s.extendGrid(e.Dim, max(0, high), axial.High, own); err != nil {
		return err
	}
	if err := s.extendGrid(e.Dim, max(0, low), axial.Low, own); err != nil {
		return err
	}
	if err := s.checkSize(); err != nil {
		return nd.DimErrorf(e.Dim, "extension by %d elements: %w", e.By, err)
	}
	return nil
}

// shrink moves a bound. The chunk grid stays as it is; its chunks are reused when the array grows.
func (s *State) shrink(h Shrink) (*State, error) {
	if h.Dim < 0 || h.Dim >= len(s.Lo) {
		return nil, errkind.Errorf(nd.ErrRank, "dimension %d of an array of rank %d", h.Dim, len(s.Lo))
	}
	if extent := s.Hi[h.Dim] - s.Lo[h.Dim]; h.By < 1 || h.By > extent {
		return nil, nd.DimErrorf(h.Dim, "%w", errkind.Errorf(nd.ErrBounds, "shrinking an extent of %d by %d elements", extent, h.By))
	}
	next := *s
	next.Lo, next.Hi = slices.Clone(s.Lo), slices.Clone(s.Hi)
	next.WidestLo, next.WidestHi = slices.Clone(s.Lo), slices.Clone(s.Hi)
	for d := range s.WidestLo {
		next.WidestLo[d] = min(s.WidestLo[d], s.Lo[d])
		next.WidestHi[d] = max(s.WidestHi[d], s.Hi[d])
	}
	if h.Low {
		next.Lo[h.Dim] += h.By
	} else {
		next.Hi[h.Dim] -= h.By
	}
	return &next, nil
}

func (s *State) addDim(name string) (*State, error) {
	if name != "" && slices.Contains(s.Dims, name) {
		return nil, nd.DimErrorf(len(s.Dims), "%w", errkind.Errorf(nd.ErrRank, "name %q is taken", name))
	}
	if err := checkName(name); err != nil {
		return nil, &nd.DimError{Dim: len(s.Dims), Err: err}
	}
	grid, err := s.Grid.AddDim()
	if err != nil {
		return nil, err
	}
	next, f := *s, *s.Form
	next.Form, next.Grid = &f, grid
	next.Chunk = append(slices.Clone(s.Chunk), 1)
	next.Dims = append(slices.Clone(s.Dims), name)
	next.Lo = append(slices.Clone(s.Lo), 0)
	next.Hi = append(slices.Clone(s.Hi), 1)
	if s.WidestLo != nil {
		next.WidestLo = append(slices.Clone(s.WidestLo), 0)
		next.WidestHi = append(slices.Clone(s.WidestHi), 1)
	}
	next.Layout = s.Layout.AddDim()
	next.measure()
	return &next, nil
}

// renameDim gives a dimension another name.
func (s *State) renameDim(r RenameDim) (*State, error) {
	if r.Dim < 0 || r.Dim >= len(s.Dims) {
		return nil, errkind.Errorf(nd.ErrRank, "no dimension %d: there are %d", r.Dim, len(s.Dims))
	}
	if at := slices.Index(s.Dims, r.Name); r.Name != "" && at >= 0 && at != r.Dim {
		return nil, nd.DimErrorf(r.Dim, "%w", errkind.Errorf(nd.ErrRank, "name %q is taken", r.Name))
	}
	if err := checkName(r.Name); err != nil {
		return nil, &nd.DimError{Dim: r.Dim, Err: err}
	}
	next, f := *s, *s.Form
	next.Form = &f
	next.Dims = slices.Clone(s.Dims)
	next.Dims[r.Dim] = r.Name
	next.measure()
	return &next, nil
}

// Header returns the header of a new array like s, with the present bounds of s.
func (s *State) Header() *Header {
	h := &Header{
		Version: Version, DType: s.DType.String(), Chunk: s.Chunk, Order: string(s.Order), Lo: s.Lo, Hi: s.Hi,
		Fill: s.DType.ToJSON(s.Fill), Align: s.Align,
	}
	if slices.ContainsFunc(s.Dims, func(name string) bool { return name != "" }) {
		h.Dims = s.Dims
	}
	if !s.Codec.IsNone() {
		h.Codec = s.Codec.String()
	}
	return h
}

// Continues reports whether s may be a later state of the same array: whether the properties that
// no record changes are equal.
func (s *State) Continues(earlier *State) bool {
	k := len(earlier.Chunk)
	return s.DType == earlier.DType && s.Order == earlier.Order && s.Align == earlier.Align && bytes.Equal(s.Fill, earlier.Fill) &&
		len(s.Chunk) >= k && slices.Equal(s.Chunk[:k], earlier.Chunk) && slices.Equal(s.Dims[:k], earlier.Dims)
}

// Same reports whether two states of one array have the same bounds and attributes, whatever their
// histories.
func (s *State) Same(t *State) bool {
	same := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	return slices.Equal(s.Lo, t.Lo) && slices.Equal(s.Hi, t.Hi) && maps.EqualFunc(s.Attrs.Map(), t.Attrs.Map(), same)
}
