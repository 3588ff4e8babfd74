package zarr

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// known3 are the known members of the metadata of an array of version 3.
var known3 = []string{
	"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs",
	"attributes", "dimension_names", "storage_transformers", "consolidated_metadata",
}

// parse3 decodes the metadata of an array of version 3.
func parse3(o object) (*array, error) {
	a := &array{}
	if err := checkKnown(o); err != nil {
		return a, err
	}
	var m struct {
		shape            []int
		dataType         extension
		grid, key        extension
		codecs, transfor []extension
		attrs            object
		dims             []*string
	}
	for _, field := range []struct {
		name     string
		value    any
		required bool
	}{
		{"shape", &m.shape, true},
		{"data_type", &m.dataType, true},
		{"chunk_grid", &m.grid, true},
		{"chunk_key_encoding", &m.key, true},
		{"codecs", &m.codecs, true},
		{"fill_value", new(json.RawMessage), true},
		{"attributes", &m.attrs, false},
		{"dimension_names", &m.dims, false},
		{"storage_transformers", &m.transfor, false},
	} {
		if field.required && !o.has(field.name) {
			return a, errkind.Errorf(ErrFormat, "zarr.json has no %s", field.name)
		}
		if err := o.get(field.name, field.value); err != nil {
			return a, err
		}
	}
	if len(m.transfor) > 0 {
		return a, fmt.Errorf("storage transformer %q: %w; %s", short(m.transfor[0].Name), ErrCodec, rewritten)
	}
	var err error
	if a.attrs, err = m.attrs.attrs(); err != nil {
		return a, err
	}
	if a.elementType, err = parseType3(m.dataType); err != nil {
		return a, err
	}
	if err := a.setGrid(m.shape, m.grid, m.key); err != nil {
		return a, err
	}
	if err := a.setFill(o["fill_value"]); err != nil {
		return a, err
	}
	a.decodeFillAttr()
	if m.dims != nil {
		names := make([]string, len(m.dims))
		for i, name := range m.dims {
			if name != nil {
				names[i] = *name
			}
		}
		if err := a.setDims(names); err != nil {
			return a, fmt.Errorf("dimension_names: %w", err)
		}
	}
	return a, a.setCodecs3(m.codecs)
}

// checkKnown returns an error for unknown members, unless they are marked as ignorable for readers.
func checkKnown(o object) error {
	for name, raw := range o {
		var extension struct {
			Must *bool `json:"must_understand"`
		}
		if slices.Contains(known3, name) || json.Unmarshal(raw, &extension) == nil && extension.Must != nil && !*extension.Must {
			continue
		}
		return fmt.Errorf("zarr.json has %s, which is not known: %w; %s", short(name), ErrCodec, rewritten)
	}
	return nil
}

// setGrid decodes the chunk grid and the keys of the chunks.
func (a *array) setGrid(shape []int, grid, key extension) error {
	var g struct {
		Chunk []int `json:"chunk_shape"`
	}
	if grid.Name != "regular" {
		return fmt.Errorf("chunk_grid %q: %w: only regular ones are; zarr-python rewrites the array with one", short(grid.Name), ErrCodec)
	}
	if err := grid.config(&g); err != nil {
		return err
	}
	if err := a.setShape(shape, g.Chunk); err != nil {
		return err
	}
	var k struct {
		Separator *string `json:"separator"`
	}
	if err := key.config(&k); err != nil {
		return err
	}
	switch key.Name {
	case "default":
		a.key = keyEncoding{"c", "/"}
	case "v2":
		a.key = keyEncoding{"", "."}
	default:
		return fmt.Errorf("chunk_key_encoding %q: %w: only default and v2 are; zarr-python rewrites the array with one of them", short(key.Name), ErrCodec)
	}
	if k.Separator != nil {
		a.key.separator = *k.Separator
	}
	return checkSeparator(a.key.separator)
}

// setCodecs3 sets the codecs, which the metadata lists in the order of encoding.
func (a *array) setCodecs3(list []extension) error {
	for len(list) > 0 && list[0].Name == "transpose" {
		order, err := parseTranspose(list[0], len(a.shape))
		if err != nil {
			return err
		}
		a.order, list = order.Apply(a.order.Dims(len(a.shape))), list[1:]
	}
	if len(list) == 0 {
		return errkind.Errorf(ErrFormat, "codecs do not turn elements into bytes")
	}
	var err error
	switch first := list[0]; first.Name {
	case "bytes", "endian":
		a.big, err = parseBytes(first, a.elementType)
	case "vlen-utf8", "vlen-bytes":
		if a.text != variable {
			err = errkind.Errorf(ErrFormat, "codec %s of %v: it is for strings of any length", first.Name, a.dtype)
		}
	case "sharding_indexed":
		if len(list) > 1 {
			return fmt.Errorf("codec %q after sharding_indexed: %w; %s", short(list[1].Name), ErrCodec, rewritten)
		}
		return a.setShard(first)
	default:
		err = fmt.Errorf("codec %q: %w; zarr-python rewrites the array with another", short(first.Name), ErrCodec)
	}
	if err != nil {
		return err
	}
	if a.text == variable && list[0].Name != "vlen-utf8" && list[0].Name != "vlen-bytes" {
		return errkind.Errorf(ErrFormat, "codec %s of strings of any length: want vlen-utf8 or vlen-bytes", list[0].Name)
	}
	for _, n := range list[1:] {
		c, err := newCodec(n.Name, n.Configuration)
		if err != nil {
			return err
		}
		a.codecs = slices.Insert(a.codecs, 0, c)
	}
	return nil
}

// parseTranspose decodes the codec transpose.
func parseTranspose(n extension, rank int) (nd.Order, error) {
	var c struct {
		Order json.RawMessage `json:"order"`
	}
	if err := n.config(&c); err != nil {
		return nil, err
	}
	var word string
	if json.Unmarshal(c.Order, &word) == nil { // drafts of version 3
		switch word {
		case "C":
			return nd.RowMajor.Dims(rank), nil
		case "F":
			return nd.ColMajor(rank), nil
		}
	}
	var order nd.Order
	err := json.Unmarshal(c.Order, &order)
	if err == nil {
		err = order.Check(rank)
	}
	if err != nil || len(order) != rank {
		return nil, errkind.Errorf(ErrFormat, "transpose: order %s of %d dimensions: want each of them once", short(c.Order), rank)
	}
	return order, nil
}

// parseBytes decodes the codec bytes: the byte order, which may be absent if elements have one
// byte.
func parseBytes(n extension, t elementType) (big bool, err error) {
	var c struct {
		Endian string `json:"endian"`
	}
	if err := n.config(&c); err != nil {
		return false, err
	}
	switch {
	case c.Endian == "little", c.Endian == "big":
		return c.Endian == "big", nil
	case c.Endian == "" && (t.size == 1 || t.text == fixed8):
		return false, nil
	}
	return false, errkind.Errorf(ErrFormat, "codec %s: endian %q is neither little nor big", n.Name, short(c.Endian))
}

// fillAttr is the attribute that marks missing elements.
const fillAttr = "_FillValue"

// decodeFillAttr decodes the attribute _FillValue of floating-point elements, which xarray writes
// in version 3 as the bytes of a float64 in base64.
func (a *array) decodeFillAttr() {
	s, ok := a.attrs[fillAttr].(string)
	if raw, err := base64.StdEncoding.DecodeString(s); ok && err == nil && len(raw) == 8 && a.dtype.IsFloat() && a.text == noText {
		a.attrs[fillAttr] = text(math.Float64frombits(binary.LittleEndian.Uint64(raw)))
	}
}
