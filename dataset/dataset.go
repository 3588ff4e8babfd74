package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drx"
	"drx/internal/errkind"
)

var (
	// ErrVariable is returned for a variable that the dataset does not have, or that cannot be
	// opened.
	ErrVariable = errors.New("no such variable")
	// ErrDim is returned for a dimension that the dataset does not have, and for extents that
	// contradict a dimension.
	ErrDim = errors.New("wrong dimension")
	// ErrGroup is returned for a group that the dataset does not have.
	ErrGroup = errors.New("no such group")
)

// Marker is the name, in the folder, of the array that declares a dataset or a group and holds its
// attributes.
const Marker = ".dataset"

// A Dataset is an open dataset. It is used by one goroutine at a time; the arrays of its variables
// may be used by any number.
type Dataset struct {
	folder  string
	o       drx.Options
	write   bool
	scan    *catalogue
	vars    map[string]*Variable  // those that are open
	markers map[string]*drx.Array // of the groups, open; nil for a group without one
	grown   map[string]growth     // dimensions that have grown since the last Sync
	pending attrChanges           // of the attributes of the dataset since the last Sync
	filled  *attrChanges          // changes that the fill function of CreateAll has made so far
	hidden  []string              // arrays that CreatePending has made since the last Sync
	closed  bool
}

// Create makes an empty dataset and opens it for writing. The folder may exist: its arrays become
// variables. o is for the variables; Options.Cache limits the memory of each that is in use. The
// error wraps fs.ErrExist if the folder is a dataset already, fs.ErrNotExist if the folder that it
// is in does not exist, or is the file system's.
func Create(folder string, o drx.Options) (*Dataset, error) {
	declared, err := isDeclared(folder)
	if err != nil {
		return nil, err
	}
	if declared {
		return nil, errkind.Errorf(fs.ErrExist, "%s: create: the folder is a dataset already", folder)
	}
	if err := makeFolder(folder); err != nil {
		return nil, err
	}
	m, err := createMarker(folder)
	if err != nil {
		return nil, err
	}
	if err := m.Close(); err != nil {
		return nil, err
	}
	o.Write = true
	return Open(folder, o)
}

// Open opens a folder of arrays as a dataset: for reading or, with Options.Write, for writing. o is
// for the variables; Options.Cache limits the memory of each that is in use. Any folder can be
// opened for reading, for writing only one that Create has made a dataset. A writer first removes
// what a writer that died has left. There is one writer at a time. With
// Options.Shared any number of processes write elements of the variables side by side, and nothing
// else; the dataset has no other writer meanwhile.
//
// The error wraps fs.ErrNotExist if there is no such folder or, for writing, no such dataset,
// drx.ErrLocked if the dataset is open for writing elsewhere, or is that of drx.Open for the
// Marker. A variable that cannot be opened is an error only when it is used, see Variable.
func Open(folder string, o drx.Options) (*Dataset, error) {
	d := &Dataset{
		folder: filepath.Clean(folder), o: o, write: o.Write && !o.Shared, vars: map[string]*Variable{},
		markers: map[string]*drx.Array{}, grown: map[string]growth{},
	}
	err := d.open()
	if err != nil {
		_ = d.discard() // the first error is what the caller needs
		return nil, err
	}
	return d, nil
}

func (d *Dataset) open() (err error) {
	if d.o.Shared {
		return d.openShared()
	}
	if !d.write {
		return d.scanNow()
	}
	if _, _, err := drx.List(d.folder); err != nil {
		return err
	}
	if m, err := d.marker("", false); err != nil { // its lock is that of the dataset
		return err
	} else if m == nil {
		return d.noDataset()
	}
	if err := d.rollBackCreation(); err != nil {
		return err
	}
	if err := d.completeRenaming(); err != nil {
		return err
	}
	if d.scan, err = readCatalogue(d.folder, nil); err != nil {
		return err
	}
	return d.rollBack()
}

// noDataset returns the error for a folder without a Marker that is to be written.
func (d *Dataset) noDataset() error {
	return errkind.Errorf(fs.ErrNotExist, "%s: open for writing: the folder is no dataset, create it first", d.folder)
}

// scanNow reads what a reader sees: first the Marker, which says what is about to grow, and then
// the bounds. So attributes that change with a growth are never seen before it. The error of a
// Marker that cannot be read is that of Attrs.
func (d *Dataset) scanNow() (err error) {
	if m := d.markers[""]; m != nil {
		if _, err := m.Refresh(); err != nil {
			return err
		}
	} else {
		delete(d.markers, "") // there may be one now
		_, _ = d.marker("", false)
	}
	scan, err := readCatalogue(d.folder, nil)
	if err == nil {
		d.scan = scan
	}
	return err
}

// Folder returns the folder of the dataset.
func (d *Dataset) Folder() string { return d.folder }

// Writable reports whether the dataset is open for writing.
func (d *Dataset) Writable() bool { return d.write }

// Variables returns the names of the variables, sorted, with those of the groups: "rain",
// "model/rain". Coordinates are variables.
func (d *Dataset) Variables() []string { return d.scan.names() }

// Groups returns the paths of the groups, sorted, without the dataset itself: "model",
// "model/winter".
func (d *Dataset) Groups() []string { return slices.Clone(d.scan.groups[1:]) }

