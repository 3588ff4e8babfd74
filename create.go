package drx

import (
	"fmt"
	"path/filepath"

	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
)

// Create makes a new array, which is durable when Create returns, and opens it for writing. name may have one
// of the extensions of the array's files, see the package comment. If it ends in .drx the array is in one file with that name. Empty files, which remain if a process is
// killed in Create, are replaced.
//
// The error wraps fs.ErrExist if a file of the array exists, fs.ErrInvalid if name is no file name, ErrDType,
// ErrRank, ErrBounds or ErrOverflow if the spec is invalid, or is the file system's. After an error no file is
// left.
func Create(name string, spec Spec) (*Array, error) {
	name = BaseName(name)
	if err := fileset.CheckName(name); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	name = fileset.NewName(spec.filesystem(), name)
	spec.Write = true
	a, err := create(name, spec)
	if err != nil {
		return nil, fmt.Errorf("%s: create: %w", name, err)
	}
	if spec.Shared { // create locks the array for this process alone
		if err := a.Close(); err != nil {
			return nil, err
		}
		return Open(name, spec.Options)
	}
	return a, nil
}

// create makes the files. The log gets its first line last, because the line makes the array exist.
func create(name string, spec Spec) (a *Array, err error) {
	records, err := spec.records()
	if err != nil {
		return nil, err
	}
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
	if o.Durability != DurabilityNone { // the other files must exist if the log's first line does
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

// created is called with the name of every array that was made. Tests learn from it in which form that was.
var created = func(name string) {}
