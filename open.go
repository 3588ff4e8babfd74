package drx

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/mapped"
	"drx/internal/meta"
	"drx/internal/pool"
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

// Create makes a new array, durable when it returns, and opens it for writing. The array
// name is four files, see the package comment; name may be given with one of their
// extensions. An error wraps fs.ErrExist when one of them exists, ErrDType, ErrRank,
// ErrBounds or ErrOverflow when the spec is at fault, or is the file system's; no file is
// left behind then. Empty files, as a process leaves them that is killed meanwhile, are
// replaced.
func Create(name string, spec Spec) (*Array, error) {
	name = BaseName(name)
	if last := filepath.Base(name); name == "" || strings.HasSuffix(name, "/") || last == "." || last == ".." {
		return nil, fmt.Errorf("create: %q is no name for an array: %w", name, fs.ErrInvalid)
	}
	spec.Write = true
	records, err := spec.records()
	if err != nil {
		return nil, fmt.Errorf("%s: create: %w", name, err)
	}
	as, err := spec.access()
	if err != nil {
		return nil, fmt.Errorf("%s: create: %w", name, err)
	}
	a, err := create(name, spec.Options, records, as)
	if err != nil {
		return nil, fmt.Errorf("%s: create: %w", name, err)
	}
	if spec.Shared { // so far no other process could open it
		if err := a.Close(); err != nil {
			return nil, err
		}
		return Open(name, spec.Options)
	}
	a.access = newAccessLog(spec.AccessLog)
	return a, nil
}

// create makes the files, the log last: without it there is no array.
func create(name string, o Options, records []meta.Record, as *vfs.Access) (a *Array, err error) {
	var state *meta.State
	for _, r := range records {
		if state, err = state.Apply(r); err != nil {
			return nil, err
		}
	}
	fsys := o.filesystem()
	o.Shared = false
	files, err := claimFiles(fsys, name, as)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			discard(fsys, files)
		}
	}()
	if o.Durability != DurabilityNone { // a log with a commit has the other files beside it
		if err = fsys.SyncDir(filepath.Dir(name)); err != nil {
			return nil, err
		}
	}
	log := meta.NewLog(files[0])
	line, err := log.Line(records) // one line: whoever sees the array sees its attributes too
	if err == nil {
		err = log.AppendLine(line, o.Durability != DurabilityNone)
	}
	if err != nil {
		return nil, err
	}
	a = newArray(name, o, state, log, files)
	a.store.SetCommitted(state.Grid.Chunks(), log.Commits())
	if err = a.store.SetUnjournaled(o.Durability != DurabilityFull, *headOf(log)); err != nil {
		return nil, err
	}
	return a, nil
}

// headOf returns how a log ends, for the presence map.
func headOf(log *meta.Log) *chunkio.Head {
	return &chunkio.Head{Commits: int64(log.Commits()), Digits: log.Digits()}
}

// claimFiles creates log, data, table and presence map of an array that does not exist, with an Access, and
// locks them. Other files of that name must not exist: the journal of an array that is gone would be taken
// for this one's.
func claimFiles(fsys vfs.FS, name string, as *vfs.Access) ([]vfs.File, error) {
	if err := mustNotExist(fsys, name+journalExt, name+journalExt+"0"); err != nil {
		return nil, err
	}
	files, err := createFiles(fsys, name, "", as)
	var path *fs.PathError
	if errors.Is(err, fs.ErrExist) && errors.As(err, &path) && slices.Contains([]string{name + dataExt, name + tableExt, name + presenceExt}, path.Path) {
		err = fmt.Errorf("%w, but there is no log %s: restore the log, or move the other files of this array away", err, name+logExt)
	}
	return files, err
}

// mustNotExist returns an error wrapping fs.ErrExist when one of the files exists.
func mustNotExist(fsys vfs.FS, names ...string) error {
	for _, name := range names {
		if id, err := identityOf(fsys, name); err != nil {
			return err
		} else if id != nil {
			return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		}
	}
	return nil
}

// createFiles creates log, data, table and presence map, the names ending with a suffix, and locks them. They
// get an Access, nil for that of any new file. After an error there is none of them.
func createFiles(fsys vfs.FS, name, suffix string, as *vfs.Access) (files []vfs.File, err error) {
	// A mark would make the next Open put other files in their place.
	if err := mustNotExist(fsys, name+markExt); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			discard(fsys, files)
		}
	}()
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
		f, err := createFile(fsys, name+ext+suffix, as)
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

