package transfer

import (
	"maps"
	"path"

	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/wording"
)

// addWorld gives images of FITS the keywords of world coordinates for the coordinates of their
// dimensions, where those are evenly spaced: programs of astronomy look for them there. The
// extensions with the coordinates have their values and attributes as well.
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
		for d, dim := range v.info.Dims {
			at := nearest(vars, path.Dir(v.info.Name), dim)
			if dim == "" || at < 0 || vars[at].info.Labels != nil || !isCoordinateVar(vars[at].info) {
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
				o.say("%s: no keywords of FITS say where the elements lie along %s: %v: only the extension of the coordinate does",
					wording.Printable(v.info.Name), wording.Printable(dim), reason)
			}
		}
	}
	return nil
}

// setWorld gives a variable the keywords for a coordinate of dimension d. The reason says why it
// gets none.
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
