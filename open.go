package drx

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/metalog"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/internal/strided"
	"drx/internal/transfer"
	"drx/internal/vfs"
)

// BaseName returns the name of the array that a file belongs to: the name itself, without
// the extension of one of the array's files if it has one.
func BaseName(name string) string {
	if strings.Contains(name, journalExt) {
		name = sharerExt.ReplaceAllString(name, "$1"+journalExt)
	}
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt, journalExt, markExt} {
		if base, ok := strings.CutSuffix(name, ext); ok && base != "" && !strings.HasSuffix(base, "/") {
			return base
		}
	}
	return name
}

// sharerExt matches the extension of the journal of a process that shares an array.
var sharerExt = regexp.MustCompile(`([^/])\.xjl[0-9]{1,2}$`)

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

// IncompleteAttr is the attribute that marks an array as the target of a copy that is not
// complete. Whoever sets it removes it in the end.
const IncompleteAttr = "relayout.incomplete"

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
	return withFiles(name, o, nil, func(files []vfs.File) (*Array, error) {
		state, log, err := metalog.ReadLogTo(files[0], commit, nil)
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
		if err := a.store.Share(); err != nil {
			return a, err
		}
		return a, a.file.Unlock()
	})
}

// created returns an error wrapping fs.ErrNotExist when there is no commit in the log and nothing in the other
// files, as Create leaves them that was interrupted, and would replace them.
func created(files []vfs.File) error {
	for _, f := range files[1:] {
		if unused, err := isUnused(f); err != nil || !unused {
			return err
		}
	}
	if unborn, err := metalog.Unborn(files[0]); err != nil || !unborn {
		return err
	}
	return fmt.Errorf("%s: empty: the array is still being created, or that was interrupted: %w", files[0].Name(), fs.ErrNotExist)
}

// checkPresence returns an error wrapping fs.ErrNotExist when the presence map is missing that a writer
// needs: not in an array of version 1. A reader opens it when it is needed.
func (a *Array) checkPresence(o Options, files []vfs.File) error {
	if !o.Write || !a.logged.HasPresenceMap() || len(files) > presenceFile {
		return nil
	}
	if a.acceptLoss {
		a.lost = true
		return nil
	}
	missing := &fs.PathError{Op: "open", Path: a.name + presenceExt, Err: fs.ErrNotExist}
	return fmt.Errorf("%w; without it nobody knows which chunks were written: make it anew with drx recover --in-place", missing)
}

// lockFiles takes the locks that an opening needs. The lock on the log is for whoever
// changes it: a writer has it as long as it is open, a process that shares the array while
// it opens and reserves. The lock on the principal array keeps the two kinds apart. That on the
// chunk table members of a group share, see groupLeader.join: nobody else writes until the last one of a
// group that has failed is gone.
func lockFiles(o Options, files []vfs.File) error {
	switch {
	case o.Shared:
		if err := files[1].LockShared(); err != nil {
			return err
		}
		if err := lockSoon(files[0]); err != nil {
			return err
		}
		if err := files[2].Lock(); err != nil {
			return err
		}
		return files[2].Unlock()
	case o.Write:
		for _, f := range files[:presenceFile] {
			if err := f.Lock(); err != nil {
				return err
			}
		}
	}
	return nil
}

func newArray(name string, o Options, state *state.State, log *metalog.Log, files []vfs.File) *Array {
	a := &Array{
		name: name, open: true, fsys: o.filesystem(), write: o.Write, shared: o.Shared,
		durability: o.Durability, checking: o.Checking, cache: o.Cache, goroutines: o.Goroutines, observe: o.Observe,
		file: files[0], log: log, logged: state, acceptLoss: o.acceptLoss,
	}
	a.state.Store(state)
	cache, resident := o.shares()
	stored := chunkio.Files{
		FS: o.filesystem(), Log: files[0], Data: files[1], Table: files[2], Journal: name + journalExt, Durability: chunkio.Durability(o.Durability),
		Checking: chunkio.Checking(o.Checking), Resident: resident,
		Chunks: func() (axial.Number, error) { return chunksOf(files[0]) },
	}
	switch has := state.HasPresenceMap(); {
	case has && len(files) > presenceFile:
		stored.Presence = files[presenceFile]
	case has && !o.Write && !o.noPresence:
		stored.Presence = lazyPresence(o.filesystem(), name, files[0])
	case len(files) > presenceFile: // a writer died before the commit that would have made it count
		_ = files[presenceFile].Close()
	}
	if !o.Write {
		// Writers of both kinds have its lock as long as they have it open.
		stored.Writing = files[1].Locked
		stored.Current = func() (bool, error) { return isCurrent(o.filesystem(), name, files[0]) }
		stored.Commits = func() (int, error) {
			_, log, err := metalog.ReadLog(files[0])
			if err != nil {
				return 0, err
			}
			return log.Commits(), nil
		}
	}
	a.store = chunkio.Open(stored, state.ChunkBytes, state.Slot())
	a.pool = pool.New(backend{a.store, state.Fill}, state.ChunkBytes, cache)
	if o.patchCost > 0 {
		a.pool.PatchCost = o.patchCost
	}
	a.chunks = a.newChunks(o, state.ChunkBytes)
	return a
}

// runBytes is the most bytes that are put together for one write: what stays in a cache while it is copied,
// its checksum is computed and it is written.
const runBytes = 1 << 20

// newChunks returns the data path to the store and the pool of the array.
func (a *Array) newChunks(o Options, chunkBytes int) *transfer.Chunks {
	cache, _ := o.shares()
	c := &transfer.Chunks{
		Store: a.store, Pool: a.pool,
		Readers: o.parallel(chunkBytes), RunBytes: int(min(cache/8, runBytes)),
	}
	c.Writers = writers(c.Readers, o.room()/4/int64(max(c.RunBytes, chunkBytes)))
	if a.shared {
		c.Reserved = a.reservations
	}
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
	store *chunkio.Store
	fill  []byte
}

// Stored reports whether chunk q was ever written.
func (b backend) Stored(q axial.Number) (bool, error) { return b.store.Written(q) }

// Load reads and checks chunk q; one that was never written is pool.ErrAbsent.
func (b backend) Load(q axial.Number, buf []byte) error {
	err := b.store.Read(q, buf)
	if errors.Is(err, chunkio.ErrUnwritten) {
		return pool.ErrAbsent
	}
	return err
}

// Blank fills a chunk with the fill value.
func (b backend) Blank(buf []byte) { strided.Repeat(buf, b.fill) }

// Store writes chunk q: others see it with the next commit.
func (b backend) Store(q axial.Number, buf []byte) error { return b.store.Write(q, buf) }
