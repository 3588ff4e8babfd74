//go:build gdal && cgo

package gdal

// #include <gdal.h>
// #include <cpl_string.h>
import "C"

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
)

// ownDomains are the metadata domains that describe the storage of a file, or that DRX reads in
// another way.
var ownDomains = []string{"IMAGE_STRUCTURE", "SUBDATASETS", "DERIVED_SUBDATASETS", "COLOR_PROFILE"}

// enviDomain contains the fields of ENVI's header, whose names get no prefix. enviStorage are the
// fields that describe the storage, or that DRX reads in another way.
const enviDomain = "ENVI"

var enviStorage = strings.Fields("samples lines bands header_offset file_type data_type interleave byte_order map_info projection_info coordinate_system_string data_ignore_value band_names")

// attributes returns the attributes of bands.
func (c *catalog) attributes(h C.GDALDatasetH, bands []C.int) map[string]any {
	attrs := map[string]any{}
	c.metadata(C.GDALMajorObjectH(h), attrs)
	c.bandMetadata(h, bands, attrs)
	var transform [6]C.double
	if C.GDALGetGeoTransform(h, &transform[0]) == C.CE_None {
		numbers := []any{}
		for _, x := range transform {
			numbers = append(numbers, cformat.Float(float64(x), false))
		}
		attrs["geotransform"] = numbers
	}
	if wkt := C.GoString(C.GDALGetProjectionRef(h)); wkt != "" {
		attrs["crs_wkt"] = formats.Text(wkt)
	}
	bandAttributes(h, bands, attrs)
	if table := C.GDALGetRasterColorTable(C.GDALGetRasterBand(h, bands[0])); table != nil {
		attrs["palette"] = palette(table)
	}
	C.CPLErrorReset()
	return attrs
}

// metadata adds the metadata of all domains.
func (c *catalog) metadata(o C.GDALMajorObjectH, attrs map[string]any) {
	all := C.GDALGetMetadataDomainList(o)
	domains := goStrings(all)
	C.CSLDestroy(all)
	if !slices.Contains(domains, "") {
		domains = append(domains, "")
	}
	for _, domain := range domains {
		if slices.Contains(ownDomains, domain) {
			continue
		}
		name, free := cstring(domain)
		items := goStrings(C.GDALGetMetadata(o, name))
		free()
		if strings.HasPrefix(domain, "xml:") || strings.HasPrefix(domain, "json:") {
			attrs[domain] = strings.Join(items, "\n")
			continue
		}
		for _, item := range items {
			key, value, _ := strings.Cut(item, "=")
			switch {
			case domain == enviDomain && slices.Contains(enviStorage, key):
				continue
			case domain != "" && domain != enviDomain:
				key = domain + "." + key
			}
			attrs[key] = value
			c.budget -= int64(len(item)) + 64
		}
	}
}

// bandMetadata adds the metadata of bands: one value, or a list if bands differ. An item of the
// file takes precedence over a single value of the bands, but not over a list.
func (c *catalog) bandMetadata(h C.GDALDatasetH, bands []C.int, attrs map[string]any) {
	lists := map[string][]any{}
	for i, band := range bands {
		items := map[string]any{}
		c.metadata(C.GDALMajorObjectH(C.GDALGetRasterBand(h, band)), items)
		for name, value := range items {
			if lists[name] == nil {
				lists[name] = slices.Repeat([]any{""}, len(bands))
			}
			lists[name][i] = value
		}
	}
	for name, list := range lists {
		differ := slices.ContainsFunc(list, func(v any) bool { return v != list[0] })
		if _, has := attrs[name]; !has || differ {
			setUnless(attrs, name, list, nil, true)
		}
	}
}

// bandAttributes adds the attributes that each band has: its description, scale, offset, unit and
// fill value.
func bandAttributes(h C.GDALDatasetH, bands []C.int, attrs map[string]any) {
	var names, units, scales, offsets, fills []any
	for _, i := range bands {
		band := C.GDALGetRasterBand(h, i)
		names = append(names, formats.Text(C.GoString(C.GDALGetDescription(C.GDALMajorObjectH(band)))))
		units = append(units, formats.Text(C.GoString(C.GDALGetRasterUnitType(band))))
		scales = append(scales, cformat.Float(float64(C.GDALGetRasterScale(band, nil)), false))
		offsets = append(offsets, cformat.Float(float64(C.GDALGetRasterOffset(band, nil)), false))
		fills = append(fills, nodata(band))
	}
	for i, name := range names { // which ENVI's driver repeats
		if key := fmt.Sprintf("Band_%d", i+1); attrs[key] == name {
			delete(attrs, key)
		}
	}
	setUnless(attrs, "band_names", names, "", false)
	setUnless(attrs, "units", units, "", true)
	setUnless(attrs, "scale_factor", scales, 1.0, true)
	setUnless(attrs, "add_offset", offsets, 0.0, true)
	setUnless(attrs, "nodata", fills, nil, true) // null for a band without one
}

// setUnless sets an attribute to a list, unless all values equal the usual one. If unite is set and
// all values are equal, the attribute is one value instead of a list.
func setUnless(attrs map[string]any, name string, values []any, usual any, unite bool) {
	equal := !slices.ContainsFunc(values, func(v any) bool { return v != values[0] })
	switch {
	case equal && values[0] == usual:
	case equal && unite:
		attrs[name] = values[0]
	default:
		attrs[name] = values
	}
}

// nodata returns the value that marks missing elements, nil if there is none.
func nodata(band C.GDALRasterBandH) any {
	var has C.int
	switch C.GDALGetRasterDataType(band) {
	case C.GDT_Int64:
		if n := C.GDALGetRasterNoDataValueAsInt64(band, &has); has != 0 {
			return int64(n)
		}
		return nil
	case C.GDT_UInt64:
		if n := C.GDALGetRasterNoDataValueAsUInt64(band, &has); has != 0 {
			return uint64(n)
		}
		return nil
	}
	f := float64(C.GDALGetRasterNoDataValue(band, &has))
	if has == 0 {
		return nil
	}
	return cformat.Float(f, false)
}

// fillOf returns the no-data value as an element, or nil if there is none or if the element type
// cannot represent it.
func fillOf(band C.GDALRasterBandH, of dtype.DType) []byte {
	value := nodata(band)
	if f, ok := value.(float64); ok && !of.IsFloat() && !of.IsComplex() && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		value = int64(f)
	}
	if text, ok := value.(string); ok {
		b, err := of.Encode(text)
		if err != nil {
			return nil
		}
		return b
	}
	if value == nil {
		return nil
	}
	b, err := of.EncodeValue(value)
	if err != nil {
		return nil
	}
	return b
}

// palette returns a colour table.
func palette(table C.GDALColorTableH) []any {
	colours := []any{}
	for i := range int(C.GDALGetColorEntryCount(table)) {
		e := C.GDALGetColorEntry(table, C.int(i))
		colours = append(colours, []any{int64(e.c1), int64(e.c2), int64(e.c3), int64(e.c4)})
	}
	return colours
}