// createFile creates a file and locks it. One that holds nothing, as a creation leaves it that was interrupted,
// is removed before: it may be somebody else's, open to anybody. The error wraps fs.ErrExist when there is one that
// holds something, or cannot be removed, or that somebody else is just creating.
func createFile(fsys vfs.FS, name string, as *vfs.Access) (vfs.File, error) {
	f, err := newFile(fsys, name, as)
	if errors.Is(err, fs.ErrExist) {
		removed, removeErr := removeBlank(fsys, name)
		if removed {
			f, err = newFile(fsys, name, as)
		} else {
			err = cmp.Or(removeErr, err)
		}
	}
	if err != nil {
		return nil, err
	}
	own, err := takeBlank(fsys, f)
	if own {
		return f, nil
	}
	if err != nil {
		_ = fsys.Remove(name)
	}
	_ = f.Close()
	return nil, cmp.Or(err, error(&fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}))
}

// removeBlank removes a file that holds nothing and that nobody is just creating, and reports whether it did.
func removeBlank(fsys vfs.FS, name string) (bool, error) {
	f, err := fsys.OpenNoFollow(name, true)
	if err != nil {
		return false, nil // it is somebody else's, or no file
	}
	defer f.Close() // not before: nobody else may remove what has the name by then
	if own, err := takeBlank(fsys, f); err != nil || !own {
		return false, err
	}
	err = fsys.Remove(name)
	if errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	return err == nil, err
}

func newFile(fsys vfs.FS, name string, as *vfs.Access) (vfs.File, error) {
	if as == nil {
		return fsys.Create(name)
	}
	return fsys.CreateAs(name, *as)
}

// takeBlank locks a file, and reports whether it is this caller's then: it holds nothing, nobody else has locked
// it, and it still has its name.
func takeBlank(fsys vfs.FS, f vfs.File) (bool, error) {
	if err := f.Lock(); err != nil {
		if errors.Is(err, ErrLocked) {
			return false, nil
		}
		return false, err
	}
	if blank, err := isBlank(fsys, f); err != nil || !blank {
		return false, err
	}
	is, err := f.Identity()
	if err != nil {
		return false, err
	}
	now, err := identityOf(fsys, f.Name())
	return err == nil && now == is, err
}

// isBlank reports whether a file holds nothing: it is empty, or a log that never had a commit, its first line
// being cut short by a crash, without anything in the other files; or the presence map of such an array.
func isBlank(fsys vfs.FS, f vfs.File) (bool, error) {
	name, isLog := strings.CutSuffix(f.Name(), logExt)
	if !isLog {
		return isUnused(f)
	}
	if unborn, err := meta.Unborn(f); err != nil || !unborn {
		return false, err
	}
	for _, ext := range []string{dataExt, tableExt, presenceExt} {
		other, err := fsys.Open(name+ext, false)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		unused, err := isUnused(other)
		_ = other.Close()
		if err != nil || !unused {
			return false, err
		}
	}
	return true, nil
}

// isUnused reports whether a file that is not a log is empty, or a presence map that knows of no chunk and of no
// commit but the creation.
func isUnused(f vfs.File) (bool, error) {
	size, err := f.Size()
	if err != nil || size == 0 || !strings.HasSuffix(f.Name(), presenceExt) {
		return err == nil && size == 0, err
	}
	return chunkio.IsUnused(f)
}

// discard removes files and closes them, which gives the locks back: nobody takes one that is about to
// be removed. Whatever cannot be undone, the error before is what the caller needs.
func discard(fsys vfs.FS, files []vfs.File) {
	for _, f := range files {
		_, _ = fsys.Remove(f.Name()), f.Close()
	}
}

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
	a.access = newAccessLog(o.AccessLog)
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
	a.access = newAccessLog(o.AccessLog)
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
		state, log, err := meta.ReadLogTo(files[0], commit, nil)
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
	if unborn, err := meta.Unborn(files[0]); err != nil || !unborn {
		return err
	}
	return fmt.Errorf("%s: empty: the array is still being created, or that was interrupted: %w", files[0].Name(), fs.ErrNotExist)
}