// Refresh makes a dataset that is open for reading see what was committed since it was opened or
// last refreshed: first the bounds of the dimensions, then the variables. It does nothing for one
// that is open for writing. Variables that were removed since then are closed. The error is that of
// Open, or of drx.Array.Refresh for a variable in use.
func (d *Dataset) Refresh() error {
	if err := d.check(false); err != nil || d.write {
		return err
	}
	if err := d.scanNow(); err != nil {
		return err
	}
	var errs []error
	for name, v := range d.vars {
		if d.scan.vars[name] == nil {
			delete(d.vars, name)
			errs = append(errs, v.a.Close())
			continue
		}
		_, err := v.a.Refresh()
		errs = append(errs, err)
	}
	for group, m := range d.markers {
		switch {
		case group == "":
		case m == nil:
			delete(d.markers, group) // there may be one now
		default:
			_, err := m.Refresh()
			errs = append(errs, err)
		}
	}
	return cmp.Or(errs...)
}

// Release closes the variables and groups that are open, after it has committed all changes as Sync
// does. Variable opens them again; those that it has returned before must not be used any more. So
// a program that goes through many variables has the files of few of them open at a time. The error
// is that of Sync, or of drx.Array.Close.
func (d *Dataset) Release() error {
	if err := d.check(false); err != nil {
		return err
	}
	if d.write {
		if err := d.Sync(); err != nil {
			return err
		}
	}
	err := d.closeArrays((*drx.Array).Close)
	clear(d.vars)
	maps.DeleteFunc(d.markers, func(group string, _ *drx.Array) bool { return group != "" })
	return err
}

// Close commits all changes, as Sync does, and closes the dataset and its variables. If the commit
// fails, they are closed all the same, and the next writer removes what the failed commit has left.
// A second Close returns drx.ErrClosed.
func (d *Dataset) Close() error {
	if err := d.check(false); err != nil {
		return err
	}
	if d.write {
		err := d.Sync()
		if err == nil { // otherwise the next writer needs it
			err = d.forgetIntent()
		}
		if err != nil {
			_ = d.discard() // the first error is what the caller needs
			return err
		}
	}
	return d.closeAll((*drx.Array).Close)
}

// Discard closes the dataset and its variables without a commit: the changes since the last Sync
// are lost. What a Sync that failed has committed of some variables remains, beyond the bounds of
// the dimensions; the next writer removes it.
func (d *Dataset) Discard() error {
	if err := d.check(false); err != nil {
		return err
	}
	return cmp.Or(d.discard(), d.removeHidden())
}

// removeHidden removes what CreatePending has made for a dataset that was closed without a commit,
// as the next writer would do. It is no error if that is at work already.
func (d *Dataset) removeHidden() error {
	if len(d.hidden) == 0 {
		return nil
	}
	next, err := Open(d.folder, drx.Options{Write: true})
	if err != nil {
		return fmt.Errorf("%s: removing the new variables: %w", d.folder, err)
	}
	return next.discard()
}

func (d *Dataset) discard() error { return d.closeAll((*drx.Array).Discard) }

// closeAll closes all arrays, the Marker of the dataset last, because it is the lock.
func (d *Dataset) closeAll(closeArray func(*drx.Array) error) error {
	d.closed = true
	err := d.closeArrays(closeArray)
	if m := d.markers[""]; m != nil {
		err = cmp.Or(err, closeArray(m))
	}
	return err
}

// closeArrays closes all arrays but the Marker of the dataset.
func (d *Dataset) closeArrays(closeArray func(*drx.Array) error) (err error) {
	for _, v := range d.vars {
		err = cmp.Or(err, closeArray(v.a))
	}
	for group, m := range d.markers {
		if group != "" && m != nil {
			err = cmp.Or(err, closeArray(m))
		}
	}
	return err
}

// check returns an error if the dataset is closed, or if write is true and it is open for reading.
func (d *Dataset) check(write bool) error {
	switch {
	case d.closed:
		return fmt.Errorf("%s: %w", d.folder, drx.ErrClosed)
	case write && d.o.Shared:
		return errkind.Errorf(drx.ErrReadOnly, "%s: open with Options.Shared: only elements of its variables can be written", d.folder)
	case write && !d.write:
		return fmt.Errorf("%s: %w", d.folder, drx.ErrReadOnly)
	}
	return nil
}

// path returns the name with which to open an array of the dataset.
func (d *Dataset) path(name string) string { return filepath.Join(d.folder, filepath.FromSlash(name)) }

// variableOf returns the name of the variable that an array of the dataset is: without the
// extension of an array in one file.
func variableOf(array string) string { return strings.TrimSuffix(array, drx.OneFileExt) }

// split returns the group and the own name of a variable or a dimension.
func split(name string) (group, own string) {
	group, own = path.Split(name)
	return path.Clean("/" + group)[1:], own
}

// openShared opens a dataset whose variables are written beside other processes. The Marker is
// locked so that nobody has the dataset for himself meanwhile.
func (d *Dataset) openShared() error {
	m, err := d.marker("", false)
	if err == nil && m == nil {
		err = d.noDataset()
	}
	if err != nil {
		return err
	}
	return d.scanNow()
}
