// Package convert reads and writes arrays in the files of other formats: NumPy's .npy, pictures,
// and whatever formats other packages register.
//
//	r, err := convert.Open("in.npy", convert.Options{})             // the first bytes tell the format
//	err = r.ReadSection(nd.Sec(nd.Span(0, 10), nd.All), buf)
//	w, err := convert.Create(file, "npy", convert.Info{DType: dtype.Float32, Shape: []int{10, 20}})
//	err = w.WriteSection(nil, buf)
//
// A Reader is of one variable: one array with its Info. Of the formats to come, HDF5, NetCDF, FITS
// and MAT have several in a file: List tells them, Options.Variable chooses one, and a file that is
// read for several of them is opened for each. So a Reader owns its file, nothing has to be
// closed in an order, and formats of one array need no more than they have. Writing cannot go
// variable by variable, as NetCDF wants all definitions before the first value: Format.Create
// takes the Info of all variables and returns a Writer for each.
//
// The elements in a buffer are little-endian, dense, and in Info.Order, which is the order that
// the file has them in: row-major (nil) in most formats, column-major in some .npy files and all MAT
// files. Nobody transposes on the way: who gets them says Info.Order to drx.Array.WriteBytes,
// which brings them to where they belong in one pass, and the elements that are next to each other in
// the file are read as one piece.
//
// A section is a box. Steps are refused: what is to be had with a step can be taken from the box, and
// few formats gain by it. Sections may be asked for in any order, but for what comes from a pipe, see
// Info.Streamed.
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
	// ErrOrder is returned when a section of a stream is not where the stream is, see Info.Streamed.
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
	Fill  []byte         // the element that stands for none, little-endian; nil when there is no such element
	Chunk []int          // the extents that the file is best read in; nil when it does not matter

	// Streamed says that sections must ascend along dimension 0 (more exactly: along the slowest one of
	// Order, and within it along the next one), since what is read is gone: a pipe. Others are
	// refused with ErrOrder. Sections may leave out elements between them, which are then passed over.
	Streamed bool
}

// A Reader reads an array of a file. It is used by one goroutine at a time.
type Reader interface {
	// Info describes the array.
	Info() Info
	// ReadSection reads the elements of a section, which begins at index 0 and has no steps, nil for the whole
	// array. They take all of buf: little-endian, dense, in Info().Order. What it needs beside buf
	// is bounded: by 64 KiB where the file has the elements as they are, else by Options.Memory. The
	// error wraps what Info.Check returns, ErrOrder, io.ErrUnexpectedEOF for a file that is cut short,
	// or the error of the format for one that is damaged.
	ReadSection(sec nd.Section, buf []byte) error
	// Close closes the file.
	io.Closer
}

// A Writer writes an array of a file. It is used by one goroutine at a time.
type Writer interface {
	// WriteSection writes the elements of a section as Reader.ReadSection reads them. Each element
	// is written once. Where the output is no regular file, sections follow each other without gaps in
	// the order that the Info has, row-major: ascending along dimension 0. Others are refused with ErrOrder.
	WriteSection(sec nd.Section, buf []byte) error
	// Close completes the array; it does not close what Create was given. The error wraps
	// io.ErrUnexpectedEOF when elements are missing.
	io.Closer
}

// Check returns the section that sec stands for in an array of this shape, with all of its bounds. The
// error wraps nd.ErrRank or nd.ErrBounds when sec does not fit the shape or has a step,
// and ErrSize when buf does not have the bytes of its elements. Readers and writers begin with it.
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
