package transfer

import (
	"maps"
	"path"

	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/wording"
)

// addWorld gives images of FITS the keywords of world coordinates for evenly spaced coordinates,
// because astronomy programs read coordinates from these keywords. Extensions of the file hold the
// values and attributes of the coordinates as well.
func (o *exporter) addWorld(vars []exportVar) error {
	if o.Format != "fits" {
		return nil
	}
	said := map[int]bool{}
	for i := range vars {
		v := &vars[i]
		if v.cube == nil || v.info.Labels != nil || isCoordinateVar(v.info) {
			continue
		}
		for d := range v.info.Shape {
			dim := ""
			if len(v.info.Dims) > d {
				dim = v.info.Dims[d]
			}
			at := nearest(vars, path.Dir(v.info.Name), dim)
			if dim == "" || at < 0 || vars[at].info.Labels != nil || !isCoordinateVar(vars[at].info) {
				o.addWorldOfGeoreference(v, d)
				continue
			}
			if v.info.Attrs = maps.Clone(v.info.Attrs); v.info.Attrs == nil {
				v.info.Attrs = map[string]any{}
			}
			reason, err := setWorld(v, d, &vars[at])
			if err != nil {
				return err
			}
			if reason != nil && !said[at] {
				said[at] = true
				o.printNote("%s: no keywords of FITS say where the elements lie along %s: %v: only the extension of the coordinate does",
					wording.Printable(v.info.Name), wording.Printable(dim), reason)
			}
		}
	}
	return nil
}

// addWorldOfGeoreference gives a raster without a coordinate of dimension d the keywords that
// express its geotransform along d.
func (o *exporter) addWorldOfGeoreference(v *exportVar, d int) {
	p, ok := georeferenceOf(v.info)
	column := d == len(v.info.Shape)-1
	if !ok || p.Transform == [6]float64{} || d < len(v.info.Shape)-2 {
		return
	}
	if p.IsRotated() {
		if column {
			o.printNote("%s: no keywords of FITS say where the elements lie, as the grid is rotated: the attribute geotransform does", wording.Printable(v.info.Name))
		}
		return
	}
	values := make([]float64, v.info.Shape[d])
	for k := range values {
		if x, y := p.Centre(k, k); column {
			values[k] = x
		} else {
			values[k] = y
		}
	}
	ofX, ofY := p.AxisAttrs()
	attrs, name := ofY, "y"
	if column {
		attrs, name = ofX, "x"
	}
	if dim := v.info.Dims; len(dim) > d && dim[d] != "" {
		name = dim[d]
	}
	units, _ := attrs["units"].(string)
	v.info.Attrs = maps.Clone(v.info.Attrs)
	if err := meaning.SetWorldAxis(v.info.Attrs, len(v.info.Shape), d, name, values, units, "", lastDigits[dtype.Float64]); err != nil {
		o.printNote("%s: no keywords of FITS say where the elements lie along %s: %v: the attribute geotransform does", wording.Printable(v.info.Name), wording.Printable(name), err)
	}
}

// setWorld gives a variable the keywords for a coordinate of dimension d. reason says why it gets
// none; err is an error of reading the coordinate.
func setWorld(v *exportVar, d int, coordinate *exportVar) (reason, err error) {
	m, err := meaningOfVar(coordinate.info, nil)
	if err != nil {
		return nil, err
	}
	elements, err := coordinate.all()
	if err != nil {
		return nil, err
	}
	return meaning.SetWorldAxis(v.info.Attrs, len(v.info.Shape), d, v.info.Dims[d], m.Decode(nil, elements),
		m.Units, m.Calendar, max(lastDigits[coordinate.info.DType], lastDigits[dtype.Float64])), nil
}
