//go:build gdal && cgo

package gdal

// #include <gdal.h>
import "C"

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	pictures "drx/formats/raster"
)

// create implements formats.Format.CreatePath.
func create(path, driver string, c formats.Content) ([]formats.Writer, error) {
	if len(c.Vars) != 1 {
		return nil, errorf(formats.ErrVariable, "%d variables: a raster file has one", len(c.Vars))
	}
	if err := cformat.CheckDeflate(&c); err != nil {
		return nil, err
	}
	info := c.Vars[0]
	if err := checkInfo(&info, driver); err != nil {
		return nil, err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(full, "/vsi") {
		return nil, errorf(formats.ErrNotWritten, "GDAL takes a name that begins with /vsi for something else: choose another")
	}
	header := strings.TrimSuffix(full, filepath.Ext(full)) + ".hdr"
	if driver == "ENVI" {
		if _, err := os.Lstat(header); err == nil {
			return nil, errorf(os.ErrExist, "its header %s is there already: give another name", filepath.Base(header))
		}
	}
	defer enter()()
	limitCache(cmp.Or(c.Memory, pictures.DefaultMemory))
	w := &writer{info: info, envi: driver == "ENVI"}
	if err = w.begin(full, driver, c); err == nil {
		return cformat.Writers(enter, w, []cformat.Output{{Info: info, To: w}}), nil
	}
	if w.handle != nil {
		C.GDALClose(w.handle)
	}
	return nil, errors.Join(err, removeAny(full), removeAny(header, driver != "ENVI"))
}

// removeAny removes a file if it exists, unless keep is set.
func removeAny(path string, keep ...bool) error {
	if slices.Contains(keep, true) {
		return nil
	}
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// begin creates the file and writes everything that is known before the elements.
func (w *writer) begin(path, driver string, c formats.Content) error {
	rows, columns := w.info.Shape[len(w.info.Shape)-2], w.info.Shape[len(w.info.Shape)-1]
	bands := 1
	if len(w.info.Shape) == 3 {
		bands = w.info.Shape[0]
	}
	for i := range bands {
		w.bands = append(w.bands, C.int(i+1))
	}
	name, free := cstring(driver)
	defer free()
	file, freeFile := cstring(path)
	defer freeFile()
	options, freeOptions := list(optionsOf(&w.info, driver, c.Deflate))
	defer freeOptions()
	w.handle = C.GDALCreate(C.GDALGetDriverByName(name), file, C.int(columns), C.int(rows), C.int(bands), codes[w.info.DType], options)
	if w.handle == nil {
		return failure("create")
	}
	attrs := maps.Clone(c.Attrs)
	if attrs == nil {
		attrs = map[string]any{}
	}
	maps.Copy(attrs, w.info.Attrs)
	if err := w.setGeoreference(attrs); err != nil {
		return err
	}
	if err := w.describeBands(attrs); err != nil {
		return err
	}
	w.describeFile(attrs)
	return w.describe(attrs)
}

// optionsOf returns the options of a driver.
func optionsOf(info *formats.Info, driver string, deflate int) []string {
	if driver == "ENVI" {
		return []string{"INTERLEAVE=BSQ"}
	}
	y, x := 256, 256
	if n := len(info.Chunk); n > 0 { // the extents of tiles must be multiples of 16
		y, x = min(4096, (info.Chunk[n-2]+15)/16*16), min(4096, (info.Chunk[n-1]+15)/16*16)
	}
	options := []string{"TILED=YES", fmt.Sprintf("BLOCKXSIZE=%d", max(16, x)), fmt.Sprintf("BLOCKYSIZE=%d", max(16, y)), "INTERLEAVE=BAND", "BIGTIFF=IF_SAFER"}
	if info.DType == dtype.Int8 {
		options = append(options, "PIXELTYPE=SIGNEDBYTE")
	}
	if deflate > 0 {
		options = append(options, "COMPRESS=DEFLATE", fmt.Sprintf("ZLEVEL=%d", deflate))
		switch {
		case info.DType.IsFloat():
			options = append(options, "PREDICTOR=3")
		case !info.DType.IsComplex():
			options = append(options, "PREDICTOR=2")
		}
	}
	return options
}

// setGeoreference sets the raster's georeference from the attributes that describe it, and removes
// these attributes.
func (w *writer) setGeoreference(attrs map[string]any) error {
	if numbers := floats(attrs["geotransform"]); len(numbers) == 6 {
		var transform [6]C.double
		for i, x := range numbers {
			transform[i] = C.double(x)
		}
		if err := check("geotransform", C.GDALSetGeoTransform(w.handle, &transform[0])); err != nil {
			return err
		}
	}
	if wkt, ok := attrs["crs_wkt"].(string); ok && wkt != "" {
		text, free := cstring(wkt)
		defer free()
		if err := check("crs_wkt", C.GDALSetProjection(w.handle, text)); err != nil {
			return err
		}
	}
	delete(attrs, "geotransform")
	delete(attrs, "crs_wkt")
	return nil
}

// describeBands sets the fill value, the colour table, and the names of bands.
func (w *writer) describeBands(attrs map[string]any) error {
	names := listOf(attrs["band_names"])
	for i, number := range w.bands {
		band := C.GDALGetRasterBand(w.handle, number)
		if w.info.Fill != nil {
			if err := check("nodata", setNodata(band, &w.info)); err != nil {
				return err
			}
		}
		if i < len(names) {
			text, free := cstring(fmt.Sprint(names[i]))
			C.GDALSetDescription(C.GDALMajorObjectH(band), text)
			free()
		}
		for name, set := range map[string]func(C.GDALRasterBandH, C.double) C.CPLErr{
			"scale_factor": func(b C.GDALRasterBandH, x C.double) C.CPLErr { return C.GDALSetRasterScale(b, x) },
			"add_offset":   func(b C.GDALRasterBandH, x C.double) C.CPLErr { return C.GDALSetRasterOffset(b, x) },
		} {
			numbers := floats(attrs[name])
			if x, ok := toFloat(attrs[name]); ok {
				numbers = slices.Repeat([]float64{x}, len(w.bands))
			}
			if i < len(numbers) {
				_ = set(band, C.double(numbers[i])) // else it becomes metadata
			}
		}
		unit, ok := attrs["units"].(string)
		if units := listOf(attrs["units"]); i < len(units) {
			unit, ok = units[i].(string)
		}
		if ok {
			text, free := cstring(unit)
			C.GDALSetRasterUnitType(band, text)
			free()
		}
	}
	err := w.setPalette(listOf(attrs["palette"]))
	for _, name := range []string{"nodata", "band_names", "palette", "scale_factor", "add_offset", "units"} {
		delete(attrs, name)
	}
	C.CPLErrorReset()
	return err
}

// setNodata sets the fill value of a band.
func setNodata(band C.GDALRasterBandH, info *formats.Info) C.CPLErr {
	switch info.DType {
	case dtype.Int64:
		var n int64
		fmt.Sscan(info.DType.Format(info.Fill), &n)
		return C.GDALSetRasterNoDataValueAsInt64(band, C.int64_t(n))
	case dtype.Uint64:
		var n uint64
		fmt.Sscan(info.DType.Format(info.Fill), &n)
		return C.GDALSetRasterNoDataValueAsUInt64(band, C.uint64_t(n))
	}
	if info.DType.IsComplex() {
		return C.CE_None // GDAL compares only the real part
	}
	return C.GDALSetRasterNoDataValue(band, C.double(info.DType.Float64(info.Fill)))
}

// setPalette sets the colour table of a raster with one band of 8 or 16 bits.
func (w *writer) setPalette(colours []any) error {
	if len(colours) == 0 || len(w.bands) != 1 || w.info.DType != dtype.Uint8 && w.info.DType != dtype.Uint16 {
		return nil
	}
	table := C.GDALCreateColorTable(C.GPI_RGB)
	defer C.GDALDestroyColorTable(table)
	for i, colour := range colours {
		parts := append(floats(colour), 255, 255, 255, 255)
		e := C.GDALColorEntry{c1: C.short(parts[0]), c2: C.short(parts[1]), c3: C.short(parts[2]), c4: C.short(parts[3])}
		C.GDALSetColorEntry(table, C.int(i), &e)
	}
	return check("palette", C.GDALSetRasterColorTable(C.GDALGetRasterBand(w.handle, 1), table))
}

// describe writes the remaining attributes as metadata: strings unchanged, other values as JSON. A
// list with one string per band becomes metadata of the bands.
func (w *writer) describe(attrs map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		if done, err := w.describeEach(name, attrs[name]); err != nil {
			return err
		} else if done {
			continue
		}
		text, ok := attrs[name].(string)
		if !ok {
			b, err := json.Marshal(attrs[name])
			if err != nil {
				return fmt.Errorf("attribute %q: %w", name, err)
			}
			text = string(b)
		}
		if w.envi {
			name, text = enviDomain+"."+strings.ReplaceAll(name, " ", "_"), enviText(attrs[name], text)
		}
		if err := setItem(C.GDALMajorObjectH(w.handle), name, text); err != nil {
			return err
		}
	}
	return nil
}

// enviText returns a value in the form of ENVI's header, with lists in braces.
func enviText(value any, text string) string {
	if all := listOf(value); all != nil {
		var items []string
		for _, v := range all {
			items = append(items, fmt.Sprint(v))
		}
		text = "{" + strings.Join(items, ", ") + "}"
	}
	return strings.Join(strings.Fields(text), " ")
}

// describeFile sets the description in ENVI's header. Without it the driver writes the file name,
// which may be temporary.
func (w *writer) describeFile(attrs map[string]any) {
	if !w.envi {
		return
	}
	text, _ := attrs["description"].(string)
	delete(attrs, "description")
	d, free := cstring(strings.Trim(enviText(nil, text), "{} "))
	defer free()
	C.GDALSetDescription(C.GDALMajorObjectH(w.handle), d)
}

// describeEach writes an attribute that is a list with one string per band as metadata of the
// bands, in formats that store such metadata. done is false for other attributes.
func (w *writer) describeEach(name string, value any) (done bool, err error) {
	list := listOf(value)
	if len(w.bands) < 2 || len(list) != len(w.bands) || w.envi {
		return false, nil
	}
	for _, v := range list {
		if _, ok := v.(string); !ok {
			return false, nil
		}
	}
	for i, number := range w.bands {
		if list[i] == "" {
			continue
		}
		if err := setItem(C.GDALMajorObjectH(C.GDALGetRasterBand(w.handle, number)), name, list[i].(string)); err != nil {
			return true, err
		}
	}
	return true, nil
}

// setItem writes an attribute as a metadata item. In a name of the form DOMAIN.name, the part
// before the dot is the domain.
func setItem(of C.GDALMajorObjectH, name, text string) error {
	domain, key := "", name
	if before, after, ok := strings.Cut(name, "."); ok && before != "" && before == strings.ToUpper(before) {
		domain, key = before, after
	}
	if strings.HasPrefix(name, "xml:") || strings.HasPrefix(name, "json:") || strings.ContainsAny(key, "=\x00") {
		return nil // a document of the source format, or a key that metadata cannot have
	}
	k, free := cstring(key)
	defer free()
	v, freeValue := cstring(text)
	defer freeValue()
	d, freeDomain := cstring(domain)
	defer freeDomain()
	return check(fmt.Sprintf("attribute %q", name), C.GDALSetMetadataItem(of, k, v, d))
}

// listOf returns the elements of a list of any type, or nil for other values.
func listOf(value any) (all []any) {
	if raw, ok := value.(json.RawMessage); ok && json.Unmarshal(raw, &value) != nil {
		return nil
	}
	r := reflect.ValueOf(value)
	if !r.IsValid() || r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return nil
	}
	for i := range r.Len() {
		all = append(all, r.Index(i).Interface())
	}
	return all
}

// floats returns the numbers of a list, or nil if the value is not a list of numbers.
func floats(value any) (all []float64) {
	for _, v := range listOf(value) {
		f, ok := toFloat(v)
		if !ok {
			return nil
		}
		all = append(all, f)
	}
	return all
}

// toFloat returns a number as a float64. ok is false for other values.
func toFloat(value any) (float64, bool) {
	switch r := reflect.ValueOf(value); {
	case !r.IsValid():
	case r.CanFloat():
		return r.Float(), true
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanUint():
		return float64(r.Uint()), true
	}
	return 0, false
}
