package drx

import (
	"path/filepath"
	"slices"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/layout"
	"drx/internal/meta"
	"drx/internal/vfs"
	"drx/nd"
)

// A rewrite makes the files of an array anew, chunk by chunk: its present bounds are the
// initial ones, so that one segment holds all of it, and nothing is left of what is outside.
// The chunks have the same indices and other numbers.
type rewrite struct {
	fsys     vfs.FS
	name     string
	files    []vfs.File // log, data, table
	records  [][]meta.Record
	from, to *meta.State
	store    *chunkio.Store

	// Of one chunk.
	index      []int
	lo, extent []int  // what of it is within the bounds, in its own elements
	buf        []byte // it, where a part is outside
}

// newRewrite creates the files name.xmd and so on, with a suffix and an Access, and locks them.
func newRewrite(name, suffix string, o Options, from *meta.State, as vfs.Access) (*rewrite, error) {
	k := len(from.Lo)
	r := &rewrite{
		fsys: o.filesystem(), name: name, from: from,
		index: make([]int, k), lo: make([]int, k), extent: make([]int, k), buf: make([]byte, from.ChunkBytes),
	}
	r.records = [][]meta.Record{{{Header: from.Header()}}}
	if len(from.Attrs) > 0 {
		r.records = append(r.records, []meta.Record{{SetAttrs: &meta.SetAttrs{Attrs: from.Attrs}}})
	}
	for _, commit := range r.records {
		to, err := r.to.Apply(commit[0])
		if err != nil {
			return nil, err
		}
		r.to = to
	}
	var err error
	if r.files, err = createFiles(r.fsys, name, suffix, &as); err != nil {
		return nil, err
	}
	r.store = chunkio.Open(chunkio.Files{
		FS: r.fsys, Data: r.files[1], Table: r.files[2], Journal: name + journalExt,
	}, r.to.ChunkBytes, r.to.Slot())
	return r, nil
}

// put writes the chunk that had number q, if any of it is within the bounds. What it holds
// outside of them, which a Shrink may have left, becomes the fill value.
func (r *rewrite) put(q axial.Number, data []byte) error {
	r.from.Grid.Index(q, r.index)
	number, inside := r.to.Grid.Number(r.index)
	if !inside {
		return nil
	}
	if !r.visible() {
		copy(r.buf, data)
		r.blankOutside()
		data = r.buf
	}
	return r.store.Write(number, data)
}

// blankOutside fills what buf, the chunk at index, has outside of the bounds: before and after
// them in one dimension after the other.
func (r *rewrite) blankOutside() {
	s := r.to
	for d, n := range s.Chunk {
		end := r.lo[d] + r.extent[d]
		for _, part := range [][2]int{{0, r.lo[d]}, {end, n}} {
			shape := slices.Clone(s.Chunk)
			if shape[d] = part[1] - part[0]; shape[d] == 0 {
				continue
			}
			b := layout.Box{First: part[0] * s.Strides[d], Steps: s.Strides, Shape: shape}
			from, _ := s.Window(b)
			s.Layout.Fill(r.buf[from:], b, s.Fill)
		}
	}
}

// visible sets lo and extent for the chunk at index, and reports whether all of it is within
// the bounds.
func (r *rewrite) visible() (whole bool) {
	s := r.to
	whole = true
	for d, i := range r.index {
		r.lo[d] = max(0, s.Lo[d]-i*s.Chunk[d])
		r.extent[d] = min(s.Chunk[d], s.Hi[d]-i*s.Chunk[d]) - r.lo[d]
		whole = whole && r.extent[d] == s.Chunk[d]
	}
	return whole
}

// section returns the elements within the bounds of the chunk that had number q.
func (r *rewrite) section(q axial.Number) nd.Section {
	r.from.Grid.Index(q, r.index)
	r.visible()
	sec := make(nd.Section, len(r.index))
	for d, i := range r.index {
		lo := i*r.to.Chunk[d] + r.lo[d]
		sec[d] = nd.Span(lo, lo+r.extent[d])
	}
	return sec
}

// commit makes the files durable, the log last: without it there is no array.
func (r *rewrite) commit() (*meta.Log, error) {
	if err := r.store.Prepare(); err != nil {
		return nil, err
	}
	log := meta.NewLog(r.files[0])
	for _, records := range r.records {
		if err := log.Append(records); err != nil {
			return nil, err
		}
	}
	return log, r.fsys.SyncDir(filepath.Dir(r.name))
}

// abandon removes the files.
func (r *rewrite) abandon() { discard(r.fsys, r.files) }
