//go:build fits && cgo

package fits

import (
	"fmt"
	"slices"

	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
)

// addWorld adds the coordinates of the linear axes of all images. It skips one-dimensional images
// that are named like their dimension: these are coordinates themselves, as an export writes them.
func (c *catalog) addWorld() {
	for _, v := range c.Vars { // c.Vars grows below; the added coordinates have no such cards
		info := &v.info
		if v.err != nil {
			continue
		}
		axes, _ := meaning.WorldAxes(info.Attrs, len(info.Shape))
		for d, w := range axes {
			if w == nil || info.Shape[d] == 0 || isCoordinate(info) {
				continue
			}
			if info.Dims == nil {
				info.Dims = make([]string, len(info.Shape))
			} else {
				info.Dims = slices.Clone(info.Dims)
			}
			info.Dims[d] = c.coordinate(w, info, d)
		}
	}
}

func isCoordinate(info *formats.Info) bool {
	return len(info.Shape) == 1 && len(info.Dims) == 1 && info.Dims[0] == info.Name
}

// coordinate returns the name of the coordinate of dimension d of an image, whose axis is w. It
// reuses a coordinate of that name and extent, unless that was derived from cards that differ.
// Otherwise it adds one.
func (c *catalog) coordinate(w *meaning.WorldAxis, info *formats.Info, d int) string {
	name, n := w.Name, info.Shape[d]
	for k := 2; ; k++ {
		i := slices.IndexFunc(c.Vars, func(v *variable) bool { return v.info.Name == name })
		isFree := info.Dims[d] == name || !slices.Contains(info.Dims, name)
		switch {
		case isFree && i >= 0 && isCoordinate(&c.Vars[i].info) && c.Vars[i].info.Shape[0] == n && (c.Vars[i].world == nil || *c.Vars[i].world == *w):
			return name
		case isFree && i < 0 && !c.names[name] && (c.extents[name] == 0 || info.Dims[d] == name):
			c.names[name], c.extents[name] = true, n
			elem := elements[slices.IndexFunc(elements, func(e element) bool { return e.dtype == dtype.Float64 })]
			c.Add(&variable{elem: elem, world: w, info: formats.Info{Name: name, DType: dtype.Float64, Shape: []int{n}, Dims: []string{name}, Attrs: w.Attrs()}})
			return name
		}
		name = fmt.Sprintf("%s_%d", w.Name, k)
	}
}
