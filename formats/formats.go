// Package formats reads and writes arrays in files of other formats: NumPy's .npy, pictures,
// and the formats that other packages register.
//
//	r, err := formats.Open("in.npy", formats.Options{}) // the first bytes show the format
//	err = r.ReadSection(nd.Sec(nd.Span(0, 10), nd.All), buf)
//	info := formats.Info{DType: dtype.Float32, Shape: []int{10, 20}}
//	w, err := formats.Create(file, "npy", info)
//	err = w.WriteSection(nil, buf)
//
// A Reader reads one variable: one array, described by its Info. HDF5, NetCDF, FITS and MAT files
// hold several variables: List describes them, Options.Variable chooses one, and a program that
// reads several opens the file once for each. There is no type for an open file with several
// variables: every Reader owns its file, Readers may be closed in any order, and formats with a
// single array need no extra methods. Writing is different, because NetCDF needs all definitions
// before the first value: Format.Create takes the Content of the whole file and returns a Writer
// for each variable. A file with groups names its variables by their path: "group/variable".
//
// The elements in a buffer are little-endian, dense, and in Info.Order, the order in which the file
// stores them: row-major (nil) in most formats, column-major in some .npy files and all MAT files.
// Readers and writers do not transpose: the caller passes Info.Order on to drx.Array.WriteBytes or
// ReadBytes, which transposes while it copies. A section that is contiguous in the file is read
// with one call.
//
// A section is a box without steps: few formats read a section with steps faster than its
// bounding box. Sections may be read in any order, unless the file is a pipe, see Info.Streamed.
package formats

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"drx/dtype"
	"drx/formats/raster"
	"drx/internal/errkind"
	"drx/nd"
)

var (
	// ErrFormat is returned when neither the content nor the name of a file identifies its format.
	ErrFormat = errors.New("unknown format")
	// ErrNotRead is returned for a file in a known format that cannot be read.
	ErrNotRead = errors.New("not read yet")
	// ErrNotWritten is returned by Create for a format that can only be read.
	ErrNotWritten = errors.New("not written yet")
	// ErrOrder is returned for a section that begins before, or for writers after, the position of
	// a stream.
	ErrOrder = errors.New("not in the order of the stream")
	// ErrVariable is returned when a file has no variable of the given name, or several variables
	// and no name is given.
	ErrVariable = errors.New("no such variable")
	// ErrType is returned when a format cannot represent the elements of a variable, or DRX the
	// elements of a file.
	ErrType = errors.New("type without counterpart")
	// ErrSize is returned when a buffer, or a file, does not have the size of its elements.
	ErrSize = errors.New("wrong size")
	// ErrMemory is returned when decoding a file needs more memory than Options.Memory.
	ErrMemory = raster.ErrMemory
)

// Info describes an array in a file. Its slices and its map are shared and must not be changed.
type Info struct {
	Name  string         // of the variable; empty if the format has a single array without a name
	DType dtype.DType    // of the elements
	Shape []int          // extents in elements; empty for a scalar, which is one element
	Order nd.Order       // of the elements in the file and in buffers; nil is row-major
	Dims  []string       // names of the dimensions, empty for one without; nil if none has one
	Attrs map[string]any // attributes, with values for drx.Array.SetAttr; nil for none
	Fill  []byte         // the element that marks missing values, little-endian; nil for none
	Chunk []int          // extents of the sections to read or the chunks to write; nil for any

	// Codec compresses the elements in the file; zero for none. Formats whose Codecs have its name
	// write the variable with it, unless Content chooses a codec or Deflate; others ignore it.
	Codec CodecSpec

	// Unlimited says which dimensions the file allows to grow; nil if none. Writers make those
	// dimensions growable in formats that know such dimensions, and ignore it in others.
	Unlimited []bool
	// Labels are set for a variable of strings, in files that have such variables: an element is
	// the index of its string here, in DType (an unsigned integer). Writers of formats without
	// strings return ErrType. List, which does not read the elements, may leave Labels empty, but
	// not nil.
	Labels []string
	// Refused says why a variable in List cannot be read, and what can be done instead; empty if it
	// can be read. DType and Shape may then be zero.
	Refused string
	// Rounded says that the variable is refused only because no type has all of its values. With
	// Options.Rounded it is read as DType, with rounded values.
	Rounded bool
	// NamedByFile says that Name is made from the name of the file, because the file itself does
	// not name its variable.
	NamedByFile bool
	// Damaged says that the variable is refused because the file is cut off or damaged, not because
	// DRX cannot represent it.
	Damaged bool

	// Streamed is set by readers of pipes, which cannot seek backwards. Each section must begin
	// after the end of the previous one: sections ascend along dimension 0, or in a column-major
	// array along the last dimension. For other sections ReadSection returns ErrOrder. It skips
	// elements between two sections.
	Streamed bool
}

