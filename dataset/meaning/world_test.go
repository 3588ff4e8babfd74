package meaning

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The keywords decide whether axes are linear, not linear, or without world coordinates.
func TestWorldAxes(t *testing.T) {
	base := map[string]any{"CTYPE1": "WAVE", "CRVAL1": 500.0, "CDELT1": 2.0, "CRPIX1": int64(1), "CUNIT1": "nm"}
	for more, want := range map[string]string{
		"":                              "wavelength 500 nm []",
		"CTYPE1=":                       "axis1 500 nm []",
		"CNAME1=a/b":                    "a_b 500 nm []",
		"CTYPE1=AWAV CUNIT1=":           "wavelength 500 m []",
		"CTYPE1=WAVE-LOG":               "none [WAVE-LOG]",
		"CTYPE1=VELO-LSR CUNIT1=km/s":   "velocity 500 km/s []",
		"CTYPE1=FELO-HEL":               "none [FELO-HEL]",
		"CTYPE1=RA---TAN":               "none [RA---TAN]",
		"CTYPE1=RA---TAN-SIP":           "none [RA---TAN-SIP]",
		"DC-FLAG=1":                     "none [WAVE]",
		"CROTA1=3":                      "none [WAVE]",
		"CROTA1=0":                      "wavelength 500 nm []",
		"PC1_2=0.5":                     "none [WAVE]",
		"PC2_1=0.5":                     "none [WAVE]",
		"PC1_2=0":                       "wavelength 500 nm []",
		"CDELT1=0":                      "none [WAVE]",
		"CTYPE1=TIME CUNIT1=d":          "time 500 d []",
		"CTYPE1=TIME CUNIT1=d MJDREF=0": "time 500 d since 1858-11-17 []",
		"CTYPE1=UTC CUNIT1= JDREF=0.5":  "time 500 s []", // before the years of four digits
		"CTYPE1=UTC CUNIT1=d MJDREFI=51910 MJDREFF=0.00074287037037037": "time 500 d since 2001-01-01 00:01:04.184 []",
		"CTYPE1=TIME CUNIT1=s DATEREF=2020-02-30T00:00:00":              "time 500 s []",
		"CTYPE1=TIME CUNIT1=s DATEREF=2020-02-29T01:00:00":              "time 500 s since 2020-02-29 01:00:00 []",
		"CUNIT1=a": "wavelength 500 365.25 d []",
	} {
		attrs := maps.Clone(base)
		for card := range strings.FieldsSeq(more) {
			name, value, _ := strings.Cut(card, "=")
			var number float64
			if _, err := fmt.Sscan(value, &number); err == nil && !strings.Contains(name, "DATE") {
				attrs[name] = number
			} else {
				attrs[name] = value
			}
		}
		axes, others := WorldAxes(attrs, 1)
		got := "none"
		if w := axes[0]; w != nil {
			got = strings.Join(strings.Fields(fmt.Sprint(w.Name, " ", w.At(0), " ", w.Units)), " ")
		}
		if got += fmt.Sprint(" ", others); got != want {
			t.Errorf("%s: %s, want %s", more, got, want)
		}
	}
}

// Keywords that are set must be read as the same axis. Other keywords of the header, and those that
// already describe the axis, must stay.
func TestSetWorldAxis(t *testing.T) {
	attrs := map[string]any{"CTYPE1": "RA---TAN", "CD1_1": 0.1, "CD3_3": 7.0, "CTYPE3": "FREQ", "CRVAL3": 1.0, "PV3_1": 1.0, "CD2_1": 0.1, "EXPTIME": 3.0}
	if err := SetWorldAxis(attrs, 3, 0, "frequency", []float64{5, 7, 9}, "GHz", "", 1e-15); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"CTYPE1": "RA---TAN", "CD1_1": 0.1, "CD2_1": 0.1, "EXPTIME": 3.0,
		"CTYPE3": "FREQ", "CNAME3": "frequency", "CD3_3": 2.0, "CRVAL3": 5.0, "CRPIX3": 1.0, "CUNIT3": "GHz",
	}
	if !maps.Equal(attrs, want) {
		t.Errorf("%v\nwant %v", attrs, want)
	}
	same := map[string]any{"CTYPE3": "FREQ", "CRVAL3": 7.0, "CRPIX3": 2.0, "CDELT3": 2.0, "CUNIT3": "GHz"}
	before := maps.Clone(same)
	if err := SetWorldAxis(same, 3, 0, "frequency", []float64{5, 7, 9}, "GHz", "", 1e-15); err != nil || !maps.Equal(same, before) {
		t.Errorf("%v, %v", same, err)
	}
	for _, c := range []struct {
		values          []float64
		units, calendar string
		words           string
	}{
		{[]float64{1, 2, 4}, "m", "", "evenly"},
		{[]float64{2, 2, 2}, "m", "", "evenly"},
		{nil, "m", "", "no values"},
		{[]float64{1, 2}, "fathoms", "", "fathoms"},
		{[]float64{1, 2}, "days since 2000-01-01", "360_day", "360_day"},
		{[]float64{1, 2}, "days since 1500-01-01", "", "1500"},
		{[]float64{1, 2}, "days since 2000-01-02", "", "reference date"},
	} {
		attrs := map[string]any{"MJDREF": 51544.0, "CTYPE1": "WAVE", "CRVAL1": 3.0}
		err := SetWorldAxis(attrs, 1, 0, "x", c.values, c.units, c.calendar, 1e-15)
		if err == nil || !strings.Contains(err.Error(), c.words) || len(attrs) != 1 {
			t.Errorf("%v %s: %v, %v", c.values, c.units, err, slices.Sorted(maps.Keys(attrs)))
		}
	}
}
