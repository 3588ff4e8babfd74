//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
	"drx/nd"
)

// appendTo implements formats.Format.AppendPath. The library grows a dimension when elements beyond
// its end are written.
func appendTo(name string, c formats.Content) ([]formats.Writer, error) {
	defer enter()()
	absolute, err := absolutePath(name)
	if err != nil {
		return nil, err
	}
	if err := linksStay(absolute); err != nil {
		return nil, err
	}
	cname, free := cstring(absolute)
	defer free()
	t := &target{}
	if err := check("open", C.nc_open(cname, C.NC_WRITE, &t.id)); err != nil {
		return nil, cformat.WhyNotOpened(absolute, err)
	}
	var outputs []cformat.Output
	for _, v := range c.Vars {
		o, err := t.reopen(v, cformat.AppendCache(c))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", v.Name, err), t.Close())
		}
		outputs = append(outputs, o)
	}
	if len(outputs) == 0 {
		return nil, t.Close()
	}
	return cformat.Writers(enter, t, outputs), nil
}

// boundCache sets the size of the chunk cache of a variable, in bytes. Only NetCDF-4 files have
// one.
func (t *target) boundCache(w *writer, bytes int64) error {
	var format C.int
	if err := check("format", C.nc_inq_format(t.id, &format)); err != nil {
		return err
	}
	if format != C.NC_FORMAT_NETCDF4 && format != C.NC_FORMAT_NETCDF4_CLASSIC {
		return nil
	}
	return cacheChunks(w.group, w.id, 1, bytes)
}

// reopen returns the output for a variable of the file that will have the shape of info, with a
// chunk cache of cache bytes.
func (t *target) reopen(info formats.Info, cache int64) (o cformat.Output, err error) {
	w := &writer{info: info, group: t.id}
	parts := strings.Split(info.Name, "/")
	for _, part := range parts[:len(parts)-1] {
		name, free := cstring(part)
		err := check("open", C.nc_inq_grp_ncid(w.group, name, &w.group))
		free()
		if err == nil && w.group == t.id { // reported for classic files, without groups
			err = fmt.Errorf("there is no group %s", part)
		}
		if err != nil {
			return o, errors.Join(err, formats.ErrVariable)
		}
	}
	name, free := cstring(path.Base(info.Name))
	defer free()
	if err := check("open", C.nc_inq_varid(w.group, name, &w.id)); err != nil {
		return o, errors.Join(err, formats.ErrVariable)
	}
	var rank C.int
	var of C.nc_type
	if err := errors.Join(check("type", C.nc_inq_vartype(w.group, w.id, &of)), check("dimensions", C.nc_inq_varndims(w.group, w.id, &rank))); err != nil {
		return o, err
	}
	if isText := of == C.NC_STRING; isText != (info.Labels != nil) || of == C.NC_CHAR || int(rank) != len(info.Shape) {
		return o, errkind.Errorf(formats.ErrSize, "has another type or rank in the file")
	}
	shape, err := t.shape(w, int(rank))
	if err != nil {
		return o, err
	}
	if w.texts, err = cformat.NewStrings(info.Labels, "NetCDF"); err != nil {
		return o, err
	}
	o = cformat.Output{Info: info, Path: info.Name, Written: cformat.Count(nd.Box(make([]int, len(shape)), shape)), To: w}
	return o, t.boundCache(w, cache)
}

// shape returns the shape of a variable in the file. The error wraps formats.ErrSize if the
// variable cannot grow to the shape of the writer.
func (t *target) shape(w *writer, rank int) ([]int, error) {
	ids, shape := make([]C.int, rank), make([]int, rank)
	if err := check("dimensions", C.nc_inq_vardimid(w.group, w.id, cformat.First(ids))); err != nil {
		return nil, err
	}
	var n C.int
	if err := check("dimensions", C.nc_inq_unlimdims(w.group, &n, nil)); err != nil {
		return nil, err
	}
	unlimited := make([]C.int, n)
	if err := check("dimensions", C.nc_inq_unlimdims(w.group, &n, cformat.First(unlimited))); err != nil {
		return nil, err
	}
	for d, id := range ids {
		var length C.size_t
		if err := check("dimensions", C.nc_inq_dimlen(w.group, id, &length)); err != nil {
			return nil, err
		}
		shape[d] = int(length)
		grows := false
		for _, u := range unlimited {
			grows = grows || u == id
		}
		if want := w.info.Shape[d]; want < shape[d] || want > shape[d] && !grows {
			return nil, errkind.Errorf(formats.ErrSize, "dimension %d has %d indices in the file and cannot have %d", d, shape[d], want)
		}
	}
	return shape, nil
}
