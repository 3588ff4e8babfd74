package drx

import (
	"path/filepath"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
)

// A rewrite makes new files for an array, chunk by chunk. The present bounds become the initial ones, so that
// there is one segment, and elements outside of the bounds are left out. The chunks keep their indices and get
// other numbers.
type rewrite struct {
	fsys     vfs.FS
	name     string
	files    fileset.Files  // the new files; their names end in .new
	claimed  fileset.Files  // empty files with the final names, if there is no array with the name yet
	records  []state.Record // the first line of the log
	from, to *state.State
	store    *chunkstore.Writer

	clip        // the present chunk
	buf  []byte // a copy of the chunk, used if a part of it is outside of the bounds
}

// newRewrite creates the new files, with the mode and owner that access says, and locks them.
func newRewrite(name string, o Options, from *state.State, access vfs.Access) (*rewrite, error) {
	r := &rewrite{fsys: o.filesystem(), name: name, from: from, buf: make([]byte, from.ChunkBytes)}
	r.records = []state.Record{{Header: from.Header()}}
	if attrs := from.Attrs.Map(); len(attrs) > 0 {
		r.records = append(r.records, state.Record{SetAttrs: &state.SetAttrs{Attrs: attrs}})
	}
	for _, record := range r.records {
		to, err := r.to.Apply(record)
		if err != nil {
			return nil, err
		}
		r.to = to
	}
	r.clip = newClip(r.to)
	var err error
	if r.files, err = fileset.CreateNew(r.fsys, name, &access); err != nil {
		return nil, err
	}
	if err := r.files.Format(r.to.Slot(), r.to.Align, false); err != nil {
		fileset.Discard(r.fsys, r.files)
		return nil, err
	}
	r.store = chunkstore.OpenWriter(chunkstore.Files{
		FS: r.fsys, Data: r.files.Data, Table: r.files.Table, Presence: r.files.Presence, Journal: fileset.Journal(name),
	}, r.to.ChunkBytes, r.to.Slot())
	return r, nil
}

// newArrayRewrite is newRewrite for an array that does not exist yet. It claims the names with empty files, as
// Create does, and writes to files beside them, as Compact does. So a killed process leaves empty files and
// files that do not count, and neither prevents the next attempt.
func newArrayRewrite(name string, o Options, from *state.State, access vfs.Access) (*rewrite, error) {
	fsys := o.filesystem()
	claimed, err := fileset.Claim(fsys, name, &access)
	if err != nil {
		return nil, err
	}
	var r *rewrite
	if err = fileset.RemoveNew(fsys, name); err == nil {
		r, err = newRewrite(name, o, from, access)
	}
	if err != nil {
		fileset.Discard(fsys, claimed)
		return nil, err
	}
	r.claimed = claimed
	return r, nil
}

// writeChunk writes the chunk that had number q in the old files, unless it is outside of the bounds. Elements
// outside of the bounds, which a Shrink may have left, are set to the fill value.
func (r *rewrite) writeChunk(q axial.Number, data []byte) error {
	r.from.Grid.Index(q, r.index)
	number, inside := r.to.Grid.Number(r.index)
	if !inside {
		return nil
	}
	if !r.clipChunk() {
		copy(r.buf, data)
		r.blankOutside(r.buf)
		data = r.buf
	}
	return r.store.Write(number, data)
}

// commit makes the new files durable. The log gets its line last, because the line makes the array exist.
func (r *rewrite) commit() (*metalog.Log, error) {
	if err := r.store.Prepare(); err != nil {
		return nil, err
	}
	log := metalog.NewLog(r.files.Log)
	if err := log.Append(r.records, true); err != nil {
		return nil, err
	}
	r.store.SetCommitted(r.to.Grid.Chunks(), log.Commits())
	if err := r.store.Finish(headOf(log)); err != nil {
		return nil, err
	}
	if err := r.files.Presence.Sync(); err != nil {
		return nil, err
	}
	return log, r.fsys.SyncDir(filepath.Dir(r.name))
}

// publish gives the files of a newArrayRewrite their names, after commit. It reports whether the array exists
// or may exist. If so, the files must stay even after an error, and whoever opens the array for writing
// completes the work.
func (r *rewrite) publish() (made bool, err error) {
	if err := fileset.MarkNew(r.fsys, r.name, r.files.Log); err != nil {
		return fileset.Unmark(r.fsys, r.name) != nil, err
	}
	return true, fileset.PutInPlace(r.fsys, r.name)
}

// abandon removes all files that the rewrite has created.
func (r *rewrite) abandon() {
	fileset.Discard(r.fsys, r.files)
	fileset.Discard(r.fsys, r.claimed)
}

// close closes the files, which are durable.
func (r *rewrite) close() {
	r.files.Close()
	r.claimed.Close()
}
