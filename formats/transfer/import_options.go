package transfer

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"drx/formats/texttable"
)

// ImportOptions control Import. The zero value imports everything in a file as a new array or
// dataset. Errors call options by their names in JSON: "any-order" is AnyOrder; see Option.
type ImportOptions struct {
	// Vars are names of variables to import, with their coordinates; nil imports all that can be
	// imported.
	Vars []string `json:"var,omitempty"`
	// Alone leaves out the coordinates of the only one of Vars, so that it becomes an array.
	Alone bool `json:"alone,omitempty"`
	// Append is the dimension along which an existing array or dataset grows by the extent of each
	// file, or by one for a file without the dimension. For an array it may be a number. If dst
	// does not exist, the first file makes it.
	Append string `json:"append,omitempty"`
	// Coordinate is the variable that becomes the coordinate of the dimension Append.
	Coordinate string `json:"coordinate,omitempty"`
	// Format is the name of the format, as package formats has it; empty to find it from each file.
	Format string `json:"format,omitempty"`
	// Expand, one of formats.Expansions, stores the colours of rasters that are indices into a
	// colour table.
	Expand string `json:"expand,omitempty"`
	// As is the name of the element type to which all variables but coordinates and strings are
	// converted; empty is that of the file. A value that does not fit is an error, or with Clip the
	// nearest that does.
	As   string `json:"as,omitempty"`
	Clip bool   `json:"clip,omitempty"`
	// Low grows below the lowest index.
	Low bool `json:"low,omitempty"`
	// Unscale applies the attributes scale_factor and add_offset, and makes float64 with NaN for
	// missing values.
	Unscale bool `json:"unscale,omitempty"`
	// Widen lets the other dimensions grow, too, so that they cover the coordinates of a file.
	Widen bool `json:"widen,omitempty"`
	// AnyOrder appends files even if their coordinate does not continue the existing one.
	AnyOrder bool `json:"any-order,omitempty"`
	// AsStored appends data as stored numbers, even if these mean something else in the array.
	// Coordinates and their bounds are converted nevertheless.
	AsStored bool `json:"as-stored,omitempty"`
	// Chunk is the chunk shape of new arrays of as many dimensions, in elements; nil chooses it by
	// the chunks of the file.
	Chunk []int `json:"chunk,omitempty"`
	// Codec compresses the chunks of new arrays, see drx.Spec; "none" does not compress. Empty
	// compresses those variables that are compressed in the file, with the same codec or, if drx
	// does not have it, with a fast one or zstd after a shuffle. drx.AutoCodec tries some codecs on
	// elements of each variable, see drx.ChooseCodec. An existing array must have the codec that is
	// given, unless it is drx.AutoCodec.
	Codec string `json:"codec,omitempty"`

	// Digits is the number of significant digits of floating-point data to keep, and Bits the
	// number of bits behind the leading one; the rest is rounded away, so that data compress
	// better. 0 keeps all. The rounding is recorded in the attribute that netCDF writes for its
	// quantize modes GranularBitRound and BitRound.
	Digits int `json:"digits,omitempty"`
	Bits   int `json:"bits,omitempty"`

	// Options define how tables of text are read: missing values, decimal signs, dates, separators.
	texttable.Options

	// Memory is the approximate limit on the memory of the import, in bytes; 0 is DefaultMemory.
	Memory int64 `json:"-"`
	// Resume continues an import that was interrupted. The options above are those with which it
	// began: they may be left out, and others are an error, except that Clip and AnyOrder may be
	// added.
	Resume bool `json:"-"`
	// Progress, if not nil, is called repeatedly with the bytes that are done and the total. A new
	// total begins a new part of the work.
	Progress func(done, total int64) `json:"-"`
	// Note, if not nil, is called with lines for people about results that they may not expect.
	Note func(text string) `json:"-"`
}

// DefaultMemory is the limit on the memory of an import or an export, in bytes, if the options give
// none.
const DefaultMemory = 256 << 20

// restore replaces the options by those with which an import began. It returns an error if a given
// option differs. Clip and AnyOrder may be added, because they let an import continue that a value
// has stopped.
func (o *ImportOptions) restore(began ImportOptions) error {
	given, was := o.flags(), began.flags()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch value, has := was[name]; {
		case name == "clip" || name == "any-order" || has && reflect.DeepEqual(value, given[name]):
		case has:
			return errorf("began with %v, not %v", option(name, value), option(name, given[name]))
		default:
			return errorf("began without %v", option(name))
		}
	}
	began.Clip, began.AnyOrder = began.Clip || o.Clip, began.AnyOrder || o.AnyOrder
	began.Memory, began.Resume, began.Progress, began.Note = o.Memory, o.Resume, o.Progress, o.Note
	*o = began
	return nil
}

// flags returns the options that are not zero, by their names in JSON.
func (o ImportOptions) flags() map[string]any {
	raw, _ := json.Marshal(o) // of texts and numbers
	given := map[string]any{}
	_ = json.Unmarshal(raw, &given) // what was just written
	if o.Vars != nil {
		given["var"] = o.Vars
	}
	if o.Chunk != nil {
		given["chunk"] = o.Chunk
	}
	return given
}
