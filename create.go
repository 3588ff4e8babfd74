package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
)

// Create creates a new array, which is durable when Create returns, and opens it for writing. name
// may have one of the extensions of the array's files, see the package comment. If it ends in .drx,
// the array is in one file with that name. Create replaces empty files, which a process killed in
// Create leaves behind.
//
// The error wraps fs.ErrExist if a file of the array exists; fs.ErrInvalid if name is no file name
// or Spec.Codec no codec; ErrDType, ErrRank, ErrBounds or ErrOverflow if the spec is invalid; or it
// is the file system's. After an error no file is left.
func Create(name string, spec Spec) (*Array, error) {
	name = BaseName(name)
	if err := fileset.CheckName(name); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	name = fileset.NewName(spec.filesystem(), name)
	spec.Write = true
	a, err := create(name, spec)
	if err != nil {
		return nil, errkind.Doing(name, "create", err)
	}
	if spec.Shared { // create locks the array for this process alone
		if err := a.Close(); err != nil {
			return nil, err
		}
		return Open(name, spec.Options)
	}
	return a, nil
}

// create creates the files. It appends the first line to the log last, because the line makes the
// array exist.
func create(name string, spec Spec) (a *Array, err error) {
	records, err := spec.records()
	if err != nil {
		return nil, err
	}
	records = append(records, identify())
	access, err := spec.access()
	if err != nil {
		return nil, err
	}
	var state *state.State
	for _, r := range records {
		if state, err = state.Apply(r); err != nil {
			return nil, err
		}
	}
	o, fsys := spec.Options, spec.filesystem()
	o.Shared = false
	files, err := fileset.Claim(fsys, name, access)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			fileset.Discard(fsys, files)
		}
	}()
	if o.Durability != DurabilityNone { // before the log's first line makes the array exist
		if err = fsys.SyncDir(filepath.Dir(name)); err != nil {
			return nil, err
		}
	}
	if err = files.Format(state.Slot(), state.Align, o.Durability == DurabilityNone); err != nil {
		return nil, err
	}
	log := metalog.NewLog(files.Log)
	// One line, so that nobody sees the array without its attributes.
	if err = log.Append(records, o.Durability != DurabilityNone); err != nil {
		return nil, err
	}
	a = newArray(name, o, state, log, files)
	a.store.SetCommitted(state.Grid.Chunks(), log.Commits())
	if err = a.writer.SetUnjournaled(o.Durability != DurabilityFull, *headOf(log)); err != nil {
		return nil, err
	}
	created(name)
	return a, nil
}

// created is called with the name of every new array, for tests that count the forms.
var created = func(name string) {}

// CreateAll creates arrays, given by their names, which are durable when CreateAll returns. It
// takes a fraction of the time of calling Create and Close for each, because it syncs nothing
// before all arrays exist. It creates missing folders of the arrays, and leaves no array open.
// Options.Durability is ignored. If fill is not nil, it is called with each array, in the order of
// their names, to write its first elements; it must not change anything else of the array, or call
// Sync or Close.
//
// If the process or the machine crashes in CreateAll, some of the arrays may exist, and after a
// crash of the machine they may be damaged. A caller that needs all or none of them stores the
// names first, and removes the arrays with Remove.
//
// The error is one of Create, MakeFolder or fill. After an error no array is left, but folders may
// be.
func CreateAll(specs map[string]Spec, fill func(name string, a *Array) error) error {
	names := slices.Sorted(maps.Keys(specs))
	changed, err := makeFolders(names)
	if err != nil {
		return err
	}
	for i, name := range names {
		made, err := createUnsynced(name, specs[name], fill)
		if err != nil {
			if made {
				i++
			}
			return errors.Join(err, removeAll(names[:i]))
		}
	}
	if err := syncNew(names, changed, fill != nil); err != nil {
		return errors.Join(err, removeAll(names))
	}
	return nil
}

// makeFolders creates the missing folders of arrays. It returns the folders to sync: all of these,
// and the parents of the new ones.
func makeFolders(names []string) (changed []string, err error) {
	set := map[string]bool{}
	for _, name := range names {
		set[filepath.Dir(name)] = true
	}
	for _, folder := range slices.Sorted(maps.Keys(set)) { // outer folders first
		switch err := fileset.OS().Mkdir(folder); {
		case err == nil:
			set[filepath.Dir(folder)] = true
		case !errors.Is(err, fs.ErrExist):
			return nil, errkind.Doing(folder, "create", err)
		}
	}
	return slices.Sorted(maps.Keys(set)), nil
}

// createUnsynced creates an array, lets fill write it, and closes it. made reports whether the
// array exists, which is possible even after an error.
func createUnsynced(name string, spec Spec, fill func(name string, a *Array) error) (made bool, err error) {
	spec.Shared, spec.Durability = false, DurabilityNone
	a, err := Create(name, spec)
	if err != nil {
		return false, err
	}
	if fill != nil {
		if err := fill(name, a); err != nil {
			_ = a.Discard() // the first error is what the caller needs
			return true, err
		}
	}
	return true, a.Close()
}

// syncers is the number of goroutines of CreateAll that sync files. Several at a time are faster,
// because a file system makes the changes of several files durable together.
const syncers = 8

// syncNew makes arrays and the entries of their folders durable. It skips the principal arrays and
// chunk tables of arrays that were not filled.
func syncNew(names, folders []string, filled bool) error {
	var files []string
	for _, name := range names {
		name = fileset.NewName(fileset.OS(), name)
		files = append(files, fileset.Log(name))
		if fileset.OneFile(name) {
			continue
		}
		files = append(files, fileset.Presence(name))
		if filled {
			files = append(files, fileset.Data(name), fileset.Table(name))
		}
	}
	errs := make([]error, syncers)
	var wait sync.WaitGroup
	for k := range syncers {
		wait.Go(func() {
			for i := k; i < len(files) && errs[k] == nil; i += syncers {
				errs[k] = syncFile(files[i])
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, folder := range folders {
		if err := fileset.OS().SyncDir(folder); err != nil {
			return errkind.Doing(folder, "create", err)
		}
	}
	return nil
}

func syncFile(name string) error {
	f, err := fileset.OS().Open(name, true)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeAll removes arrays after an error.
func removeAll(names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, Remove(name))
	}
	return err
}