// checkPresence returns an error wrapping fs.ErrNotExist when the presence map is missing that a writer
// needs: not in an array of version 1. A reader opens it when it is needed.
func (a *Array) checkPresence(o Options, files []vfs.File) error {
	if !o.Write || a.logged.Version < meta.PresenceVersion || len(files) > presenceFile {
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
// chunk table members of a group share, see Member.stay: nobody else writes until the last one of a
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

// recover makes good what a writer left behind that died. A commit that is whole in the
// journal counts: a writer finishes it, a reader reads the chunks from there. What is not
// part of a commit is removed by a writer and not looked at by a reader.
func (a *Array) recover() error {
	if a.write && !a.shared {
		if err := a.store.Unshare(); err != nil {
			return err
		}
	}
	commits, err := a.commitsNow()
	if err != nil {
		return err
	}
	line, err := a.store.Recover(commits, a.write)
	if err != nil && a.accepts(err) { // the journal is whole but cannot be
		line, err = nil, a.fsys.Remove(a.name+journalExt)
	}
	if err != nil || a.fixed {
		return err
	}
	if err := a.replay(line); err != nil {
		return err
	}
	if err := a.openPresence(); err != nil {
		return err
	}
	if err := a.checkJournaled(line); err != nil || !a.write {
		return err
	}
	if err := a.checkLog(line); err != nil {
		return err
	}
	if err := a.log.Tidy(a.durability != DurabilityNone); err != nil {
		return err
	}
	if err := a.secure(); err != nil {
		return err
	}
	a.unfinished = &unfinished{made: true, line: line, chunks: a.state.Load().Grid.Chunks()}
	if err := a.finish(); err != nil {
		return err
	}
	if err := a.store.Trim(); err != nil || a.shared {
		return err
	}
	return a.blankUnjournaled()
}

// openPresence opens the presence map for a writer if it is the commit in the journal that has made the
// array one of version 2: the log alone did not say so.
func (a *Array) openPresence() error {
	if !a.write || a.acceptLoss || a.store.HasPresence() || a.state.Load().Version < meta.PresenceVersion {
		return nil
	}
	file, err := a.fsys.OpenNoFollow(a.name+presenceExt, true)
	if err == nil {
		a.store.SetPresence(file)
	}
	return err
}

// checkJournaled returns an error when the last line of the log is of a commit that should be in the
// journal, or in its place, and is neither. line is what the log lacks and the journal has.
func (a *Array) checkJournaled(line []byte) error {
	j := a.logged.Journaled
	if j == nil || line != nil || a.store.Unfinished() {
		return nil
	}
	outside := outsideBounds(a.logged)
	err := a.store.CheckJournaled(*headOf(a.log), j.Chunks, j.Before, outside)
	if err != nil && !a.accepts(err) {
		return fmt.Errorf("%w; copy what is left with drx recover, or give up what is lost with drx recover --in-place", err)
	}
	return nil
}

// checkLog returns an error when the log has lost its end: what a writer would do next would take
// the place of what can still be saved. line is what the log lacks and the journal has.
func (a *Array) checkLog(line []byte) error {
	now := *headOf(a.log)
	if line != nil {
		now.Commits++
		copy(now.Digits[:], line)
	}
	err := a.store.CheckLog(a.file.Name(), now, a.state.Load().Grid.Chunks())
	if err == nil {
		err = a.checkVersion()
	}
	if err != nil {
		if a.accepts(err) {
			return nil
		}
		return fmt.Errorf("%w; copy what is left with drx recover, or give up what is lost with drx recover --in-place", err)
	}
	if err = a.store.AdoptHead(now); err == nil && a.shared && a.store.Unjournaled() {
		err = errUnjournaled
	}
	return err
}

// errUnjournaled says that elements outside of the bounds have to be set to the fill value, which a process
// that shares the array cannot do.
var errUnjournaled = errors.New("a writer without journal died")

// checkVersion returns an error wrapping ErrCorrupt when the log is of version 1 beside a presence map that
// knows the log: it has had a commit since that made the array one of version 2.
func (a *Array) checkVersion() error {
	if a.state.Load().Version >= meta.PresenceVersion {
		return nil
	}
	head, known, err := headIn(a.fsys, a.name+presenceExt)
	if err != nil || !known {
		return err
	}
	return fmt.Errorf("%s: lines at its end are missing: it has %d, %s knows of %d: %w",
		a.file.Name(), a.log.Commits(), a.name+presenceExt, head.Commits, ErrCorrupt)
}

// accepts reports whether an error is a loss that is to be accepted.
func (a *Array) accepts(err error) bool {
	is := a.acceptLoss && errors.Is(err, ErrCorrupt)
	a.lost = a.lost || is
	return is
}

// commitsNow returns the number of lines of the log, which OpenAt has read only in part: the journal
// counts for all of it. What is damaged behind that part does not matter there.
func (a *Array) commitsNow() (int, error) {
	if !a.fixed {
		return a.log.Commits(), nil
	}
	all := *a.log
	_, err := all.ReadOn(a.logged, 0, nil)
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) {
		err = nil
	}
	return all.Commits(), err
}

// secure makes durable what was found: the writer before may have been killed before it
// could, and what is committed from now on builds on it.
func (a *Array) secure() error {
	if a.durability == DurabilityNone {
		return nil
	}
	if err := a.file.Sync(); err != nil {
		return err
	}
	if err := a.store.SyncJournal(); err != nil {
		return err
	}
	return a.fsys.SyncDir(filepath.Dir(a.name))
}

// replay sets the state to that of the log, and of a line of the journal that the log lacks.
func (a *Array) replay(line []byte) error {
	state := a.logged
	if line != nil {
		var err error
		if state, err = a.log.Replay(state, line); err != nil {
			return err
		}
	}
	if err := a.store.CheckJournal(state.Grid.Chunks()); err != nil {
		return err
	}
	a.state.Store(state)
	return nil
}

func newArray(name string, o Options, state *meta.State, log *meta.Log, files []vfs.File) *Array {
	a := &Array{
		name: name, fsys: o.filesystem(), write: o.Write, shared: o.Shared,
		durability: o.Durability, checking: o.Checking, cache: o.Cache, goroutines: o.Goroutines,
		file: files[0], log: log, logged: state, acceptLoss: o.acceptLoss,
	}
	a.state.Store(state)
	cache, resident := o.shares()
	a.parallel, a.runBytes = o.parallel(state.ChunkBytes), int(min(cache/8, runBytes))
	a.writers = writers(a.parallel, o.room()/4/int64(max(a.runBytes, state.ChunkBytes)))
	stored := chunkio.Files{
		FS: o.filesystem(), Log: files[0], Data: files[1], Table: files[2], Journal: name + journalExt, Durability: chunkio.Durability(o.Durability),
		Checking: chunkio.Checking(o.Checking), Resident: resident,
		Chunks: func() (axial.Number, error) { return chunksOf(files[0]) },
	}
	switch has := state.Version >= meta.PresenceVersion; {
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
			_, log, err := meta.ReadLog(files[0])
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
	return a
}

// chunksOf returns how many chunks the log in a file says that there are.
func chunksOf(log vfs.File) (axial.Number, error) {
	s, _, err := meta.ReadLog(log)
	if err != nil {
		return 0, err
	}
	return s.Grid.Chunks(), nil
}

// shares returns how many bytes may be in memory: of chunks, and of the files where they are
// mapped. Only files of the operating system can be. Who only reads has hardly any other use
// for chunks than those that a writer is just overwriting.
func (o Options) shares() (chunks, resident int64) {
	cache := o.Cache
	switch {
	case o.filesystem() != vfs.OS:
		return cmp.Or(max(cache, 0), DefaultCache), 0
	case cache <= 0:
		return DefaultCache, max(DefaultCache, ram()/4)
	case o.Write:
		return cache / 2, cache - cache/2
	default:
		return cache / 8, cache - cache/8
	}
}

var ram = sync.OnceValue(mapped.RAM)

// parallel returns how many goroutines one call may use: each may need a chunk of its own.
func (o Options) parallel(chunkBytes int) int {
	n := o.Goroutines
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return int(max(1, min(int64(n), o.room()/8/int64(chunkBytes))))
}

// room is the bytes of memory that calls may have parts of.
func (o Options) room() int64 { return cmp.Or(max(o.Cache, 0), DefaultCache) }

// writers returns how many goroutines a call that writes may use, if others use so many and there is room for
// what at most so many have put together. One writes at a time: while it does, something is to be put
// together, and something is to be ready when it is done.
func writers(parallel int, room int64) int {
	if parallel == 1 {
		return 1
	}
	return max(parallel, int(min(int64(parallel)+2, room)))
}

func (o Options) filesystem() vfs.FS {
	if o.fs == nil {
		return vfs.OS
	}
	return o.fs
}

// options returns what the array was opened with.
func (a *Array) options() Options {
	return Options{
		Write: a.write, Shared: a.shared, Cache: a.cache, Durability: a.durability, Checking: a.checking,
		Goroutines: a.goroutines, fs: a.fsys,
	}
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
func (b backend) Blank(buf []byte) { blank(buf, b.fill) }

// Store writes chunk q: others see it with the next commit.
func (b backend) Store(q axial.Number, buf []byte) error { return b.store.Write(q, buf) }
