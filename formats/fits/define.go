//go:build fits && cgo

package fits

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drx/dataset/cftime"
	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
	"drx/nd"
)

// A fileDef defines a file to be written.
type fileDef struct {
	inFirst bool     // the first header contains the first variable
	first   []string // cards of the first header if it has no data
	vars    []varDef
	groups  [][]string // the cards of the other headers without data
}

// A varDef defines a variable to be created.
type varDef struct {
	info  formats.Info
	name  string
	elem  element
	tile  []int // nil: not compressed
	cards []string
}

// primary is the name of the variable in the first header if the header gives no other.
const primary = "primary"

// define checks the content of a file. The first variable goes into the first header if it is the
// only one or named "primary". Two cases leave the first header without data: the file has
// attributes of its own, which go there, or the variable is compressed, which only extensions can
// be.
func define(c formats.Content) (*fileDef, error) {
	if err := cformat.CheckDeflate(&c); err != nil {
		return nil, err
	}
	p := &fileDef{}
	names := map[string]bool{}
	for i, info := range c.Vars {
		v := varDef{info: info, name: cmp.Or(info.Name, primary)}
		if names[v.name] {
			return nil, fmt.Errorf("%s: two variables have this name", v.name)
		}
		names[v.name] = true
		if err := v.check(c.Deflate > 0); err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		isFirst := i == 0 && v.tile == nil && len(c.Attrs) == 0 && (len(c.Vars) == 1 || v.name == primary)
		p.inFirst = p.inFirst || isFirst
		if err := v.writeCards(isFirst); err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		p.vars = append(p.vars, v)
	}
	var err error
	if p.first, err = cardsOf(c.Attrs, nil); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Groups)) {
		cards, err := cardsOf(c.Groups[name], words("EXTNAME"))
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", name, err)
		}
		if len(cards) > 0 {
			p.groups = append(p.groups, append(textCards("EXTNAME", name), cards...))
		}
	}
	return p, nil
}

// check returns an error if FITS cannot represent the variable. Otherwise it decides how the
// variable is stored.
func (v *varDef) check(compress bool) error {
	if err := cformat.CheckInfo(&v.info, "FITS"); err != nil {
		return err
	}
	if v.info.Labels != nil {
		return errkind.Errorf(formats.ErrType, "strings: images of FITS have numbers only; export them to HDF5 or NetCDF, or choose other variables")
	}
	i := slices.IndexFunc(elements, func(e element) bool { return e.dtype == v.info.DType })
	if i < 0 {
		return errkind.Errorf(formats.ErrType, "%v: FITS has integers, float32 and float64; %s", v.info.DType, advice(v.info.DType))
	}
	v.elem = elements[i]
	rank := len(v.info.Shape)
	if rank > 999 {
		return errkind.Errorf(nd.ErrRank, "%d dimensions: FITS has at most 999", rank)
	}
	if rank == 0 {
		v.info.Shape = []int{1}
	}
	if compress {
		v.chooseTile()
	}
	return nil
}

// advice returns a hint for an element type that FITS does not have.
func advice(t dtype.DType) string {
	if t.IsComplex() {
		return "make two arrays of it, its real and its imaginary part"
	}
	nearest := "float32"
	if t == dtype.Bool {
		nearest = "uint8"
	}
	return fmt.Sprintf("copy the array to %s, or export it as %s", nearest, nearest)
}

// tileElements is the approximate number of elements of a tile whose extents are not given.
const tileElements = 1 << 16

// chooseTile sets the extents of tiles to the chunk, or to as many rows as hold tileElements.
// Images of 64-bit integers, or with more than maxTiledRank dimensions, are stored uncompressed,
// because CFITSIO does not compress them.
func (v *varDef) chooseTile() {
	shape := v.info.Shape
	if v.elem.dtype == dtype.Int64 || v.elem.dtype == dtype.Uint64 || len(shape) > maxTiledRank || slices.Contains(shape, 0) {
		return
	}
	v.tile = make([]int, len(shape))
	most := tileElements
	for d := len(shape) - 1; d >= 0; d-- {
		v.tile[d] = max(1, min(shape[d], most))
		most /= v.tile[d]
		if v.info.Chunk != nil {
			v.tile[d] = max(1, min(shape[d], v.info.Chunk[d]))
		}
	}
}

