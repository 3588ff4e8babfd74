package transfer

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// Two conventions locate the pixels of a raster: the attributes geotransform and crs_wkt of GDAL's
// formats, and the coordinates and grid mappings of CF. An export converts one into the other.
var (
	cfFormats     = []string{"hdf5", "netcdf", "netcdf3", "cdf1", "cdf2", "cdf5", "zarr2", "zarr3", "zarrzip"}
	rasterFormats = []string{"geotiff", "envi"}
)

// convertGeoreferences converts the georeferences of variables to the convention of the format.
func (o *exporter) convertGeoreferences(vars []exportVar) ([]exportVar, error) {
	switch {
	case slices.Contains(cfFormats, o.Format):
		moveMappings(vars)
		return o.addCoordinates(vars)
	case slices.Contains(rasterFormats, o.Format):
		return o.addTransforms(vars)
	}
	return vars, nil
}

// addCoordinates gives rasters with a geotransform the coordinates of their last two dimensions,
// and a grid mapping. Rasters that share a dimension must share its coordinate.
func (o *exporter) addCoordinates(vars []exportVar) ([]exportVar, error) {
	for i := range vars { // vars grows below; the added variables have no geotransform
		v := &vars[i]
		p, ok := georeferenceOf(v.info)
		if !ok || v.cube == nil || v.info.Attrs["grid_mapping"] != nil {
			continue
		}
		nameDims(&v.info)
		v.info.Attrs = maps.Clone(v.info.Attrs)
		var err error
		if p.Transform != [6]float64{} {
			if p.IsRotated() {
				vars = o.addAuxiliary(vars, i, p)
			} else {
				vars, err = o.addAxes(vars, i, p)
			}
		}
		if err != nil {
			return nil, err
		}
		vars = addMapping(vars, i, p)
	}
	return vars, nil
}

// georeferenceOf returns the georeference in GDAL's attributes of a raster. Its transform is zero
// if the attributes have only a coordinate system.
func georeferenceOf(info formats.Info) (p *meaning.Georeference, ok bool) {
	p = &meaning.Georeference{}
	t, has := sixNumbers(info.Attrs["geotransform"])
	if has {
		p.Transform = [6]float64(t)
	}
	p.WKT, _ = info.Attrs["crs_wkt"].(string)
	return p, len(info.Shape) > 1 && !slices.Contains(info.Shape, 0) && (has || p.WKT != "")
}

// nameDims names the rows and columns of a raster whose dimensions have no names.
func nameDims(info *formats.Info) {
	n := len(info.Shape)
	dims := make([]string, n)
	copy(dims, info.Dims)
	for d, name := range map[int]string{n - 2: "y", n - 1: "x"} {
		if dims[d] == "" && !slices.Contains(dims, name) {
			dims[d] = name
		}
	}
	info.Dims = dims
}

// addAxes adds the centres of the columns and rows of variable i as coordinates. A coordinate that
// exists must have the same values.
func (o *exporter) addAxes(vars []exportVar, i int, p *meaning.Georeference) ([]exportVar, error) {
	info := vars[i].info
	n := len(info.Shape)
	ofX, ofY := p.AxisAttrs()
	for _, axis := range []struct {
		d     int
		attrs map[string]any
	}{{n - 2, ofY}, {n - 1, ofX}} {
		dim, extent := info.Dims[axis.d], info.Shape[axis.d]
		values := make([]float64, extent)
		for k := range values {
			if x, y := p.Centre(k, k); axis.d == n-1 {
				values[k] = x
			} else {
				values[k] = y
			}
		}
		at := slices.IndexFunc(vars, func(v exportVar) bool { return v.info.Name == dim })
		switch {
		case dim == "":
		case at < 0:
			vars = append(vars, coordinateVar(dim, values, axis.attrs))
		case !isCoordinateVar(vars[at].info) || vars[at].info.Labels != nil:
			o.printNote("%s: dimension %s gets no coordinate from the georeference, since variable %s has its name", wording.Printable(info.Name), wording.Printable(dim), wording.Printable(dim))
		default:
			if err := sameAxis(vars[at], values); err != nil {
				return nil, fmt.Errorf("%s: dimension %s: %w", wording.Printable(info.Name), wording.Printable(dim), err)
			}
		}
	}
	return vars, nil
}

// sameAxis checks that a coordinate has the given centres of pixels.
func sameAxis(v exportVar, values []float64) error {
	m, err := meaningOfVar(v.info, nil)
	if err != nil {
		return err
	}
	elements, err := v.all()
	if err != nil {
		return err
	}
	have := m.Decode(nil, elements)
	_, step, _, _ := meaning.Steps(values)
	for k, want := range values {
		if k >= len(have) || math.Abs(have[k]-want) > 1e-3*math.Abs(step) {
			return errkind.Errorf(meaning.ErrRefused, "its coordinate is %.9g at index %d, where the attribute geotransform says %.9g: correct one of them, or export one variable at a time",
				have[min(k, len(have)-1)], k, want)
		}
	}
	return nil
}

// coordinateVar returns a coordinate.
func coordinateVar(dim string, values []float64, attrs map[string]any) exportVar {
	v := exportVar{optional: true, info: formats.Info{Name: dim, DType: dtype.Float64, Shape: []int{len(values)}, Dims: []string{dim}, Attrs: attrs}}
	for _, x := range values {
		v.elements = binary.LittleEndian.AppendUint64(v.elements, math.Float64bits(x))
	}
	return v
}

