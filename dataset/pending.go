package dataset

import (
	"path"
	"strings"

	"drx"
)

// CreatePending creates a variable and its enclosing groups. Readers see it from the next Sync on,
// together with everything else created in this way since the last Sync. Otherwise it is like
// CreateVariable. Before that Sync only this writer sees the variable; Discard removes it and,
// after a crash, the next writer does. Thus a program that cannot give all variables to one
// CreateAll still creates all of them or none. A CreateAll in between does not show them.
func (d *Dataset) CreatePending(name string, spec drx.Spec) (*Variable, error) {
	if err := d.check(true); err != nil {
		return nil, err
	}
	array, err := d.prepare(name, &spec)
	if err != nil {
		return nil, err
	}
	if exists, err := drx.Exists(d.path(array)); err != nil || exists {
		return d.create(array, spec) // create returns the error
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

// pendingGroup creates a group and its enclosing groups, unless they exist. They count with the
// next Sync.
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

// hide commits that an array does not count, before it is created.
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
