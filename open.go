package drx

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/internal/strided"
	"drx/internal/transfer"
	"drx/internal/vfs"
)

// BaseName returns the name of the array that a file belongs to: the name itself, without
// the extension of one of the array's files if it has one.
func BaseName(name string) string { return fileset.BaseName(name) }

// Open opens an existing array, for reading or, with Options.Write, for writing. It reads
// the log and nothing else: time and memory grow with the number of expansions, not with
// the array. An error wraps fs.ErrNotExist when a file of the array is missing or all are empty, ErrLocked
// when somebody else has it open for writing too, ErrIncomplete, ErrVersion or ErrCorrupt. Whatever is not
// a regular file is refused, and by a writer symbolic links, but for a principal array on another volume
// with the same extension.
func Open(name string, o Options) (*Array, error) {
	name = BaseName(name)
	a, err := open(name, o, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: open: %w", name, err)
	}
	return a, nil
}

// OpenAt opens an array for reading with the bounds, the dimensions and the attributes that
// it had after an earlier commit, the creation being 1; History tells them. The elements
// are those of today: what was overwritten since is not kept, and of what was shrunk away
// only what happens to be there still. The error is
// as Open's, and wraps ErrBounds when there is no such commit.
func OpenAt(name string, commit int, o Options) (*Array, error) {
	name = BaseName(name)
	if commit < 1 {
		return nil, fmt.Errorf("%s: open: version %d is less than 1: %w", name, commit, ErrBounds)
	}
	o.Write = false
	a, err := open(name, o, commit)
	if err != nil {
		return nil, fmt.Errorf("%s: open: %w", name, err)
	}
	return a, nil
}

// checkComplete returns an error for an array that a copy has not completed.
func (a *Array) checkComplete(o Options) error {
	if a.state.Load().Attrs.Has(IncompleteAttr) && !o.Incomplete {
		return ErrIncomplete
	}
	return nil
}

// open opens an array as of a commit, 0 for the last.
func open(name string, o Options, commit int) (*Array, error) {
	a, err := openOnce(name, o, commit)
	if !errors.Is(err, errUnjournaled) {
		return a, err
	}
	alone := o
	alone.Shared, alone.Write, alone.Incomplete = false, true, true
	if a, err = openOnce(name, alone, 0); err != nil { // which mends the array
		return nil, err
	}
	if err := a.Close(); err != nil {
		return nil, err
	}
	return openOnce(name, o, commit)
}

// openOnce is open. The error is errUnjournaled where the array has to be opened by a writer alone first.
func openOnce(name string, o Options, commit int) (*Array, error) {
	o.Write = o.Write || o.Shared
	return withFiles(name, o, nil, func(files fileset.Files) (*Array, error) {
		state, log, err := metalog.ReadLogTo(files.Log, commit, nil)
		if err != nil {
			return nil, cmp.Or(created(files), err)
		}
		a := newArray(name, o, state, log, files)
		a.fixed = commit > 0
		if err := a.checkPresence(o, files); err != nil {
			return a, err
		}
		if err := a.store.Covered(); err != nil {
			return a, err
		}
		begin := a.recover
		if !o.Write && !a.fixed {
			begin = func() error { return a.lookOn(nil) }
		}
		if err := begin(); err != nil {
			return a, err
		}
		if err := a.checkComplete(o); err != nil || !o.Shared {
			return a, err
		}
		if err := a.share(); err != nil {
			return a, err
		}
		return a, a.file.Unlock()
	})
}

// created returns an error wrapping fs.ErrNotExist when there is no commit in the log and nothing in the other
// files, as Create leaves them that was interrupted, and would replace them.
func created(files fileset.Files) error {
	if unborn, err := files.Unborn(); err != nil || !unborn {
		return err
	}
	return fmt.Errorf("%s: empty: the array is still being created, or that was interrupted: %w", files.Log.Name(), fs.ErrNotExist)
}

// checkPresence returns an error wrapping fs.ErrNotExist when the presence map is missing that a writer
// needs: not in an array of version 1. A reader opens it when it is needed.
func (a *Array) checkPresence(o Options, files fileset.Files) error {
	if !o.Write || !a.logged.HasPresenceMap() || files.Presence != nil {
		return nil
	}
	if a.acceptLoss {
		a.lost = true
		return nil
	}
	missing := &fs.PathError{Op: "open", Path: fileset.Presence(a.name), Err: fs.ErrNotExist}
	return fmt.Errorf("%w; without it nobody knows which chunks were written: make it anew with drx recover --in-place", missing)
}

// withFiles opens the files of an array and makes an Array of them with f, see fileset.Use. A reader's f may be called
// again.
func withFiles(name string, o Options, absent fileset.Absent, f func(fileset.Files) (*Array, error)) (*Array, error) {
	var a *Array
	forget := func() {
		if a != nil {
			_ = a.store.Close(true) // the journal too
			a = nil
		}
	}
	err := fileset.Use(o.filesystem(), name, o.role(), absent, func(files fileset.Files) (err error) {
		forget()
		if a, err = f(files); err != nil {
			forget()
		}
		return err
	})
	if err != nil {
		forget()
	}
	return a, err
}

