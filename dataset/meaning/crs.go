package meaning

import (
	"math"
	"slices"
	"strings"
)

// SameCRS reports whether two texts describe the same coordinate system. A text is well-known text
// of either version or a code such as EPSG:32632. The order of the axes does not count, because
// pixels and coordinates are x and y. Two systems with codes are equal if their codes and
// parameters are equal; if one lacks a code, the parameters decide. Systems that cannot be parsed
// are compared as text.
func SameCRS(a, b string) bool {
	if a, b = strings.TrimSpace(a), strings.TrimSpace(b); a == b {
		return true
	}
	x, y := parseWKT(a), parseWKT(b)
	codeX, codeY := codeOf(x, a), codeOf(y, b)
	if x == nil || y == nil {
		return codeX != "" && codeX == codeY
	}
	if !sameVertical(x, y) || codeX != "" && codeY != "" && codeX != codeY {
		return false
	}
	s, known := systemOf(x.horizontal())
	t, knownToo := systemOf(y.horizontal())
	if sameCode := codeX != "" && codeX == codeY; !known || !knownToo {
		return sameCode
	} else if sameCode && s.method != t.method { // by unknown names
		return true
	} else if sameCode {
		s.datum = t.datum // its name has changed from version to version
	}
	return s.same(t)
}

// codeOf returns the code of a coordinate system in a register, such as "EPSG:32632", or "". If n
// is nil, text itself may be the code.
func codeOf(n *wkt, text string) string {
	if n == nil {
		text = strings.ToUpper(text)
		for _, prefix := range []string{"URN:OGC:DEF:CRS:", "HTTP://WWW.OPENGIS.NET/DEF/CRS/", "HTTPS://WWW.OPENGIS.NET/DEF/CRS/"} {
			text = strings.TrimPrefix(text, prefix)
		}
		parts := strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == '/' })
		if len(parts) < 2 || len(parts) > 3 || strings.ContainsAny(text, " =[+") {
			return ""
		}
		return parts[0] + ":" + parts[len(parts)-1] // a version may be between them
	}
	id := n.horizontal().child("AUTHORITY", "ID")
	if id == nil || len(id.values) < 2 {
		return ""
	}
	return strings.ToUpper(id.values[0]) + ":" + id.values[1]
}

// sameVertical reports whether two systems have the same vertical system, or none.
func sameVertical(x, y *wkt) bool {
	v, w := x.child("VERT_CS", "VERTCRS", "VERTICALCRS"), y.child("VERT_CS", "VERTCRS", "VERTICALCRS")
	if v == nil || w == nil {
		return v == w
	}
	return plainName(v.title()) == plainName(w.title()) || codeOf(v, "") != "" && codeOf(v, "") == codeOf(w, "")
}

// A system holds the parameters of a horizontal coordinate system, in metres and degrees.
type system struct {
	kind, datum, method string
	numbers             map[string]float64
	shift               []string // TOWGS84, the shift to another datum; nil if it is not given
}

// same reports whether two systems have the same parameters, up to rounding.
func (s system) same(t system) bool {
	const unknown = "unknown"
	if s.kind != t.kind || s.method != t.method || s.datum != t.datum && s.datum != unknown && t.datum != unknown ||
		s.shift != nil && t.shift != nil && !slices.Equal(s.shift, t.shift) {
		return false
	}
	for name := range t.numbers {
		if _, has := s.numbers[name]; !has {
			s.numbers[name] = defaults[name]
		}
	}
	for name, x := range s.numbers {
		y, has := t.numbers[name]
		if !has {
			y = defaults[name]
		}
		if math.Abs(x-y) > 1e-9*max(1, math.Abs(x)) {
			return false
		}
	}
	return true
}

// defaults are the values of omitted parameters that are not 0.
var defaults = map[string]float64{"scale": 1}

