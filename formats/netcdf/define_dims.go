//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// dimensions finds the dimensions of a variable in the definition, or adds them.
func (p *fileDef) dimensions(v *varDef) error {
	empty := slices.Contains(v.info.Shape, 0)
	for d, extent := range v.info.Shape {
		name := ""
		if d < len(v.info.Dims) {
			name = strings.Trim(v.info.Dims[d], "/")
		}
		grows := d < len(v.info.Unlimited) && v.info.Unlimited[d]
		if name == "" {
			name = p.phonyName(extent, grows)
		}
		if err := p.checkPath(name); err != nil {
			return fmt.Errorf("dimension %w", err)
		}
		if outer, is := p.outer[name]; is {
			name = outer
		} else if group := cformat.Parent(name); group != "" && !strings.HasPrefix(v.path, group+"/") {
			return errkind.Errorf(formats.ErrType, "dimension %s: variables outside of group %s have it, and further out another dimension has the name %s: NetCDF cannot tell their coordinates apart: export fewer variables, or to HDF5",
				name, group, path.Base(name))
		}
		dim := p.dimension(name)
		if dim == nil {
			dim = &dimDef{path: name, extent: extent}
			p.dims = append(p.dims, dim)
		}
		if dim.extent != extent {
			return fmt.Errorf("dimension %s has %d elements, but %d in another variable", name, extent, dim.extent)
		}
		// An unlimited dimension has as many elements as were written: none, if its variables have
		// no elements.
		dim.grows = dim.grows || grows && !empty
		v.dims = append(v.dims, dim)
	}
	if v.width > 0 {
		v.dims = append(v.dims, p.lengthOf(v.width))
	}
	return nil
}