// role returns what an array is opened for.
func (o Options) role() fileset.Role {
	switch {
	case o.Shared:
		return fileset.Sharer
	case o.Write:
		return fileset.Writer
	}
	return fileset.Reader
}

func newArray(name string, o Options, state *state.State, log *metalog.Log, files fileset.Files) *Array {
	a := &Array{
		name: name, open: true, fsys: o.filesystem(), write: o.Write, shared: o.Shared,
		durability: o.Durability, checking: o.Checking, cache: o.Cache, goroutines: o.Goroutines, observe: o.Observe,
		file: files.Log, log: log, logged: state, acceptLoss: o.acceptLoss,
	}
	a.state.Store(state)
	cache, resident := o.shares()
	stored := chunkstore.Files{
		FS: o.filesystem(), Log: files.Log, Data: files.Data, Table: files.Table, Journal: fileset.Journal(name), Durability: chunkstore.Durability(o.Durability),
		Checking: chunkstore.Checking(o.Checking), Resident: resident,
		Chunks: func() (axial.Number, error) { return chunksOf(files.Log) },
	}
	switch has := state.HasPresenceMap(); {
	case has && files.Presence != nil:
		stored.Presence = files.Presence
	case has && !o.Write && !o.noPresence:
		stored.Presence = fileset.LazyPresence(o.filesystem(), name, files.Log)
	case files.Presence != nil: // a writer died before the commit that would have made it count
		_ = files.Presence.Close()
	}
	if o.Write {
		a.writer = chunkstore.OpenWriter(stored, state.ChunkBytes, state.Slot())
		a.committer, a.store = a.writer, a.writer.Store
	} else {
		a.reader = chunkstore.OpenReader(stored, state.ChunkBytes, state.Slot(), othersOf(o, name, files))
		a.store = a.reader.Store
	}
	a.chunks = a.newChunks(o, state.ChunkBytes)
	a.pool = pool.New(backend{a.chunks, state.Fill}, state.ChunkBytes, cache)
	if o.patchCost > 0 {
		a.pool.PatchCost = o.patchCost
	}
	a.chunks.Pool = a.pool
	return a
}

// othersOf tells a reader of the processes that write.
func othersOf(o Options, name string, files fileset.Files) chunkstore.Others {
	return chunkstore.Others{
		Writing: files.Data.Locked, // all writers have its lock as long as they have it open
		Current: func() (bool, error) { return fileset.IsCurrent(o.filesystem(), name, files.Log) },
		Commits: func() (int, error) {
			_, log, err := metalog.ReadLog(files.Log)
			if err != nil {
				return 0, err
			}
			return log.Commits(), nil
		},
	}
}

// share makes the store of a writer that has recovered the array that of a sharer.
func (a *Array) share() error {
	sharer, err := chunkstore.OpenSharer(a.writer)
	if err != nil {
		return err
	}
	a.writer, a.committer = nil, sharer
	a.chunks.Patcher, a.chunks.Writer, a.chunks.Sharer = nil, sharer, sharer
	a.chunks.Reserved = a.reservations
	return nil
}

// runBytes is the most bytes that are put together for one write: what stays in a cache while it is copied,
// its checksum is computed and it is written.
const runBytes = 1 << 20

// newChunks returns the data path to the store and the pool of the array.
func (a *Array) newChunks(o Options, chunkBytes int) *transfer.Chunks {
	cache, _ := o.shares()
	c := &transfer.Chunks{
		Store: a.store, Writer: a.committer, Patcher: a.writer,
		Readers: o.parallel(chunkBytes), RunBytes: int(min(cache/8, runBytes)),
	}
	c.Writers = writers(c.Readers, o.room()/4/int64(max(c.RunBytes, chunkBytes)))
	return c
}

// chunksOf returns how many chunks the log in a file says that there are.
func chunksOf(log vfs.File) (axial.Number, error) {
	s, _, err := metalog.ReadLog(log)
	if err != nil {
		return 0, err
	}
	return s.Grid.Chunks(), nil
}

// backend is the store as its pool sees it.
type backend struct {
	chunks *transfer.Chunks
	fill   []byte
}

// Stored reports whether chunk q was ever written.
func (b backend) Stored(q axial.Number) (bool, error) { return b.chunks.Store.Written(q) }

// Load reads and checks chunk q; one that was never written is pool.ErrAbsent.
func (b backend) Load(q axial.Number, buf []byte) error {
	err := b.chunks.Store.Read(q, buf)
	if errors.Is(err, chunkstore.ErrUnwritten) {
		return pool.ErrAbsent
	}
	return err
}

// Blank fills a chunk with the fill value.
func (b backend) Blank(buf []byte) { strided.Repeat(buf, b.fill) }

// Store writes chunk q: others see it with the next commit.
func (b backend) Store(q axial.Number, buf []byte) error { return b.chunks.Writer.Write(q, buf) }

// options returns what the array was opened with.
func (a *Array) options() Options {
	return Options{
		Write: a.write, Shared: a.shared, Cache: a.cache, Durability: a.durability, Checking: a.checking,
		Goroutines: a.goroutines, fs: a.fsys,
	}
}
