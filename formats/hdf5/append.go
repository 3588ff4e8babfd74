//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
	"drx/nd"
)

// appendTo implements formats.Format.AppendPath.
func appendTo(path string, c formats.Content) (_ []formats.Writer, err error) {
	defer enter()()
	name, free := cstring(path)
	defer free()
	file := handle(C.H5Fopen(name, C.H5F_ACC_RDWR, C.H5P_DEFAULT))
	if !file.ok() {
		return nil, cformat.WhyNotOpened(path, failure("open"))
	}
	t := &target{id: file, cache: cformat.AppendCache(c)}
	named := map[string]bool{}
	for _, v := range c.Vars {
		named[v.Name] = true
	}
	var outputs []cformat.Output
	for _, v := range c.Vars {
		var o cformat.Output
		if o, err = t.reopen(v); err == nil {
			outputs = append(outputs, o)
			err = t.growScales(v, named)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", v.Name, err)
			break
		}
	}
	if err == nil && len(outputs) > 0 {
		return cformat.Writers(enter, t, outputs), nil
	}
	for _, o := range outputs {
		err = errors.Join(err, o.To.Finish(false))
	}
	return nil, errors.Join(err, t.Close())
}

// reopen returns the output for a dataset of the file, after growing it to the shape of info.
func (t *target) reopen(info formats.Info) (o cformat.Output, err error) {
	var dataset handle
	was, err := t.grow("/"+info.Name, &dataset, func([]int) []int { return info.Shape })
	if err != nil {
		return o, err
	}
	w, err := newWriter(info, dataset, t.cache)
	if err != nil {
		dataset.close()
		return o, err
	}
	return cformat.Output{Info: info, Path: info.Name, Written: cformat.Count(nd.Box(make([]int, len(was)), was)), To: w}, nil
}

// grow opens a dataset and gives it the shape that f returns for the one that it has. The caller
// closes it.
func (t *target) grow(path string, d *handle, f func(was []int) []int) (was []int, err error) {
	name, free := cstring(path)
	defer free()
	access := handle(C.H5Pcreate(C.H5P_DATASET_ACCESS))
	defer access.close()
	if err := cacheChunks(access, 1, t.cache); err != nil {
		return nil, err
	}
	if *d = handle(C.H5Dopen2(t.id.id(), name, access.id())); !d.ok() {
		return nil, errors.Join(failure("open"), formats.ErrVariable)
	}
	space := handle(C.H5Dget_space(d.id()))
	defer space.close()
	rank := int(C.H5Sget_simple_extent_ndims(space.id()))
	now := make([]C.hsize_t, max(rank, 0))
	if rank < 0 || C.H5Sget_simple_extent_dims(space.id(), cformat.First(now), nil) < 0 {
		defer d.close()
		return nil, failure("its shape")
	}
	for _, n := range now {
		was = append(was, int(n))
	}
	want := f(was)
	grows := false
	for k := range want {
		if len(want) != len(was) || want[k] < was[k] {
			d.close()
			return nil, errkind.Errorf(formats.ErrSize, "has shape %v in the file, which cannot become %v", was, want)
		}
		grows = grows || want[k] > was[k]
	}
	if grows && C.H5Dset_extent(d.id(), cformat.First(cformat.Sizes[C.hsize_t](want))) < 0 {
		defer d.close()
		return nil, errors.Join(errkind.Errorf(formats.ErrSize, "has shape %v in the file, which cannot become %v", was, want), failure("grow"))
	}
	return was, nil
}

// growScales grows the dimension scales without coordinates that belong to the dimensions of a
// variable. It skips the names in named: these scales are variables of the call and grow by
// themselves.
func (t *target) growScales(info formats.Info, named map[string]bool) error {
	for k, dim := range info.Dims {
		if dim == "" || named[dim] {
			continue
		}
		name, free := cstring("/" + dim)
		there := C.H5Lexists(t.id.id(), name, C.H5P_DEFAULT) > 0
		free()
		if !there {
			continue
		}
		var d handle
		_, err := t.grow("/"+dim, &d, func(was []int) []int {
			if len(was) != 1 {
				return was
			}
			return []int{max(was[0], info.Shape[k])}
		})
		if err != nil {
			return fmt.Errorf("dimension %s: %w", dim, err)
		}
		d.close()
	}
	return nil
}
