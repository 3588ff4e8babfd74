package zarr

import (
	"encoding/json"
	"fmt"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// dimsAttr is the attribute of version 2 in which xarray and others keep the names of the
// dimensions.
const dimsAttr = "_ARRAY_DIMENSIONS"

// parse2 decodes the metadata of an array of version 2: .zarray and .zattrs; the latter may be nil.
func parse2(meta, attrs []byte) (*array, error) {
	o, err := parseObject(meta)
	if err != nil {
		return nil, err
	}
	a := &array{key: keyEncoding{separator: "."}}
	if a.attrs, err = parseAttrs2(attrs); err != nil {
		return a, err
	}
	var m struct {
		version       int
		shape, chunks []int
		order         string
		compressor    json.RawMessage
		filters       []json.RawMessage
	}
	for _, field := range []struct {
		name  string
		value any
	}{
		{"zarr_format", &m.version},
		{"shape", &m.shape},
		{"chunks", &m.chunks},
		{"order", &m.order},
		{"compressor", &m.compressor},
		{"filters", &m.filters},
		{"dimension_separator", &a.key.separator},
	} {
		if err := o.get(field.name, field.value); err != nil {
			return a, err
		}
	}
	if m.version != 2 || !o.has("shape") || !o.has("chunks") || !o.has("dtype") {
		return a, errkind.Errorf(ErrFormat, ".zarray of version %d, with %s: needs zarr_format 2, shape, chunks and dtype", m.version, keys(o))
	}
	if a.elementType, err = parseType2(o["dtype"]); err != nil {
		return a, err
	}
	if err := a.setShape(m.shape, m.chunks); err != nil {
		return a, err
	}
	switch m.order {
	case "C", "":
	case "F":
		a.order = nd.ColMajor(len(a.shape))
	default:
		return a, errkind.Errorf(ErrFormat, "order %q is neither C nor F", short(m.order))
	}
	if err := checkSeparator(a.key.separator); err != nil {
		return a, err
	}
	if err := a.setFill(o["fill_value"]); err != nil {
		return a, err
	}
	if names, ok := a.attrStrings(dimsAttr); ok {
		if err := a.setDims(names); err != nil {
			return a, fmt.Errorf("%s: %w", dimsAttr, err)
		}
	}
	return a, a.setCodecs2(m.compressor, m.filters)
}

// keys returns the names of an object's members, for errors.
func keys(o object) string {
	var names []string
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	return short(fmt.Sprint(names))
}

// parseAttrs2 decodes .zattrs.
func parseAttrs2(data []byte) (map[string]any, error) {
	if data == nil {
		return nil, nil
	}
	o, err := parseObject(data)
	if err != nil {
		return nil, fmt.Errorf(".zattrs: %w", err)
	}
	return o.attrs()
}

// setCodecs2 sets the codecs: the compressor is undone first, then the filters from the last to the
// first.
func (a *array) setCodecs2(compressor json.RawMessage, filters []json.RawMessage) error {
	slices.Reverse(filters)
	if len(compressor) > 0 && string(compressor) != "null" {
		filters = slices.Insert(filters, 0, compressor)
	}
	var objects bool
	for i, raw := range filters {
		var c struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			return errkind.Errorf(ErrFormat, "codec %s: %w", short(raw), err)
		}
		if c.ID == "vlen-utf8" || c.ID == "vlen-bytes" {
			if objects = a.text == variable && i == len(filters)-1; objects {
				continue
			}
			return errkind.Errorf(ErrFormat, "filter %s is not the first filter of an array of type |O", c.ID)
		}
		codec, err := newCodec(c.ID, raw)
		if err != nil {
			return err
		}
		a.codecs = append(a.codecs, codec)
	}
	if a.text == variable && !objects {
		return fmt.Errorf("objects of Python without the filter vlen-utf8: %w; write them as strings", ErrCodec)
	}
	return nil
}
