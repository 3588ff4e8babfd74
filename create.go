package drx

import (
	"fmt"
	"path/filepath"

	"drx/internal/fileset"
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
	if err := fileset.CheckName(name); err != nil {
		return nil, fmt.Errorf("create: %w", err)
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
	files, err := fileset.Claim(fsys, name, as)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			fileset.Discard(fsys, files)
		}
	}()
	if o.Durability != DurabilityNone { // a log with a commit has the other files beside it
		if err = fsys.SyncDir(filepath.Dir(name)); err != nil {
			return nil, err
		}
	}
	log := metalog.NewLog(files.Log)
	line, err := log.Line(records) // one line: whoever sees the array sees its attributes too
	if err == nil {
		err = log.AppendLine(line, o.Durability != DurabilityNone)
	}
	if err != nil {
		return nil, err
	}
	a = newArray(name, o, state, log, files)
	a.store.SetCommitted(state.Grid.Chunks(), log.Commits())
	if err = a.writer.SetUnjournaled(o.Durability != DurabilityFull, *headOf(log)); err != nil {
		return nil, err
	}
	return a, nil
}
