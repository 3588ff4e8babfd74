package meaning

import (
	"os/exec"
	"strings"
	"testing"
)

const (
	utm32v1 = `PROJCS["WGS 84 / UTM zone 32N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",9],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]`
	utm32v2 = `PROJCRS["UTM 32",BASEGEOGCRS["WGS 84",ENSEMBLE["World Geodetic System 1984 ensemble",MEMBER["World Geodetic System 1984 (G730)"],ELLIPSOID["WGS 84",6378137,298.257223563,LENGTHUNIT["metre",1]]],PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]]],CONVERSION["UTM zone 32N",METHOD["Transverse Mercator"],PARAMETER["Latitude of natural origin",0,ANGLEUNIT["degree",0.0174532925199433]],PARAMETER["Longitude of natural origin",9,ANGLEUNIT["degree",0.0174532925199433]],PARAMETER["Scale factor at natural origin",0.9996,SCALEUNIT["unity",1]],PARAMETER["False easting",500000,LENGTHUNIT["metre",1]],PARAMETER["False northing",0,LENGTHUNIT["metre",1]]],CS[Cartesian,2],AXIS["(E)",east,ORDER[1],LENGTHUNIT["metre",1]],AXIS["(N)",north,ORDER[2],LENGTHUNIT["metre",1]]`
	epsgV1  = `,AUTHORITY["EPSG","32632"]]`
	epsgV2  = `,ID["EPSG",32632]]`
)

// A coordinate system must be the same however it is written, and another one if a number or its
// code differs.
func TestSameCRS(t *testing.T) {
	cf := map[string]any{
		"grid_mapping_name": "transverse_mercator", "semi_major_axis": 6378137.0, "inverse_flattening": 298.257223563, "false_easting": 500000.0,
		"latitude_of_projection_origin": 0.0, "longitude_of_central_meridian": 9.0, "scale_factor_at_central_meridian": 0.9996,
	}
	ofCF, ok := MappingWKT(cf, "m")
	if !ok {
		t.Fatal("CF's attributes describe no system")
	}
	other := func(text, old, now string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(text, old, now, 1)
	}
	for name, c := range map[string]struct {
		a, b string
		want bool
	}{
		"versions":          {utm32v1 + "]", utm32v2 + "]", true},
		"codes":             {utm32v1 + epsgV1, utm32v2 + epsgV2, true},
		"one code":          {utm32v1 + epsgV1, utm32v2 + "]", true},
		"a code alone":      {utm32v1 + epsgV1, "EPSG:32632", true},
		"a URN":             {"urn:ogc:def:crs:EPSG::32632", utm32v2 + epsgV2, true},
		"CF":                {ofCF, utm32v2 + epsgV2, true},
		"another code":      {utm32v1 + epsgV1, "EPSG:32633", false},
		"no code":           {utm32v1 + "]", "EPSG:32632", false},
		"meridian":          {utm32v1 + "]", other(utm32v2, "origin\",9", "origin\",15") + "]", false},
		"meridian, code":    {other(utm32v1, "central_meridian\",9", "central_meridian\",15") + epsgV1, utm32v2 + epsgV2, false},
		"datum":             {utm32v1 + "]", other(utm32v1, "WGS_1984", "Another") + "]", false},
		"ellipsoid":         {ofCF, other(utm32v1, "298.257223563", "298.257222101") + "]", false},
		"feet":              {utm32v1 + "]", other(utm32v1, `UNIT["metre",1]`, `UNIT["foot",0.3048]`) + "]", false},
		"method":            {utm32v1 + "]", other(utm32v1, "Transverse_Mercator", "Mercator_1SP") + "]", false},
		"its geographic":    {utm32v1 + "]", utm32v1[strings.Index(utm32v1, "GEOGCS"):strings.Index(utm32v1, ",PROJECTION")], false},
		"text":              {"UTM32", "UTM32", true},
		"other text":        {"UTM32", "UTM33", false},
		"heights":           {`COMPD_CS["a",` + utm32v1 + `],VERT_CS["EGM96 height"]]`, utm32v1 + "]", false},
		"the same heights":  {`COMPD_CS["a",` + utm32v1 + `],VERT_CS["EGM96 height"]]`, `COMPOUNDCRS["b",` + utm32v2 + `],VERTCRS["EGM96 height"]]`, true},
		"cut off":           {utm32v1, utm32v2, false},
		"unknown extension": {utm32v1 + `,EXTENSION["PROJ4","+proj=x"]]`, utm32v1 + "]", false},
	} {
		if got := SameCRS(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got := SameCRS(c.b, c.a); got != c.want {
			t.Errorf("%s, the other way: %v", name, got)
		}
	}
}

// The three forms in which GDAL writes a system must be the same, and those of other codes must
// not.
func TestSameCRSAsGDAL(t *testing.T) {
	program, err := exec.LookPath("gdalsrsinfo")
	if err != nil {
		t.Skip("needs gdalsrsinfo; Debian: gdal-bin")
	}
	codes := []string{"32632", "3035", "3413", "4326", "5070", "2056"}
	texts := map[string][]string{}
	for _, code := range codes {
		for _, form := range []string{"wkt1", "wkt2_2019", "wkt_esri"} {
			text, err := exec.Command(program, "-o", form, "--single-line", "EPSG:"+code).Output()
			if err != nil {
				t.Fatalf("%s: %v", code, err)
			}
			texts[code] = append(texts[code], strings.TrimSpace(string(text)))
		}
	}
	for _, code := range codes {
		bare := strings.ReplaceAll(texts[code][1], `,ID["EPSG",`+code+`]`, "")
		if bare == texts[code][1] || !SameCRS(texts[code][0], texts[code][1]) || !SameCRS(texts[code][0], bare) {
			t.Errorf("EPSG:%s differs from itself:\n%s\n%s", code, texts[code][0], texts[code][1])
		}
		for _, other := range codes {
			for _, text := range texts[other] {
				if other != code && (SameCRS(bare, text) || SameCRS(texts[code][2], text)) {
					t.Errorf("EPSG:%s is EPSG:%s: %s", code, other, text)
				}
			}
		}
	}
}
