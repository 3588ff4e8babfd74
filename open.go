package drx

import (
	"cmp"
	"errors"
	"io/fs"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/codec"
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/pool"
	"drx/internal/remote"
	"drx/internal/state"
	"drx/internal/strided"
	"drx/internal/transfer"
	"drx/internal/vfs"
)

// Open opens an existing array, for reading or, with Options.Write, for writing. name may have one
// of the extensions of the array's files. Open reads only the log, from its checkpoint on if it has
// one: time and memory grow with the number of expansions that do not continue the one before, but
// not with the size of the array.
//
// The error wraps fs.ErrNotExist if a file of the array is missing, or all are empty; ErrLocked if
// the array is opened for writing but is already open for writing elsewhere; ErrIncomplete,
// ErrVersion or ErrCorrupt; or it is the file system's. Open refuses files that are not regular. A
// writer also refuses symbolic links, except for a principal array on another volume whose name has
// the same extension.
func Open(name string, o Options) (*Array, error) {
	return openAt(name, 0, o)
}

// OpenAt opens an array for reading as it was after an earlier commit. Commits are counted from 1,
// the creation; History lists them. Overwritten elements are not kept: a read of a section returns
// the elements of that time, or an error that wraps ErrGone if a chunk of the section was
// overwritten or dropped since then. Chunks count as a whole. That one was recompressed does not
// matter, nor that elements were appended in it, beside those of that time, unless the array has
// shrunk since, or was written with less than DurabilityFull, shared or in a group. Chunks of a
// commit are gone after 262144 further ones, and after more than 700000 commits some may seem so
// that are not.
//
// No element can be read of commits of programs that did not note which commit wrote a chunk, and
// of commits that were made while processes shared the array (Options.Shared); see Array.Snapshot.
// The error of OpenAt is one of those of Open, or wraps ErrBounds if there is no such commit.
func OpenAt(name string, commit int, o Options) (*Array, error) {
	if commit < 1 {
		return nil, errkind.Errorf(ErrBounds, "%s: open: version %d is less than 1", name, commit)
	}
	return openAt(name, commit, o.forReading())
}

func (o Options) forReading() Options {
	o.Write, o.Shared = false, false
	return o
}

// openAt is OpenAt, with commit 0 for the last one.
func openAt(name string, commit int, o Options) (a *Array, err error) {
	err = waiting(o.Wait, func() error {
		a, err = openNow(name, commit, o)
		return err
	})
	return a, err
}

// openNow is openAt without waiting for locks.
func openNow(name string, commit int, o Options) (*Array, error) {
	found, err := resolve(o.filesystem(), name)
	if err != nil {
		return nil, errkind.Doing(name, "open", err)
	}
	a, err := open(found, o, commit)
	if errors.Is(err, ErrCorrupt) && mayBeStale(o.filesystem(), found) {
		a, err = openAgain(found, o, commit, err)
	}
	if errors.Is(err, fs.ErrNotExist) { // perhaps it was converted just now
		if now, resolveErr := resolve(o.filesystem(), name); resolveErr == nil && now != found {
			found = now
			a, err = open(found, o, commit)
		}
	}
	if commit > 0 && errors.Is(err, ErrBounds) {
		err = cmp.Or(missingLines(found, o), err)
	}
	if err != nil {
		return nil, errkind.Doing(found, "open", err)
	}
	return a, nil
}

// missingLines returns an error wrapping ErrCorrupt if the log of an array has lost its end. The
// requested commit may then have existed.
func missingLines(name string, o Options) error {
	a, err := open(name, o, 0)
	if err != nil {
		if errors.Is(err, ErrCorrupt) {
			return err
		}
		return nil
	}
	return a.Close()
}

