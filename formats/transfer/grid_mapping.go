package transfer

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"drx"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
)

// sameMapping checks that a variable of a file and an array describe the same coordinate system in
// their CF attributes for grid mappings.
func (o *planner) sameMapping(a arrayHeader, v formats.Info) error {
	if o.AsStored {
		return nil
	}
	have, err := decodeAttrs(a.attrs)
	if err != nil {
		return err
	}
	was, known := meaning.MappingWKT(have, "m")
	now, knownToo := meaning.MappingWKT(v.Attrs, "m")
	described := known && knownToo // both are known completely, in whatever form
	if described && !meaning.SameCRS(was, now) {
		return errkind.Errorf(drx.ErrBounds, "grid mapping %s: its coordinate system is %s, that of %s is %s: the pixels lie on another map; warp the file to the coordinate system of the array, or take the pixels as they are stored",
			wording.Printable(v.Name), meaning.DescribeCRS(now), a.name, meaning.DescribeCRS(was))
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		was := have[name]
		now, has := v.Attrs[name]
		if !has || described && name != "GeoTransform" || slices.Contains([]string{"long_name", "comment", "history", "units"}, name) {
			continue
		}
		x, isNumber := asNumber(was)
		y, isToo := asNumber(now)
		if isNumber && isToo && math.Abs(x-y) <= 1e-9*math.Abs(x) || reflect.DeepEqual(was, now) {
			continue
		}
		return errkind.Errorf(drx.ErrBounds, "grid mapping %s: %s is %.60v, that of %s is %.60v: the pixels lie on another map; warp the file to the coordinate system of the array, or take the pixels as they are stored",
			wording.Printable(v.Name), wording.Printable(name), now, a.name, was)
	}
	return nil
}

// sameMappingOf is sameMapping for the grid mappings that a variable of a file and an array in a
// folder name.
func (o *comparer) sameMappingOf(a *drx.Array, f *importFile, v formats.Info) error {
	var name string
	if has, err := a.Attr("grid_mapping", &name); !has || err != nil || name == "" || name != filepath.Base(name) {
		return nil //nolint:nilerr // what is no text names nothing
	}
	theirs, _ := v.Attrs["grid_mapping"].(string)
	i := slices.IndexFunc(f.content.Vars, func(m formats.Info) bool { return m.Name == path.Join(path.Dir(v.Name), theirs) })
	if theirs == "" || i < 0 {
		return nil
	}
	m, err := drx.Open(filepath.Join(filepath.Dir(a.Name()), name), drx.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(o.sameMapping(headerOf(m), f.content.Vars[i]), m.Close())
}
