package dataset

import (
	"path"
	"strings"

	"drx"
)

// CreatePending makes a variable, and the groups that it is in, which readers see from the next
// Sync on, all at the same moment with whatever else was made so since the last one. It is
// otherwise like CreateVariable. Before that Sync the variable is there for this writer only:
// Discard removes it and, after a crash, the next writer. So a program that cannot give all
// variables to CreateAll at once makes all of them or none. A CreateAll in between shows none of
// them.
func (d *Dataset) CreatePending(name string, spec drx.Spec) (*Variable, error) {
	if err := d.check(true); err != nil {
		return nil, err
	}
	array, err := d.prepare(name, &spec)
	if err != nil {
		return nil, err
	}
	if exists, err := drx.Exists(d.path(array)); err != nil || exists {
		return d.create(array, spec) // which says so
	}
	group, _ := split(array)
	if group != "" {
		if err := d.pendingGroup(group); err != nil {
			return nil, err
		}
	}
	if err := d.hide(array); err != nil {
		return nil, err
	}
	return d.create(array, spec)
}

// pendingGroup makes a group and those that it is in, unless they exist, which count with the next
// Sync.
func (d *Dataset) pendingGroup(group string) error {
	if err := d.checkGroupName(group); err != nil {
		return err
	}
	parent := ""
	for own := range strings.SplitSeq(group, "/") {
		parent = path.Join(parent, own)
		if d.hasGroup(parent) {
			continue
		}
		if err := d.hide(path.Join(parent, Marker)); err != nil {
			return err
		}
		if err := d.CreateGroup(parent); err != nil {
			return err
		}
	}
	return nil
}

// hide commits that an array does not count which is about to be made.
func (d *Dataset) hide(array string) error {
	m, err := d.marker("", true)
	if err != nil {
		return err
	}
	c, err := creationOf(m)
	if err != nil {
		return err
	}
	hidden := append(d.hidden[:len(d.hidden):len(d.hidden)], array)
	if err := d.setCreation(creation{c.Number + 1, hidden}, attrChanges{}); err != nil {
		return err
	}
	d.hidden = hidden
	return nil
}
