package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"drx/internal/fileset"
)

// CreateAll creates arrays, given by their names, which are durable when CreateAll returns. It takes a fraction of the time of
// as many calls of Create and Close, because nothing is made durable before all arrays are there. It creates the folders that
// they are in, unless these exist, and leaves no array open. Options.Durability is ignored. If fill is not nil, it is called with each
// array, in the order of their names, to write its first elements; it may change nothing else of the array and must not call Sync or Close.
//
// If the process or the machine crashes in CreateAll, some of the arrays may exist, and after a crash of the machine they may be
// damaged. A caller that needs all or none of them stores the names first, and removes the arrays with Remove.
//
// The error is that of Create, MakeFolder or fill. After an error no array is left, but folders may be.
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

// makeFolders creates the folders of arrays, unless they exist. It returns the folders that must be synced: these, and those
// in which it has created some.
func makeFolders(names []string) (changed []string, err error) {
	set := map[string]bool{}
	for _, name := range names {
		set[filepath.Dir(name)] = true
	}
	for _, folder := range slices.Sorted(maps.Keys(set)) { // the outer ones first
		switch err := fileset.OS().Mkdir(folder); {
		case err == nil:
			set[filepath.Dir(folder)] = true
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("%s: create: %w", folder, err)
		}
	}
	return slices.Sorted(maps.Keys(set)), nil
}

// createUnsynced creates an array, lets fill write it, and closes it. It reports whether the array exists, also after an error.
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

// syncers is how many goroutines of CreateAll sync files. A file system makes the changes of several files durable together.
const syncers = 8

// syncNew makes arrays durable, with the entries of their folders. In the principal arrays and chunk tables of arrays that are
// not filled there is nothing to sync.
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
			return fmt.Errorf("%s: create: %w", folder, err)
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