// addAuxiliary adds two-dimensional auxiliary coordinates with x and y of every pixel of variable
// i. Its raster is rotated, so x and y depend on both row and column.
func (o *exporter) addAuxiliary(vars []exportVar, i int, p *meaning.Georeference) []exportVar {
	info := &vars[i].info
	n := len(info.Shape)
	ofX, ofY := p.AxisAttrs()
	var names []string
	for _, axis := range []struct {
		name  string
		attrs map[string]any
		pick  func(x, y float64) float64
	}{{"xc", ofX, func(x, _ float64) float64 { return x }}, {"yc", ofY, func(_, y float64) float64 { return y }}} {
		delete(axis.attrs, "axis") // CF allows it only for coordinates of one dimension
		name := freeName(vars, path.Join(path.Dir(info.Name), axis.name))
		names = append(names, path.Base(name))
		v := exportVar{optional: true, info: formats.Info{Name: name, DType: dtype.Float64, Shape: info.Shape[n-2:], Dims: info.Dims[n-2:], Attrs: axis.attrs}}
		v.values = func(sec nd.Section, buf []byte) error {
			for row := sec[0].Lo; row < sec[0].Hi; row++ {
				for column := sec[1].Lo; column < sec[1].Hi; column++ {
					binary.LittleEndian.PutUint64(buf, math.Float64bits(axis.pick(p.Centre(row, column))))
					buf = buf[8:]
				}
			}
			return nil
		}
		vars = append(vars, v)
	}
	vars[i].info.Attrs["coordinates"] = strings.TrimSpace(fmt.Sprint(textOf(vars[i].info.Attrs["coordinates"]), " ", strings.Join(names, " ")))
	o.printNote("%s: is rotated, so that variables %s have x and y of every pixel", wording.Printable(vars[i].info.Name), strings.Join(names, " and "))
	return vars
}

func textOf(value any) string {
	s, _ := value.(string)
	return s
}

// freeName returns a name that no variable has.
func freeName(vars []exportVar, name string) string {
	free := name
	for n := 2; slices.ContainsFunc(vars, func(v exportVar) bool { return v.info.Name == free }); n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}

// mappingName is the name of the added grid mapping, as in rioxarray.
const mappingName = "spatial_ref"

// addMapping gives variable i a grid mapping instead of GDAL's attributes. Variables with the same
// coordinate system share one.
func addMapping(vars []exportVar, i int, p *meaning.Georeference) []exportVar {
	v := &vars[i]
	delete(v.info.Attrs, "geotransform")
	delete(v.info.Attrs, "crs_wkt")
	attrs := p.MappingAttrs()
	if p.Transform == [6]float64{} {
		delete(attrs, "GeoTransform")
	}
	folder := path.Dir(v.info.Name)
	at := slices.IndexFunc(vars, func(w exportVar) bool {
		return w.cube == nil && path.Dir(w.info.Name) == folder && w.info.Attrs["GeoTransform"] == attrs["GeoTransform"] && w.info.Attrs["crs_wkt"] == attrs["crs_wkt"] && len(w.info.Shape) == 0
	})
	name := freeName(vars, path.Join(folder, mappingName))
	if at >= 0 {
		name = vars[at].info.Name
	}
	v.info.Attrs["grid_mapping"] = path.Base(name)
	if at >= 0 {
		return vars
	}
	return append(vars, exportVar{optional: true, elements: make([]byte, 4), info: formats.Info{Name: name, DType: dtype.Int32, Shape: []int{}, Attrs: attrs}})
}

// moveMappings adapts the GeoTransform of grid mappings to the selections of the rasters that name
// them, so that every pixel keeps its position.
func moveMappings(vars []exportVar) {
	moved := map[int]bool{}
	for _, v := range vars {
		i := mappingOf(vars, v.info)
		if i < 0 || moved[i] || v.cube == nil || len(v.sel) < 2 || slices.Contains(v.info.Shape, 0) {
			continue
		}
		t, ok := meaning.ParseTransform(textOf(vars[i].info.Attrs["GeoTransform"]))
		if !ok {
			continue
		}
		moved[i] = true
		attrs := map[string]any{"geotransform": t[:]}
		if !moveGeotransform(attrs, v.sel) { // uneven: coordinates locate the pixels
			vars[i].info.Attrs = maps.Clone(vars[i].info.Attrs)
			delete(vars[i].info.Attrs, "GeoTransform")
			continue
		}
		if now := [6]float64(attrs["geotransform"].([]float64)); now != t {
			vars[i].info.Attrs["GeoTransform"] = meaning.FormatTransform(now)
		}
	}
}

// mappingOf returns the index of the grid mapping that a variable names, -1 if there is none. It
// also reads CF's form "crs: x y".
func mappingOf(vars []exportVar, info formats.Info) int {
	name, _, _ := strings.Cut(strings.TrimSpace(textOf(info.Attrs["grid_mapping"])), " ")
	if name = strings.TrimSuffix(name, ":"); name == "" {
		return -1
	}
	return nearest(vars, path.Dir(info.Name), name)
}

// nearest returns the index of the variable that a name denotes in a folder: the one in that
// folder, or else in the nearest enclosing folder; -1 if there is none.
func nearest(vars []exportVar, folder, name string) int {
	for {
		full := path.Join(folder, name)
		if i := slices.IndexFunc(vars, func(v exportVar) bool { return v.info.Name == full }); i >= 0 {
			return i
		}
		if folder == "." || folder == "/" {
			return -1
		}
		folder = path.Dir(folder)
	}
}

// all returns the elements of a small variable.
func (v *exportVar) all() ([]byte, error) {
	if v.elements != nil {
		return v.elements, nil
	}
	n, err := v.info.Bytes()
	if err != nil {
		return nil, err
	}
	buf := make([]byte, n)
	return buf, (&selectionReader{*v}).ReadSection(whole(v.info.Shape), buf)
}

// printNote prints a note.
func (o *exporter) printNote(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}
