package meaning

import (
	"math"
	"strconv"
	"strings"
)

// A Georeference locates the pixels of a raster on the earth.
type Georeference struct {
	// Transform is GDAL's: the upper left corner of the pixel with the indices (row, column) has
	// x = t[0] + column*t[1] + row*t[2] and y = t[3] + column*t[4] + row*t[5].
	Transform [6]float64
	// WKT is the coordinate system as well-known text of either version; empty if it is not known.
	WKT string
}

// IsRotated reports whether x depends on the row, or y on the column.
func (p *Georeference) IsRotated() bool { return p.Transform[2] != 0 || p.Transform[4] != 0 }

// Centre returns x and y of the centre of a pixel.
func (p *Georeference) Centre(row, column int) (x, y float64) {
	t, r, c := &p.Transform, float64(row)+0.5, float64(column)+0.5
	return t[0] + c*t[1] + r*t[2], t[3] + c*t[4] + r*t[5]
}

// AxisAttrs returns the CF attributes of the coordinates x and y.
func (p *Georeference) AxisAttrs() (x, y map[string]any) {
	x, y = map[string]any{"axis": "X"}, map[string]any{"axis": "Y"}
	set := func(name, ofX, ofY string) { x[name], y[name] = ofX, ofY }
	crs := parseWKT(p.WKT).horizontal()
	switch kind := crs.kind(); {
	case kind == "projected":
		set("standard_name", "projection_x_coordinate", "projection_y_coordinate")
	case kind == "rotated":
		set("standard_name", "grid_longitude", "grid_latitude")
		set("units", "degrees", "degrees")
		return x, y
	case kind == "geographic" && !isDegree(crs.unit()):
		set("standard_name", "longitude", "latitude")
		unit := strconv.FormatFloat(crs.unit(), 'g', -1, 64) + " radian"
		set("units", unit, unit)
		return x, y
	case kind == "geographic":
		set("standard_name", "longitude", "latitude")
		set("units", "degrees_east", "degrees_north")
		return x, y
	}
	if unit := lengthUnit(crs.unit()); unit != "" {
		set("units", unit, unit)
	}
	return x, y
}

// kind returns "projected", "geographic", "rotated" for a geographic system with a shifted pole, or
// "" for other systems.
func (n *wkt) kind() string {
	switch {
	case n == nil:
		return ""
	case containsName(projectedCRS, n):
		return "projected"
	case containsName(geographicCRS, n) && n.child("DERIVINGCONVERSION") != nil:
		return "rotated"
	case containsName(geographicCRS, n):
		return "geographic"
	}
	return ""
}

func containsName(names []string, n *wkt) bool {
	for _, name := range names {
		if n.name == name {
			return true
		}
	}
	return false
}

// isDegree reports whether a unit, given in radians, is a degree. 0 means no unit, for which
// degrees are the default.
func isDegree(radians float64) bool {
	return radians == 0 || math.Abs(radians-math.Pi/180) < 1e-9
}

// lengthUnit returns the udunits name of a unit, given in metres.
func lengthUnit(metres float64) string {
	switch {
	case metres == 0:
		return ""
	case metres == 1:
		return "m"
	case metres == 1000:
		return "km"
	case metres == 0.3048:
		return "foot"
	case math.Abs(metres-1200./3937) < 1e-12:
		return "US_survey_foot"
	}
	return strconv.FormatFloat(metres, 'g', -1, 64) + " m"
}

// MappingAttrs returns the attributes of a CF grid mapping, and crs_wkt, spatial_ref and
// GeoTransform, from which GDAL and rioxarray read the same georeference.
func (p *Georeference) MappingAttrs() map[string]any {
	attrs := map[string]any{"GeoTransform": FormatTransform(p.Transform)}
	if p.WKT != "" {
		attrs["crs_wkt"], attrs["spatial_ref"] = p.WKT, p.WKT
		addProjection(attrs, parseWKT(p.WKT))
	}
	return attrs
}

// ParseTransform parses the attribute GeoTransform of a grid mapping. ok is false unless it has six
// numbers.
func ParseTransform(text string) (t [6]float64, ok bool) {
	fields := strings.Fields(text)
	for i, field := range fields {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil || i >= len(t) {
			return t, false
		}
		t[i] = x
	}
	return t, len(fields) == len(t)
}

// FormatTransform returns a transform as the text of the attribute GeoTransform.
func FormatTransform(t [6]float64) string {
	var list []string
	for _, x := range t {
		list = append(list, formatNumber(x))
	}
	return strings.Join(list, " ")
}

// MappingWKT returns the coordinate system of a CF grid mapping as well-known text. units are the
// units of the coordinate x. ok is false if the attributes are incomplete or name an unknown
// projection.
func MappingWKT(attrs map[string]any, units string) (text string, ok bool) {
	for _, name := range []string{"crs_wkt", "spatial_ref"} {
		if text, _ := attrs[name].(string); parseWKT(text) != nil {
			return text, true
		}
	}
	return projectionWKT(attrs, units)
}

// Steps returns the first value and the step of an evenly spaced coordinate. Values may be off by a
// thousandth of a step, because a float32 has 24 bits and files round to decimals. Otherwise ok is
// false, and index is that of the first uneven value.
func Steps(values []float64) (first, step float64, index int, ok bool) {
	n := len(values)
	if n < 2 {
		return 0, 0, 0, false
	}
	step = (values[n-1] - values[0]) / float64(n-1)
	for i, x := range values {
		if off := math.Abs(x - values[0] - float64(i)*step); !(off <= 1e-3*math.Abs(step)) || step == 0 {
			return 0, 0, i, false
		}
	}
	return values[0], step, 0, true
}
