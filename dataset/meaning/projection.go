package meaning

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A projection is known to both the CF conventions and well-known text of version 1.
type projection struct {
	cf, wkt string
	// params are pairs of a CF parameter and the parameter in the text. "standard_parallel 2" is
	// the second number of a list.
	params [][2]string
}

var projections = []projection{
	{"transverse_mercator", "Transverse_Mercator", [][2]string{
		{"latitude_of_projection_origin", "latitude_of_origin"},
		{"longitude_of_central_meridian", "central_meridian"},
		{"scale_factor_at_central_meridian", "scale_factor"},
	}},
	{"lambert_conformal_conic", "Lambert_Conformal_Conic_2SP", [][2]string{
		{"standard_parallel 1", "standard_parallel_1"},
		{"standard_parallel 2", "standard_parallel_2"},
		{"latitude_of_projection_origin", "latitude_of_origin"},
		{"longitude_of_central_meridian", "central_meridian"},
	}},
	{"albers_conical_equal_area", "Albers_Conic_Equal_Area", [][2]string{
		{"standard_parallel 1", "standard_parallel_1"},
		{"standard_parallel 2", "standard_parallel_2"},
		{"latitude_of_projection_origin", "latitude_of_center"},
		{"longitude_of_central_meridian", "longitude_of_center"},
	}},
	{"lambert_azimuthal_equal_area", "Lambert_Azimuthal_Equal_Area", [][2]string{
		{"latitude_of_projection_origin", "latitude_of_center"}, {"longitude_of_projection_origin", "longitude_of_center"},
	}},
	{"mercator", "Mercator_1SP", [][2]string{
		{"longitude_of_projection_origin", "central_meridian"}, {"scale_factor_at_projection_origin", "scale_factor"},
	}},
	{"mercator", "Mercator_2SP", [][2]string{
		{"standard_parallel", "standard_parallel_1"}, {"longitude_of_projection_origin", "central_meridian"},
	}},
	{"stereographic", "Oblique_Stereographic", [][2]string{
		{"latitude_of_projection_origin", "latitude_of_origin"},
		{"longitude_of_projection_origin", "central_meridian"},
		{"scale_factor_at_projection_origin", "scale_factor"},
	}},
}

// falseOrigin are the parameters common to all projections.
var falseOrigin = [][2]string{{"false_easting", "false_easting"}, {"false_northing", "false_northing"}}

// addProjection adds the CF attributes of a coordinate system to those of a grid mapping. It adds
// none for a system that CF cannot express completely; crs_wkt has the full text in any case.
func addProjection(attrs map[string]any, crs *wkt) {
	crs = crs.horizontal()
	geographic := crs
	if crs.kind() == "projected" {
		geographic = crs.child(geographicCRS...)
	}
	a, hasAxis := geographic.child("DATUM").child("SPHEROID", "ELLIPSOID").number(1)
	flattening, hasToo := geographic.child("DATUM").child("SPHEROID", "ELLIPSOID").number(2)
	if crs == nil || !hasAxis || !hasToo || !isDegree(geographic.unit()) || crs.child("EXTENSION") != nil {
		return
	}
	set := map[string]any{}
	switch crs.name {
	case "GEOGCS":
		set["grid_mapping_name"] = "latitude_longitude"
	case "PROJCS":
		if !addParameters(set, crs) {
			return
		}
	default: // version 2 has other keywords
		return
	}
	set["semi_major_axis"] = a
	if flattening == 0 {
		set["semi_minor_axis"] = a // a sphere
	} else {
		set["inverse_flattening"] = flattening
	}
	meridian, _ := geographic.child("PRIMEM").number(1)
	set["longitude_of_prime_meridian"] = meridian
	for name, value := range set {
		attrs[name] = value
	}
}

// addParameters adds the name and the parameters of a projection. ok is false if it is unknown.
func addParameters(attrs map[string]any, crs *wkt) (ok bool) {
	given := map[string]float64{}
	for _, n := range crs.nodes {
		if x, ok := n.number(1); ok && n.name == "PARAMETER" {
			given[strings.ToLower(n.title())] = x
		}
	}
	method := crs.child("PROJECTION").title()
	if method == "Polar_Stereographic" {
		return addPolar(attrs, given)
	}
	for _, p := range projections {
		if p.wkt != method {
			continue
		}
		attrs["grid_mapping_name"] = p.cf
		for _, pair := range append(falseOrigin, p.params...) {
			name, number, _ := strings.Cut(pair[0], " ")
			x := given[pair[1]]
			if number == "2" {
				attrs[name] = []float64{attrs[name].(float64), x}
			} else {
				attrs[name] = x
			}
		}
		return true
	}
	return false
}

