// Package convert reads and writes arrays in the files of other formats: NumPy's .npy, pictures,
// and whatever formats other packages register.
//
//	r, err := convert.Open("in.npy", convert.Options{})             // the first bytes tell the format
//	err = r.ReadSection(nd.Sec(nd.Span(0, 10), nd.All), buf)
//	w, err := convert.Create(file, "npy", convert.Info{DType: dtype.Float32, Shape: []int{10, 20}})
//	err = w.WriteSection(nil, buf)
//
// A Reader reads one variable: one array, described by its Info. HDF5, NetCDF, FITS and MAT files hold
// several variables: List describes them, Options.Variable chooses one, and a program that reads several
// opens the file once for each. There is no type for an open file of several variables: every
// Reader owns its file, the order of the calls of Close does not matter, and a format of one
// array implements nothing for the others. Writing differs, because NetCDF needs all definitions
// before the first value: Format.Create takes the Info of all variables and returns a Writer for each.
//
// The elements in a buffer are little-endian, dense, and in Info.Order, the order in which the file
// stores them: row-major (nil) in most formats, column-major in some .npy files and all MAT
// files. Readers and writers do not transpose: the caller passes Info.Order on to
// drx.Array.WriteBytes or ReadBytes, which transposes while it copies. A section that is contiguous in
// the file is read with one call.
//
// A section is a box without steps: few formats read a section with steps faster than the box
// around it. Sections may be read in any order, unless the file is a pipe, see Info.Streamed.
package convert

import (
	"errors"
	"fmt"
	"io"
	"math"

	"drx/convert/raster"
	"drx/dtype"
	"drx/nd"
)

var (
	// ErrFormat is returned when neither the content nor the name of a file tells its format.
	ErrFormat = errors.New("unknown format")
	// ErrNotRead is returned for a file of a format that is known but not read.
	ErrNotRead = errors.New("not read yet")
	// ErrNotWritten is returned when a file of a format is to be written that is only read.
	ErrNotWritten = errors.New("not written yet")
	// ErrOrder is returned for a section of a stream that lies behind or ahead of where the stream is.
	ErrOrder = errors.New("not in the order of the stream")
	// ErrVariable is returned when a file has no variable of the name asked for, or several where one
	// is to be chosen.
	ErrVariable = errors.New("no such variable")
	// ErrSize is returned when a buffer, or a file, does not have the bytes of its elements.
	ErrSize = errors.New("wrong size")
	// ErrMemory is returned when a file takes more memory than Options.Memory to decode.
	ErrMemory = raster.ErrMemory
)

// Info says what an array in a file is. The slices and the map are shared and must not be changed.
type Info struct {
	Name  string         // of the variable; empty where a file has but one array, without a name
	DType dtype.DType    // of the elements
	Shape []int          // extents in elements; empty for a scalar, which is one element
	Order nd.Order       // of the elements in the file and in buffers; nil is row-major
	Dims  []string       // names of the dimensions, empty ones for those without; nil when none has one
	Attrs map[string]any // attributes, values as drx.Array.SetAttr takes them; nil when there are none
	Fill  []byte         // the element that marks missing values, little-endian; nil when the file names none
	Chunk []int          // extents of the sections that the file is read in fastest; nil when they do not matter

	// Streamed is set by readers of pipes, which cannot go back. Each section must begin behind the end of
	// the one before it: sections ascend along dimension 0, or for a column-major array along
	// the last dimension. Other sections are refused with ErrOrder. Elements between two sections are skipped.
	Streamed bool
}

// A Reader reads an array of a file. It is used by one goroutine at a time.
type Reader interface {
	// Info describes the array.
	Info() Info
	// ReadSection reads the elements of a section into buf, which they fill: little-endian, dense, in
	// Info().Order. Indices begin at 0; a nil section is the whole array. The memory that it takes
	// beside buf is at most 64 KiB where the file stores plain elements, and Options.Memory where it is decoded. The
	// error wraps those of Info.Check, ErrOrder, io.ErrUnexpectedEOF for a file that is cut short,
	// or the error of the format for a damaged file.
	ReadSection(sec nd.Section, buf []byte) error
	// Close closes the file.
	io.Closer
}

// A Writer writes an array of a file. It is used by one goroutine at a time.
type Writer interface {
	// WriteSection writes the elements of a section, given as Reader.ReadSection returns them. Each
	// element is written once. If the output is not a regular file, sections follow each other without
	// gaps in Info.Order: row-major ones ascend along dimension 0. Others are refused with ErrOrder.
	WriteSection(sec nd.Section, buf []byte) error
	// Close completes the array; it does not close what Create was given. The error wraps
	// io.ErrUnexpectedEOF when elements are missing.
	io.Closer
}

// Check resolves a section against the shape and checks that buf has the bytes of its elements.
// Readers and writers call it first. The error wraps nd.ErrRank or nd.ErrBounds when sec does not fit the
// shape or has a step, and ErrSize when buf is too long or too short.
func (i Info) Check(sec nd.Section, buf []byte) (nd.Section, error) {
	full, err := sec.Resolve(make([]int, len(i.Shape)), i.Shape)
	if err != nil {
		return nil, fmt.Errorf("section %v of shape %v: %w", sec, i.Shape, err)
	}
	for d, r := range full {
		if r.Step != 1 {
			return nil, fmt.Errorf("section %v: dimension %d: step %d: sections of files have none: %w", sec, d, r.Step, nd.ErrBounds)
		}
	}
	n, err := Info{DType: i.DType, Shape: full.Shape()}.Bytes()
	if err != nil {
		return nil, fmt.Errorf("section %v: %w", full, err)
	}
	if n != len(buf) {
		return nil, fmt.Errorf("section %v of %v: %d bytes, but the buffer has %d: %w", full, i.DType, n, len(buf), ErrSize)
	}
	return full, nil
}

// Bytes returns the bytes of all elements. The error wraps dtype.ErrDType when the type is none,
// nd.ErrBounds when an extent is negative, and nd.ErrOverflow when they do not fit an int.
func (i Info) Bytes() (int, error) {
	if !i.DType.Valid() {
		return 0, fmt.Errorf("%v: %w", i.DType, dtype.ErrDType)
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
