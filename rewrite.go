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

// A rewrite makes the files of an array anew, chunk by chunk: its present bounds are the
// initial ones, so that one segment holds all of it, and nothing is left of what is outside.
// The chunks have the same indices and other numbers.
type rewrite struct {
	fsys     vfs.FS
	name     string
	files    fileset.Files  // with .new behind their names
	claimed  fileset.Files  // empty files with the names that these are to get, none where an array has them
	records  []state.Record // of the first line of the log
	from, to *state.State
	store    *chunkstore.Writer

	clip        // of one chunk
	buf  []byte // it, where a part is outside
}

// newRewrite creates the files, with an Access, and locks them.
func newRewrite(name string, o Options, from *state.State, as vfs.Access) (*rewrite, error) {
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
	if r.files, err = fileset.CreateNew(r.fsys, name, &as); err != nil {
		return nil, err
	}
	r.store = chunkstore.OpenWriter(chunkstore.Files{
		FS: r.fsys, Data: r.files.Data, Table: r.files.Table, Presence: r.files.Presence, Journal: fileset.Journal(name),
	}, r.to.ChunkBytes, r.to.Slot())
	return r, nil
}

// newTarget is newRewrite for an array that does not exist yet. It claims the names as Create does, with empty
// files, and writes beside them, as Compact does: a process that is killed meanwhile leaves empty files and
// files that do not count, which hinder nobody.
func newTarget(name string, o Options, from *state.State, as vfs.Access) (*rewrite, error) {
	fsys := o.filesystem()
	claimed, err := fileset.Claim(fsys, name, &as)
	if err != nil {
		return nil, err
	}
	var r *rewrite
	if err = fileset.RemoveNew(fsys, name); err == nil {
		r, err = newRewrite(name, o, from, as)
	}
	if err != nil {
		fileset.Discard(fsys, claimed)
		return nil, err
	}
	r.claimed = claimed
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
func (r *rewrite) commit() (*metalog.Log, error) {
	if err := r.store.Prepare(); err != nil {
		return nil, err
	}
	log := metalog.NewLog(r.files.Log)
	if err := log.Append(r.records); err != nil {
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

// publish gives the files of a newTarget their names, after commit. It reports whether they are an array, or may
// be: then they must stay, and whoever opens it for writing does what an error has left undone.
func (r *rewrite) publish() (made bool, err error) {
	if err := fileset.MarkNew(r.fsys, r.name, r.files.Log); err != nil {
		return fileset.Unmark(r.fsys, r.name) != nil, err
	}
	return true, fileset.PutInPlace(r.fsys, r.name)
}

// abandon removes the files.
func (r *rewrite) abandon() {
	fileset.Discard(r.fsys, r.files)
	fileset.Discard(r.fsys, r.claimed)
}

// close closes the files, all of which are durable.
func (r *rewrite) close() {
	r.files.Close()
	r.claimed.Close()
}