// addPolar adds the parameters of the polar stereographic projection. Its latitude of origin is the
// latitude of true scale, or the pole itself, which then has a scale factor.
func addPolar(attrs map[string]any, given map[string]float64) (ok bool) {
	origin := given["latitude_of_origin"]
	attrs["grid_mapping_name"] = "polar_stereographic"
	attrs["straight_vertical_longitude_from_pole"] = given["central_meridian"]
	attrs["latitude_of_projection_origin"] = math.Copysign(90, origin)
	if math.Abs(origin) == 90 {
		attrs["scale_factor_at_projection_origin"] = given["scale_factor"]
	} else {
		attrs["standard_parallel"] = origin
	}
	attrs["false_easting"], attrs["false_northing"] = given["false_easting"], given["false_northing"]
	return true
}

// projectionWKT returns the coordinate system of CF attributes as well-known text of version 1.
// units are the units of its coordinates. ok is false if the attributes are incomplete or name an
// unknown projection.
func projectionWKT(attrs map[string]any, units string) (string, bool) {
	number := func(name string) (float64, bool) {
		name, which, _ := strings.Cut(name, " ")
		list := floatsOf(attrs[name])
		switch {
		case which == "2" && len(list) == 2:
			return list[1], true
		case len(list) == 1 || which == "1" && len(list) == 2: // a single parallel is both
			return list[0], true
		}
		return 0, false
	}
	geographic, ok := geographicWKT(attrs, number)
	if !ok {
		return "", false
	}
	name, _ := attrs["grid_mapping_name"].(string)
	if name == "latitude_longitude" {
		return geographic, true
	}
	method, params, ok := parametersOf(name, number)
	metres, _, isLength := conversionOf(units, "m")
	if !ok || !isLength {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, `PROJCS["unknown",%s,PROJECTION["%s"]`, geographic, method)
	for _, p := range params {
		x, _ := number(p[0])
		fmt.Fprintf(&b, `,PARAMETER["%s",%s]`, p[1], formatNumber(x))
	}
	fmt.Fprintf(&b, `,UNIT["%s",%s],AXIS["Easting",EAST],AXIS["Northing",NORTH]]`, map[bool]string{true: "metre", false: "unknown"}[metres == 1], formatNumber(metres))
	return b.String(), true
}

// parametersOf returns the method and parameters in version 1 for a CF projection. ok is false if a
// parameter is missing, except for the false origin, which is zero by default.
func parametersOf(name string, number func(name string) (float64, bool)) (method string, params [][2]string, ok bool) {
	if name == "polar_stereographic" {
		longitude := [2]string{"straight_vertical_longitude_from_pole", "central_meridian"}
		if _, has := number(longitude[0]); !has {
			return "", nil, false
		}
		if _, has := number("standard_parallel"); has {
			return "Polar_Stereographic", append([][2]string{{"standard_parallel", "latitude_of_origin"}, longitude}, falseOrigin...), true
		}
		_, scaled := number("scale_factor_at_projection_origin")
		params = [][2]string{{"latitude_of_projection_origin", "latitude_of_origin"}, longitude, {"scale_factor_at_projection_origin", "scale_factor"}}
		return "Polar_Stereographic", append(params, falseOrigin...), scaled
	}
	for _, p := range projections {
		complete := p.cf == name
		for _, pair := range p.params {
			_, has := number(pair[0])
			complete = complete && has
		}
		if complete {
			return p.wkt, append(p.params, falseOrigin...), true
		}
	}
	return "", nil, false
}

// geographicWKT returns the geographic system, with ellipsoid and meridian, of CF attributes.
func geographicWKT(attrs map[string]any, number func(name string) (float64, bool)) (string, bool) {
	a, ok := number("semi_major_axis")
	flattening, hasFlattening := number("inverse_flattening")
	minor, hasMinor := number("semi_minor_axis")
	if radius, has := number("earth_radius"); has {
		a, ok, hasFlattening = radius, true, true
	}
	if !hasFlattening && hasMinor && minor != a {
		flattening = a / (a - minor)
	}
	if !ok || !hasFlattening && !hasMinor {
		return "", false
	}
	meridian, _ := number("longitude_of_prime_meridian")
	name, _ := attrs["horizontal_datum_name"].(string)
	if name == "" || strings.Contains(name, `"`) {
		name = "unknown"
	}
	return fmt.Sprintf(`GEOGCS["unknown",DATUM["%s",SPHEROID["unknown",%s,%s]],PRIMEM["unknown",%s],UNIT["degree",0.0174532925199433]]`,
		name, formatNumber(a), formatNumber(flattening), formatNumber(meridian)), true
}

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// floatsOf returns the numbers of an attribute.
func floatsOf(value any) []float64 {
	switch x := value.(type) {
	case float64:
		return []float64{x}
	case int64:
		return []float64{float64(x)}
	case []float64:
		return x
	case []int64:
		var list []float64
		for _, n := range x {
			list = append(list, float64(n))
		}
		return list
	}
	return nil
}
