package meaning

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"drx/dataset/cftime"
)

// A WorldAxis is an evenly spaced axis of a FITS image, whose world coordinates depend on its own
// pixels alone: the pixel with index k has the value Value + (k+1-Pixel)*Step.
type WorldAxis struct {
	// Name is the name of its coordinate.
	Name string
	// Pixel, Value and Step are the values of CRPIX, CRVAL and CDELT.
	Pixel, Value, Step float64
	// Units are CF units; for times, a unit since a date. They are empty if unknown.
	Units string
	// Type is the value of CTYPE, without the code of an algorithm or rest frame.
	Type string
}

// At returns the value of the pixel with index k.
func (w *WorldAxis) At(k int) float64 { return w.Value + (float64(k)+1-w.Pixel)*w.Step }

// Attrs returns the attributes of the coordinate.
func (w *WorldAxis) Attrs() map[string]any {
	attrs := map[string]any{}
	if w.Units != "" {
		attrs["units"] = w.Units
	}
	if cftime.IsTime(w.Units) {
		attrs["standard_name"], attrs["calendar"] = "time", "standard"
	}
	if name := worldTypes[w.Type].standard; name != "" {
		attrs["standard_name"] = name
	}
	return attrs
}

// A worldType describes a value of CTYPE for a linear axis.
type worldType struct{ name, units, standard string }

// worldTypes are the types of linear axes in the FITS standard, with the default units of an axis
// without CUNIT.
var worldTypes = map[string]worldType{
	"WAVE": {"wavelength", "m", "radiation_wavelength"},
	"AWAV": {"wavelength", "m", ""}, // in air: CF has no name for it
	"FREQ": {"frequency", "Hz", "radiation_frequency"},
	"ENER": {"energy", "J", ""},
	"WAVN": {"wavenumber", "m-1", ""},
	"VRAD": {"velocity", "m/s", ""},
	"VOPT": {"velocity", "m/s", ""},
	"VELO": {"velocity", "m/s", ""},
	"ZOPT": {"redshift", "", ""},
	"BETA": {"beta", "", ""},
}

// timeScales are the values of CTYPE and TIMESYS for times.
var timeScales = map[string]bool{
	"TIME": true, "UTC": true, "TAI": true, "TT": true, "TDT": true, "ET": true, "IAT": true, "UT": true, "UT1": true,
	"GMT": true, "GPS": true, "TCG": true, "TCB": true, "TDB": true, "LOCAL": true,
}

// worldUnits are FITS units that CF spells differently or reads as another unit: "a" is a year of
// 365.25 days in FITS and an are in CF.
var worldUnits = map[string]string{
	"Angstrom": "angstrom", "ANGSTROM": "angstrom", "a": "365.25 d", "yr": "365.25 d", "HZ": "Hz", "SEC": "s", "S": "s", "DEG": "deg", "DEGREE": "deg",
	"DEGREES": "deg", "M": "m", "NM": "nm", "M/S": "m/s", "KM/S": "km/s", "MICRON": "um", "micron": "um",
}

// curved matches types with an algorithm code after the dash, which are not linear.
var curved = regexp.MustCompile(`^[A-Z0-9]{1,4}-+([A-Z0-9]{3})(-[A-Z]{3})?$`)

// restFrames are codes that name a rest frame instead of an algorithm, as in VELO-LSR. This old
// convention is for linear axes.
var restFrames = map[string]bool{"LSR": true, "LSD": true, "HEL": true, "OBS": true, "BAR": true, "GEO": true, "TOP": true, "SOU": true, "GAL": true}

// mixing matches the keywords of matrices that transform pixels to world coordinates.
var mixing = regexp.MustCompile(`^(CD|PC)(\d+)_(\d+)$`)

// WorldAxes returns the linear axes described by the FITS keywords among attrs, one entry for each
// dimension of the array: axis 1 is the last dimension. An entry is nil if the dimension has no
// linear axis. others are the types of axes with world coordinates that are not linear in one
// index, such as those on the sky.
func WorldAxes(attrs map[string]any, rank int) (axes []*WorldAxis, others []string) {
	axes = make([]*WorldAxis, rank)
	h := cards(attrs)
	for n := 1; n <= rank; n++ {
		d := rank - n
		kind := strings.TrimSpace(h.text("CTYPE", n))
		switch w, known := h.axis(n, kind); {
		case w != nil:
			axes[d] = w
		case known:
			others = append(others, kind)
		}
	}
	return axes, others
}

// cards are attributes, FITS keywords among them.
type cards map[string]any

func (h cards) text(key string, n int) string {
	s, _ := h[key+strconv.Itoa(n)].(string)
	return s
}

// number returns the value of a keyword. ok is false if it is not a finite number.
func (h cards) number(key string) (x float64, ok bool) {
	switch v := h[key].(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, !math.IsInf(v, 0) && !math.IsNaN(v)
	}
	return 0, false
}

