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
	// ErrVariable is wrapped by errors about a variable that does not exist or cannot be opened.
	ErrVariable = errors.New("no such variable")
	// ErrDim is wrapped by errors about a dimension that does not exist, and about extents that
	// contradict a dimension.
	ErrDim = errors.New("wrong dimension")
	// ErrGroup is wrapped by errors about a group that does not exist.
	ErrGroup = errors.New("no such group")
)

// Marker is the name of the array that declares its folder a dataset or a group and holds its
// attributes.
const Marker = ".dataset"

// A Dataset is an open dataset. It is not safe for concurrent use, but the arrays of its variables
// are.
type Dataset struct {
	folder  string
	o       drx.Options
	write   bool
	scan    *catalogue
	vars    map[string]*Variable  // the open ones
	markers map[string]*drx.Array // the open Markers of groups; nil for a group without one
	grown   map[string]growth     // dimensions that have grown since the last Sync
	pending attrChanges           // changes of dataset attributes since the last Sync
	filled  *attrChanges          // changes that the fill function of CreateAll has made
	hidden  []string              // arrays that CreatePending has created since the last Sync
	closed  bool
}

// Create creates an empty dataset and opens it for writing. The folder may exist: its arrays become
// variables. o applies to the variables; Options.Cache limits the memory of each variable in use.
// The error wraps fs.ErrExist if the folder is already a dataset, fs.ErrNotExist if its parent
// folder does not exist, or is the file system's.
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

// Open opens a folder of arrays as a dataset: for reading or, with Options.Write, for writing. o
// applies to the variables; Options.Cache limits the memory of each variable in use. Any folder can
// be opened for reading; only a dataset made by Create can be opened for writing. There is one
// writer at a time. A writer first removes what a writer that died has left. With Options.Shared,
// any number of processes write elements of the variables side by side, and nothing else; meanwhile
// the dataset has no other writer.
//
// The error wraps fs.ErrNotExist if there is no such folder or, for writing, no such dataset, and
// drx.ErrLocked if the dataset is open for writing elsewhere; otherwise it is that of drx.Open for
// the Marker. A variable that cannot be opened is an error only when it is used, see Variable.
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
	if d.scan, err = readCatalogue(d.folder); err != nil {
		return err
	}
	return d.rollBack()
}

// noDataset returns the error for writing to a folder without a Marker.
func (d *Dataset) noDataset() error {
	return errkind.Errorf(fs.ErrNotExist, "%s: open for writing: the folder is no dataset, create it first", d.folder)
}

// scanNow reads the state that readers see: first the Marker, which announces growth, and then the
// bounds. In this order attributes that change with a growth are never seen before it. A Marker
// that cannot be read is no error here; Attrs reports it.
func (d *Dataset) scanNow() (err error) {
	if m := d.markers[""]; m != nil {
		if _, err := m.Refresh(); err != nil {
			return err
		}
	} else {
		delete(d.markers, "") // there may be one now
		_, _ = d.marker("", false)
	}
	scan, err := readCatalogue(d.folder)
	if err == nil {
		d.scan = scan
	}
	return err
}

// Folder returns the folder of the dataset.
func (d *Dataset) Folder() string { return d.folder }

// Writable reports whether the dataset is open for writing.
func (d *Dataset) Writable() bool { return d.write }

// Variables returns the names of the variables, sorted, with the paths of their groups: "rain",
// "model/rain". Coordinates are variables.
func (d *Dataset) Variables() []string { return d.scan.names() }

// Groups returns the paths of the groups, sorted, without the dataset itself: "model",
// "model/winter".
func (d *Dataset) Groups() []string { return slices.Clone(d.scan.groups[1:]) }

// Refresh updates a dataset that is open for reading to the last commit: first the bounds of the
// dimensions, then the variables. Removed variables are closed. It does nothing for a dataset that
// is open for writing. The error is that of Open, or of drx.Array.Refresh for a variable in use.
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

// Release commits all changes, as Sync does, and closes the open variables and groups. Variables
// returned before must not be used any more; Variable opens them again. Thus a program that visits
// many variables keeps few files open. The error is that of Sync, or of drx.Array.Close.
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

// Discard closes the dataset and its variables without a commit: changes since the last Sync are
// lost. If a Sync failed, variables that it has committed stay longer than the dimensions; the next
// writer shortens them.
func (d *Dataset) Discard() error {
	if err := d.check(false); err != nil {
		return err
	}
	return cmp.Or(d.discard(), d.removeHidden())
}

// removeHidden removes the arrays of CreatePending after the dataset was closed without a commit,
// as the next writer would do. A writer that is already doing so is no error.
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

// check returns an error if the dataset is closed, or if write is set and it is open for reading.
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

// path returns the name for opening an array of the dataset.
func (d *Dataset) path(name string) string { return filepath.Join(d.folder, filepath.FromSlash(name)) }

// variableOf returns the variable name of an array: without the extension of a one-file array.
func variableOf(array string) string { return strings.TrimSuffix(array, drx.OneFileExt) }

// split returns the group and the own name of a variable or a dimension.
func split(name string) (group, own string) {
	group, own = path.Split(name)
	return path.Clean("/" + group)[1:], own
}

// openShared opens a dataset whose variables are written side by side with other processes. It
// locks the Marker, so that nobody has the dataset exclusively meanwhile.
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
