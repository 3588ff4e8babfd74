package transfer

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
)

// addTransforms gives variables with coordinates x and y, or with a grid mapping, GDAL's attributes
// for the same georeference, and leaves out the variables that these attributes replace.
func (o *exporter) addTransforms(vars []exportVar) ([]exportVar, error) {
	used := map[int]bool{}
	for i := range vars {
		v := &vars[i]
		if _, ok := sixNumbers(v.info.Attrs["geotransform"]); ok || v.optional || v.cube == nil || len(v.info.Shape) < 2 || slices.Contains(v.info.Shape, 0) {
			continue
		}
		if err := o.addTransform(vars, v, used); err != nil {
			return nil, fmt.Errorf("%s: %w", wording.Printable(v.info.Name), err)
		}
	}
	var kept []exportVar
	for i, v := range vars {
		if !used[i] {
			kept = append(kept, v)
		}
	}
	return kept, nil
}

// addTransform gives one variable its geotransform and coordinate system.
func (o *exporter) addTransform(vars []exportVar, v *exportVar, used map[int]bool) error {
	at, err := rasterAxes(vars, v.info)
	if err != nil {
		return err
	}
	v.info.Attrs = maps.Clone(v.info.Attrs)
	if v.info.Attrs == nil {
		v.info.Attrs = map[string]any{}
	}
	mapping := mappingOf(vars, v.info)
	var given *[6]float64
	if mapping >= 0 {
		used[mapping] = true
		units := ""
		if at[1] >= 0 {
			units = textOf(vars[at[1]].info.Attrs["units"])
		}
		if wkt, ok := meaning.MappingWKT(vars[mapping].info.Attrs, units); ok {
			v.info.Attrs["crs_wkt"] = wkt
		} else if v.info.Attrs["crs_wkt"] == nil {
			o.printNote("%s: the grid mapping %s has no coordinate system as well-known text, and its projection %q is not known: the file has none",
				wording.Printable(v.info.Name), wording.Printable(vars[mapping].info.Name), textOf(vars[mapping].info.Attrs["grid_mapping_name"]))
		}
		delete(v.info.Attrs, "grid_mapping")
		given = transformOf(vars[mapping].info, v)
	}
	transform, err := o.transformOf(vars, v, at, given)
	if err != nil {
		return err
	}
	if transform != nil {
		v.info.Attrs["geotransform"] = transform[:]
		for _, i := range at {
			if i >= 0 {
				used[i] = true
			}
		}
		dropAuxiliary(vars, v, used)
	}
	return nil
}

// dropAuxiliary leaves out auxiliary coordinates with x and y of every pixel, since the
// geotransform of the raster replaces them.
func dropAuxiliary(vars []exportVar, v *exportVar, used map[int]bool) {
	var kept []string
	for word := range strings.FieldsSeq(textOf(v.info.Attrs["coordinates"])) {
		i := nearest(vars, path.Dir(v.info.Name), word)
		if i < 0 || !vars[i].optional || !strings.HasPrefix(textOf(vars[i].info.Attrs["standard_name"]), "projection_") {
			kept = append(kept, word)
			continue
		}
		used[i] = true
	}
	if delete(v.info.Attrs, "coordinates"); len(kept) > 0 {
		v.info.Attrs["coordinates"] = strings.Join(kept, " ")
	}
}

// transformOf returns the GeoTransform of a grid mapping, moved to the selection of a variable; nil
// without one, or if the selection is not evenly spaced.
func transformOf(mapping formats.Info, v *exportVar) *[6]float64 {
	t, ok := meaning.ParseTransform(textOf(mapping.Attrs["GeoTransform"]))
	if !ok {
		return nil
	}
	attrs := map[string]any{"geotransform": t[:]}
	if !moveGeotransform(attrs, v.sel) {
		return nil
	}
	return (*[6]float64)(attrs["geotransform"].([]float64))
}

