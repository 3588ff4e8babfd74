package drx

import (
	"path/filepath"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/meta"
	"drx/internal/vfs"
)

// A rewrite makes the files of an array anew, chunk by chunk: its present bounds are the
// initial ones, so that one segment holds all of it, and nothing is left of what is outside.
// The chunks have the same indices and other numbers.
type rewrite struct {
	fsys     vfs.FS
	name     string
	files    []vfs.File // log, data, table, presence map
	records  [][]meta.Record
	from, to *meta.State
	store    *chunkio.Store

	clip        // of one chunk
	buf  []byte // it, where a part is outside
}

// newRewrite creates the files name.xmd and so on, with a suffix, and locks them.
func newRewrite(name, suffix string, o Options, from *meta.State) (*rewrite, error) {
	r := &rewrite{fsys: o.filesystem(), name: name, from: from, buf: make([]byte, from.ChunkBytes)}
	r.records = [][]meta.Record{{{Header: from.Header()}}}
	if attrs := from.Attrs.Map(); len(attrs) > 0 {
		r.records = append(r.records, []meta.Record{{SetAttrs: &meta.SetAttrs{Attrs: attrs}}})
	}
	for _, commit := range r.records {
		to, err := r.to.Apply(commit[0])
		if err != nil {
			return nil, err
		}
		r.to = to
	}
	r.clip = newClip(r.to)
	var err error
	if r.files, err = createFiles(r.fsys, name, suffix); err != nil {
		return nil, err
	}
	r.store = chunkio.Open(chunkio.Files{
		FS: r.fsys, Data: r.files[1], Table: r.files[2], Presence: r.files[presenceFile], Journal: name + journalExt,
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
	if !r.locate() {
		copy(r.buf, data)
		r.blankOutside(r.buf)
		data = r.buf
	}
	return r.store.Write(number, data)
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
	r.store.SetCommitted(r.to.Grid.Chunks(), log.Commits())
	if err := r.store.Finish(headOf(log)); err != nil {
		return nil, err
	}
	if err := r.files[presenceFile].Sync(); err != nil {
		return nil, err
	}
	return log, r.fsys.SyncDir(filepath.Dir(r.name))
}

// abandon removes the files.
func (r *rewrite) abandon() { discard(r.fsys, r.files) }
