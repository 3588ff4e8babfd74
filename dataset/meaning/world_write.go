package meaning

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"drx/dataset/cftime"
)

// axisCards matches the keywords of an axis and captures the axis number.
var axisCards = regexp.MustCompile(`^(?:(?:CTYPE|CUNIT|CRVAL|CDELT|CROTA|CRPIX|CNAME)(\d+)|(?:CD|PC)(\d+)_(\d+)|(?:PV|PS)(\d+)_\d+)$`)

// DropWorldAxis removes the FITS keywords of axis n from attributes. Axis 1 is the last dimension.
func DropWorldAxis(attrs map[string]any, n int) {
	number := strconv.Itoa(n)
	for name := range attrs {
		m := axisCards.FindStringSubmatch(name)
		for _, of := range m[min(1, len(m)):] {
			if of == number {
				delete(attrs, name)
			}
		}
	}
}

// SetWorldAxis sets the FITS keywords among attrs for the coordinate of dimension d of an array of
// the given rank. values are the values of the coordinate, digits is the relative rounding error of
// its type. Keywords that already describe the coordinate remain. The error explains why FITS
// cannot describe it; then the keywords of the axis are removed.
func SetWorldAxis(attrs map[string]any, rank, d int, name string, values []float64, units, calendar string, digits float64) error {
	n := rank - d
	was, _ := WorldAxes(attrs, rank)
	if w := was[d]; w != nil && w.Name == name && sameUnits(w.Units, units, calendar) && w.isAt(values, digits) {
		return nil
	}
	w := &WorldAxis{Type: worldType4(name), Pixel: 1}
	if was[d] != nil && was[d].Type != "" {
		w.Type = was[d].Type
	}
	matrix := cards(attrs).matrix(n)
	DropWorldAxis(attrs, n)
	if err := w.fit(values, digits); err != nil {
		return err
	}
	unit, err := cards(attrs).setUnits(units, calendar)
	if err != nil {
		return err
	}
	if cftime.IsTime(units) && !timeScales[w.Type] {
		w.Type = "TIME"
	}
	number := strconv.Itoa(n)
	attrs["CTYPE"+number], attrs["CNAME"+number] = w.Type, name
	attrs["CRPIX"+number], attrs["CRVAL"+number] = w.Pixel, w.Value
	if unit != "" {
		attrs["CUNIT"+number] = unit
	}
	if matrix == "CD" {
		attrs["CD"+number+"_"+number] = w.Step
	} else {
		attrs["CDELT"+number] = w.Step
	}
	return nil
}

// worldType4 returns a CTYPE for a coordinate without one: the standard type of this name, or the
// name without dashes, after which FITS would expect an algorithm code.
func worldType4(name string) string {
	for _, known := range []string{"WAVE", "FREQ", "ENER", "WAVN"} {
		if strings.EqualFold(name, worldTypes[known].name) || strings.EqualFold(name, known) {
			return known
		}
	}
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// sameUnits reports whether units are equal. Times are compared in the standard calendar of FITS.
func sameUnits(world, units, calendar string) bool {
	if !cftime.IsTime(world) {
		return world == units
	}
	a, errA := cftime.ParseUnits(world, "standard")
	b, errB := cftime.ParseUnits(units, calendar)
	if b.Calendar == cftime.Proleptic {
		b.Calendar = cftime.Standard // the same days since 1582
	}
	return errA == nil && errB == nil && a == b
}

// matrix returns "CD" if a CD matrix gives the steps of other axes than n, otherwise "".
func (h cards) matrix(n int) string {
	for name := range h {
		if m := mixing.FindStringSubmatch(name); m != nil && m[1] == "CD" && m[2] != strconv.Itoa(n) {
			return "CD"
		}
	}
	return ""
}

// isAt reports whether the pixels of the axis have the given values, up to rounding.
func (w *WorldAxis) isAt(values []float64, digits float64) bool {
	largest := 0.
	for _, x := range values {
		largest = max(largest, math.Abs(x))
	}
	for k, x := range values {
		if !(math.Abs(w.At(k)-x) <= 4*digits*largest) {
			return false
		}
	}
	return true
}

// fit sets Value and Step from evenly spaced values.
func (w *WorldAxis) fit(values []float64, digits float64) error {
	n := len(values)
	if n == 0 {
		return errors.New("it has no values")
	}
	w.Value, w.Step = values[0], 1
	if n == 1 {
		return nil
	}
	mean := (values[n-1] - values[0]) / float64(n-1)
	for _, precision := range []int{7, 12, -1} { // prefer a step with few decimals
		w.Step, _ = strconv.ParseFloat(strconv.FormatFloat(mean, 'g', precision, 64), 64)
		if w.Step != 0 && w.isAt(values, digits) {
			return nil
		}
	}
	return errors.New("its values are not evenly spaced, as those of an axis of FITS are")
}

// fitsUnits maps CF units to FITS units.
var fitsUnits = func() map[string]string {
	names := map[string]string{
		"degrees_east": "deg", "degrees_north": "deg", "degree_east": "deg", "degree_north": "deg", "degrees": "deg", "degree": "deg", "angstrom": "Angstrom",
		"seconds": "s", "second": "s", "minutes": "min", "hours": "h", "days": "d", "day": "d", "hour": "h", "minute": "min", "365.25 d": "a",
		"meters": "m", "metres": "m", "meter": "m", "metre": "m", "nanometers": "nm", "nanometres": "nm", "micrometers": "um", "micrometres": "um",
		"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns", "m s-1": "m/s", "kelvin": "K", "1/m": "m-1", "1/cm": "cm-1", "": "", "1": "",
	}
	for name := range strings.FieldsSeq("m km cm mm um nm pm Hz kHz MHz GHz THz s ms us ns min h d deg arcmin arcsec rad K Pa hPa kPa eV keV MeV GeV J m/s km/s cm/s m-1 cm-1 V mV") {
		names[name] = name
	}
	return names
}()

// setUnits returns the CUNIT for units. For times it also sets the reference date, which all times
// of a header share.
func (h cards) setUnits(units, calendar string) (unit string, err error) {
	if !cftime.IsTime(units) {
		unit, known := fitsUnits[units]
		if !known {
			return "", fmt.Errorf("its units %q are none of FITS", units)
		}
		return unit, nil
	}
	u, err := cftime.ParseUnits(units, calendar)
	date := u.Calendar.Date(u.Since)
	if err != nil || u.Calendar != cftime.Standard && u.Calendar != cftime.Proleptic || date.Year < 1583 || date.Year > 9999 {
		return "", fmt.Errorf("FITS has no times as %q in the calendar %v", units, cmp.Or(calendar, "standard"))
	}
	if other, has := h.reference(); !has {
		h["DATEREF"] = isoDate(u.Calendar.Format(u.Since))
	} else if p, err := u.Calendar.Parse(other); err != nil || p.First != u.Since {
		return "", fmt.Errorf("the reference date of the header is %s, and %q has another", other, units)
	}
	if h["TIMESYS"] == nil {
		h["TIMESYS"] = "UTC"
	}
	return fitsUnits[strings.Fields(strings.ToLower(units))[0]], nil
}

// isoDate adds the fields of the time to a date, which FITS requires.
func isoDate(text string) string {
	switch strings.Count(text, ":") {
	case 0:
		return text + "T00:00:00"
	case 1:
		return text + ":00"
	}
	return text
}
