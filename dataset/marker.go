package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
)

// heldAttr is the attribute of the dataset's Marker that holds changes of attributes until the
// growth of intentAttr is complete. From then on readers apply them, and the writer sets the
// attributes with the next commit of the Marker. Thus the attributes become visible together with
// the growth, although the Marker and the coordinate are two arrays with separate commits.
const heldAttr = "dataset.attrs"

// isOwn reports whether an attribute of a Marker is internal, and not one of the dataset.
func isOwn(name string) bool {
	return name == intentAttr || name == heldAttr || name == creatingAttr || name == renamingAttr
}

// isDeclared reports whether a folder has a Marker.
func isDeclared(folder string) (bool, error) { return drx.Exists(filepath.Join(folder, Marker)) }

// createMarker creates the Marker of a folder and opens it for writing.
func createMarker(folder string) (*drx.Array, error) {
	return drx.Create(filepath.Join(folder, Marker), markerSpec(nil))
}

// markerSpec describes a Marker with attributes. It has no elements.
func markerSpec(attrs map[string]any) drx.Spec {
	return drx.Spec{DType: dtype.Uint8, Shape: []int{0}, ChunkShape: []int{1}, Attrs: attrs}
}

// makeFolder creates a folder, unless it exists.
func makeFolder(folder string) error {
	if err := drx.MakeFolder(folder); !errors.Is(err, fs.ErrExist) {
		return err
	}
	_, _, err := drx.List(folder) // fails if it is a file
	return err
}

// marker returns the Marker of a group, nil if it has none. If create is set it creates a missing
// one.
func (d *Dataset) marker(group string, create bool) (*drx.Array, error) {
	if m, known := d.markers[group]; known && (m != nil || !create) {
		return m, nil
	}
	m, err := drx.Open(d.path(filepath.Join(filepath.FromSlash(group), Marker)), d.markerOptions(group))
	if errors.Is(err, fs.ErrNotExist) {
		m, err = nil, nil
		if create {
			m, err = createMarker(d.path(group))
		}
	}
	if err != nil {
		return nil, err
	}
	d.markers[group] = m
	return m, nil
}

// syncMarkers commits the attributes of the groups, and those of the dataset unless wait is set:
// then the next commit of its Marker suffices.
func (d *Dataset) syncMarkers(wait bool) error {
	for group, m := range d.markers {
		if m != nil && (group != "" || !wait) {
			if err := m.Sync(); err != nil {
				return err
			}
		}
	}
	return nil
}

// CreateGroup creates a group durably, and its enclosing groups. It is no error if the group
// exists. The error wraps ErrGroup for a name that is empty or begins with a dot; otherwise it is
// the file system's.
func (d *Dataset) CreateGroup(group string) error {
	if err := d.check(true); err != nil {
		return err
	}
	if err := d.checkGroupName(group); err != nil {
		return err
	}
	parent := ""
	for name := range strings.SplitSeq(group, "/") {
		parent = strings.TrimPrefix(parent+"/"+name, "/")
		if err := makeFolder(d.path(parent)); err != nil {
			return err
		}
		if _, err := d.marker(parent, true); err != nil {
			return err
		}
		if at, found := slices.BinarySearch(d.scan.groups, parent); !found {
			d.scan.groups = slices.Insert(d.scan.groups, at, parent)
		}
	}
	return nil
}

// checkGroupName returns an error wrapping ErrGroup if no group can have this path.
func (d *Dataset) checkGroupName(group string) error {
	for name := range strings.SplitSeq(group, "/") {
		if hidden(name) || name == "" {
			return errkind.Errorf(ErrGroup, "%s: create group %q: a name must not be empty or begin with a dot", d.folder, group)
		}
	}
	return nil
}

// hasGroup reports whether there is a group.
func (d *Dataset) hasGroup(group string) bool {
	_, found := slices.BinarySearch(d.scan.groups, group)
	return found
}

func (d *Dataset) noGroup(group string) error {
	return errkind.Errorf(ErrGroup, "%s: no group %q: create it first", d.folder, group)
}

// Attrs returns the attributes of a group, or of the dataset for "", as JSON values by name. The
// error wraps ErrGroup if there is no such group; otherwise it is that of drx.Open for the Marker.
func (d *Dataset) Attrs(group string) (map[string]json.RawMessage, error) {
	if err := d.checkGroup(group, false); err != nil {
		return nil, err
	}
	m, err := d.marker(group, false)
	if err != nil || m == nil {
		return map[string]json.RawMessage{}, err
	}
	attrs := m.Attrs()
	if group == "" {
		changes, err := d.uncommitted()
		if err != nil {
			return nil, err
		}
		changes.over(attrs)
	}
	maps.DeleteFunc(attrs, func(name string, _ json.RawMessage) bool { return isOwn(name) })
	return attrs, nil
}

// uncommitted returns the attribute changes that the dataset's Marker lacks: for a writer the
// changes since the last Sync, for a reader those announced with a growth that is complete.
func (d *Dataset) uncommitted() (attrChanges, error) {
	if d.write {
		return d.pending, nil
	}
	grown, held, err := d.intent()
	if err != nil || !d.scan.completed(grown) {
		return attrChanges{}, err
	}
	return held, nil
}

// SetAttr sets an attribute of a group, or of the dataset for "", as drx.Array.SetAttr does. It
// becomes durable with the next Sync. An attribute of the dataset becomes visible together with the
// dimensions that have grown. The error wraps ErrGroup if there is no such group; otherwise it is
// that of drx.Array.SetAttr.
func (d *Dataset) SetAttr(group, name string, value any) error {
	m, err := d.changeMarker(group, name)
	if err != nil {
		return err
	}
	if group != "" {
		return m.SetAttr(name, value)
	}
	raw, err := encodeAttr(name, value)
	if err != nil {
		return fmt.Errorf("%s: attribute %q: %w", d.folder, name, err)
	}
	d.changeAttr(name, raw)
	return nil
}

// DeleteAttr removes an attribute, if it exists. It becomes durable and visible as with SetAttr,
// and the errors are the same.
func (d *Dataset) DeleteAttr(group, name string) error {
	m, err := d.changeMarker(group, name)
	if err != nil {
		return err
	}
	if group != "" {
		return m.DeleteAttr(name)
	}
	d.changeAttr(name, nil)
	return nil
}

// changeAttr keeps the change of an attribute of the dataset for the next Sync, or for the end of
// CreateAll.
func (d *Dataset) changeAttr(name string, value json.RawMessage) {
	d.pending.change(name, value)
	if d.filled != nil {
		d.filled.change(name, value)
	}
}

// changeMarker returns the Marker of a group, for changing an attribute.
func (d *Dataset) changeMarker(group, attr string) (*drx.Array, error) {
	if err := d.checkGroup(group, true); err != nil {
		return nil, err
	}
	if isOwn(attr) {
		return nil, errkind.Errorf(drx.ErrReadOnly, "%s: the attribute %s is the dataset's own", d.folder, attr)
	}
	return d.marker(group, true)
}

// checkGroup returns the error of check, or an error if the dataset has no such group.
func (d *Dataset) checkGroup(group string, write bool) error {
	if err := d.check(write); err != nil {
		return err
	}
	if !d.hasGroup(group) {
		return d.noGroup(group)
	}
	return nil
}

// markerOptions are the options with which the Marker of a group is opened.
func (d *Dataset) markerOptions(group string) drx.Options {
	return drx.Options{Write: d.write, Shared: d.o.Shared && group == "", Wait: d.o.Wait}
}
