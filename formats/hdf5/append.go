//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/raster"
	"drx/nd"
)

// appendCache is the largest chunk cache of a dataset that elements are appended to, in bytes. A
// larger chunk is not kept.
const appendCache = 1 << 20

// appendTo implements formats.Format.AppendPath.
func appendTo(path string, c formats.Content) (writers []formats.Writer, err error) {
	defer enter()()
	name, free := cstring(path)
	defer free()
	file := handle(C.H5Fopen(name, C.H5F_ACC_RDWR, C.H5P_DEFAULT))
	if !file.ok() {
		return nil, cformat.WhyNotOpened(path, failure("open"))
	}
	t := &target{id: file, open: len(c.Vars), cache: min(appendCache, cmp.Or(c.Memory, raster.DefaultMemory)/int64(max(1, len(c.Vars))))}
	named := map[string]bool{}
	for _, v := range c.Vars {
		named[v.Name] = true
	}
	for _, v := range c.Vars {
		var w *writer
		if w, err = t.reopen(v); err == nil {
			writers = append(writers, w)
			err = t.growScales(v, named)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", v.Name, err)
			break
		}
	}
	if err == nil && len(writers) > 0 {
		return writers, nil
	}
	for _, w := range writers {
		w.(*writer).dataset.close()
	}
	return nil, errors.Join(err, check("close", C.H5Fclose(file.id())))
}

// reopen returns a writer for a dataset of the file, after growing it to the shape of info.
func (t *target) reopen(info formats.Info) (w *writer, err error) {
	w = &writer{info: info, name: info.Name, target: t}
	was, err := t.grow("/"+info.Name, &w.dataset, func([]int) []int { return info.Shape })
	if err != nil {
		return nil, err
	}
	w.written = cformat.Count(nd.Box(make([]int, len(was)), was))
	if err := w.setMemory(); err != nil {
		w.dataset.close()
		return nil, err
	}
	if w.texts, err = newTexts(info.Labels); err != nil {
		w.dataset.close()
		return nil, err
	}
	return w, nil
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
	if rank < 0 || C.H5Sget_simple_extent_dims(space.id(), first(now), nil) < 0 {
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
			return nil, fmt.Errorf("has shape %v in the file, which cannot become %v: %w", was, want, formats.ErrSize)
		}
		grows = grows || want[k] > was[k]
	}
	if grows && C.H5Dset_extent(d.id(), first(sizes(want))) < 0 {
		defer d.close()
		return nil, errors.Join(fmt.Errorf("has shape %v in the file, which cannot become %v: %w", was, want, formats.ErrSize), failure("grow"))
	}
	return was, nil
}

// growScales grows the scales without coordinates of a variable's dimensions. Those in named are
// variables, which grow by themselves.
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