// open opens an array as it was after a commit, 0 for the last. If a writer without journal has
// died and this process cannot repair the array, because it shares the array, open first opens and
// closes it as the only writer.
func open(name string, o Options, commit int) (*Array, error) {
	a, err := openOnce(name, o, commit)
	if commit > 0 && errors.Is(err, ErrBounds) { // its line may just have left the journal
		a, err = openOnce(name, o, commit)
	}
	if !errors.Is(err, errUnjournaled) {
		return a, err
	}
	exclusive := o
	exclusive.Shared, exclusive.Write, exclusive.Incomplete = false, true, true
	if a, err = openOnce(name, exclusive, 0); err != nil { // repairs the array
		return nil, err
	}
	if err := a.Close(); err != nil {
		return nil, err
	}
	return openOnce(name, o, commit)
}

// openOnce is open without the repair: it returns errUnjournaled if a writer that does not share
// the array must open it first.
func openOnce(name string, o Options, commit int) (*Array, error) {
	o.Write = o.Write || o.Shared
	return withFiles(name, o, nil, func(files fileset.Files) (*Array, error) {
		state, log, next, err := readLogTo(o.filesystem(), name, files.Log, commit)
		if err != nil {
			if err = cmp.Or(checkCreated(o.filesystem(), name, files), err); !errors.Is(err, ErrCorrupt) {
				return nil, err
			}
			// The array may just be under creation.
			if state, log, next, err = readLogTo(o.filesystem(), name, files.Log, commit); err != nil {
				return nil, err
			}
		}
		a := newArray(name, o, state, log, files)
		a.nextCheckpoint = next
		a.fixed, a.fixedAt = commit > 0, commit
		if err := a.checkPresenceMap(o, files); err != nil {
			return a, err
		}
		if err := a.store.Table().Covered(); err != nil {
			return a, err
		}
		findLastCommit := a.recoverFromCrash
		if !o.Write && !a.fixed {
			findLastCommit = func() error { return a.readLastCommit(nil) }
		}
		if err := findLastCommit(); err != nil {
			return a, err
		}
		if a.state.Load().Incomplete() && !o.Incomplete {
			return a, &IncompleteError{name}
		}
		if !o.Shared {
			return a, nil
		}
		if err := a.becomeSharer(); err != nil {
			return a, err
		}
		return a, a.file.Unlock()
	})
}

// checkCreated returns an error wrapping fs.ErrNotExist if the log has no commit and the other
// files are empty. An interrupted Create leaves such files, and Create would replace them.
func checkCreated(fsys vfs.FS, name string, files fileset.Files) error {
	head, known, err := fileset.PresenceHead(fsys, name) // before the log: it is written later
	if err != nil || known && head.ProvesCreation() {
		return err
	}
	if unborn, err := files.Unborn(); err != nil || !unborn {
		return err
	}
	return errkind.InFile(files.Log.Name(), errkind.Errorf(fs.ErrNotExist, "empty: the array is still being created, or its creation was interrupted"))
}

// checkPresenceMap returns an error wrapping fs.ErrNotExist if a writer needs the presence map and
// it is missing. Arrays of version 1 have none. A reader opens the presence map only when it needs
// it.
func (a *Array) checkPresenceMap(o Options, files fileset.Files) error {
	if !o.Write || !a.logged.HasPresenceMap() || files.Presence != nil {
		return nil
	}
	if a.opts.acceptLoss {
		a.lost = true
		return nil
	}
	missing := &fs.PathError{Op: "open", Path: fileset.Presence(a.name), Err: fs.ErrNotExist}
	return &fileset.Advice{
		Err: missing, InPlace: true,
		Text: "it records which chunks were written; recover the array in place to rebuild it",
	}
}

// withFiles opens the files of an array and calls f to make an Array of them, see fileset.Use. For
// a reader f may be called several times; the Array of the last call counts.
func withFiles(name string, o Options, absent fileset.Absent, f func(fileset.Files) (*Array, error)) (*Array, error) {
	var a *Array
	discard := func() {
		if a != nil {
			_ = a.store.Close(true) // fileset.Use closes the other files; the journal is the store's
			a = nil
		}
	}
	err := fileset.Use(o.filesystem(), name, o.role(), absent, func(files fileset.Files) (err error) {
		discard()
		if a, err = f(files); err != nil {
			discard()
		}
		return err
	})
	if err != nil {
		discard()
	}
	return a, err
}