// systemOf returns the parameters of a system. ok is false for kinds that it does not understand.
func systemOf(n *wkt) (s system, ok bool) {
	s = system{kind: n.kind(), numbers: map[string]float64{}}
	geographic := n
	if s.kind == "projected" {
		geographic = n.child(geographicCRS...)
	}
	datum := geographic.child("DATUM", "ENSEMBLE", "GEODETICDATUM", "TRF")
	ellipsoid := datum.child("SPHEROID", "ELLIPSOID")
	a, hasA := ellipsoid.number(1)
	flattening, hasF := ellipsoid.number(2)
	if s.kind == "" || s.kind == "rotated" || !hasA || !hasF || n.child("EXTENSION") != nil || n.name == "DERIVEDPROJCRS" {
		return s, false
	}
	s.datum = datumName(datum.title())
	if shift := datum.child("TOWGS84"); shift != nil {
		s.shift = shift.values
	}
	degree := degreesOf(geographic.unit())
	s.numbers["axis"], s.numbers["flattening"] = a*orOne(ellipsoid.unit()), flattening
	meridian, _ := geographic.child("PRIMEM", "PRIMEMERIDIAN").number(1)
	s.numbers["meridian"] = meridian * unitOf(geographic.child("PRIMEM", "PRIMEMERIDIAN"), degree)
	if s.kind == "geographic" {
		s.numbers["unit"] = degree
		return s, true
	}
	s.numbers["unit"] = orOne(n.unit())
	owner := n
	if conversion := n.child("CONVERSION"); conversion != nil {
		owner = conversion
	}
	s.method = alias(owner.child("PROJECTION", "METHOD").title())
	for _, p := range owner.nodes {
		x, isNumber := p.number(1)
		if p.name != "PARAMETER" || !isNumber {
			continue
		}
		name := alias(p.title())
		switch {
		case strings.HasPrefix(name, "false"):
			x *= unitOf(p, s.numbers["unit"])
		case name != "scale":
			x *= unitOf(p, degree)
		}
		s.numbers[name] = x
	}
	return s, s.method != ""
}

// unitOf returns the unit of a node in degrees or metres, or the unit of the system if the node has
// none.
func unitOf(n *wkt, system float64) float64 {
	if n.child("ANGLEUNIT") != nil {
		return degreesOf(n.unit())
	}
	if n.child("LENGTHUNIT") != nil {
		return orOne(n.unit())
	}
	return system
}

func degreesOf(radians float64) float64 {
	if isDegree(radians) {
		return 1
	}
	return radians * 180 / math.Pi
}

func orOne(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

// plainName returns the letters, in lower case, and the digits of a name.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// datumName returns one spelling for the names that programs give a datum.
func datumName(name string) string {
	plain := strings.TrimSuffix(plainName(strings.TrimPrefix(name, "D_")), "ensemble")
	for _, r := range [][2]string{{"worldgeodeticsystem", "wgs"}, {"wgs84", "wgs1984"}, {"europeanterrestrialreferencesystem", "etrs"}, {"etrs89", "etrs1989"}, {"northamericandatum", "northamerican"}} {
		plain = strings.Replace(plain, r[0], r[1], 1)
	}
	if plain == "" || strings.HasPrefix(plain, "unknown") || strings.HasPrefix(plain, "notspecified") || strings.HasPrefix(plain, "unnamed") {
		return "unknown"
	}
	return plain
}

// alias returns one name for the names of a method or parameter in both versions.
func alias(name string) string {
	plain := plainName(name)
	for _, names := range aliases {
		if slices.Contains(names, plain) {
			return names[0]
		}
	}
	return plain
}

var aliases = [][]string{
	{"latitude", "latitudeoforigin", "latitudeofcenter", "latitudeofnaturalorigin", "latitudeoffalseorigin", "latitudeofprojectioncentre", "latitudeofstandardparallel"},
	{"longitude", "centralmeridian", "longitudeofcenter", "longitudeofnaturalorigin", "longitudeoffalseorigin", "longitudeofprojectioncentre", "longitudeoforigin"},
	{"scale", "scalefactor", "scalefactoratnaturalorigin", "scalefactoroninitialline"},
	{"standardparallel1", "latitudeof1ststandardparallel"},
	{"standardparallel2", "latitudeof2ndstandardparallel"},
	{"falseeasting", "eastingatfalseorigin", "eastingatprojectioncentre"},
	{"falsenorthing", "northingatfalseorigin", "northingatprojectioncentre"},
	{"lambertconformalconic2sp", "lambertconicconformal2sp"},
	{"lambertconformalconic1sp", "lambertconicconformal1sp"},
	{"albersconicequalarea", "albersequalarea"},
	{"mercator1sp", "mercatorvarianta"},
	{"mercator2sp", "mercatorvariantb"},
	{"azimuth", "azimuthofinitialline", "azimuthatprojectioncentre"},
	{"rectifiedgridangle", "anglefromrectifiedtoskewgrid"},
	{"hotineobliquemercatorazimuthcenter", "hotineobliquemercatorvariantb"},
	{"polarstereographic", "polarstereographicvarianta", "polarstereographicvariantb"},
}
