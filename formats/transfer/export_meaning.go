package transfer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drx/cube"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

// keepMeaning adapts elements and attributes of variables so that readers of the format find the
// meaning of the elements. It returns an error for variables whose meaning the format cannot
// express.
func (o *exporter) keepMeaning(vars []exportVar) error {
	if o.AsStored {
		return nil
	}
	for i := range vars {
		v := &vars[i]
		if v.elements != nil || v.values != nil || v.info.Labels != nil {
			continue
		}
		var err error
		switch {
		case slices.Contains(cfFormats, o.Format):
			if err = oneScale(v.info, o.Format); err == nil {
				err = v.markNodata(o.Format)
			}
		case slices.Contains(rasterFormats, o.Format):
			err = o.plainMissing(v)
		case o.isColumns():
			err = o.plainMissing(v)
		case o.Format == "fits":
			if err = oneScale(v.info, o.Format); err == nil {
				err = o.plainMissing(v)
			}
		default:
			if err = v.dropUnsigned(); err == nil {
				err = o.notePlain(v.info)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", wording.Printable(v.info.Name), err)
		}
	}
	return nil
}

// oneScale refuses a scale for each index of a dimension: readers of CF attributes fail on a list,
// or compute wrong numbers with it.
func oneScale(info formats.Info, format string) error {
	for _, name := range []string{"scale_factor", "add_offset"} {
		if list := listLength(info.Attrs[name]); list > 1 {
			return &meaning.RefusedError{
				Kind: name, From: fmt.Sprintf("a list of %d numbers", list), To: "one number", Target: "a variable of format " + format,
				Hint: "export one index of the dimension at a time, or numbers and attributes as they are stored",
			}
		}
	}
	return nil
}

// markNodata adds the CF attribute _FillValue for GDAL's attribute nodata, which readers of CF do
// not know.
func (v *exportVar) markNodata(format string) error {
	m, err := meaningOfVar(v.info, nil)
	if err != nil || v.info.Attrs["nodata"] == nil {
		return err
	}
	if m.DifferInMissing() {
		return &meaning.RefusedError{
			Kind: "nodata", From: "a list", To: "one number", Target: "a variable of format " + format,
			Hint: "export one index of the dimension at a time, or numbers and attributes as they are stored",
		}
	}
	if v.info.Attrs["_FillValue"] != nil || v.info.Attrs["missing_value"] != nil || len(m.Missing) == 0 {
		return nil // nothing to mark, or NaN, which all readers know
	}
	mark, err := decodeAttrs(map[string]json.RawMessage{"_FillValue": m.Type.ToJSON(m.Missing[0])})
	v.info.Attrs, v.info.Fill = maps.Clone(v.info.Attrs), m.Missing[0]
	maps.Copy(v.info.Attrs, mark)
	return err
}

func listLength(value any) int {
	switch list := value.(type) {
	case []float64:
		return len(list)
	case []int64:
		return len(list)
	case []any:
		return len(list)
	}
	return 0
}

// plainMissing adapts a variable to rasters, FITS and tables of columns: numbers without _Unsigned,
// and a single mark of missing values, which for floating-point images of FITS is NaN. Elements
// with other marks are converted.
func (o *exporter) plainMissing(v *exportVar) error {
	if err := v.dropUnsigned(); err != nil {
		return err
	}
	m, err := meaningOfVar(v.info, nil)
	if err == nil && m.DifferInMissing() {
		return &meaning.RefusedError{
			Kind: "nodata", From: "a list", To: "one number for all bands", Target: "a file of format " + o.Format,
			Hint: "export one index of the dimension at a time, or numbers and attributes as they are stored",
		}
	}
	if err != nil || len(m.Missing) == 0 {
		return err // there is nothing to unify
	}
	to := v.info
	to.Fill, to.Attrs = m.Missing[0], maps.Clone(to.Attrs)
	if to.Attrs == nil {
		to.Attrs = map[string]any{}
	}
	becomes := len(m.Missing) > 1
	if o.Format == "fits" && to.DType.IsFloat() {
		if to.Fill, err = to.DType.FromJSON(json.RawMessage(`"NaN"`)); err != nil {
			return err
		}
		becomes = true
	}
	delete(to.Attrs, "missing_value")
	to.Attrs["_FillValue"] = to.DType.ToJSON(to.Fill)
	target, err := meaningOfVar(to, nil)
	if err != nil {
		return err
	}
	c, err := meaning.Compare(m, target, meaning.Exact)
	if err != nil {
		return err
	}
	if becomes && !o.isColumns() { // where they are null
		o.printNote("%s: missing values become %s, as the file has one that marks them", wording.Printable(v.info.Name), to.DType.Format(to.Fill))
	}
	delete(to.Attrs, "_FillValue") // the file has its own field for it
	v.info, v.unified = to, c
	return nil
}

// dropUnsigned replaces the attribute _Unsigned by the unsigned element type that it stands for.
// The bytes stay the same.
func (v *exportVar) dropUnsigned() error {
	m, err := meaningOfVar(v.info, nil)
	if err != nil || !m.OtherSign() {
		return err
	}
	v.info.DType, v.info.Attrs = unsignedType(v.info)
	delete(v.info.Attrs, "_FillValue") // their numbers may be signed: replaced below
	delete(v.info.Attrs, "missing_value")
	if len(m.Missing) == 0 {
		return nil
	}
	var marks []json.RawMessage
	for _, element := range m.Missing {
		marks = append(marks, v.info.DType.ToJSON(element))
	}
	v.info.Attrs["missing_value"] = marks
	return nil
}

// notePlain notes that a file of a format without attributes gets the stored numbers, if their
// meaning is lost.
func (o *exporter) notePlain(info formats.Info) error {
	m, err := meaningOfVar(info, nil)
	if err != nil {
		return err
	}
	var lost []string
	if m.IsPacked() {
		lost = append(lost, "scale_factor and add_offset")
	}
	if m.MarksMissing() {
		lost = append(lost, "missing values")
	}
	if len(lost) > 0 {
		o.printNote("%s: files of format %s have no %s: it has the numbers as they are stored", wording.Printable(info.Name), o.Format, strings.Join(lost, " and no "))
	}
	return nil
}

// perBand are attributes that, as a list, have a value for each band of a raster.
var perBand = []string{
	"scale_factor", "add_offset", "band_names", "units", "nodata", "wavelength", "fwhm", "bbl",
	"data_gain_values", "data_offset_values", "data_reflectance_gain_values", "data_reflectance_offset_values",
}

// selectLists reduces lists with a value for each index of a dimension to the selected indices. A
// list of equal numbers becomes one number.
func selectLists(attrs map[string]any, bounds nd.Section, sel cube.Selection) {
	for _, name := range perBand {
		switch list := attrs[name].(type) {
		case []float64:
			attrs[name] = selectList(name, list, bounds, sel)
		case []int64:
			attrs[name] = selectList(name, list, bounds, sel)
		case []string:
			attrs[name] = selectList(name, list, bounds, sel)
		case []any: // numbers, with null for a missing one
			attrs[name] = selectList(name, list, bounds, sel)
		}
	}
}

func selectList[T comparable](name string, list []T, bounds nd.Section, sel cube.Selection) any {
	d := slices.IndexFunc(bounds, func(r nd.Range) bool { return r.Len() == len(list) })
	if d < 0 || len(list) < 2 {
		return list
	}
	var chosen []T
	for k := range sel[d].Len() {
		chosen = append(chosen, list[sel[d].At(k)-bounds[d].Lo])
	}
	isNumber := slices.Contains([]string{"scale_factor", "add_offset", "nodata", "units"}, name)
	if len(chosen) > 0 && isNumber && !slices.ContainsFunc(chosen, func(y T) bool { return y != chosen[0] }) {
		return chosen[0]
	}
	return chosen
}