// role returns the role in which the files are opened.
func (o Options) role() fileset.Role {
	switch {
	case o.Shared:
		return fileset.Sharer
	case o.Write:
		return fileset.Writer
	}
	return fileset.Reader
}

// newCodec returns the codec of the chunks of an array, nil for none. Tests replace it by one that
// also shortens chunks of a few bytes.
var newCodec = func(s *state.State) codec.Codec {
	if s.Codec.IsNone() {
		return nil
	}
	return anyCodec(s)
}

// anyCodec returns the codec of an array, even if that is none, for decoding the frames of others.
func anyCodec(s *state.State) *codec.Any {
	c, err := codec.New(s.Codec, s.DType.Size())
	if err != nil {
		panic(err) // the state has only codecs that codec.Parse returns
	}
	return codec.NewAny(c, s.Codec, s.DType.Size())
}

// decoderOf returns the decoder for the frames of an array with codec c, nil for none.
func decoderOf(s *state.State, c codec.Codec) codec.Codec {
	if c != nil {
		return c
	}
	return anyCodec(s)
}

// newArray returns an Array with open files and the given state, which is that of the log.
func newArray(name string, o Options, state *state.State, log *metalog.Log, files fileset.Files) *Array {
	system := systemOf(files)
	if system.StaleCaches {
		o = o.forStaleCaches()
	}
	a := &Array{name: name, open: true, system: system, fsys: o.filesystem(), opts: o, file: files.Log, log: log, logged: state, committed: state}
	a.state.Store(state)
	files.Relax(o.Durability == DurabilityNone)
	cache, resident := o.cacheBudgets(!state.Codec.IsNone())
	compressor := newCodec(state)
	leave := func() {} // for the memory that arrays share
	stored := chunkstore.Files{
		Closed: func() { leave() },
		FS:     o.filesystem(), Log: files.Log, Data: files.Data, Table: files.Table, Journal: fileset.Journal(name), Durability: chunkstore.Durability(o.Durability),
		Checking: chunkstore.Checking(o.Checking), Resident: resident, Codec: compressor, Decoder: decoderOf(state, compressor), Mixed: state.Recompressing != nil,
		Stale: system.StaleCaches, SyncTogether: a.fsys == fileset.OS() && !system.LocalLocks,
		Chunks: func() (axial.Number, error) { return countChunks(o.filesystem(), name, files.Log) },
		HasFrames: func() (bool, error) {
			s, _, _, err := fileset.ReadLog(o.filesystem(), name, files.Log)
			return err == nil && s.HasFrames(), err
		},
	}
	switch has := state.HasPresenceMap(); {
	case has && files.Presence != nil:
		stored.Presence = files.Presence
	case has && !o.Write && !o.noPresence:
		stored.Presence = fileset.LazyPresence(o.filesystem(), name, files.Log)
	case files.Presence != nil: // a writer died before the commit that makes the map count
		_ = files.Presence.Close()
	}
	if o.Write {
		a.writer = chunkstore.OpenWriter(stored, state.ChunkBytes, state.Slot())
		a.writer.Expect(state.Grid.Chunks())
		a.committer, a.store = a.writer, a.writer.Store
	} else {
		a.reader = chunkstore.OpenReader(stored, state.ChunkBytes, state.Slot(), otherWriters(o, name, files))
		a.store = a.reader.Store
	}
	a.chunks = a.newChunks(o, state.ChunkBytes, cache)
	a.pool = pool.New(poolBackend{a.chunks, state.Fill}, state.ChunkBytes, cache)
	if o.patchCost > 0 {
		a.pool.PatchCost = o.patchCost
	}
	if a.store.Encodes() {
		a.pool.Storers = a.chunks.Writers
	}
	a.chunks.Pool = a.pool
	a.store.SetCrowded(a.pool.Full)
	if o.Cache <= 0 && resident > 0 {
		p, store := a.pool, a.store // a reopened array joins with its own pool and store
		set := func(chunks, resident int64) {
			p.SetBudget(chunks)
			store.SetResident(resident)
		}
		leave = arrayMemory.join(&memoryMember{!state.Codec.IsNone(), set})
	}
	return a
}

