package formats

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"drx/dtype"
	"drx/nd"
)

// paletteAttr is the attribute that has the colour table of a raster of indices: a list of colours,
// each a list of its red, green, blue and alpha samples from 0 to 255.
const paletteAttr = "palette"

// channelNames are the samples of a colour, as the bands of an expanded raster.
var channelNames = []any{"red", "green", "blue", "alpha"}

// Expansions are the ways to expand indices into a colour table, with the number of bands that they
// make.
var Expansions = map[string]int{"rgb": 3, "rgba": 4}

// HasPalette reports whether a variable is a raster of rows and columns whose elements are indices
// into a colour table, its attribute palette.
func (i Info) HasPalette() bool {
	return len(i.Shape) == 2 && i.Attrs[paletteAttr] != nil && (i.DType == dtype.Uint8 || i.DType == dtype.Uint16) && i.Refused == "" && i.Labels == nil
}

// Expanded describes what Expand makes of a variable with a colour table: uint8 of shape (channels,
// rows, columns). It has neither a colour table nor a fill value, since an index that marks missing
// data says nothing about colours.
func (i Info) Expanded(channels int) Info {
	dims := []string{"band", "", ""}
	if len(i.Dims) == 2 {
		copy(dims[1:], i.Dims)
	}
	i.Attrs = maps.Clone(i.Attrs)
	for _, name := range []string{paletteAttr, "nodata", "_FillValue", "missing_value"} {
		delete(i.Attrs, name)
	}
	i.Attrs["band_names"] = channelNames[:channels]
	i.DType, i.Dims, i.Shape, i.Fill, i.Order = dtype.Uint8, dims, append([]int{channels}, i.Shape...), nil, nil
	if i.Chunk != nil {
		i.Chunk = append([]int{channels}, i.Chunk...) // all bands of a section come from the same indices
	}
	if i.Unlimited != nil {
		i.Unlimited = append([]bool{false}, i.Unlimited...)
	}
	return i
}

// Expand returns a reader of the colours of a raster for which Info.HasPalette is true, as
// Info.Expanded describes them. An index beyond the colour table has no colour: all its samples are
// 0. The reader holds the indices of a section in memory of its own, at most as many bytes as the
// section has. Closing it closes r. The error wraps ErrType if the colour table is no list of
// colours.
func Expand(r Reader, channels int) (Reader, error) {
	info := r.Info()
	raw, err := EncodeAttr(info.Attrs[paletteAttr])
	if err != nil {
		return nil, err
	}
	var colours [][]float64
	if err := json.Unmarshal(raw, &colours); err != nil {
		return nil, fmt.Errorf("attribute %s: %w: %w; want a list of colours, each a list of its samples", paletteAttr, err, ErrType)
	}
	e := &expander{Reader: r, info: info.Expanded(channels), table: make([][]byte, channels), size: info.DType.Size()}
	for c := range e.table {
		e.table[c] = make([]byte, 1<<(8*e.size))
		for n, colour := range colours[:min(len(colours), len(e.table[c]))] {
			e.table[c][n] = sample(colour, c)
		}
	}
	return e, nil
}

// sample returns a sample of a colour. A colour without alpha is opaque.
func sample(colour []float64, channel int) byte {
	switch {
	case channel < len(colour):
		return byte(min(max(colour[channel], 0), 255))
	case channel == 3:
		return 255
	}
	return 0
}

// An expander reads colours instead of indices.
type expander struct {
	Reader
	info    Info
	table   [][]byte // per band: the sample of each index
	size    int      // of an index in bytes
	indices []byte   // of a section, used again
}

// Info implements Reader.
func (e *expander) Info() Info { return e.info }

// ReadSection implements Reader.
func (e *expander) ReadSection(sec nd.Section, buf []byte) error {
	sec, err := e.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	pixels := len(buf) / sec[0].Len()
	e.indices = slices.Grow(e.indices[:0], pixels*e.size)[:pixels*e.size]
	if err := e.Reader.ReadSection(sec[1:], e.indices); err != nil {
		return err
	}
	for band := range sec[0].Len() {
		expandBand(buf[band*pixels:][:pixels], e.indices, e.table[sec[0].Lo+band], e.size)
	}
	return nil
}

// expandBand replaces indices of one or two bytes by their samples.
func expandBand(to, indices, table []byte, size int) {
	if size == 1 {
		for i, n := range indices {
			to[i] = table[n]
		}
		return
	}
	for i := range to {
		to[i] = table[int(indices[2*i])|int(indices[2*i+1])<<8]
	}
}