// outerDims maps each dimension that variables outside of its own group have to the group in which
// to define it: the nearest group that encloses all these variables, where a reader finds the
// coordinate by the lateral search of the CF conventions. If another dimension has the name there,
// a dimension without a coordinate keeps more of its path in its name; one with a coordinate would
// lose it, and is left out.
func outerDims(vars []formats.Info) map[string]string {
	groups, outer := map[string]string{}, map[string]string{}
	for _, v := range vars {
		for _, name := range v.Dims {
			name = strings.Trim(name, "/")
			group, known := groups[name]
			if !known {
				group = cformat.Parent(name)
			}
			for group != "" && !strings.HasPrefix(strings.Trim(v.Name, "/"), group+"/") {
				group = cformat.Parent(group)
			}
			groups[name] = group
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		group := groups[name]
		if group == cformat.Parent(name) {
			continue
		}
		at := path.Join(group, path.Base(name))
		_, exists := groups[at]
		if exists && slices.ContainsFunc(vars, func(v formats.Info) bool { return strings.Trim(v.Name, "/") == name }) {
			continue
		}
		if exists {
			at = path.Join(group, strings.ReplaceAll(name, "/", "_"))
		}
		outer[name], groups[at] = at, group
	}
	return outer
}

// dimension returns the dimension with a path, nil if the file has none.
func (p *fileDef) dimension(name string) *dimDef {
	if i := slices.IndexFunc(p.dims, func(d *dimDef) bool { return d.path == name }); i >= 0 {
		return p.dims[i]
	}
	return nil
}

// phonyName returns the name for a dimension without one. Dimensions with the same extent share a
// name, and so are one dimension.
func (p *fileDef) phonyName(extent int, grows bool) string {
	for i := 0; ; i++ {
		name := fmt.Sprint(phony, i)
		if d := p.dimension(name); d == nil || d.extent == extent && d.grows == grows {
			return name
		}
	}
}

// lengthOf returns the dimension along the bytes of strings of the given width.
func (p *fileDef) lengthOf(width int) *dimDef {
	name := fmt.Sprint("string", width)
	d := p.dimension(name)
	for d != nil && d.extent != width {
		name += "_"
		d = p.dimension(name)
	}
	if d == nil {
		d = &dimDef{path: name, extent: width}
		p.dims = append(p.dims, d)
	}
	return d
}

// growth decides which dimensions are unlimited. A dimension without elements always is, since the
// library cannot express extent 0 otherwise. A classic file has at most one unlimited dimension,
// which must be the first of every variable that has it.
func (p *fileDef) growth() error {
	for _, d := range p.dims {
		d.grows = d.grows || d.extent == 0
	}
	if !p.classic {
		return nil
	}
	record := p.record()
	for _, d := range p.dims {
		if d.grows = d == record; d.extent == 0 && !d.grows {
			return fmt.Errorf("dimension %s has no elements: a classic NetCDF file has that once, and as the first dimension: write it as netcdf (.nc)", d.path)
		}
	}
	for _, v := range p.vars {
		p.wide = p.wide || cformat.Multiply(int64(max(1, v.info.DType.Size(), v.width)), v.info.Shape...) > math.MaxUint32-4
	}
	for _, d := range p.dims {
		p.wide = p.wide || d.extent > math.MaxInt32
	}
	return nil
}

// record returns the unlimited dimension of a classic file, preferably one without elements; nil if
// there is none.
func (p *fileDef) record() (record *dimDef) {
	for _, d := range p.dims {
		if d.grows && p.isAlwaysFirst(d) && (record == nil || record.extent > 0 && d.extent == 0) {
			record = d
		}
	}
	return record
}

// isAlwaysFirst reports whether a dimension is the first one of all variables that have it.
func (p *fileDef) isAlwaysFirst(d *dimDef) bool {
	for _, v := range p.vars {
		if len(v.dims) > 0 && slices.Contains(v.dims[1:], d) {
			return false
		}
	}
	return true
}

const (
	// goodChunk is the largest chunk that is chosen here, in bytes; maxChunk the largest that HDF5
	// has.
	goodChunk, maxChunk = 1 << 20, math.MaxUint32
	// leastChunk is the smallest chunk that is chosen here for a variable that can grow, in bytes.
	leastChunk = 16 << 10
	// writeCache is the largest chunk cache of a variable that is written, in bytes.
	writeCache = 32 << 20
)

// layout sets the chunks. Variables that can grow or are compressed need chunks.
func (v *varDef) layout() {
	grows := slices.IndexFunc(v.dims, func(d *dimDef) bool { return d.grows })
	if len(v.info.Shape) == 0 || grows < 0 && v.codec.IsNone() && v.info.Chunk == nil {
		return
	}
	v.chunk = slices.Clone(v.info.Chunk)
	limit := int64(maxChunk)
	if v.chunk == nil {
		v.chunk, limit = slices.Clone(v.info.Shape), goodChunk
	}
	size := int64(v.info.DType.Size())
	for d, n := range v.chunk {
		if v.chunk[d] = max(1, n); !v.dims[d].grows {
			v.chunk[d] = min(v.chunk[d], v.dims[d].extent)
		}
	}
	for cformat.Multiply(size, v.chunk...) > limit {
		largest := slices.Index(v.chunk, slices.Max(v.chunk))
		v.chunk[largest] = (v.chunk[largest] + 1) / 2
	}
	if limit == goodChunk && grows >= 0 {
		for cformat.Multiply(size, v.chunk...) < leastChunk {
			v.chunk[grows] *= 2
		}
	}
}

// cached returns the number of chunks in the cache of a writer: all with the same index in
// dimension 0, if memory bytes suffice for them.
func (v *varDef) cached(memory int64) (chunks, bytes int64) {
	bytes = cformat.Multiply(int64(v.info.DType.Size()), v.chunk...)
	return max(1, min(cformat.RowOfChunks(v.info.Shape, v.chunk), min(writeCache, memory)/bytes)), bytes
}

// base returns the name of a dimension in its group.
func (d *dimDef) base() string { return path.Base(d.path) }