// systemOf returns what the file systems of the files do not guarantee.
func systemOf(files fileset.Files) vfs.System {
	s, data := remote.SystemOf(files.Log), remote.SystemOf(files.Data)
	return vfs.System{
		Name:        cmp.Or(s.Name, data.Name),
		LocalLocks:  s.LocalLocks || data.LocalLocks,
		StaleCaches: s.StaleCaches || data.StaleCaches,
	}
}

// forStaleCaches returns the options for an array on a file system whose caches may be old. There a
// chunk that was right once may change: some of its bytes may be replaced by older or newer ones
// while its entry seems unchanged. And others see changes in the order in which they are synced.
func (o Options) forStaleCaches() Options {
	if o.Checking == CheckFirst {
		o.Checking = CheckAlways
	}
	if o.Durability == DurabilityNone {
		o.Durability = DurabilityNoJournal
	}
	return o
}

// otherWriters returns the functions with which a reader observes writing processes.
func otherWriters(o Options, name string, files fileset.Files) chunkstore.Others {
	return chunkstore.Others{
		Writing: files.Data.Locked, // every writer holds this lock while it has the array open
		Current: func() (bool, error) { return fileset.IsCurrent(o.filesystem(), name, files.Log) },
		Commits: func() (int, error) {
			_, log, _, err := fileset.ReadLog(o.filesystem(), name, files.Log)
			if err != nil {
				return 0, err
			}
			return log.Commits(), nil
		},
	}
}

// becomeSharer replaces the store of a single writer, which has recovered the array, by that of a
// sharing process.
func (a *Array) becomeSharer() error {
	sharer, err := chunkstore.OpenSharer(a.writer)
	if err != nil {
		return err
	}
	sharer.Goroutines = a.chunks.Readers
	a.writer, a.committer = nil, sharer
	a.chunks.Patcher, a.chunks.Writer, a.chunks.Sharer = nil, sharer, sharer
	a.chunks.Reserved = a.reservations
	return nil
}

// runBytes limits the bytes combined into one write, so that they stay in a processor's cache while
// they are copied, checksummed and written.
const runBytes = 1 << 20

// newChunks returns the data path to the store and the pool of the array.
func (a *Array) newChunks(o Options, chunkBytes int, cache int64) *transfer.Chunks {
	c := &transfer.Chunks{
		Store: a.store, Writer: a.committer, Patcher: a.writer,
		Readers: o.readers(chunkBytes), RunBytes: int(min(cache/8, runBytes)),
	}
	c.Writers = writers(c.Readers, o.memoryBudget()/4/int64(max(c.RunBytes, chunkBytes)))
	return c
}

// countChunks returns the number of chunks according to the log in a file.
func countChunks(fsys vfs.FS, name string, log vfs.File) (axial.Number, error) {
	s, _, _, err := fileset.ReadLog(fsys, name, log)
	if err != nil {
		return 0, err
	}
	return s.Grid.Chunks(), nil
}

// A poolBackend is the pool.Backend that loads chunks from, and writes them to, an array's store.
type poolBackend struct {
	chunks *transfer.Chunks
	fill   []byte
}

// Stored reports whether chunk q was ever written.
func (b poolBackend) Stored(q axial.Number) (bool, error) { return b.chunks.Store.Written(q) }

// Load reads and verifies chunk q. It returns pool.ErrAbsent if the chunk was never written.
func (b poolBackend) Load(q axial.Number, buf []byte) error { return b.chunks.Store.Read(q, buf) }

// Blank fills a chunk with the fill value.
func (b poolBackend) Blank(buf []byte) { strided.Repeat(buf, b.fill) }

// Store writes chunk q; see chunkstore.ChunkWriter for when others see it.
func (b poolBackend) Store(q axial.Number, buf []byte) error { return b.chunks.Writer.Write(q, buf) }