// Refuse says that a variable cannot be read because of err: it sets Refused, to one line, and
// Damaged.
func (i *Info) Refuse(err error) {
	i.Refused = strings.Join(strings.Fields(Text(err.Error())), " ")
	i.Damaged = errors.Is(err, io.ErrUnexpectedEOF)
}

// Content describes a whole file: its variables, and the attributes that belong to none of them.
type Content struct {
	Vars   []Info
	Attrs  map[string]any            // of the file, with values as in Info.Attrs; nil for none
	Groups map[string]map[string]any // of its groups, by path without a leading slash; nil for none
	// Deflate is the level of compression, 1 to 9, with which variables are to be written; 0 is
	// none. Formats without compression ignore it. List leaves it 0.
	Deflate int
	// Codec is another compression of all variables, in formats that have it (Format.Codecs); with
	// others CreateFile returns ErrCodec. The zero Codec leaves the choice to Deflate, and to the
	// variables if that is 0. List leaves it zero.
	Codec CodecSpec
	// Memory is the limit on memory for writing the file, in bytes; 0 is raster.DefaultMemory. List
	// leaves it 0.
	Memory int64
	// Names are, for tables, the names of the indices of each dimension of the only variable:
	// labels, times or numbers; nil for a dimension without names, and if none has names. Other
	// formats ignore it, and List leaves it nil.
	Names []func(index int) string `json:"-"`
}

// A Reader reads an array of a file. It is used by one goroutine at a time.
type Reader interface {
	// Info describes the array.
	Info() Info
	// ReadSection reads the elements of a section into buf: little-endian, dense, in Info().Order.
	// buf must have their exact size. Indices begin at 0; a nil section is the whole array. Beside
	// buf it needs at most 64 KiB of memory if the file stores plain elements, and at most
	// Options.Memory if the file has to be decoded. The error is one of Info.Check, or wraps
	// ErrOrder, io.ErrUnexpectedEOF for a truncated file, or the error of the format for a damaged
	// file.
	ReadSection(sec nd.Section, buf []byte) error
	// Close closes the file.
	io.Closer
}

// A Sparse is a Reader of a format that leaves out parts of an array.
type Sparse interface {
	// Missing returns the element that every element of a section equals because the file stores
	// nothing of it; nil if the file may store something.
	Missing(sec nd.Section) []byte
}

// A Writer writes an array of a file. It is used by one goroutine at a time.
type Writer interface {
	// WriteSection writes the elements of a section, in the form in which Reader.ReadSection
	// returns them. Each element must be written once. If the output is not a regular file,
	// sections must follow each other without gaps in Info.Order, so row-major ones ascend along
	// dimension 0; the error of other sections wraps ErrOrder.
	WriteSection(sec nd.Section, buf []byte) error
	// Close completes the array. It does not close the io.Writer given to Create. The error wraps
	// io.ErrUnexpectedEOF when elements are missing.
	io.Closer
}

// Check resolves a section against the shape and checks that buf has the size of its elements.
// Readers and writers call it first. The error wraps nd.ErrRank or nd.ErrBounds when sec does not
// fit the shape or has a step, and ErrSize when buf is too long or too short.
func (i Info) Check(sec nd.Section, buf []byte) (nd.Section, error) {
	full, err := sec.Resolve(make([]int, len(i.Shape)), i.Shape)
	if err != nil {
		return nil, fmt.Errorf("section %v of shape %v: %w", sec, i.Shape, err)
	}
	for d, r := range full {
		if r.Step != 1 {
			return nil, errkind.Errorf(nd.ErrBounds, "section %v: dimension %d: step %d: files are read and written without steps", sec, d, r.Step)
		}
	}
	n, err := Info{DType: i.DType, Shape: full.Shape()}.Bytes()
	if err != nil {
		return nil, fmt.Errorf("section %v: %w", full, err)
	}
	if n != len(buf) {
		return nil, errkind.Errorf(ErrSize, "section %v of %v: %d bytes, but the buffer has %d", full, i.DType, n, len(buf))
	}
	return full, nil
}

// CheckWritten returns an error that wraps io.ErrUnexpectedEOF if the array has more elements than
// were written.
func (i Info) CheckWritten(elements int) error {
	total, err := nd.Product(i.Shape...)
	if err == nil && elements < total {
		err = errkind.Errorf(io.ErrUnexpectedEOF, "%d of %d elements were written", elements, total)
	}
	return err
}

// Bytes returns the size of all elements in bytes. The error wraps dtype.ErrDType when the type is
// invalid and nd.ErrOverflow when the size does not fit an int.
func (i Info) Bytes() (int, error) {
	if !i.DType.Valid() {
		return 0, errkind.Errorf(dtype.ErrDType, "there is no element type %v", i.DType)
	}
	n, err := nd.Product(i.Shape...)
	if err != nil {
		return 0, fmt.Errorf("shape %v: %w", i.Shape, err)
	}
	if n > math.MaxInt/i.DType.Size() {
		return 0, fmt.Errorf("shape %v of %v: %w", i.Shape, i.DType, nd.ErrOverflow)
	}
	return n * i.DType.Size(), nil
}