// rasterAxes returns the indices, in vars, of the coordinates of a raster's rows and columns, -1
// where there is none. Rows and columns must be the last two dimensions.
func rasterAxes(vars []exportVar, info formats.Info) (at [2]int, err error) {
	at = [2]int{-1, -1}
	byAxis := map[string]int{} // dimensions by axis
	n := len(info.Shape)
	for d, dim := range info.Dims {
		if dim == "" {
			continue
		}
		i := nearest(vars, path.Dir(info.Name), dim)
		if i < 0 || !isCoordinateVar(vars[i].info) || vars[i].info.Labels != nil || vars[i].info.Shape[0] != info.Shape[d] {
			continue
		}
		axis := axisOf(vars[i].info)
		if axis == "" {
			continue
		}
		byAxis[axis] = d
		if d >= n-2 {
			at[d-(n-2)] = i
		}
	}
	y, hasY := byAxis["Y"]
	x, hasX := byAxis["X"]
	if hasX && x != n-1 || hasY && y != n-2 {
		return at, errkind.Errorf(meaning.ErrRefused, "its dimensions are %s: a raster has rows and then columns, which lie along %s: copy it with its dimensions permuted so that these come last",
			strings.Join(info.Dims, ", "), strings.Join(dimsOf(info, byAxis), " and "))
	}
	return at, nil
}

func dimsOf(info formats.Info, byAxis map[string]int) (names []string) {
	for _, axis := range []string{"Y", "X"} {
		if d, has := byAxis[axis]; has {
			names = append(names, info.Dims[d])
		}
	}
	return names
}

// axisOf returns "X" or "Y" for a horizontal coordinate, by its attributes or, without these, by
// its name; "" for others.
func axisOf(info formats.Info) string {
	if axis := strings.ToUpper(textOf(info.Attrs["axis"])); axis != "" {
		return strings.Trim(axis, "ZT")
	}
	if name := textOf(info.Attrs["standard_name"]); name != "" {
		switch name {
		case "projection_x_coordinate", "longitude", "grid_longitude":
			return "X"
		case "projection_y_coordinate", "latitude", "grid_latitude":
			return "Y"
		}
		return ""
	}
	switch strings.ToLower(path.Base(info.Name)) {
	case "x", "lon", "longitude", "easting":
		return "X"
	case "y", "lat", "latitude", "northing":
		return "Y"
	}
	return ""
}

// transformOf returns the geotransform of a raster, from its coordinates or from its grid mapping,
// which is in given. If both agree up to rounding it returns given, which is exact. Without
// coordinates it returns given, which may be nil. It returns nil, with a note, if the coordinates
// do not determine a geotransform.
func (o *exporter) transformOf(vars []exportVar, v *exportVar, at [2]int, given *[6]float64) (*[6]float64, error) {
	if at[0] < 0 || at[1] < 0 {
		if given == nil && at != [2]int{-1, -1} {
			o.printNote("%s: only one of its last two dimensions has a coordinate: the file does not say where its pixels lie", wording.Printable(v.info.Name))
		}
		return given, nil
	}
	var first, step [2]float64
	for k, i := range at {
		m, err := meaningOfVar(vars[i].info, nil)
		if err != nil {
			return nil, err
		}
		elements, err := vars[i].all()
		if err != nil {
			return nil, err
		}
		values := m.Decode(nil, elements)
		var index int
		var ok bool
		switch first[k], step[k], index, ok = meaning.Steps(values); {
		case ok:
		case len(values) == 1 && given != nil && given[2] == 0 && given[4] == 0:
			first[k], step[k] = values[0], given[5-4*k]
		case len(values) == 1:
			o.printNote("%s: coordinate %s has one value, which does not say how large pixels are: the file does not say where they lie",
				wording.Printable(v.info.Name), wording.Printable(vars[i].info.Name))
			return nil, nil
		default:
			o.printNote("%s: coordinate %s is not evenly spaced, as value %d, %v, shows: the file does not say where its pixels lie",
				wording.Printable(v.info.Name), wording.Printable(vars[i].info.Name), index, values[index])
			return nil, nil
		}
	}
	t := [6]float64{first[1] - step[1]/2, step[1], 0, first[0] - step[0]/2, 0, step[0]}
	if given != nil && sameTransform(t, *given, v.info.Shape) {
		return given, nil // exact, whereas coordinates are rounded
	}
	return &t, nil
}

// sameTransform reports whether two transforms put every pixel of a raster at the same position, up
// to a thousandth of a pixel.
func sameTransform(t, u [6]float64, shape []int) bool {
	a, b := &meaning.Georeference{Transform: t}, &meaning.Georeference{Transform: u}
	rows, columns := shape[len(shape)-2], shape[len(shape)-1]
	for _, corner := range [][2]int{{0, 0}, {rows, 0}, {0, columns}, {rows, columns}} {
		ax, ay := a.Centre(corner[0], corner[1])
		bx, by := b.Centre(corner[0], corner[1])
		if math.Abs(ax-bx) > 1e-3*math.Abs(t[1]) || math.Abs(ay-by) > 1e-3*math.Abs(t[5]) {
			return false
		}
	}
	return true
}
