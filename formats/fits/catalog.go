//go:build fits && cgo

package fits

// #include <fitsio.h>
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"drx/dataset/meaning"
	"drx/formats"
	"drx/formats/cformat"
)

// A variable is a header with data.
type variable struct {
	info   formats.Info
	header int // its number, from 1
	elem   element
	tiled  bool               // compressed in tiles
	err    error              // why it cannot be read
	world  *meaning.WorldAxis // the coordinate of an axis, which has no data in the file; else nil
}

// Describe implements cformat.Variable.
func (v *variable) Describe() (*formats.Info, error) { return &v.info, v.err }

// A catalog lists the images of a file.
type catalog struct {
	cformat.Catalog[*variable]
	names   map[string]bool
	extents map[string]int // extents of the named dimensions
}

// readCatalog describes a file. It returns an error only if the first header cannot be read; a
// fault in a later header becomes the reason why its variable cannot be read. The values of cards
// take at most memory bytes.
func readCatalog(f *file, memory int64) (*catalog, error) {
	c := &catalog{names: map[string]bool{}, extents: map[string]int{}}
	for number := 1; ; number++ {
		kind, err := f.move(number)
		if errors.Is(err, errEnd) && number > 1 {
			c.addWorld()
			return c, nil
		}
		if err != nil {
			if number == 1 {
				return nil, err
			}
			c.Add(&variable{info: formats.Info{Name: c.name(number, nil)}, err: err})
			c.addWorld()
			return c, nil
		}
		h, err := f.header(&memory)
		if err != nil {
			return nil, fmt.Errorf("header %d: %w", number, err)
		}
		c.add(f, number, kind, h)
	}
}

// add adds the image that the current header describes.
func (c *catalog) add(f *file, number int, kind C.int, h *header) {
	v := &variable{header: number, info: formats.Info{Name: c.name(number, h)}}
	switch {
	case kind != C.IMAGE_HDU:
		v.err = cformat.Refuse(formats.ErrType, "a table: DRX reads arrays only; save its columns as arrays, for example with astropy and numpy.save")
		c.Add(v)
	case h.number("NAXIS") > 0 && h.number("NAXIS1") == 0 && h.values["GROUPS"] == true:
		v.err = cformat.Refuse(formats.ErrType, "random groups, an old kind of table: DRX reads arrays only; save its parameters and arrays with astropy and numpy.save")
		c.Add(v)
	default:
		var status C.int
		var rank C.int
		C.ffgidm(f.fits, &rank, &status)
		if v.err = check("NAXIS", status); v.err == nil && rank == 0 {
			c.addAttrs(v.info.Name, number, h)
			return
		}
		if v.err == nil {
			v.err = v.describe(f, int(rank), h)
		}
		c.nameDims(&v.info, h)
		c.Add(v)
	}
}

// addAttrs adds a header without data.
func (c *catalog) addAttrs(name string, number int, h *header) {
	attrs := h.attributes(nil)
	switch {
	case number == 1:
		c.Attrs = attrs
	case attrs != nil:
		if c.Groups == nil {
			c.Groups = map[string]map[string]any{}
		}
		c.Groups[name] = attrs
	}
}

// name returns a name that no other variable or group has.
func (c *catalog) name(number int, h *header) string {
	name, version := "", number
	if h != nil {
		text, _ := h.values["EXTNAME"].(string)
		if h.tiled() && text == unnamed {
			text = ""
		}
		name = strings.ReplaceAll(strings.TrimSpace(text), "/", "_")
		if n := h.number("EXTVER"); n > 0 {
			version = int(n)
		}
	}
	if strings.Trim(name, ".") == "" {
		name = fmt.Sprintf("hdu%d", number)
		if number == 1 {
			name = "primary"
		}
	}
	unique := name
	if c.names[unique] {
		unique = fmt.Sprintf("%s_%d", name, version)
	}
	for n := number; c.names[unique]; n++ {
		unique = fmt.Sprintf("%s_hdu%d", name, n)
	}
	c.names[unique] = true
	return unique
}

// nameDims names the dimensions after the cards CNAMEn. It skips a name if another variable has a
// dimension of that name with another extent.
func (c *catalog) nameDims(info *formats.Info, h *header) {
	rank := len(info.Shape)
	dims := make([]string, rank)
	for d, n := range info.Shape {
		name, _ := h.values[fmt.Sprintf("CNAME%d", rank-d)].(string)
		if extent, known := c.extents[name]; name != "" && !slices.Contains(dims, name) && (!known || extent == n) {
			c.extents[name], dims[d] = n, name
		}
	}
	if slices.ContainsFunc(dims, func(name string) bool { return name != "" }) {
		info.Dims = dims
	}
}

// Find is Catalog.Find, except that an empty name never selects the coordinate of an axis.
func (c *catalog) Find(name string) (*variable, error) {
	if name == "" {
		var data cformat.Catalog[*variable]
		for _, v := range c.Vars {
			if v.world == nil {
				data.Vars = append(data.Vars, v)
			}
		}
		return data.Find(name)
	}
	return c.Catalog.Find(name)
}
