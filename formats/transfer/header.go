package transfer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/wording"
	"drx/nd"
)

// An arrayHeader describes an array without its elements. Plans are made from headers, so that they
// depend on no elements and can be tested without files.
type arrayHeader struct {
	name   string // for people
	dtype  dtype.DType
	fill   []byte
	codec  string
	dims   []string // names; empty for a dimension without one
	bounds nd.Section
	attrs  map[string]json.RawMessage
}

func headerOf(a *drx.Array) arrayHeader {
	return arrayHeader{a.Name(), a.DType(), a.FillValue(), a.Layout().Codec, a.Dims(), a.Bounds(), a.Attrs()}
}

func (h arrayHeader) rank() int    { return len(h.bounds) }
func (h arrayHeader) shape() []int { return h.bounds.Shape() }

// attr decodes an attribute into the variable that value points to, and reports whether it exists.
func (h arrayHeader) attr(name string, value any) (found bool, err error) {
	raw, found := h.attrs[name]
	if !found {
		return false, nil
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return true, fmt.Errorf("%s: attribute %s: %w", h.name, name, err)
	}
	return true, nil
}

// dim returns the dimension with the given name or number.
func (h arrayHeader) dim(text string) (int, error) {
	if d := slices.Index(h.dims, text); d >= 0 && text != "" {
		return d, nil
	}
	if d, err := strconv.Atoi(text); err == nil && d >= 0 && d < h.rank() {
		return d, nil
	}
	named := "without names"
	if strings.Join(h.dims, "") != "" {
		named = fmt.Sprintf("named %q", h.dims)
	}
	return 0, wrongOption("%s: no dimension %q%s: there are 0 to %d, %s", h.name, text, wording.DidYouMean("", text, h.dims), h.rank()-1, named)
}

// dimNames returns the names of the dimensions for messages. One without a name gets its number.
func (h arrayHeader) dimNames() []string {
	names := slices.Clone(h.dims)
	for d, name := range names {
		if names[d] = wording.Printable(name); name == "" {
			names[d] = strconv.Itoa(d)
		}
	}
	return names
}

// meaning returns what the elements mean. parent is the coordinate of which they are the bounds,
// nil for none.
func (h arrayHeader) meaning(parent *arrayHeader) (*meaning.Meaning, error) {
	var of map[string]json.RawMessage
	if parent != nil {
		of = parent.attrs
	}
	m, err := meaning.Of(h.dtype, h.fill, h.attrs, of)
	if err != nil {
		err = fmt.Errorf("%s: %w", h.name, err)
	}
	return m, err
}

// dstState is the state of DST before files are appended: an array, or the variables of a dataset.
type dstState struct {
	dst     string
	isArray bool
	dims    []dataset.Dim // of a dataset
	vars    []dstVar      // by name; the only one of an array
}

// A dstVar is a variable of a dataset, or an array by itself.
type dstVar struct {
	arrayHeader
	path         string   // name in the dataset, "" for an array by itself
	along        []string // dimensions of the dataset; those of an array by itself are numbers
	isCoordinate bool
}

// dimNames returns the names of the dimensions for messages.
func (e *dstState) dimNames() (names []string) {
	if e.isArray {
		return e.vars[0].dimNames()
	}
	for _, dim := range e.dims {
		names = append(names, wording.Printable(dim.Name))
	}
	return names
}
