//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"drx/formats/cformat"
)

// readScales records the scales and the labels of a dataset's dimensions.
func (d *dataset) readScales(h handle) error {
	rank := len(d.shape)
	scales := make([]uint64, rank)
	switch n := C.drxh5_scales(h.id(), C.int(rank), (*C.uint64_t)(cformat.First(scales))); {
	case n < 0:
		return failure("its dimension scales")
	case n > 0:
		d.scales = scales
	}
	return nil
}

// nameDimensions names the dimensions of every variable. A dimension gets the last component of its
// scale's path, or the whole path if another dimension has that name; the scale nearest to the root
// gets the short name.
func nameDimensions(all []*dataset) {
	scales := map[identity]*dataset{}
	numbers := map[int]*dataset{}
	var order []*dataset
	for _, d := range all {
		if !d.scale || len(d.shape) == 0 {
			continue
		}
		scales[d.ident] = d
		if d.number >= 0 {
			numbers[d.number] = d
		}
		order = append(order, d)
	}
	slices.SortStableFunc(order, func(a, b *dataset) int {
		return cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/"))
	})
	n := &dimensionNames{extents: map[string]int{}, of: map[*dataset]string{}}
	for _, d := range order {
		n.of[d] = n.scale(d.path, d.shape[0])
	}
	for _, d := range all {
		d.setDims(n, scales, numbers)
	}
}

// dimensionNames are the names in use, each with one extent.
type dimensionNames struct {
	extents map[string]int
	of      map[*dataset]string // of each scale
}

// scale returns the dimension name for a scale with the path full. Two scales are two dimensions,
// even with equal extents.
func (n *dimensionNames) scale(full string, extent int) string {
	name := path.Base(full)
	if _, used := n.extents[name]; used {
		name = full
	}
	n.extents[name] = extent
	return name
}

// label returns the dimension name for a label, whose path full is in the group of its dataset: the
// last component, the whole path, or "" if dimensions with other extents have both names.
func (n *dimensionNames) label(full string, extent int) string {
	for _, name := range []string{path.Base(full), full} {
		if e, used := n.extents[name]; !used || e == extent {
			n.extents[name] = extent
			return name
		}
	}
	return ""
}

// setDims sets the names of the dimensions in the variables of a dataset.
func (d *dataset) setDims(n *dimensionNames, scales map[identity]*dataset, numbers map[int]*dataset) {
	dims := make([]string, len(d.shape))
	for i, extent := range d.shape {
		var scale *dataset
		switch {
		case d.scale && len(d.shape) == 1:
			scale = d
		case d.scales != nil:
			scale = scales[identity{d.ident.file, d.scales[i]}]
		case i < len(d.ids):
			scale = numbers[d.ids[i]]
		}
		switch {
		case scale != nil && scale.shape[0] == extent:
			dims[i] = n.of[scale]
		case scale == nil && i < len(d.labels) && d.labels[i] != "":
			dims[i] = n.label(path.Join(path.Dir(d.path), d.labels[i]), extent)
		}
	}
	if !slices.ContainsFunc(dims, func(name string) bool { return name != "" }) {
		return
	}
	for i := range d.vars {
		v := &d.vars[i]
		v.info.Dims = append(slices.Clone(dims), make([]string, len(v.info.Shape)-len(dims))...)
	}
}