// writeCards makes the cards of the header.
func (v *varDef) writeCards(isFirst bool) (err error) {
	attrs := maps.Clone(v.info.Attrs)
	if attrs == nil {
		attrs = map[string]any{}
	}
	drop := words("EXTNAME BLANK")
	if extname := v.extname(attrs); extname != primary || !isFirst {
		v.cards = textCards("EXTNAME", extname)
	}
	if unit, ok := attrs["units"].(string); ok && !cftime.IsTime(unit) {
		attrs["BUNIT"] = unit
		delete(attrs, "units")
	}
	if err := v.scale(attrs, drop); err != nil {
		return err
	}
	if err := v.blank(attrs); err != nil {
		return err
	}
	for d, name := range v.info.Dims {
		if key := fmt.Sprintf("CNAME%d", len(v.info.Shape)-d); name != "" {
			attrs[key] = name
		}
	}
	more, err := cardsOf(attrs, drop)
	v.cards = append(v.cards, more...)
	return err
}

// extname returns the name of the extension: the attribute EXTNAME if an import made the variable's
// name from it, else the variable's name.
func (v *varDef) extname(attrs map[string]any) string {
	if old, ok := attrs["EXTNAME"].(string); ok && old != "" && strings.HasPrefix(v.name, old+"_") {
		return old
	}
	return v.name
}

// scale writes the cards that map stored numbers to values: the convention for unsigned integers,
// or the attributes scale_factor and add_offset. If both apply, a number u is stored as u - zero,
// and u*scale + offset = (u - zero)*scale + (zero*scale + offset).
func (v *varDef) scale(attrs map[string]any, drop map[string]bool) error {
	if v.elem.flip && (attrs["scale_factor"] != nil || attrs["add_offset"] != nil) {
		factor, ok := number(attrs["scale_factor"], 1)
		offset, isNumber := number(attrs["add_offset"], 0)
		if ok && isNumber {
			delete(attrs, "scale_factor")
			delete(attrs, "add_offset")
			attrs["BSCALE"], attrs["BZERO"] = factor, v.elem.zero*factor+offset
			return nil
		}
	}
	if v.elem.flip {
		zero := fmt.Sprintf("%.0f", v.elem.zero)
		v.cards = append(v.cards, valueCard("BZERO", zero), valueCard("BSCALE", "1"))
		drop["BZERO"], drop["BSCALE"] = true, true
		return nil
	}
	for _, pair := range [][2]string{{"scale_factor", "BSCALE"}, {"add_offset", "BZERO"}} {
		switch value, ok := attrs[pair[0]]; {
		case !ok:
		case v.elem.dtype.IsFloat() && attrs[pair[1]] == nil:
		default:
			delete(attrs, pair[0])
			attrs[pair[1]] = value
		}
	}
	return nil
}

// number returns the value of a numeric attribute, or otherwise if the attribute is absent. ok is
// false if the attribute is not a number.
func number(value any, otherwise float64) (x float64, ok bool) {
	switch n := value.(type) {
	case nil:
		return otherwise, true
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}

// blank writes the card of an integer fill value. For floats NaN needs no card, and any other fill
// value becomes an attribute.
func (v *varDef) blank(attrs map[string]any) error {
	if v.info.Fill == nil {
		return nil
	}
	if v.elem.dtype.IsFloat() {
		if text := v.elem.dtype.Format(v.info.Fill); text != "NaN" && attrs["_FillValue"] == nil && attrs["missing_value"] == nil {
			attrs["_FillValue"] = v.elem.dtype.ToJSON(v.info.Fill)
		}
		return nil
	}
	stored := slices.Clone(v.info.Fill)
	v.elem.turn(stored)
	raw := elements[slices.IndexFunc(elements, func(e element) bool { return e.bitpix == v.elem.bitpix && !e.flip })]
	v.cards = append(v.cards, valueCard("BLANK", raw.dtype.Format(stored)))
	return nil
}
