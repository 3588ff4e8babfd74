package transfer

// ExportOptions say what Export writes. The zero value writes everything in the format of the
// extension. Errors call options by their names in JSON; see Option.
type ExportOptions struct {
	// Vars are names of variables of a dataset, exported with their coordinates; nil exports all.
	Vars []string `json:"var,omitempty"`
	// Append is the dimension along which the file can grow, in formats that support it. An
	// existing file is brought up to date: it gets the indices that follow its own.
	Append string `json:"append,omitempty"`
	// Format is the name of the format; empty is that of the extension of the file.
	Format string `json:"format,omitempty"`
	// Deflate is the level of deflate in formats that have it, 1 to 9; with 0, Codec decides.
	Deflate int `json:"deflate,omitempty"`
	// Codec is another compression in formats that have it, in the form of formats.ParseCodec;
	// "none" compresses nothing, in any format, and KeepCodec gives each variable the codec of its
	// array. Empty compresses as the programs of the format do (formats.Format.Usual): in Zarr an
	// array keeps its codec; in HDF5 and NetCDF-4 it does not, as their readers need plugins for it.
	Codec string `json:"codec,omitempty"`
	// Digits is the number of significant digits of floating-point data to keep, and Bits the
	// number of bits behind the leading one; the rest is rounded away, so that data compress
	// better. 0 keeps all. The rounding is recorded in the attribute that netCDF writes for its
	// quantize modes GranularBitRound and BitRound.
	Digits int `json:"digits,omitempty"`
	Bits   int `json:"bits,omitempty"`
	// As is the name of the element type to which all variables but coordinates and strings are
	// converted; empty is that of the array. A value that does not fit is an error, or with Clip
	// the nearest that does.
	As   string `json:"as,omitempty"`
	Clip bool   `json:"clip,omitempty"`
	// AsStored writes numbers and attributes as they are stored, even if readers of the format
	// cannot determine their meaning.
	AsStored bool `json:"as-stored,omitempty"`
	// Alone exports an array of a dataset without its coordinates, in its own bounds.
	Alone bool `json:"alone,omitempty"`
	// Name is the name in the file of the variable for an array that belongs to no dataset or is
	// exported alone; empty is the last part of the array's own name.
	Name string `json:"name,omitempty"`

	// Select chooses the elements; nil is all.
	Select Selector `json:"-"`
	// Memory is the approximate limit on the memory of the export, in bytes; 0 is DefaultMemory.
	Memory int64 `json:"-"`
	// Progress, if not nil, is called repeatedly with the bytes that are done and the total.
	Progress func(done, total int64) `json:"-"`
	// Note, if not nil, is called with lines for people about results that they may not expect.
	Note func(text string) `json:"-"`
	// Temporary, if not nil, is called with the name of the hidden folder beside the file, in which
	// the file is written. Export removes the folder before it returns. A program that may end
	// earlier must remove it itself.
	Temporary func(folder string) `json:"-"`
}

// SetDeflate sets a level of deflate that a user gave explicitly. Such a 0 means no compression,
// unless a codec is chosen, whereas the zero value of Deflate means the default.
func (o *ExportOptions) SetDeflate(level int) {
	if o.Deflate = level; level == 0 && o.Codec == "" {
		o.Codec = "none"
	}
}