// axis returns axis n, nil if it is not linear. known reports whether it has world coordinates.
func (h cards) axis(n int, kind string) (w *WorldAxis, known bool) {
	number := strconv.Itoa(n)
	w = &WorldAxis{Step: 1, Type: kind}
	found := false
	for _, card := range []struct {
		key string
		to  *float64
	}{{"CDELT" + number, &w.Step}, {"CD" + number + "_" + number, &w.Step}, {"CRVAL" + number, &w.Value}} {
		if x, ok := h.number(card.key); ok {
			*card.to, found = x, true
		}
	}
	w.Pixel, _ = h.number("CRPIX" + number)
	if _, ok := h.number("CD" + number + "_" + number); !ok {
		if x, ok := h.number("PC" + number + "_" + number); ok {
			w.Step *= x
		}
	}
	if !found {
		return nil, kind != "" && curved.MatchString(kind)
	}
	unit := strings.TrimSpace(h.text("CUNIT", n))
	if unit == "" && (kind == "" || kind == "LINEAR" || kind == "PIXEL") && w.At(0) == 1 && w.Step == 1 {
		return nil, false // the pixel numbers themselves
	}
	if !h.isSeparable(n) || isCurved(kind) || w.Step == 0 {
		return nil, kind != ""
	}
	if f, _ := h.number("DC-FLAG"); f != 0 {
		return nil, true // IRAF stores logarithms of wavelengths
	}
	return w, w.name(h, n, unit)
}

// name sets the name and the units of the axis. It returns true.
func (w *WorldAxis) name(h cards, n int, unit string) bool {
	kind := w.Type
	if m := curved.FindStringSubmatch(kind); m != nil {
		kind, _, _ = strings.Cut(kind, "-")
	}
	w.Type = kind
	w.Units = unit
	if cf, other := worldUnits[unit]; other {
		w.Units = cf
	}
	switch t, known := worldTypes[kind]; {
	case timeScales[kind]:
		w.Name = "time"
		w.Units = h.timeUnits(w.Units)
	case known:
		w.Name = t.name
		if unit == "" {
			w.Units = t.units
		}
	case kind == "" || kind == "LINEAR":
		w.Name = "axis" + strconv.Itoa(n)
	default:
		w.Name = strings.ToLower(strings.ReplaceAll(kind, "/", "_"))
	}
	if own := strings.TrimSpace(h.text("CNAME", n)); own != "" {
		w.Name = strings.ReplaceAll(own, "/", "_")
	}
	return true
}

func isCurved(kind string) bool {
	m := curved.FindStringSubmatch(kind)
	return m != nil && !(restFrames[m[1]] && (strings.HasPrefix(kind, "VELO-") || strings.HasPrefix(kind, "FREQ-")))
}

// isSeparable reports whether axis n is free of rotation and distortion.
func (h cards) isSeparable(n int) bool {
	number := strconv.Itoa(n)
	for name, value := range h {
		m := mixing.FindStringSubmatch(name)
		if m != nil && m[2] != m[3] && (m[2] == number || m[3] == number) && value != 0. && value != int64(0) {
			return false
		}
	}
	for _, key := range []string{"CPDIS", "CQDIS"} {
		if h[key+number] != nil {
			return false
		}
	}
	angle, _ := h.number("CROTA" + number)
	return angle == 0
}

// timeUnits returns the CF units of a time: since the reference date, if the header has one.
func (h cards) timeUnits(unit string) string {
	if unit == "" {
		unit, _ = h["TIMEUNIT"].(string)
	}
	if unit == "" {
		unit = "s"
	}
	since, ok := h.reference()
	offset, _ := h.number("TIMEOFFS")
	_, err := cftime.ParseUnits(unit+" since "+since, "standard")
	if !ok || err != nil || offset != 0 {
		return unit
	}
	return unit + " since " + since
}

// reference returns the reference date of times, formatted as in CF.
func (h cards) reference() (since string, ok bool) {
	if text, _ := h["DATEREF"].(string); text != "" {
		return strings.Replace(text, "T", " ", 1), true
	}
	for _, kind := range []struct {
		name string
		day0 float64 // of the modified Julian days
	}{{"MJDREF", 0}, {"JDREF", 2400000.5}} {
		whole, okWhole := h.number(kind.name + "I")
		part, okPart := h.number(kind.name + "F")
		if all, is := h.number(kind.name); is && !okWhole && !okPart {
			whole, part, okWhole = math.Floor(all), all-math.Floor(all), true
		}
		if okWhole || okPart {
			return dateOfMJD(whole-math.Floor(kind.day0), part-(kind.day0-math.Floor(kind.day0)))
		}
	}
	return "", false
}

// dateOfMJD returns the date of a modified Julian day, rounded to microseconds.
func dateOfMJD(days, part float64) (text string, ok bool) {
	days, part = days+math.Floor(part), part-math.Floor(part)
	if !(days > -600000 && days < 2900000) { // the limits of years with four digits
		return "", false
	}
	t := time.Date(1858, 11, 17, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days)).Add(time.Duration(math.Round(part*86400e6)) * time.Microsecond)
	return strings.TrimSuffix(fmt.Sprint(t.Format("2006-01-02 15:04:05.999999")), " 00:00:00"), true
}
