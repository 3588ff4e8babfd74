// Package convert opens arrays that are held in other formats, so that they can be
// stored: NumPy's .npy files and pictures.
package convert

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drx/convert/npy"
	"drx/convert/raster"
	"drx/dtype"
	"drx/nd"
)

// ErrFormat is returned when neither the content nor the name of a file tells a
// format that is known.
var ErrFormat = errors.New("unknown format")

// A Source is an array held in another format, delivered front to back: Read gives
// its elements little-endian and dense in Order, io.EOF after the last one.
type Source interface {
	DType() dtype.DType // of the elements
	Shape() []int       // elements per dimension
	Order() nd.Order    // in which Read gives them
	io.ReadCloser
}

// An input is a file or a stream that has not been read yet.
type input struct {
	head   []byte      // its first bytes
	stream io.Reader   // all of it
	file   io.ReaderAt // the same, nil when only the stream can be read
	size   int64       // bytes of the file
	memory int64       // that a picture may take, in bytes
}

// A format is a kind of file that can be opened.
type format struct {
	name  string
	exts  []string
	match func(head []byte) bool
	open  func(in input) (*source, error)
}

var formats = []format{
	{
		name:  "NumPy",
		exts:  []string{".npy"},
		match: func(head []byte) bool { return bytes.HasPrefix(head, []byte(npy.Magic)) },
		open:  openNPY,
	},
	{
		name:  "picture",
		exts:  []string{".png", ".tif", ".tiff", ".pbm", ".pgm", ".ppm", ".pnm"},
		match: raster.Match,
		open:  openPicture,
	},
}

// headSize is what the formats are told by.
const headSize = 16

// Options say how to open. The zero value is good for most files.
type Options struct {
	// Memory bounds the bytes that a picture takes while it is decoded; 0 is raster.DefaultMemory.
	Memory int64
}

// Open opens the array in the file at path, or on standard input when path is "-".
// The first bytes tell the format, or else the extension. NumPy and netpbm files are streamed;
// a PNG or TIFF picture is decoded in memory, a page at a time, and any picture that comes as a
// stream is held there whole: in Options.Memory at most.
//
// The error names the file. It wraps ErrFormat when the format is not known, and
// otherwise those of npy.NewReader and raster.NewReader; so do the errors of Read.
func Open(path string, o Options) (Source, error) {
	name, f := path, os.Stdin
	if path == "-" {
		name = "standard input"
	} else {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err // names the file
		}
	}
	s, err := open(f, path, o)
	if err != nil {
		if f != os.Stdin {
			f.Close()
		}
		return nil, named(name, err)
	}
	s.name = name
	if f != os.Stdin {
		s.close = f.Close
	}
	return s, nil
}

// open finds the format of f and opens it.
func open(f *os.File, path string, o Options) (*source, error) {
	in, err := newInput(f)
	if err != nil {
		return nil, err
	}
	in.memory = cmp.Or(o.Memory, raster.DefaultMemory)
	i := slices.IndexFunc(formats, func(known format) bool { return known.match(in.head) })
	if i < 0 {
		ext := strings.ToLower(filepath.Ext(path))
		i = slices.IndexFunc(formats, func(known format) bool { return slices.Contains(known.exts, ext) })
	}
	if i < 0 {
		var known []string
		for _, f := range formats {
			known = append(known, f.name+" ("+strings.Join(f.exts, " ")+")")
		}
		return nil, fmt.Errorf("starts with %q: %w: known are %s", in.head, ErrFormat, strings.Join(known, ", "))
	}
	return formats[i].open(in)
}

// newInput looks at the first bytes of f. Standard input is a stream even when it is
// a file, since others may have read from it already.
func newInput(f *os.File) (input, error) {
	info, err := f.Stat()
	if err != nil {
		return input{}, err
	}
	in := input{head: make([]byte, headSize), stream: f, file: f, size: info.Size()}
	n := 0
	if f != os.Stdin && info.Mode().IsRegular() {
		n, err = f.ReadAt(in.head, 0)
	} else {
		b := bufio.NewReaderSize(f, 1<<16)
		var head []byte
		head, err = b.Peek(headSize)
		n = copy(in.head, head)
		in.stream, in.file = b, nil
	}
	in.head = in.head[:n]
	if err == io.EOF {
		err = nil
	}
	return in, err
}

func openNPY(in input) (*source, error) {
	r, err := npy.NewReader(in.stream)
	if err != nil {
		return nil, err
	}
	s := &source{r: r, dtype: r.DType, shape: r.Shape}
	if r.ColMajor {
		s.order = nd.ColMajor(len(r.Shape))
	}
	return s, nil
}

func openPicture(in input) (*source, error) {
	if in.file == nil {
		// The buffer grows by doubling, and must leave memory for what is decoded.
		most := in.memory / 4
		var data bytes.Buffer
		if _, err := io.Copy(&data, io.LimitReader(in.stream, most+1)); err != nil {
			return nil, err
		}
		if in.size = int64(data.Len()); in.size > most {
			return nil, fmt.Errorf("picture: %w: a stream may have %d bytes, a quarter of the limit", raster.ErrMemory, most)
		}
		in.file, in.memory = bytes.NewReader(data.Bytes()), in.memory-int64(data.Cap())
	}
	r, err := raster.NewReader(in.file, in.size, in.memory)
	if err != nil {
		return nil, err
	}
	return &source{r: r, dtype: r.DType, shape: r.Shape}, nil
}

// A source is an open array of any format; its errors name the file.
type source struct {
	name  string
	r     io.Reader
	dtype dtype.DType
	shape []int
	order nd.Order
	close func() error // nil when there is nothing to close
}

// DType returns the type of the elements.
func (s *source) DType() dtype.DType { return s.dtype }

// Shape returns a copy of the extents, in elements.
func (s *source) Shape() []int { return slices.Clone(s.shape) }

// Order returns the order in which the elements come.
func (s *source) Order() nd.Order { return s.order }

// Read reads the next bytes; its error names the source.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	return n, named(s.name, err)
}

// Close closes what the elements come from.
func (s *source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// named puts the name before the error, unless the error has it already.
func named(name string, err error) error {
	var path *fs.PathError
	if err == nil || err == io.EOF || errors.As(err, &path) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
