package drx

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"drx/internal/chunkio"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
)

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
	return a, nil
}

// create makes the files, the log last: without it there is no array.
func create(name string, o Options, records []state.Record, as *vfs.Access) (a *Array, err error) {
	var state *state.State
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
	log := metalog.NewLog(files[0])
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
func headOf(log *metalog.Log) *chunkio.Head {
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
	if unborn, err := metalog.Unborn(f); err != nil || !unborn {
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
